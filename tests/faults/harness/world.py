"""A vault that is put back to how it was before each run, and what a run may leave behind.

`World` holds such a vault, does a verb to it while the disk fails or the process dies, and names
every promise that this has broken.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np

from vaultmem.memory import Caller, Memory, init_vault
from vaultmem.vault import files
from vaultmem.vault import settings as settings_of
from vaultmem.verbs import init as inits
from vaultmem.verbs import memorize as memorizes
from vaultmem.words.errors import NotFound, VaultmemError

from .disk import KILLED, Faulty, killed

LOG = "live-context/2026-12.md"
APPENDED = (LOG, "memory/global/decisions.md")
"""What grows by one write: a death in it may leave a part of a line that nobody acknowledged."""

Files = dict[str, bytes]


class Clock:
    """A clock that stands in the first minutes of a month."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class Model:
    """A model whose vectors count letters."""

    name = "letters"
    dimension = 16

    def passages(self, texts: Sequence[str]) -> list[Any]:
        return [self.query(text) for text in texts]

    def query(self, text: str) -> Any:
        letters = [ord(letter) % self.dimension for letter in text.casefold()]
        vector = np.bincount(letters, minlength=self.dimension) + np.float32(1)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class _Dice:
    """Chance that falls the same way in every run."""

    def __init__(self) -> None:
        self._random = Random(7)
        self.choice = self._random.choice

    def token_hex(self, count: int) -> str:
        return self._random.randbytes(count).hex()


@contextmanager
def same_chance() -> Iterator[None]:
    """Let new ids be the same in every run, so that runs can be compared byte for byte."""
    dice = _Dice()
    with mock.patch.object(memorizes, "secrets", dice), mock.patch.object(inits, "secrets", dice):
        yield


def read_all(root: Path) -> Files:
    """Return every file below a folder but those in the making, and those of git."""
    found = (path for path in root.rglob("*") if path.is_file())
    named = {path.relative_to(root).as_posix(): path for path in found}
    return {
        name: path.read_bytes()
        for name, path in named.items()
        if not path.name.startswith(files.TEMPORARY) and not name.startswith(".git/")
    }


def _made_equal(kept: Path, root: Path) -> None:
    """Make a folder equal to the kept one; what is equal already is not touched."""
    if not kept.exists():
        shutil.rmtree(root, ignore_errors=True)
        return
    for path in sorted(root.rglob("*"), reverse=True):
        if not (kept / path.relative_to(root)).exists():
            path.rmdir() if path.is_dir() else path.unlink()
    for path in sorted(kept.rglob("*")):
        here = root / path.relative_to(kept)
        if path.is_dir():
            here.mkdir(parents=True, exist_ok=True)
        elif not here.exists() or here.read_bytes() != path.read_bytes():
            shutil.copy2(path, here)


@dataclass(frozen=True)
class Verb:
    """A verb that writes, the vault it finds, and what is true once it was done."""

    act: Callable[[World], object]
    prepare: Callable[[World], object] = lambda world: None
    edit: Callable[[World], object] = lambda world: None
    """What a person does last, after which nothing was refreshed."""
    done: Callable[[World], bool] = lambda world: True
    """Whether the vault is as if the verb had been done, asked after a repetition."""
    vault: bool = True
    """Whether there is a vault before the verb."""
    logged: bool = True
    """Whether it is not done where the live log cannot be told of it."""


