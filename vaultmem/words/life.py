"""The life of a memory: its types, its grades, its relations, and what lowers it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
LOWERING = {"supersedes": "SUPERSEDED by", "closes": "CONSOLIDATED into"}
LOWERING["consolidates"] = LOWERING["closes"]

DEFAULT_IMPORTANCE = 0.6
INFERRED_IMPORTANCE = 0.4


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
_LABELS = {
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


@dataclass(frozen=True)
class Standing:
    """How one note stands among the others: what replaced it, and what disputes it."""

    lowered: str = ""
    """`SUPERSEDED by` or `CONSOLIDATED into`, empty if neither."""
    by: str = ""
    """Path of the note that lowered it."""
    contested_by: str = ""
    """Path of a note that would lower it but may not."""


@dataclass(frozen=True)
class Claim:
    """One note's lowering link to another."""

    kind: str
    source: str
    target: str


@dataclass(frozen=True)
class Rank:
    """What decides whether a note may lower another."""

    scope: str
    grade: Grade
    valid: bool = True
    """False for pending, archived and retracted notes, whose links lower nobody."""


def standings(claims: Iterable[Claim], ranks: Mapping[str, Rank]) -> dict[str, Standing]:
    """Return the standing of every note that a claim is made about.

    A claim takes effect only from the same or a higher grade and within one scope; otherwise
    the target is contested. `conflicts` lowers nobody: both sides are contested.
    """
    found: dict[str, Standing] = {}
    for claim in sorted(claims, key=lambda c: (c.target, c.source, c.kind)):
        source, target = ranks.get(claim.source), ranks.get(claim.target)
        if source is None or target is None or claim.source == claim.target:
            continue
        if claim.kind == "conflicts":
            _contest(found, claim.target, claim.source)
            _contest(found, claim.source, claim.target)
        elif source.valid and source.grade >= target.grade and source.scope == target.scope:
            before = found.get(claim.target, Standing())
            if not before.lowered:
                lowered = LOWERING[claim.kind]
                found[claim.target] = Standing(lowered, claim.source, before.contested_by)
        else:
            _contest(found, claim.target, claim.source)
    return found


def _contest(found: dict[str, Standing], path: str, by: str) -> None:
    before = found.get(path, Standing())
    found[path] = Standing(before.lowered, before.by, before.contested_by or by)


def label(
    grade: Grade, status: str, standing: Standing, names: Mapping[str, str], *, stale: bool = False
) -> str:
    """Return the label of a hit, such as `INFERRED · SUPERSEDED by k7f3q9xa`.

    `names` maps paths to what a note is called by: its id, or its path where it has none.
    """
    parts = ["PENDING" if status in ("pending", "approved") else _LABELS[grade]]
    if standing.lowered:
        parts.append(f"{standing.lowered} {names.get(standing.by, standing.by)}")
    if standing.contested_by:
        parts.append(f"CONTESTED by {names.get(standing.contested_by, standing.contested_by)}")
    if stale:
        parts.append("STALE")
    if status == "archived":
        parts.append("ARCHIVED")
    return " · ".join(parts)


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
