"""Near-copies count once: the best of them stands for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Row
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.near import TO_FOLD, near

LOOKED_AT = 3
"""Of so many rows a hit near-copies are looked for."""
LONGEST = 20_000
"""Characters of a note that are compared."""


def collapsed(parts: Parts, snapshot: Snapshot, rows: Sequence[Row], limit: int) -> list[Row]:
    """Return the first `limit` rows, near-copies left out and counted in the one they repeat.

    Only a note of the same scope and standing is a copy: what another one superseded is history.
    """
    looked = rows[: limit * LOOKED_AT]
    cosines = parts.meaning.alike([row.label for row in looked])
    kept: list[tuple[int, Row]] = []
    for number, row in enumerate(looked):
        pairs = ((i, best, float(cosines[first, number])) for i, (first, best) in enumerate(kept))
        same = next((i for i, best, cos in pairs if _copies(parts, snapshot, best, row, cos)), None)
        if same is None:
            kept.append((number, row))
        else:
            first, best = kept[same]
            kept[same] = (first, replace(best, copies=best.copies + 1))
    return [row for _, row in kept[:limit]]


def _copies(parts: Parts, snapshot: Snapshot, one: Row, other: Row, cosine: float) -> bool:
    """Return whether two rows say the same; their cosine is nan where the model reads not both."""
    if cosine < TO_FOLD or one.path == other.path or not _comparable(snapshot, one, other):
        return False
    texts = [_text(parts, snapshot, row.path) for row in (one, other)]
    return near(texts[0], texts[1], None if isnan(cosine) else cosine)


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
