"""A state folder that is damaged file by file, and what the vault answers then.

`Ground` holds a vault with a state that was made in the usual way. Each `Case` harms one file of
it in one way, in a forked child, so that a crash of a library is seen and not suffered.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import os
import random
import shutil
import sqlite3
import stat
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

from vaultmem.memory import Caller, Memory, Question, Telling, Wish, init_vault
from vaultmem.sidecar import meaning
from vaultmem.sidecar.proof import export
from vaultmem.sidecar.vectors import VectorIndex
from vaultmem.vault import settings as settings_of
from vaultmem.words.errors import StateDamaged, VaultmemError

from .harness.world import Clock, Model

NOTES = {
    "": {
        "The person prefers tabs": "Indent with tabs in every project of theirs.",
        "Backups go to the second host": "Each night at three, kept for one month.",
        "The office closes at six": "The door locks itself then, bring the badge.",
    },
    "garden": {
        "Roses need pruning": "Prune the roses in late winter, before they bud.",
        "Compost wants turning": "Turn the compost every second week with a fork.",
        "Frost in May": "Cover the tomatoes while a frost may still come.",
        "Snails like beer": "A saucer of beer beside the lettuce keeps them busy.",
    },
    "next-door": {"Roses of the neighbour": "Their roses bud early, ask before cutting."},
}
QUESTIONS = ("prune roses", "which indentation", "turning compost fork", "frost tomatoes", "badge")
LEDGER = ("ledger.db", "ledger.db-wal", "ledger.db-shm")
BEGUN_ANEW = ("deleted", "emptied", "a link", "a link to nothing", "of another vault")
"""What cannot be told from a ledger that was never there, or is whole."""
NOBODY = 65534
_USED = "a-note-of-long-ago"

Harm = Callable[[Path, "Ground"], object]


def _cut(share: float) -> Harm:
    return lambda path, _: os.truncate(path, int(path.stat().st_size * share))


def flipped(seed: int, count: int = 50) -> Harm:
    """Return the harm of some bits that are flipped somewhere."""

    def harm(path: Path, _: Ground) -> None:
        dice, data = random.Random(seed), bytearray(path.read_bytes())
        for _number in range(count if data else 0):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        path.write_bytes(data)

    return harm


def _zeroed(path: Path, _: Ground, page: int = 0) -> None:
    data = bytearray(path.read_bytes())
    start = 4096 * min(page, len(data) // 4096)
    data[start : start + 4096] = bytes(len(data[start : start + 4096]))
    path.write_bytes(data)


def _middle_zeroed(path: Path, ground: Ground) -> None:
    _zeroed(path, ground, page=path.stat().st_size // 8192)


def _of_another(path: Path, ground: Ground) -> None:
    """Put in the file's place the one of another vault, or nothing where it has none."""
    there = ground.other / _place(path, ground)
    shutil.copy2(there, path) if there.exists() else path.write_bytes(b"of another vault")


def _older(path: Path, ground: Ground) -> None:
    """Put in the file's place what it was before the last notes were written."""
    there = ground.older / _place(path, ground)
    shutil.copy2(there, path) if there.exists() else path.write_bytes(b"of another version")


def _link(path: Path, ground: Ground) -> None:
    beside = ground.scratch / "elsewhere"
    path.rename(beside)
    path.symlink_to(beside)


def _dangling(path: Path, ground: Ground) -> None:
    path.unlink()
    path.symlink_to(ground.scratch / "nowhere")


def _folder(path: Path, _: Ground) -> None:
    path.unlink()
    path.mkdir()
    (path / "stranger").write_bytes(b"x")


def _pickled(path: Path, ground: Ground) -> None:
    """Let whoever unpickles the file make a folder."""
    command = f"cposix\nmkdir\n(V{ground.scratch / 'ran'}\ntR.".encode()
    path.write_bytes(command)


