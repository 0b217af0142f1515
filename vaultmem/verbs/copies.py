"""Near-copies count once: the best of them stands for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Row
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.near import LONGEST, TO_FOLD, near
from vaultmem.words.question import CONFIDENCES
from vaultmem.words.standing import FOLDED, Standing


def collapsed(parts: Parts, snapshot: Snapshot, rows: Sequence[Row], limit: int) -> list[Row]:
    """Return the first `limit` rows, near-copies left out and counted in the one they repeat.

    Of some near-copies the best stands for all, one that a person approved before any other. Only
    a note of the same scope and standing is a copy: what another one superseded is history.
    """
    cosines = parts.meaning.alike([row.label for row in rows])
    texts: dict[str, str] = {}
    groups: list[list[int]] = []
    for number in range(len(rows)):
        same = (
            group
            for group in groups
            if _copies(
                parts, snapshot, rows[group[0]], rows[number], cosines[group[0], number], texts
            )
        )
        found = next(same, None)
        if found is None:
            groups.append([number])
        else:
            found.append(number)
    return [_standing_for(snapshot, [rows[n] for n in group]) for group in groups[:limit]]


def behind_parents(rows: Sequence[Row], standing: Mapping[str, Standing]) -> list[Row]:
    """Return the rows without those whose parent was found as surely; it stands for them."""
    found = {row.path: row for row in rows}
    counted: Counter[str] = Counter()
    kept = []
    for row in rows:
        parent = _parent(row, found, standing)
        if parent:
            counted[parent] += row.copies
        else:
            kept.append(row)
    return [replace(row, copies=row.copies + counted[row.path]) for row in kept]


def _parent(row: Row, found: Mapping[str, Row], standing: Mapping[str, Standing]) -> str:
    """Return the found note that stands for a row at the end of its parents, empty without one."""
    at, seen = row.path, {row.path}
    while (stands := standing.get(at)) and stands.lowered == FOLDED and stands.by not in seen:
        if stands.by not in found or _sure(found[stands.by]) < _sure(row):
            break
        at = stands.by
        seen.add(at)
    return "" if at == row.path else at


def _sure(row: Row) -> int:
    return CONFIDENCES.index(row.confidence)


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
    known = None if isnan(cosine) else float(cosine)
    return near(texts[one.path], texts[other.path], known)


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
