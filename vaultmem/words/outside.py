"""What comes of outside documents: sources, readings, matches."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FRESH_DAYS = 15
"""Days after which a page is asked for again."""
SESSION_HOURS = 120
"""Hours after which what was stored for a session is gone."""
COMMANDS = ("search", "read", "match", "store", "delete", "index", "list", "remove")


@dataclass(frozen=True)
class Source:
    """One document that can be searched."""

    title: str
    origin: str
    path: str
    scope: str
    fetched: str
    passages: int
    for_session: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it by the names of its fields."""
        return asdict(self)


@dataclass(frozen=True)
class Taken:
    """What became of a source that was to be taken in."""

    title: str
    origin: str
    path: str
    state: str
    """`new`, `changed`, `unchanged`, or `old`: it could not be asked again."""
    note: str = ""
    """What there is to know of it besides."""

    def as_dict(self) -> dict[str, Any]:
        """Return it by the names of its fields."""
        return asdict(self)


@dataclass(frozen=True)
class Refusal:
    """A document of a folder that was not taken in, and why."""

    origin: str
    why: str


@dataclass(frozen=True)
class Reading:
    """A part of a source, and which one."""

    title: str
    origin: str
    path: str
    fetched: str
    lines: tuple[int, int]
    page: int
    pages: int
    text: str
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it by the names of its fields."""
        return {**asdict(self), "lines": list(self.lines), "label": "OUTSIDE"}


@dataclass(frozen=True)
class Match:
    """A line that a pattern was found in, with the lines around it."""

    title: str
    origin: str
    path: str
    line: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matches:
    """The lines found, and whether there may be more."""

    found: tuple[Match, ...]
    documents: int
    """How many were looked through."""
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return them by the names of their fields."""
        matches = [{**asdict(m), "before": [*m.before], "after": [*m.after]} for m in self.found]
        return {"matches": matches, "documents": self.documents, "note": self.note}
