"""The notes that were imported earlier, wherever a person has moved them since."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property

from vaultmem.documents.imported import Imported
from vaultmem.vault import files
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import VaultmemError
from vaultmem.words.graves import marks_of_import
from vaultmem.words.layout import TRASH, Role
from vaultmem.words.life import Grade
from vaultmem.words.near import alike
from vaultmem.words.note import LARGEST, parse
from vaultmem.words.origin import Origin, as_written, origin_of

HEAD = 4096
"""Bytes of a note in which its origin stands, if it has one."""
LIKE = 0.5
"""Least Jaccard of two texts of one file for one to be what became of the other."""


@dataclass(frozen=True)
class Kept:
    """A note that an import made."""

    path: str
    hash: str
    origin: Origin
    title: str
    body: str
    as_imported: bool
    """Whether nobody has changed or approved it since."""

    @property
    def trashed(self) -> bool:
        """Whether a person has put it to the trash."""
        return self.path.startswith(f"{TRASH}/")


def kept(parts: Parts) -> list[Kept]:
    """Return every note that an import made, those in the trash first."""
    layout = parts.vault.layout
    roles = (Role.MEMORY, Role.CANDIDATE, Role.OWN)
    there = [path for path in parts.vault.scan().notes if layout.role(path) in roles]
    return [note for path in (*_in_trash(parts), *there) if (note := _kept(parts, path))]


def _in_trash(parts: Parts) -> Iterator[str]:
    folder = parts.vault.root / TRASH
    return (f"{TRASH}/{item.name}" for item in sorted(folder.glob("*.md")))


def _kept(parts: Parts, path: str) -> Kept | None:
    try:
        if b"\norigin:" not in files.read(parts.vault.root, path, HEAD):
            return None
        note = parse(path, files.read(parts.vault.root, path, LARGEST))
    except VaultmemError:
        return None
    origin = origin_of(note.text("origin"))
    if origin is None:
        return None
    written = as_written(note.title, note.text("description"), note.body)
    same = written == note.text("digest") and note.grade(Grade.APPROVED) == Grade.IMPORTED
    return Kept(path, note.hash, origin, note.title, note.body, same)


@dataclass
class Before:
    """What was imported in a format, to look up what became of an entry."""

    format: str
    place: str
    """The folder that is imported now, as addresses begin."""
    now: frozenset[str]
    """The digests of all that the source says now."""
    notes: list[Kept]
    digests: dict[str, Kept] = field(init=False)
    addresses: dict[str, Kept] = field(init=False)
    _paired: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        ours = [one for one in self.notes if one.origin.format == self.format]
        self.digests = {one.origin.digest: one for one in ours}
        self.addresses = {one.origin.address: one for one in ours}

    @cached_property
    def paths(self) -> frozenset[str]:
        """The notes that came from this very folder."""
        origins = ((one.path, one.origin.address) for one in self.digests.values())
        return frozenset(path for path, at in origins if at.startswith(f"{self.place}/"))

    def address(self, entry: Imported) -> str:
        """Return where an entry stands, as its origin says it."""
        return " ".join(f"{self.place}/{entry.address}".split())

    def origin(self, entry: Imported) -> Origin:
        """Return the origin of an entry."""
        return Origin(self.format, self.address(entry), entry.digest)

    def erased(self, entry: Imported, graves: Set[str]) -> bool:
        """Return whether a person has erased the note that was made of an entry."""
        marks = marks_of_import(self.origin(entry), named=entry.name is not None)
        return not marks.isdisjoint(graves)

    def same(self, entry: Imported) -> Kept | None:
        """Return the note that was made of just this entry."""
        return self.digests.get(entry.digest)

    def changed(self, entry: Imported) -> Kept | None:
        """Return the note that was made of what an entry said before.

        An entry without a name is known by its text: it is the one of its file that is most like
        it, of those that are in the source no more.
        """
        if entry.name is not None:
            return self.addresses.get(self.address(entry))
        gone = [
            one
            for digest, one in self.digests.items()
            if one.origin.address == self.address(entry)
            and digest not in self.now
            and one.path not in self._paired
            and not one.trashed
        ]
        ranked = ((alike(one.body, entry.text), one) for one in gone)
        likeness, best = max(ranked, key=lambda pair: pair[0], default=(0.0, None))
        if best is None or likeness < LIKE:
            return None
        self._paired.add(best.path)
        return best