HARMS: dict[str, Harm] = {
    "deleted": lambda path, _: path.unlink(),
    "emptied": lambda path, _: path.write_bytes(b""),
    "cut at half": _cut(0.5),
    "cut at 99 %": _cut(0.99),
    "50 bits flipped": flipped(1),
    "5 bits flipped": flipped(2, 5),
    "its first page zeroed": _zeroed,
    "a page in the middle zeroed": _middle_zeroed,
    "of another version": _older,
    "of another vault": _of_another,
    "a link": _link,
    "a link to nothing": _dangling,
    "a folder": _folder,
    "a pickle": _pickled,
    "unreadable": lambda path, _: path.chmod(0),
    "writable for all": lambda path, _: path.chmod(0o777),
}


def _sql(*statements: str) -> Harm:
    def harm(path: Path, _: Ground) -> None:
        with sqlite3.connect(path) as db:
            for statement in statements:
                db.execute(statement)
        db.close()

    return harm


_VECTOR = "UPDATE embeddings SET vector = "
SPECIAL: dict[str, tuple[str, Harm]] = {
    "an older schema": ("manifest.db", _sql("UPDATE meta SET value = '1.1' WHERE name='version'")),
    "an older analysis": (
        "manifest.db",
        _sql("UPDATE meta SET value = replace(value, '.', '.0') WHERE name = 'version'"),
    ),
    "no version": ("manifest.db", _sql("DELETE FROM meta")),
    "a table gone": ("manifest.db", _sql("DROP TABLE chunks")),
    "a table of another form": (
        "manifest.db",
        _sql("DROP TABLE files", "CREATE TABLE files (path TEXT)"),
    ),
    "vectors of another model": ("manifest.db", _sql("UPDATE embeddings SET model = 'other'")),
    "vectors of another dimension": ("manifest.db", _sql(_VECTOR + "substr(vector, 1, 8)")),
    "vectors that are not numbers": ("manifest.db", _sql(_VECTOR + "zeroblob(0)")),
    "facts that are none": ("manifest.db", _sql("UPDATE files SET facts = '{}'")),
    "a seal of another index": (
        "manifest.db",
        _sql("UPDATE meta SET value = '{\"generation\": 9}' WHERE name = 'keyword'"),
    ),
    "a graph named that is none": (
        "manifest.db",
        _sql("UPDATE meta SET value = '{\"file\": \"../../ledger.db\"}' WHERE name = 'graph'"),
    ),
    "a table of the ledger of another form": (
        "ledger.db",
        _sql("DROP TABLE facts", "CREATE TABLE facts (name TEXT)"),
    ),
    "uses that are no numbers": ("ledger.db", _sql("UPDATE uses SET count = 'x', last = 'y'")),
    "uses beyond all numbers": ("ledger.db", _sql("UPDATE uses SET count = 9e18, last = 9e999")),
    "the whole sidecar gone": ("", lambda path, _: shutil.rmtree(path)),
    "the whole sidecar a link": ("", _link),
    "the whole sidecar writable for all": ("", lambda path, _: path.chmod(0o777)),
    "the whole keyword index gone": ("keyword", lambda path, _: shutil.rmtree(path)),
    "the whole keyword index a link": ("keyword", _link),
    "the whole keyword index of another vault": (
        "keyword",
        lambda path, ground: (
            shutil.rmtree(path),
            shutil.copytree(ground.other / _place(path, ground), path),
        ),
    ),
    "all of another vault": (
        "",
        lambda path, ground: (shutil.rmtree(path), shutil.copytree(_sidecar(ground.other), path)),
    ),
}


@dataclass(frozen=True)
class Case:
    """One file, harmed in one way, while nobody or while a server has it open."""

    path: str
    harm: str
    running: bool = False

    @property
    def ledger(self) -> bool:
        """Whether it is the ledger that is harmed."""
        return self.path in LEDGER

    def __str__(self) -> str:
        return f"{self.path}: {self.harm}{', while it is open' if self.running else ''}"


