"""The life of a memory: its types, its grades, its relations, and its strength."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import log

from vaultmem.words.errors import BadInput

TYPES = (
    "code",
    "architecture",
    "bug_fix",
    "feature",
    "documentation",
    "user_preference",
    "decision",
    "learning",
    "configuration",
    "testing",
    "performance",
    "security",
    "validation",
    "research",
    "workflow",
    "requirement",
    "design",
    "integration",
    "communication",
    "process",
    "insight",
    "goal",
)
OTHER_TYPES = ("project", "page", "decisions", "checkpoint", "identity", "source")
_TYPE_ALIASES = {
    "bug": "bug_fix",
    "bugfix": "bug_fix",
    "config": "configuration",
    "doc": "documentation",
    "docs": "documentation",
    "fix": "bug_fix",
    "perf": "performance",
    "preference": "user_preference",
    "runbook": "process",
    "test": "testing",
}

RELATIONS = (
    "related_to",
    "depends_on",
    "supersedes",
    "similar",
    "conflicts",
    "implements",
    "extends",
    "achieves",
    "closes",
    "consolidates",
)
INVERSE = {
    "related_to": "related_to",
    "depends_on": "needed_by",
    "supersedes": "superseded_by",
    "similar": "similar",
    "conflicts": "conflicts",
    "implements": "implemented_by",
    "extends": "extended_by",
    "achieves": "achieved_by",
    "closes": "closed_by",
    "consolidates": "consolidated_into",
}
"""How each relation reads from the other end."""

DEFAULT_IMPORTANCE = 0.6
INFERRED_IMPORTANCE = 0.4
TO_FOLD = 0.85
"""Least cosine of two notes that are folded into one parent, or into one hit."""
TO_REFUSE = 0.92
"""Least cosine of a new note and one that is there, for the new one to be refused as a copy."""
DAMPED = 0.2
"""What is left of the importance of a note that was consolidated into another."""


class Grade(IntEnum):
    """How far a statement may be trusted; a higher grade is trusted more."""

    OUTSIDE = 0
    INFERRED = 1
    IMPORTED = 2
    CONFIRMED = 3
    APPROVED = 4


SOURCES = {
    "approved": Grade.APPROVED,
    "user_confirmed": Grade.CONFIRMED,
    "imported": Grade.IMPORTED,
    "agent_inferred": Grade.INFERRED,
    "outside": Grade.OUTSIDE,
}
LABELS = {
    Grade.APPROVED: "CONFIRMED",
    Grade.CONFIRMED: "CONFIRMED",
    Grade.IMPORTED: "IMPORTED",
    Grade.INFERRED: "INFERRED",
    Grade.OUTSIDE: "OUTSIDE",
}


def known_type(name: str) -> str | None:
    """Return the type that a name or alias means, None if it means none."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = _TYPE_ALIASES.get(plain, plain)
    return plain if plain in TYPES else None


def counted_as(written: str) -> str:
    """Return the type that a note counts as: an unknown one of a person's own is an insight."""
    return known_type(written) or (written if written in OTHER_TYPES else "insight")


def type_named(name: str) -> str:
    """Return the type that a caller means.

    Raises:
        BadInput: it means none; the message lists all.
    """
    found = known_type(name)
    if found is None:
        raise BadInput(f"There is no type {name!r}. Use one of: {', '.join(TYPES)}.")
    return found


def relation_named(name: str) -> str:
    """Return the kind of relation that a caller means, or raise `BadInput` listing all."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    if plain not in RELATIONS:
        raise BadInput(f"There is no relation {name!r}. Use one of: {', '.join(RELATIONS)}.")
    return plain


HALF_LIFE = 90.0
BOOST = 1.2
LEAST_STRENGTH = 0.05
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Use:
    """How often a note was given to an agent, and when last."""

    count: int = 0
    last: float | None = None
    """Seconds since 1970; None if it never was."""

    def due(self, moment: float) -> bool:
        """Return whether one more at a moment counts: at most one an hour does, and a clock that
        was set back by more starts anew.
        """
        return self.last is None or abs(moment - self.last) >= HOUR


@dataclass(frozen=True, slots=True)
class Life:
    """What the strength of a memory is made of."""

    importance: float
    days: float
    """Days since it was last used or changed, never below 0."""
    use: Use = Use()
    half_life: float = HALF_LIFE

    @property
    def decay(self) -> float:
        """What time has left of it: 1 at first, a half after each half-life."""
        return _decay(self.days, self.half_life)

    @property
    def boost(self) -> float:
        """What its uses multiply it by, at least 1."""
        return _boost(self.use.count)

    @property
    def strength(self) -> float:
        """How alive it is; see `strength`."""
        return strength(self.importance, self.days, self.use.count, self.half_life)


def strength(importance: float, days: float, uses: int = 0, half_life: float = HALF_LIFE) -> float:
    """Return how alive a memory is, not capped: importance, halved every `half_life` days since it
    was last used or changed, and lifted by its uses. It never falls below 0.05.
    """
    return max(LEAST_STRENGTH, importance * _decay(days, half_life) * _boost(uses))


def share(strength: float) -> float:
    """Return the strength as it ranks: s / (1 + s), from 0 to 1."""
    return strength / (1 + strength)


def _decay(days: float, half_life: float) -> float:
    left: float = 2.0 ** (-max(days, 0.0) / half_life)
    return left


def _boost(uses: int) -> float:
    return 1 + BOOST * log(1 + uses)
