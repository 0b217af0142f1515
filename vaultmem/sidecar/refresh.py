"""Making the sidecar equal to the vault: a pure function says what differs, a loop does it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum

from vaultmem.sidecar.keyword import Doc
from vaultmem.sidecar.manifest import Chunk, Indexed, Read
from vaultmem.sidecar.reading import indexed, settled
from vaultmem.vault.scan import Stat
from vaultmem.vault.store import Vault
from vaultmem.words.errors import NotFound, VaultmemError
from vaultmem.words.graves import RETURNED, marks_of
from vaultmem.words.layout import Role
from vaultmem.words.note import Note, too_large

Progress = Callable[[int, int, str], None]
"""Told how many of how many are done, and what is being done."""
TRIES = 5


class Kind(StrEnum):
    """How a file differs from what was indexed."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class Change:
    """One file that differs, or that may."""

    kind: Kind
    path: str
    stat: Stat | None = None


@dataclass
class Refreshed:
    """What a refresh did."""

    seen: int = 0
    new: int = 0
    changed: int = 0
    gone: int = 0
    rebuilt: str = ""
    """Why everything was read anew, empty if it was not."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """What the disk would not give, with the reason; what was known of it stays known. And what was
    erased for good and has come back, which nothing is known of."""
    waiting: list[str] = field(default_factory=list)
    """What somebody was writing at this very moment; the next refresh looks again."""
    paths: list[str] = field(default_factory=list)
    """Every path whose indexed text changed."""
    behind: int = 0
    """How many files differ and were left to the watcher, which reads them now."""

    @property
    def shrunk(self) -> str:
        """One line where more than a fifth of all notes went at once, else empty."""
        before = self.seen - self.new + self.gone
        if self.gone > 5 and self.gone > before / 5:
            return f"{self.gone} of {before} notes are gone since the last look."
        return ""

    def __str__(self) -> str:
        why = f" (everything was read anew: {self.rebuilt})" if self.rebuilt else ""
        return f"{self.seen} notes: {self.new} new, {self.changed} changed, {self.gone} gone{why}"


def changes(
    on_disk: Mapping[str, Stat], indexed: Mapping[str, Indexed], pending: Set[str]
) -> Iterator[Change]:
    """Yield what differs, by path. A pending path differs whatever its times say."""
    same = {p for p, known in indexed.items() if known.settled and on_disk.get(p) == known.stat}
    for path in sorted((on_disk.keys() | indexed.keys()) - same | pending):
        stat, known = on_disk.get(path), indexed.get(path)
        if stat is None:
            yield Change(Kind.GONE, path)
        elif known is None:
            yield Change(Kind.NEW, path, stat)
        elif path in pending or known.stat != stat or not known.settled:
            yield Change(Kind.CHANGED, path, stat)


def steady(vault: Vault, path: str, size: int) -> Note | None:
    """Return a note read between two equal looks at it, None while somebody is writing it.

    Obsidian and other editors write in place: a reader may meet half a note.
    """
    if size > vault.largest(path):
        return too_large(path, size)
    for _ in range(TRIES):
        before = (vault.root / path).stat()
        note = vault.read(path)
        after = (vault.root / path).stat()
        empty = not after.st_size and not settled(Stat(0, after.st_mtime_ns, 0), time.time_ns())
        if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size):
            return None if empty else note
        time.sleep(0.02)
    return None


@dataclass
class Gathered:
    """What a refresh is about to write."""

    gone: list[str]
    label: int
    """The first label that is free after it."""
    reads: list[Read] = field(default_factory=list)
    docs: list[Doc] = field(default_factory=list)
    same: dict[str, tuple[Stat, bool]] = field(default_factory=dict)
    """New times of files whose text is the one that was indexed."""

    @property
    def paths(self) -> list[str]:
        """Every path whose indexed text changes."""
        return [*self.gone, *(read.facts.path for read in self.reads)]

    @property
    def anew(self) -> list[str]:
        """The paths whose passages are all to be forgotten first."""
        return [*self.gone, *(read.facts.path for read in self.reads if not read.kept)]


def gather(
    vault: Vault,
    found: list[Change],
    known: Mapping[str, Indexed],
    pending: Set[str],
    label: int,
    result: Refreshed,
    before: Callable[[str], Sequence[Chunk]],
    progress: Progress | None = None,
) -> Gathered:
    """Read every file that differs and return what is to be written; `result` is filled in.

    `before` gives the passages that are indexed of a path.
    """
    gone = [change.path for change in found if change.kind == Kind.GONE]
    graves = vault.graves() if len(found) > len(gone) else frozenset()
    gathered = Gathered(gone, label)
    for number, change in enumerate(found):
        if progress:
            progress(number, len(found), "reading")
        if change.kind != Kind.GONE:
            sure = change.path not in pending
            log = sure and vault.layout.role(change.path) == Role.LOG
            grown = before(change.path) if log else ()
            item = read_one(vault, change, gathered.label, grown, graves)
            _sorted_in(gathered, change, item, known.get(change.path) if sure else None, result)
    result.gone = sum(path in known for path in gone)
    result.paths = gathered.paths
    return gathered


def moves(gathered: Gathered, known: Mapping[str, Indexed]) -> dict[str, str]:
    """Return the notes without an id that lie elsewhere now, by the path that they left.

    A note is known again by its text, where only one left with it and only one came with it.
    """
    left: dict[str, list[str]] = {}
    came: dict[str, list[str]] = {}
    for path in gathered.anew:
        if path in known and known[path].hash:
            left.setdefault(known[path].hash, []).append(path)
    for read in gathered.reads:
        if read.facts.path not in known and not read.facts.id:
            came.setdefault(read.facts.hash, []).append(read.facts.path)
    return {
        old[0]: came[text][0]
        for text, old in left.items()
        if len(old) == 1 and len(came.get(text, ())) == 1
    }


def _sorted_in(
    gathered: Gathered,
    change: Change,
    item: tuple[Read, list[Doc]] | str | None,
    before: Indexed | None,
    result: Refreshed,
) -> None:
    if item is None:
        result.waiting.append(change.path)
    elif isinstance(item, str):
        result.unreadable[change.path] = item
    elif before and before.hash and before.hash == item[0].facts.hash:
        if (before.stat, before.settled) != (item[0].stat, item[0].settled):
            gathered.same[change.path] = (item[0].stat, item[0].settled)
    else:
        read, docs = item
        gathered.reads.append(read)
        gathered.docs += docs
        gathered.label += len(read.chunks)
        result.new += change.kind == Kind.NEW
        result.changed += change.kind == Kind.CHANGED


def read_one(
    vault: Vault, change: Change, label: int, before: Sequence[Chunk], graves: Set[str]
) -> tuple[Read, list[Doc]] | str | None:
    """Return what a changed file holds now, None while it is being written, or what went wrong."""
    assert change.stat is not None
    now_ns = time.time_ns()
    try:
        note = steady(vault, change.path, change.stat.size)
        if note is None:
            return None
        if graves and not graves.isdisjoint(marks_of(note)):
            return RETURNED
        layout, own_notes = vault.layout, vault.config.own_notes
        return indexed(note, change.stat, layout, own_notes, label, now_ns, before)
    except (FileNotFoundError, NotFound):
        return None
    except VaultmemError as error:
        return str(error)
    except Exception as error:  # whatever one file does to us costs that file alone
        return f"{change.path} could not be read ({type(error).__name__}: {error})."
