"""How notes stand among each other: what replaced one, what disputes it, what it was built on.

All of it is derived from links, the newer note's: so each act is one write, its undo one delete.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from vaultmem.words.life import LABELS, Grade

LOWERING = {"supersedes": "SUPERSEDED by", "closes": "CONSOLIDATED into"}
LOWERING["consolidates"] = LOWERING["closes"]
"""The relations that lower the note they name, and what it is then labelled."""
TELLING = frozenset({*LOWERING, "conflicts"})
"""The relations that say how another note stands."""
FOLDED = LOWERING["consolidates"]


@dataclass(frozen=True)
class Standing:
    """How one note stands among the others."""

    lowered: str = ""
    """`SUPERSEDED by` or `CONSOLIDATED into`, empty if neither."""
    by: str = ""
    """Path of the note that lowered it."""
    contested_by: str = ""
    """Path of a note that would lower it but may not, or that says the opposite."""
    head: str = ""
    """Path of the note at the end of the chain: what holds now. Empty where nothing lowered it."""
    stale: bool = False
    """Whether a note that it was built on is gone or was retracted."""
    circular: bool = False
    """Whether it is said to replace itself by way of others; then nothing in the circle counts."""


ALONE = Standing()


@dataclass(frozen=True)
class Claim:
    """What one note says of another; `target` is empty if that one is gone."""

    kind: str
    source: str
    target: str


@dataclass(frozen=True)
class Rank:
    """What decides whether a note may lower another."""

    scope: str
    grade: Grade
    valid: bool = True
    """False for pending notes, whose links lower nobody."""
    retracted: bool = False
    archived: bool = False
    """Whether a person put it away; what it replaced stays replaced."""
    moment: float = 0.0
    """When it became true, in seconds."""
    dated: bool = False
    """Whether the note itself says when it became true."""


Linked = Callable[[str, str], bool]
"""Says whether one of two notes links to the other, in any way."""


def standings(
    claims: Iterable[Claim], ranks: Mapping[str, Rank], linked: Linked = lambda one, other: True
) -> dict[str, Standing]:
    """Return the standing of every note that a claim is made about.

    A claim takes effect only from the same or a higher grade and within one scope; otherwise the
    target is contested. Of two events the later one is the present state, whichever was written
    first. `conflicts` lowers nobody: both are contested. So are two notes that replaced the same
    one and do not know of each other. A parent is stale when a source is gone.
    """
    found: dict[str, Standing] = {}
    heirs: dict[str, list[str]] = defaultdict(list)
    for claim in sorted(claims, key=lambda claim: _weightiest(claim, ranks)):
        if claim.source not in ranks or claim.source == claim.target:
            continue
        if claim.kind == "consolidates" and _lost(claim.target, ranks):
            found[claim.source] = replace(found.get(claim.source, Standing()), stale=True)
        if claim.target not in ranks:
            continue
        if claim.kind == "conflicts":
            _contest(found, claim.target, claim.source)
            _contest(found, claim.source, claim.target)
            continue
        winner, loser = _by_event(claim, ranks)
        if _may_lower(ranks[winner], ranks[loser]):
            _lower(found, loser, LOWERING[claim.kind], winner)
            if claim.kind == "supersedes":
                heirs[loser].append(winner)
        else:
            _contest(found, loser, winner)
    for rivals in heirs.values():
        _divide(found, [path for path in rivals if _holds(path, found, ranks)], linked)
    return _resolved(found)


def _holds(path: str, found: Mapping[str, Standing], ranks: Mapping[str, Rank]) -> bool:
    """Return whether what a note says is still held to be so."""
    return not (found.get(path, ALONE).lowered or ranks[path].archived or ranks[path].retracted)


def _divide(found: dict[str, Standing], heirs: list[str], linked: Linked) -> None:
    """Contest each note that replaced what another one, unknown to it, replaced too."""
    for one in heirs:
        rival = next((other for other in heirs if other != one and not linked(one, other)), "")
        if rival:
            _contest(found, one, rival)


def _weightiest(claim: Claim, ranks: Mapping[str, Rank]) -> tuple[str, int, float, str, str]:
    """Order claims about one note: those of a higher grade first, then the newest."""
    rank = ranks.get(claim.source, Rank("", Grade.OUTSIDE))
    return claim.target, -rank.grade, -rank.moment, claim.source, claim.kind


def _lost(path: str, ranks: Mapping[str, Rank]) -> bool:
    return path not in ranks or ranks[path].retracted


def _by_event(claim: Claim, ranks: Mapping[str, Rank]) -> tuple[str, str]:
    """Return which of two notes is the present state, then the other."""
    source, target = ranks[claim.source], ranks[claim.target]
    late = claim.kind == "supersedes" and source.dated and source.moment < target.moment
    return (claim.target, claim.source) if late else (claim.source, claim.target)


def _may_lower(winner: Rank, loser: Rank) -> bool:
    return winner.valid and winner.grade >= loser.grade and winner.scope == loser.scope


def _lower(found: dict[str, Standing], path: str, how: str, by: str) -> None:
    before = found.get(path, Standing())
    if not before.lowered:
        found[path] = replace(before, lowered=how, by=by)


def _contest(found: dict[str, Standing], path: str, by: str) -> None:
    before = found.get(path, Standing())
    found[path] = replace(before, contested_by=before.contested_by or by)


def _resolved(found: dict[str, Standing]) -> dict[str, Standing]:
    """Return the standings with the end of each chain; what goes in a circle lowers nobody."""
    by = {path: standing.by for path, standing in found.items() if standing.lowered}
    for path in by:
        standing, head = found[path], _head(path, by)
        if head:
            found[path] = replace(standing, head=head)
        else:
            contested = standing.contested_by or standing.by
            found[path] = replace(
                standing, lowered="", by="", contested_by=contested, circular=True
            )
    return found


def _head(path: str, by: Mapping[str, str]) -> str:
    """Return the end of a note's chain of successors, empty if that leads back to the note."""
    seen, at = {path}, by[path]
    while at in by:
        if at == path:
            return ""
        if at in seen:
            return by[path]  # a circle of others
        seen.add(at)
        at = by[at]
    return at


def label(
    grade: Grade, status: str, standing: Standing, names: Mapping[str, str], *, stale: bool = False
) -> str:
    """Return the label of a hit, such as `INFERRED · SUPERSEDED by k7f3q9xa`.

    `names` maps paths to what a note is called by: its id, or its path where it has none.
    """
    parts = ["PENDING" if status in ("pending", "approved") else LABELS[grade]]
    holder = standing.head or standing.by
    if standing.lowered:
        parts.append(f"{standing.lowered} {names.get(holder, holder)}")
    if standing.contested_by:
        parts.append(f"CONTESTED by {names.get(standing.contested_by, standing.contested_by)}")
    if stale or standing.stale:
        parts.append("STALE")
    if status == "archived":
        parts.append("ARCHIVED")
    return " · ".join(parts)
