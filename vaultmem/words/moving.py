"""What moves in from other programs' memories and out to them, and what became of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


@dataclass(frozen=True)
class ImportWish:
    """A folder to be imported."""

    source: str
    format: str = ""
    """Empty to be told by the folder."""
    scope: str | None = None
    """Where all of it goes; None to put each entry where it belongs."""
    agent: str = ""
    """Who is said to have brought it; empty for the program that it comes from."""
    dry_run: bool = False
    again: bool = False
    """Whether what a person has put to the trash comes back."""


class Fate(StrEnum):
    """What became of an entry."""

    NEW = "new"
    UPDATED = "updated"
    CHANGED = "changed"
    IMPORTED = "imported"
    KNOWN = "known"
    TRASHED = "trashed"
    REFUSED = "refused"
    LEFT = "left out"


TOLD = {
    Fate.NEW: "new",
    Fate.UPDATED: "changed in the source, so updated here",
    Fate.CHANGED: "changed in the source and edited here, so left as it is here",
    Fate.IMPORTED: "imported before",
    Fate.KNOWN: "known already",
    Fate.TRASHED: "in the trash (`--again` brings it back)",
    Fate.REFUSED: "refused",
    Fate.LEFT: "left out",
}


@dataclass(frozen=True)
class Item:
    """One entry of a source, or a file that is none."""

    fate: Fate
    title: str
    source: str
    """Where it stands in the source."""
    scope: str = ""
    type: str = ""
    path: str = ""
    """The note that it became, or that says it already."""
    why: str = ""


@dataclass(frozen=True)
class Brought:
    """What an import did, or would do."""

    format: str
    detected: bool
    folder: str
    items: tuple[Item, ...]
    dry_run: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """How many entries met each fate."""
        return dict(Counter(item.fate.value for item in self.items))

    def of(self, *fates: Fate) -> list[Item]:
        """Return the entries that met one of some fates."""
        return [item for item in self.items if item.fate in fates]

    def as_dict(self) -> dict[str, Any]:
        """Return it with the counts."""
        return {**asdict(self), "items": [asdict(i) for i in self.items], "counts": self.counts}


@dataclass(frozen=True)
class ExportWish:
    """Memories to be written as files that another program reads."""

    format: str
    dest: str
    scope: str | None = None
    everything: bool = False
    """Whether what waits, is put away or is replaced goes too."""


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    format: str
    folder: str
    notes: int
    written: tuple[str, ...]
    removed: tuple[str, ...]
    unlisted: int = 0
    """Notes for which the index had no room."""

    def as_dict(self) -> dict[str, Any]:
        """Return its fields."""
        return asdict(self)
