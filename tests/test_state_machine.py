"""Whatever is done to a vault, and wherever a refresh is cut off, the sidecar ends up right.

Right means: equal to a sidecar that is built from the vault's files in an empty folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

from conftest import Clock, FakeModel
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from vaultmem.memory import Caller, Memory, Telling, Wish
from vaultmem.sidecar.keyword import KeywordIndex
from vaultmem.sidecar.manifest import Manifest
from vaultmem.sidecar.proof import export
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault import settings as settings_of
from vaultmem.words.errors import VaultmemError

FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A folder in memory, where there is one: what is proven here is order, not durability."""
SCOPES = ["memory/global", "memory/alpha", "memory/beta"]
FOLDERS = [*SCOPES, "memory/alpha/deep", "Notes", "Notes/old"]
NAMES = ["roses", "Thorns", "compost heap"]
TEXTS = [
    "Roses are red.\n",
    "---\ntitle: Roses\ntags:\n  - garden\n---\nPrune them in winter. See [[Thorns]].\n",
    "---\nid: abcd2345\ntitle: Thorns\n---\n# Thorns\n\nThey hurt.\n\n## Why\n\nDefence.\n",
    '---\ntitle: Newer\nsupersedes:\n  - "[[memory/alpha/roses|Roses]]"\n---\nPink ones now.\n',
    "---\r\ntitle: Windows\r\n---\r\nOne line.\r\nAnother.\r\n",
    "---\ntitle: Only a title\ndescription: And what it is about\n---\n",
    "กุหลาบสีแดงในสวน\n",
    "long " * 300 + "\n\n" + "longer " * 200 + "\n",
]
BROKEN = [
    "---\ntitle: [never closed\n---\nStill a body.\n",
    "---\ntitle: never closed\n",
    "---\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x\n---\nBody.\n",
    "\x00\x01 not text \x00",
]
HARMS: dict[str, Callable[[bytes], bytes | None]] = {
    "deleted": lambda data: None,
    "emptied": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "flipped": lambda data: data[: len(data) // 3] + b"\xa5\x5a" + data[len(data) // 3 + 2 :],
    "zeroed": lambda data: bytes(len(data)),
}

folders = st.sampled_from(FOLDERS)
names = st.sampled_from(NAMES)
texts = st.sampled_from(TEXTS)
picks = st.integers(0, 11)


class Killed(BaseException):
    """The process died here."""


class Vault(RuleBasedStateMachine):
    @initialize()
    def made(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="vaultmem-machine-", dir=FAST))
        self.root = self.place / "vault"
        self.clock, self.model = Clock(), FakeModel()
        self.write(".vaultmem/config.toml", 'id = "machine"\n')
        for folder, scope in (("memory/global", '""'), ("memory/alpha", "alpha")):
            marks = "<!-- vaultmem:catalogue -->\n<!-- /vaultmem:catalogue -->\n"
            self.write(f"{folder}/index.md", f"---\nscope: {scope}\n---\n{marks}")
        self.memory = self.opened("state")

    def opened(self, state: str) -> Memory:
        environ = {"VAULTMEM_STATE_DIR": str(self.place / state)}
        found = settings_of.load(self.root, self.root, environ)
        return Memory(found, Caller("scout", person=True), self.clock, self.model)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def notes(self) -> list[str]:
        found = (p.relative_to(self.root).as_posix() for p in self.root.rglob("*.md"))
        ours = ("index.md", "live-context/", ".trash/")
        return sorted(p for p in found if not p.startswith(ours) and not p.endswith("index.md"))

    def note(self, pick: int) -> Path:
        found = self.notes()
        return self.root / found[pick % len(found)]

    # What a person does with an editor and a file manager

    @rule(folder=folders, name=names, text=texts)
    def save(self, folder: str, name: str, text: str) -> None:
        self.write(f"{folder}/{name}.md", text)

    @precondition(lambda self: self.notes())
    @rule(pick=picks, text=texts, how=st.sampled_from(["atomic", "in place", "vim", "truncate"]))
    def edit(self, pick: int, text: str, how: str) -> None:
        note = self.note(pick)
        data = text.encode() + b"Edited.\n"
        if how == "atomic":
            beside = note.with_name(f".{note.name}.tmp")
            beside.write_bytes(data)
            beside.replace(note)
        elif how == "vim":
            backup = note.with_name(f"{note.name}~")
            note.rename(backup)
            note.write_bytes(data)
            backup.unlink()
        elif how == "truncate":
            note.write_bytes(b"")
            self.memory.refresh()
            note.write_bytes(data)
        else:
            note.write_bytes(data)

    @precondition(lambda self: self.notes())
    @rule(pick=picks)
    def edit_that_looks_the_same(self, pick: int) -> None:
        """Same size, same time, same inode; a time ahead of ours proves nothing."""
        note = self.note(pick)
        ahead = 10**9 * 4_000_000_000
        os.utime(note, ns=(ahead, ahead))
        self.memory.refresh()
        data = note.read_bytes()
        note.write_bytes(data[:-2] + (b"x\n" if data[-2:] != b"x\n" else b"y\n"))
        os.utime(note, ns=(ahead, ahead))

    @precondition(lambda self: self.notes())
    @rule(pick=picks, folder=folders, name=names)
    def rename(self, pick: int, folder: str, name: str) -> None:
        target = self.root / folder / f"{name} moved.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        self.note(pick).rename(target)

    @rule(folder=folders, to=st.sampled_from(["memory/gamma", "Notes/attic", "memory/alpha/in"]))
    def rename_a_folder(self, folder: str, to: str) -> None:
        if (self.root / folder).is_dir() and not (self.root / to).exists():
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            with suppress(OSError):  # into itself
                (self.root / folder).rename(self.root / to)

    @precondition(lambda self: self.notes())
    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        self.note(pick).unlink()

    @precondition(lambda self: self.notes())
    @rule(pick=picks, text=st.sampled_from(BROKEN))
    def break_(self, pick: int, text: str) -> None:
        self.note(pick).write_bytes(text.encode())

    @precondition(lambda self: self.notes())
    @rule(pick=picks, folder=folders)
    def copy(self, pick: int, folder: str) -> None:
        target = self.root / folder / "a copy.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(shutil.SameFileError):
            shutil.copy2(self.note(pick), target)

    @rule(folder=st.sampled_from(SCOPES), there=st.booleans())
    def scope_folder(self, folder: str, there: bool) -> None:
        index = self.root / folder / "index.md"
        if there:
            self.write(f"{folder}/index.md", f"---\nscope: {Path(folder).name}\n---\nMine.\n")
        else:
            index.unlink(missing_ok=True)

    @rule()
    def time_passes(self) -> None:
        """All files become old enough to be known by their times."""
        for number, note in enumerate(sorted(self.root.rglob("*.md"))):
            os.utime(note, ns=(10**18, 10**18 + number))

    # What agents do

    @rule(kind=st.sampled_from(["note", "decision"]), scope=st.sampled_from(["", "alpha"]))
    def tell(self, kind: str, scope: str) -> None:
        with suppress(VaultmemError):
            self.memory.tell(Telling(kind, "The roses were pruned", scope=scope))

    @rule(name=names, scope=st.sampled_from(["", "alpha", "beta"]))
    def memorize(self, name: str, scope: str) -> None:
        content = "What was found out about it today."
        with suppress(VaultmemError):
            self.memory.memorize(Wish(f"About {name}", content, scope=scope))

    @precondition(lambda self: self.notes())
    @rule(pick=picks)
    def update(self, pick: int) -> None:
        path = self.note(pick).relative_to(self.root).as_posix()
        with suppress(VaultmemError):
            _, note = self.memory.get(path)
            self.memory.memorize(Wish(id=path, hash=note.hash, importance=0.9))

    @precondition(lambda self: self.notes())
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        with suppress(VaultmemError):
            self.memory.forget([self.note(pick).relative_to(self.root).as_posix()])

    # What happens to the process and to the sidecar's files

    @precondition(lambda self: self.notes())
    @rule(
        pick=picks,
        text=texts,
        where=st.sampled_from([(Manifest, "apply"), (KeywordIndex, "replace")]),
        undone=st.booleans(),
    )
    def crash(self, pick: int, text: str, where: tuple[Any, str], undone: bool) -> None:
        """The process dies while it indexes an edit; perhaps the edit is taken back then."""
        note = self.note(pick)
        before = note.read_bytes()
        note.write_bytes(text.encode())
        with mock.patch.object(*where, side_effect=Killed), suppress(Killed):
            self.memory.refresh()
        self.reopen()
        if undone:
            note.write_bytes(before)

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.opened("state")

    @rule(running=st.booleans())
    def drop_the_sidecar(self, running: bool) -> None:
        if not running:
            self.memory.close()
        shutil.rmtree(self.memory.settings.sidecar, ignore_errors=True)
        if not running:
            self.memory = self.opened("state")

    @rule(pick=picks, harm=st.sampled_from(sorted(HARMS)), running=st.booleans())
    def damage_the_sidecar(self, pick: int, harm: str, running: bool) -> None:
        if not running:
            self.memory.close()
        inside = sorted(self.memory.settings.sidecar.rglob("*"))
        harmed = [p for p in inside if p.suffix in (".toc", ".seg")]
        if not running and harm != "flipped":
            harmed += [p for p in inside if p.name == "manifest.db"]
        if harmed:
            file = harmed[pick % len(harmed)]
            data = HARMS[harm](file.read_bytes())
            file.unlink() if data is None else file.write_bytes(data)
        if not running:
            self.memory = self.opened("state")

    @rule()
    def refresh(self) -> None:
        before = self.memory._parts.sidecar._snapshot
        if before is not None:
            worked_out(before)  # so that the next snapshot takes it over
        self.memory.refresh()
        fresh = self.opened("fresh")
        try:
            fresh._parts.sidecar.refresh()
            fresh._parts.meaning.embed()
            assert held(self.memory) == held(fresh)
        finally:
            fresh.close()
            shutil.rmtree(self.place / "fresh")

    def teardown(self) -> None:
        if hasattr(self, "place"):
            try:
                self.refresh()
            finally:
                self.memory.close()
                shutil.rmtree(self.place)


def held(memory: Memory) -> dict[str, Any]:
    """Return all that the sidecar holds, and what its snapshot worked out."""
    snapshot = memory._parts.sidecar.snapshot
    held = export(memory._parts.sidecar, memory._parts.meaning)
    return {**held, "snapshot": worked_out(snapshot)}


def worked_out(snapshot: Snapshot) -> dict[str, Any]:
    scopes = snapshot.by_scope.items()
    return {
        "scopes": {scope: {facts.path for facts in own} for scope, own in scopes if own},
        "standing": snapshot.standing,
        "folders": snapshot.folders,
        "passages": {path: len(labels) for path, labels in snapshot.by_label.items()},
        "order": list(snapshot.facts),
    }


TestTheSidecarEqualsOneBuiltFromScratch = Vault.TestCase
TestTheSidecarEqualsOneBuiltFromScratch.settings = settings(
    max_examples=200, stateful_step_count=10, derandomize=True, deadline=None
)