@dataclass
class Ground:
    """A vault and its state, kept, and worked on in a copy."""

    scratch: Path
    wanted: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What is answered from indexes that were made from scratch, by who asks."""

    def __post_init__(self) -> None:
        self._grown({"": {"A stranger's roses": "Prune roses never, says a stranger."}})
        shutil.move(self._state, self.scratch / "other")
        shutil.rmtree(self.work)
        self._grown(NOTES)
        shutil.copytree(self.work, self.scratch / "kept", symlinks=True)
        shutil.copytree(self._state, self.scratch / "older-state")
        with self._memory() as memory:  # what was written last lies in SQLite's log of changes
            memory.memorize(Wish("The gate creaks", "Oil the gate of the garden every spring."))
            memory.tell(Telling("note", "The gate was oiled"))
            memory._parts.ledger.use([_USED], 1_790_000_000.0)
            memory.refresh()
            shutil.rmtree(self.scratch / "kept")
            shutil.copytree(self.work, self.scratch / "kept", symlinks=True)
        self._back()
        shutil.rmtree(_sidecar(self._state))
        with self._memory(person=False) as memory:
            self.wanted = {"agent": _told(memory), "agent again": _told(memory)}
        self._back()
        shutil.rmtree(_sidecar(self._state))
        for who in ("agent", "person"):
            with self._memory(person=who == "person") as memory:
                self.wanted[who] = _told(memory)

    @property
    def work(self) -> Path:
        """The folder that is harmed."""
        return self.scratch / "work"

    @property
    def other(self) -> Path:
        """The state of another vault."""
        return self.scratch / "other"

    @property
    def older(self) -> Path:
        """The state as it was before the last writing."""
        return self.scratch / "older-state"

    @property
    def _state(self) -> Path:
        return self.work / "state"

    @contextmanager
    def _memory(self, *, person: bool = True) -> Iterator[Memory]:
        root, environ = self.work / "vault", {"VAULTMEM_STATE_DIR": str(self._state)}
        loaded = settings_of.load(root, self.work, environ)
        clock = Clock(datetime(2026, 11, 30, 2, 14, 7, tzinfo=UTC))
        memory = Memory(loaded, Caller("scout", "chat", "s1", None, person), clock, Model())
        graph = functools.partial(VectorIndex, exact_below=4)
        with mock.patch.object(meaning, "VectorIndex", graph):
            try:
                yield memory
            finally:
                memory.close()

    def _grown(self, notes: dict[str, dict[str, str]]) -> None:
        root = self.work / "vault"
        self.work.mkdir(parents=True)
        init_vault(root)
        (root / ".vaultmem/config.toml").write_text('id = "mine"\n', "utf-8")
        with self._memory() as memory:
            for scope, titles in notes.items():
                for title, content in titles.items():
                    memory.memorize(Wish(title, content, scope=scope))
            memory.refresh()

    def cases(self) -> list[Case]:
        """Return every case: each file that there is, with each harm."""
        inside = (path for path in sorted((self.scratch / "kept/state").rglob("*")))
        names = {_named(path): path.name for path in inside if path.is_file()}
        found = [Case(name, harm) for name in names for harm in HARMS]
        found += [Case(path, harm) for harm, (path, _) in SPECIAL.items()]
        ends = (".db", ".bin", ".seg", ".toc")  # not what SQLite itself maps while it is open
        held = [name for name in names if name.endswith(ends)]
        return found + [Case(name, harm, running=True) for name in held for harm in HARMS]

    def tried(self, case: Case) -> list[str]:
        """Harm the state in a forked child and ask everything; return what went wrong."""
        self._back()
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
            child = os.fork()
        if not child:
            self._asked(case, writing)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            text = pipe.read()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code or not text:
            return [f"crashed: it ended with {code}"]
        wrong: list[str] = json.loads(text)
        return wrong + (["crashed: a pickle ran"] if (self.scratch / "ran").exists() else [])

    def _back(self) -> None:
        for name in ("work", "elsewhere", "ran"):
            left = self.scratch / name
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        shutil.copytree(self.scratch / "kept", self.work, symlinks=True)

    def _asked(self, case: Case, pipe: int) -> None:
        """Harm, ask, and end this process; what went wrong is written to a pipe."""
        faulthandler.dump_traceback_later(60, exit=True)
        code = 1
        try:
            if case.harm == "unreadable" and os.geteuid() == 0:
                self._given_away()
            said = json.dumps(self._wrong(case)).encode()
            os.write(pipe, said)
            code = 0
        finally:
            os._exit(code)

    def _given_away(self) -> None:
        """Go on as somebody whom permissions hold, which they do not hold root."""
        for path in (self.scratch, *self.work.rglob("*"), self.work):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        os.environ["XDG_CONFIG_HOME"] = str(self.scratch)
        os.seteuid(NOBODY)

    def _wrong(self, case: Case) -> list[str]:
        wrong = []
        for person in (False, True) if not case.running else (False,):
            try:
                with self._memory(person=person) as memory:
                    if case.running:
                        _told(memory)
                    if not person:
                        self._harm(case)
                    wrong += self._compared(case, memory)
                    if case.ledger and (person or case.running):
                        wrong += _of_ledger(memory, case)
            except VaultmemError as error:
                wrong.append(f"refused: {error}")
            except Exception as error:
                wrong.append(f"crashed: {type(error).__name__}: {error}")
        return wrong

    def _harm(self, case: Case) -> None:
        path = self._found(case.path)
        HARMS[case.harm](path, self) if case.harm in HARMS else SPECIAL[case.harm][1](path, self)

    def _found(self, name: str) -> Path:
        """Return the file or folder of a name, of which the sidecar's is not known beforehand."""
        state = self._state / "mine"
        if (state / name).exists() and name:
            return state / name
        return _sidecar(self._state) / name

    def _compared(self, case: Case, memory: Memory) -> list[str]:
        """Return how the answers differ from those of indexes that were made from scratch."""
        try:
            now = _told(memory)
        except VaultmemError as error:
            return [f"refused: {error}"]
        who = "person" if memory.caller.person else "agent again" if case.running else "agent"
        wanted = dict(self.wanted[who])
        if case.ledger:  # with the uses goes what they weigh
            now["answers"], wanted["answers"] = (
                [sorted(one) for one in told["answers"]] for told in (now, wanted)
            )
        return [f"wrong: {key}" for key, value in wanted.items() if now[key] != value]


