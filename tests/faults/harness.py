"""A disk that fails at the Nth call, a process that dies there, and what must be true after it.

`Faulty` counts the system calls that our code makes on a vault and fails one of them, or all from
one on. `killed` ends a forked process at one of them. `World` holds a vault that is put back to
how it was before each run, and judges what a run left behind. `matrix` tries them all, by parts.
"""

from __future__ import annotations

import errno as errnos
import faulthandler
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np

from vaultmem.memory import Caller, Memory, Telling, Wish, init_vault
from vaultmem.vault import exchange, files, locks, place
from vaultmem.vault import settings as settings_of
from vaultmem.verbs import init as inits
from vaultmem.verbs import memorize as memorizes
from vaultmem.words.errors import NotFound, Refused, VaultmemError

CALLS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "ftruncate")
MODULES = (files, exchange, place, locks)
"""The modules through which every write to a vault goes."""
ERRNOS = (errnos.EIO, errnos.ENOSPC, errnos.EACCES, errnos.EMFILE)
KILLED = 137
LOG = "live-context/2026-12.md"
APPENDED = (LOG, "memory/global/decisions.md")
"""What grows by one write: a death in it may leave a part of a line that nobody acknowledged."""

Files = dict[str, bytes]


class _Watched:
    """The module `os` as some of our modules see it: chosen calls go through a hook."""

    def __init__(self, hook: Callable[[str, Callable[..., Any], tuple[Any, ...]], Any]) -> None:
        self._hook = hook

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real
        return lambda *args, **named: self._hook(name, lambda *a: real(*a, **named), args)


