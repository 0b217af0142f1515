"""Near-copies count once: the best of them stands for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Row
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.near import TO_FOLD, near

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Vectors

LONGEST = 20_000
"""Characters of a note that are compared."""


def collapsed(parts: Parts, snapshot: Snapshot, rows: Sequence[Row], limit: int) -> list[Row]:
    """Return the first `limit` rows, near-copies left out and counted in the one they repeat.

    Of some near-copies the best stands for all, one that a person approved before any other. Only
    a note of the same scope and standing is a copy: what another one superseded is history.
    """
    labels = [row.label for row in rows]
    texts: dict[str, str] = {}
    groups: list[Group] = []
    for number, row in enumerate(rows):
        for first, cosines, copies in groups:
            if _copies(parts, snapshot, first, row, float(cosines[number]), texts):
                copies.append(row)
                break
        else:
            if len(groups) < limit:
                groups.append(Group(row, parts.meaning.alike(row.label, labels), [row]))
    return [_standing_for(snapshot, group.copies) for group in groups]


class Group(NamedTuple):
    """Rows that say the same: the first of them, its cosine with every row, and all of them."""

    first: Row
    cosines: Vectors
    copies: list[Row]


def _standing_for(snapshot: Snapshot, rows: Sequence[Row]) -> Row:
    """Return the row that stands for its near-copies."""
    best = next((row for row in rows if snapshot.facts[row.path].trusted), rows[0])
    return replace(best, copies=len(rows)) if len(rows) > 1 else best


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
        return f"{snapshot.facts[path].title}\n{parts.vault.read(path).body[:LONGEST]}"
    except VaultmemError:
        return path