def _of_ledger(memory: Memory, case: Case) -> list[str]:
    """Return what is wrong where the ledger is harmed: it goes on, and a loss is told."""
    try:
        told = any("ledger" in finding.path for finding in memory.doctor().findings)
        held = _USED in memory._parts.ledger.uses() and len(memory._parts.ledger.recorded()) >= 9
        memory.tell(Telling("note", "The server goes on"))
    except StateDamaged as error:
        return [f"refused: {error}"]
    if told or held:
        return []
    silent = case.path != "ledger.db" or case.harm in BEGUN_ANEW
    return ["begun anew without a word" if silent else "hidden: the ledger lost what it held"]


def _answers(memory: Memory) -> list[list[tuple[str, str, list[int]]]]:
    asked = (memory.remember(Question(query)) for query in QUESTIONS)
    return [[(hit.path, hit.label, list(hit.lines)) for hit in one.hits] for one in asked]


def _told(memory: Memory) -> dict[str, Any]:
    """Return all that a vault answers and its indexes hold, in a form that can be compared."""
    answers = _answers(memory)
    parts = memory._parts
    made = export(parts.sidecar, parts.meaning)
    return {
        "answers": answers,
        "log": [entry.line() for entry in memory.log.entries()],
        **made,
    }


def _named(path: Path) -> str:
    """Return a state file's name within the state of its vault or its sidecar."""
    parts = path.parts[path.parts.index("state") + 2 :]
    return "/".join(parts[1:] if len(parts) > 1 and len(parts[0]) == 16 else parts)


def _sidecar(state: Path) -> Path:
    (vault,) = (path for path in state.iterdir() if path.is_dir())
    (found,) = (path for path in vault.iterdir() if path.is_dir() and len(path.name) == 16)
    return found


def _place(path: Path, ground: Ground) -> Path:
    """Return where a state file of the vault lies in another state."""
    inside = path.relative_to(ground.work / "state").parts
    return Path(*inside)


def whole_modes(folder: Path) -> bool:
    """Return whether nobody but the owner may use a folder."""
    return stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0