@dataclass
class World:
    """A vault and its state in a scratch folder."""

    scratch: Path
    verb: Verb
    states: list[Files] = field(default_factory=list)
    """What the vault held at each step of a run without a fault."""
    calls: list[str] = field(default_factory=list)
    settled: Files = field(default_factory=dict)
    """What it holds after such a run and a refresh."""

    def __post_init__(self) -> None:
        self._clock = Clock(datetime(2026, 11, 30, 2, 14, 7, tzinfo=UTC))
        self.root.parent.mkdir(parents=True)
        if self.verb.vault:
            with same_chance():
                init_vault(self.root)
        with same_chance():
            self.verb.prepare(self)
        self._clock.now = datetime(2026, 12, 1, 9, 30, 0, tzinfo=UTC)
        if self.verb.vault:
            self.mended()
            self._aged()
            self.mended()
        self.verb.edit(self)
        shutil.copytree(self._work, self._kept)
        self._trace()

    @property
    def _work(self) -> Path:
        return self.scratch / "work"

    @property
    def _kept(self) -> Path:
        return self.scratch / "kept"

    @property
    def root(self) -> Path:
        """The vault."""
        return self._work / "vault"

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """Open the vault's memory for an agent that a person stands behind."""
        environ = {"VAULTMEM_STATE_DIR": str(self._work / "state")}
        loaded = settings_of.load(self.root, self._work, environ)
        memory = Memory(loaded, Caller("scout", "chat", "s1", None, True), self._clock, Model())
        try:
            yield memory
        finally:
            memory.close()

    def _aged(self) -> None:
        """Let the files be old, so that a refresh trusts their times and a run is quick."""
        for path in self.root.rglob("*"):
            os.utime(path, (1_790_000_000, 1_790_000_000))

    def mended(self, *, embed: bool = True) -> list[str]:
        """Refresh the vault and return what its doctor finds that is not harmless."""
        with self.memory() as memory:
            memory.refresh(embed=embed)
            found = [f for f in memory.doctor().findings if not f.harmless and f.path != ".git"]
        return [f"{f.path}: {f.what}" for f in found]

    def back(self) -> None:
        """Put everything back to how it was before the verb."""
        shutil.rmtree(self._work / "state", ignore_errors=True)
        if (self._kept / "state").exists():
            shutil.copytree(self._kept / "state", self._work / "state")
        _made_equal(self._kept / "vault", self.root)

    def act(self) -> None:
        """Do the verb."""
        with same_chance():
            self.verb.act(self)

    def _trace(self) -> None:
        """Do the verb without a fault and remember each state on the way."""
        self.back()

        def look() -> None:
            now = read_all(self.root)
            if not self.states or self.states[-1] != now:
                self.states.append(now)

        look()
        with Faulty() as watching:
            watching.before = look
            self.act()
        look()
        self.calls = watching.calls
        found = self.mended()
        assert found == [], found
        self.settled = read_all(self.root)

    def run(self, nth: int, code: int, **how: bool) -> list[str]:
        """Let the disk fail at one call of the verb; return every promise that was broken."""
        self.back()
        with Faulty(nth, code, **how):
            try:
                self.act()
                acked = True
            except VaultmemError:
                acked = False
            except Exception as error:
                return [f"{type(error).__name__} came out: {error}"]
        return self.judged(acked=acked)

    def run_killed(self, nth: int, *, half: bool = False) -> list[str]:
        """Let the process die at one call of the verb; return every promise that was broken."""
        self.back()
        code = killed(self.act, nth, half=half)
        return self.judged(acked=code == 0) if code in (0, KILLED) else [f"it ended with {code}"]

    def judged(self, *, acked: bool) -> list[str]:
        """Return every promise that is broken by what is there now, then do the verb again."""
        now = read_all(self.root)
        torn = {path for path in APPENDED if _is_torn(path, now, self.states)}
        wrong = _unlike(now, self.states, torn=torn, acked=acked)
        if torn and acked:
            wrong.append("a torn line was acknowledged")
        return wrong + self._repaired(torn=torn, acked=acked) + self._repeated(torn=torn)

    def _repaired(self, *, torn: set[str], acked: bool) -> list[str]:
        if not self.verb.vault and not (self.root / ".vaultmem/config.toml").is_file():
            return []
        found = self.mended()
        told = [line for line in found if line.startswith("live-context/")]
        wrong = [f"the doctor says: {line}" for line in found if not torn or line not in told]
        if acked and self._kept_of(read_all(self.root)) != self._kept_of(self.settled):
            wrong.append("what was acknowledged is not all there")
        if LOG in torn and not (told or self._cut_short()):
            wrong.append("a torn entry is not reported")
        return wrong

    def _kept_of(self, found: Files) -> Files:
        """Return what must be there once the verb was acknowledged."""
        log = () if self.verb.logged else (LOG, "live-context.md")
        return {path: data for path, data in found.items() if path not in log}

    def _cut_short(self) -> bool:
        with self.memory() as memory:
            return any("cut short" in fault.what for fault in memory.log.verify())

    def _repeated(self, *, torn: set[str]) -> list[str]:
        before = {path: _lines(self.root, path)[-1] for path in torn}
        try:
            self.act()
        except NotFound:
            pass  # it was done before: `done` decides
        except VaultmemError as error:
            return [f"it cannot be repeated: {error}"]
        found = [line for line in self.mended() if not (torn and line.startswith("live-context/"))]
        wrong = [f"after a repetition the doctor says: {line}" for line in found]
        if not self.verb.done(self):
            wrong.append("it was repeated and is still not done")
        for path, line in before.items():
            if line not in _lines(self.root, path):
                wrong.append(f"the next line of {path} was glued to a torn one")
        return wrong


def _lines(root: Path, path: str) -> list[bytes]:
    return (root / path).read_bytes().rstrip(b"\n").split(b"\n")


def _is_torn(path: str, now: Files, states: list[Files]) -> bool:
    """Return whether a file is a state of it with a part of its next line behind it."""
    data, known = now.get(path), [state[path] for state in states if path in state]
    if data is None or data in known:
        return False
    return any(data.startswith(old) and new.startswith(data) for old in known for new in known)


def _unlike(now: Files, states: list[Files], *, torn: set[str], acked: bool) -> list[str]:
    """Return how a vault differs from each step of a run without a fault.

    Each file is whole, old or new, and what comes first is there before what follows. Between
    its markers a catalogue may be behind: the next refresh writes it anew.
    """
    wrong = []
    paths = {path for state in (now, *states) for path in state} - torn
    for path in sorted(paths):
        known = [_own_words(path, state.get(path)) for state in states]
        if _own_words(path, now.get(path)) not in known:
            wrong.append(f"{path} is neither old nor new")
    truth = [path for path in paths if not path.endswith("index.md")]
    if not acked and not any(all(now.get(p) == s.get(p) for p in truth) for s in states):
        wrong.append("the files are of different moments")
    return wrong


def _own_words(path: str, data: bytes | None) -> bytes | None:
    """Return a file without what is generated between the markers of a catalogue."""
    if data is None or not path.endswith("index.md"):
        return data
    return re.sub(
        rb"(<!-- vaultmem:catalogue -->\n).*?(<!-- /vaultmem)", rb"\1\2", data, flags=re.S
    )