class Faulty:
    """Counts our system calls on a vault and fails the `nth`, or every one `forever` from it on.

    With `short` a failing write first writes a half, as a disk does that fills up.
    """

    def __init__(
        self, nth: int = 0, code: int = errnos.EIO, *, forever: bool = False, short: bool = False
    ) -> None:
        self.nth, self.code, self.forever, self.short = nth, code, forever, short
        self.calls: list[str] = []
        self.before: Callable[[], None] = lambda: None
        self._owed = False

    def __enter__(self) -> Faulty:
        self._stack = ExitStack()
        for module in MODULES:
            self._stack.enter_context(mock.patch.object(module, "os", _Watched(self._call)))
        swap = partial(self._call, "swap", exchange.swap)
        self._stack.enter_context(mock.patch.object(exchange, "swap", lambda *args: swap(args)))
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def _call(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self.before()
        self.calls.append(name)
        now = len(self.calls)
        hit = now == self.nth or (self.forever and now > self.nth > 0)
        if self._owed and name == "write":
            self._owed = False
            hit = True
        elif hit and self.short and name == "write":
            self._owed = True
            return real(args[0], args[1][: len(args[1]) // 2])
        return self.failed(name, real, args) if hit else real(*args)

    def failed(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        raise OSError(self.code, os.strerror(self.code))


class _Deadly(Faulty):
    """Ends the process at the `nth` call, with `short` after half of a write."""

    def failed(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if self.short and name == "write":
            real(args[0], args[1][: len(args[1]) // 2])
        os._exit(KILLED)

    def _call(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self.calls.append(name)
        hit = len(self.calls) == self.nth
        return self.failed(name, real, args) if hit else real(*args)


def killed(act: Callable[[], object], nth: int, *, half: bool = False) -> int:
    """Do something in a forked process that ends at its `nth` call, and return how it ended.

    0: it was done and acknowledged. 1: it was refused. `KILLED`: it died.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    faulthandler.dump_traceback_later(60, exit=True)
    try:
        with _Deadly(nth, short=half):
            act()
        code = 0
    finally:
        os._exit(code)


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
    """Return every file below a folder but those in the making."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.name.startswith(files.TEMPORARY)
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
            return [f"{f.path}: {f.what}" for f in memory.doctor().findings if not f.harmless]

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

    def run(self, nth: int, code: int, *, forever: bool = False, short: bool = False) -> list[str]:
        """Let the disk fail at one call of the verb; return every promise that was broken."""
        self.back()
        with Faulty(nth, code, forever=forever, short=short):
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
        if acked and read_all(self.root) != self.settled:
            wrong.append("what was acknowledged is not all there")
        if LOG in torn and not (told or self._cut_short()):
            wrong.append("a torn entry is not reported")
        return wrong

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


def _note(world: World, title: str, **more: Any) -> str:
    with world.memory() as memory:
        content = f"{title}: what is known about it in one sentence."
        return memory.memorize(Wish(title=title, content=content, **more)).id


def _titled(world: World, title: str) -> bool:
    with world.memory() as memory:
        memory.refresh()
        return any(title == facts.title for facts in memory._parts.sidecar.snapshot.facts.values())


def _said(world: World, summary: str) -> bool:
    with world.memory() as memory:
        return any(summary in entry.summary for entry in memory.log.entries())


def _told(kind: str, **more: Any) -> Verb:
    def act(world: World) -> None:
        with world.memory() as memory:
            memory.tell(Telling(kind, "The webhook retries now", **more))

    return Verb(act, _two_notes, lambda world: _said(world, "The webhook retries now"))


def _telling(telling: Telling) -> Callable[[World], None]:
    def act(world: World) -> None:
        with world.memory() as memory:
            memory.tell(telling)

    return act


def _checkpoint_of(summary: str, detail: str) -> Callable[[World], None]:
    return _telling(Telling("checkpoint", summary, detail=detail))


def _state_of(summary: str, detail: str) -> Callable[[World], None]:
    return _telling(Telling("state", summary, detail=detail, scope="github.com/acme/api"))


_PROJECT = "memory/github.com/acme/api/project.md"


def _project(world: World) -> None:
    """Let a person keep words of their own beside a state."""
    _state_of("The release is planned", "")(world)
    path = world.root / _PROJECT
    path.write_bytes(path.read_bytes() + b"\nThe person's own words.\n")


def _question(world: World) -> None:
    with world.memory() as memory:
        memory = memory.called(agent="scribe", session="s2")
        memory.tell(Telling("question", "Which port does staging use?", to="scout"))


def _answer(world: World) -> None:
    with world.memory() as memory:
        asked = next(e.mark for e in memory.log.entries() if e.kind == "question")
        memory.tell(Telling("answer", "Staging uses 8443", to="scribe", ack=asked))


def _two_notes(world: World) -> None:
    _note(world, "Rate limiting uses a fixed window", importance=0.8)
    _note(world, "The person prefers tabs", type="user_preference")


_FIXED = "memory/global/rate-limiting-uses-a-fixed-window.md"
_TABS = "memory/global/the-person-prefers-tabs.md"


_PARENT = "memory/global/where-the-backup-goes-3-notes.md"
_GOAL = "memory/global/halve-the-latency.md"
_CLOSING = "memory/global/halve-the-latency-what-was-found.md"


_COPIES = (
    "The backup of the shop goes to the second host every night and is kept for a month.",
    "Every night the backup of the shop goes to the second host and is kept for a month.",
    "The backup of the shop goes to the second host every night, and is kept for a month.",
)


def _three_copies(world: World) -> None:
    _two_notes(world)
    for number, body in enumerate(_COPIES):
        said = "title: Where the backup goes\nsource: agent_inferred"
        path = world.root / f"memory/global/backup-{number}.md"
        path.write_text(f"---\n{said}\n---\n{body}\n", "utf-8")
    _with_memory("refresh")(world)


def _sleep(world: World) -> None:
    with world.memory() as memory:
        if done := memory.sleep().skipped:
            raise Refused(str(done))


def _goal(world: World) -> None:
    _note(world, "Halve the latency", type="goal")
    _note(world, "Batching saves a third", relates=(f"achieves: {_GOAL}",))


def _related(world: World) -> bool:
    return b"depends_on:" in (world.root / _FIXED).read_bytes()


def _once(
    wanted: Callable[[World], bool], act: Callable[[World], object]
) -> Callable[[World], object]:
    """Return an act that is not repeated where it was done."""
    return lambda world: act(world) if wanted(world) else None


def _update(world: World) -> None:
    with world.memory() as memory:
        facts, note = memory.get(_FIXED)
        memory.memorize(
            Wish(content="It is a bucket of tokens now.", id=facts.name, hash=note.hash)
        )


def _with_memory(name: str, *args: Any) -> Callable[[World], object]:
    def act(world: World) -> object:
        with world.memory() as memory:
            return getattr(memory, name)(*args)

    return act


def _edited(world: World) -> None:
    """Let a person write a note and change another."""
    folder = world.root / "memory/global"
    (folder / "by-hand.md").write_bytes(b"---\ntitle: Written by hand\n---\nRoses are red.\n")
    old = (world.root / _FIXED).read_bytes()
    (world.root / _FIXED).write_bytes(old.replace(b"fixed window\n", b"sliding window\n", 1))


def _own_notes(world: World) -> None:
    for name in ("index.md", "Projects/Garden.md", "Inbox/idea.md", "Templates/daily.md"):
        path = world.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"# {name}\r\n\r\nThe person's own words.".encode())


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True)


def _moved_file(world: World) -> None:
    """Let a memory name a file of a project that moved it since."""
    project = world.scratch / "project"
    project.mkdir()
    (project / "limit.py").write_text("limit = 100\n" * 20, "utf-8")
    _git(project, "init", "-q")
    _git(project, "add", "-A")
    _git(project, "commit", "-qm", "one")
    _note(world, "The limit is 100", scope="local/shop", files=("limit.py",))
    _git(project, "mv", "limit.py", "limits.py")
    _git(project, "commit", "-qm", "two")


def _follow(world: World) -> None:
    with world.memory() as memory:
        caller = replace(memory.caller, scope="local/shop", folder=world.scratch / "project")
        memory._parts = replace(memory._parts, caller=caller)
        if not memory.files(apply=True):
            raise NotFound("file that moved")  # an empty list acknowledges nothing


def _followed(world: World) -> bool:
    return b"limits.py" in (world.root / "memory/local/shop/the-limit-is-100.md").read_bytes()


def _has_status(world: World, status: bytes) -> bool:
    return b"status: " + status + b"\n" in (world.root / _FIXED).read_bytes()


_WAITS = "inbox/scout/the-staging-host-loses-its-clock-at-each-reboot.md"


def _handed_in(world: World) -> None:
    _two_notes(world)
    _with_memory("retain", "- The staging host loses its clock at each reboot.\n")(world)


def _typed(world: World) -> None:
    """Let a person approve what waits by typing it."""
    text = (world.root / _WAITS).read_bytes()
    (world.root / _WAITS).write_bytes(text.replace(b"status: pending", b"status: approved"))


def _let_in(world: World) -> bool:
    notes = (world.root / "memory/global").glob("the-staging*.md")
    return [b"source: approved" in note.read_bytes() for note in notes] == [True]


def _decide(name: str, *args: Any) -> Callable[[World], object]:
    def act(world: World) -> None:
        with world.memory() as memory:
            if left := getattr(memory, name)(*args).left:
                raise Refused(str(left))

    return act


def _gone(world: World) -> bool:
    return not (world.root / _FIXED).exists()


VERBS: dict[str, Verb] = {
    "memorize": Verb(
        lambda world: _note(world, "Retries carry a key", scope="github.com/acme/api"),
        _two_notes,
        lambda world: _titled(world, "Retries carry a key"),
    ),
    "update": Verb(
        _update, _two_notes, lambda w: b"bucket of tokens" in (w.root / _FIXED).read_bytes()
    ),
    "supersede": Verb(
        lambda world: _note(
            world, "It uses a bucket", relates=(f"supersedes: {_FIXED} because it was unfair",)
        ),
        _two_notes,
        lambda world: _titled(world, "It uses a bucket"),
    ),
    "forget": Verb(_with_memory("forget", [_FIXED]), _two_notes, _gone),
    "retain": Verb(
        _with_memory("retain", "- The staging host loses its clock at each reboot.\n"),
        _two_notes,
        lambda w: (w.root / _WAITS).exists(),
    ),
    "approve by hand": Verb(
        _with_memory("refresh"),
        _handed_in,
        _typed,
        lambda w: _let_in(w) and not (w.root / _WAITS).exists(),
    ),
    "review approve": Verb(
        _once(lambda w: (w.root / _WAITS).exists(), _decide("approve", [_WAITS])),
        _handed_in,
        done=lambda w: (_with_memory("refresh")(w), _let_in(w))[1],
    ),
    "review reject": Verb(
        _once(
            lambda w: (w.root / _WAITS).exists(), _decide("reject", [_WAITS], "it was the router")
        ),
        _handed_in,
        done=lambda w: not (w.root / _WAITS).exists(),
    ),
    "restore": Verb(
        _with_memory("restore", ".trash/rate-limiting-uses-a-fixed-window.md"),
        lambda world: (_two_notes(world), _with_memory("forget", [_FIXED])(world)),
        lambda world: not _gone(world),
    ),
    "erase": Verb(_with_memory("erase", _FIXED), _two_notes, _gone),
    "archive": Verb(
        _with_memory("archive", [_FIXED, _TABS]),
        _two_notes,
        lambda w: _has_status(w, b"archived"),
    ),
    "unarchive": Verb(
        _with_memory("unarchive", [_FIXED]),
        lambda world: (_two_notes(world), _with_memory("archive", [_FIXED])(world)),
        lambda w: _has_status(w, b"working"),
    ),
    "files": Verb(_follow, _moved_file, _followed),
    "relate": Verb(
        _with_memory("relate", _FIXED, "depends_on", _TABS, "it was measured"),
        _two_notes,
        done=lambda w: _related(w),
    ),
    "unrelate": Verb(
        _once(_related, _with_memory("unrelate", _FIXED, "depends_on", _TABS)),
        lambda world: (
            _two_notes(world),
            _with_memory("relate", _FIXED, "depends_on", _TABS)(world),
        ),
        done=lambda w: not _related(w),
    ),
    "sleep": Verb(_sleep, _three_copies, done=lambda w: (w.root / _PARENT).exists()),
    "undo sleep": Verb(
        _once(lambda w: (w.root / _PARENT).exists(), _with_memory("undo_sleep", _PARENT)),
        lambda world: (_three_copies(world), _with_memory("sleep")(world)),
        done=lambda w: not (w.root / _PARENT).exists(),
    ),
    "consolidate": Verb(
        _once(lambda w: not (w.root / _CLOSING).exists(), _with_memory("consolidate", _GOAL)),
        _goal,
        done=lambda w: (w.root / _CLOSING).exists(),
    ),
    "log note": _told("note", to="scribe"),
    "log decision": _told("decision", because="clients gave up"),
    "log checkpoint": _told("checkpoint", detail="## Task\nRetries\n"),
    "checkpoint": Verb(
        _checkpoint_of("Now", "## Task\nRefunds\n"),
        _checkpoint_of("Before", "## Task\nRetries\n"),
        done=lambda w: b"Refunds" in (w.root / "checkpoints/scout.md").read_bytes(),
    ),
    "log state": Verb(
        _state_of("The release is frozen", "Until the audit is done.\n"),
        _project,
        done=lambda w: b"**The release is frozen**" in (w.root / _PROJECT).read_bytes(),
    ),
    "log state of a new project": Verb(
        _state_of("The release is frozen", ""),
        _two_notes,
        done=lambda w: b"**The release is frozen**" in (w.root / _PROJECT).read_bytes(),
    ),
    "log answer": Verb(
        _answer, _question, done=lambda world: _said(world, "Staging uses 8443 (to ")
    ),
    "log with detail": _told("handoff", detail="All that the next one needs to know.\n"),
    "init": Verb(lambda world: init_vault(world.root), vault=False),
    "adopt": Verb(lambda world: init_vault(world.root), _own_notes, vault=False),
    "introduce": Verb(
        _with_memory("introduce"), done=lambda w: (w.root / "identity/scout.md").is_file()
    ),
    "refresh": Verb(_with_memory("refresh"), _two_notes, _edited),
}


@contextmanager
def scratch() -> Iterator[Path]:
    """Lend a folder, in memory where there is one, since a run writes a vault many times over."""
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-faults-", dir=where))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def every_run(world: World) -> Iterator[Callable[[], list[str]]]:
    """Yield every run of the full matrix for one verb: each call, each fault, each way to die."""
    for nth, call in enumerate(world.calls, 1):
        for code in ERRNOS:
            for forever in (False, True):
                yield lambda n=nth, c=code, f=forever: world.run(n, c, forever=f)
        yield lambda n=nth: world.run_killed(n)
        if call == "write":
            yield lambda n=nth: world.run(n, errnos.ENOSPC, short=True)
            yield lambda n=nth: world.run(n, errnos.ENOSPC, short=True, forever=True)
            yield lambda n=nth: world.run_killed(n, half=True)
    yield lambda: world.run(len(world.calls) + 1, errnos.EIO)


def matrix(name: str, part: int, parts: int) -> tuple[int, int]:
    """Return how many runs of one part of a verb's matrix were made, and how many broke a promise.

    Every `parts`-th run is made, the first being number `part`, so that all parts are the whole.
    """
    with scratch() as folder:
        chosen = islice(every_run(World(folder, VERBS[name])), part, None, parts)
        results = [run() for run in chosen]
    return len(results), sum(bool(wrong) for wrong in results)
