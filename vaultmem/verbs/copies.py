"""Near-copies count once: the best of them stands for the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Row
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.near import TO_FOLD, near
from vaultmem.words.sources import said
from vaultmem.words.standing import FOLDED, Standing

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Vectors


AS_SURE = 0.75
"""Least evidence of a parent, as a share of its source's, for which it stands in its place."""


def collapsed(parts: Parts, snapshot: Snapshot, rows: Sequence[Row], limit: int) -> list[Row]:
    """Return the first `limit` rows, near-copies left out and counted in the one they repeat.

    Of some near-copies the best stands for all, one that a person approved before any other. Only
    a note of the same scope and standing is a copy: what another one superseded is history.
    """
    alike = parts.meaning.alike([row.label for row in rows])
    texts: dict[str, str] = {}
    groups: list[Group] = []
    for number, row in enumerate(rows):
        for first, cosines, copies in groups:
            if _copies(parts, snapshot, first, row, float(cosines[number]), texts):
                copies.append(row)
                break
        else:
            if len(groups) < limit:
                groups.append(Group(row, alike(number), [row]))
    return [_standing_for(snapshot, group.copies) for group in groups]


class Group(NamedTuple):
    """Rows that say the same: the first of them, its cosine with every row, and all of them."""

    first: Row
    cosines: Vectors
    copies: list[Row]


def behind_parents(rows: Sequence[Row], standing: Mapping[str, Standing]) -> list[Row]:
    """Return the rows without those whose parent was found too and says what they say."""
    found = {row.path: row for row in rows}
    sources: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        sources[_parent(row, found, standing)].append(row)
    kept = sources.pop("", [])
    return [row.standing_for(sources[row.path]) if row.path in sources else row for row in kept]


def _parent(row: Row, found: Mapping[str, Row], standing: Mapping[str, Standing]) -> str:
    """Return the found note at the end of a row's parents, empty without one.

    A parent that an agent wrote may leave something out: then it answers less surely.
    """
    at, seen = row.path, {row.path}
    while (stands := standing.get(at)) and stands.lowered == FOLDED and stands.by not in seen:
        parent = found.get(stands.by)
        if parent is None or parent.evidence < AS_SURE * row.evidence:
            break
        at = stands.by
        seen.add(at)
    return "" if at == row.path else at


def _standing_for(snapshot: Snapshot, rows: Sequence[Row]) -> Row:
    """Return the row that stands for its near-copies."""
    best = next((row for row in rows if snapshot.facts[row.path].trusted), rows[0])
    return replace(best, copies=sum(row.copies for row in rows))


def _copies(
    parts: Parts, snapshot: Snapshot, one: Row, other: Row, cosine: float, texts: dict[str, str]
) -> bool:
    """Return whether two rows say the same; their cosine is nan where the model reads not both."""
    if cosine < TO_FOLD or one.path == other.path or not _comparable(snapshot, one, other):
        return False
    for row in (one, other):
        if row.path not in texts:
            texts[row.path] = _text(parts, snapshot, row.path)
    return near(texts[one.path], texts[other.path], None if isnan(cosine) else cosine)


def _comparable(snapshot: Snapshot, one: Row, other: Row) -> bool:
    notes = [snapshot.facts[row.path] for row in (one, other)]
    if any(facts.role not in (Role.MEMORY, Role.OWN) for facts in notes):
        return False
    standing = [snapshot.standing.get(row.path) for row in (one, other)]
    return snapshot.scope(one.path) == snapshot.scope(other.path) and standing[0] == standing[1]


def _text(parts: Parts, snapshot: Snapshot, path: str) -> str:
    try:
        return said(snapshot.facts[path].title, parts.vault.read(path).body)
    except VaultmemError:
        return path
