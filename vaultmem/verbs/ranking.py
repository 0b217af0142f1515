"""Which note answers best: two legs mixed, one hit a note, life and grade as a tilt."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from vaultmem.sidecar.seams import Scored
from vaultmem.words.life import Grade

LEG = 100
"""Passages taken from each leg."""
VECTOR_WEIGHT = 0.6
"""Weight of the vector leg where the model reads the question. SciFact's train queries gave
0.6; see `scripts/bench`."""
GRADE = {
    Grade.APPROVED: 1.0,
    Grade.CONFIRMED: 0.95,
    Grade.IMPORTED: 0.9,
    Grade.INFERRED: 0.85,
    Grade.OUTSIDE: 0.65,
}
PENDING = 0.65
LOWERED = 0.5
"""A superseded note ranks below its successor; it stays findable."""
FLOOR_COSINE = 0.25
FLOOR_SHARE = 0.05
STRONG = (0.55, 0.5)
MODERATE = (0.4, 0.25)
"""Least cosine, or least share of the query's own BM25 maximum, for each confidence."""

Row = tuple[float, str, int, str]
"""Score, path, label of the best passage (0 if it has none), confidence."""


@dataclass(frozen=True)
class Evidence:
    """How well one passage answers, from both legs."""

    label: int
    relevance: float
    """Convex mix of the normalised scores, from 0 to 1."""
    cosine: float = 0.0
    share: float = 0.0
    """BM25 as a share of what the query could reach."""

    @property
    def confidence(self) -> str:
        """`strong`, `moderate` or `weak`, from absolute evidence; empty below the floor."""
        if self.cosine >= STRONG[0] or self.share >= STRONG[1]:
            return "strong"
        if self.cosine >= MODERATE[0] or self.share >= MODERATE[1]:
            return "moderate"
        floor = self.cosine >= FLOOR_COSINE or self.share >= FLOOR_SHARE
        return "weak" if floor else ""


def fused(
    keyword: Sequence[Scored], vector: Sequence[Scored], ceiling: float, weight: float
) -> list[Evidence]:
    """Return every passage that either leg found, best first, equal ones by label.

    Each leg's scores are scaled to 0..1 before they are mixed, so it counts how much better a
    hit is (Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, 2023).
    """
    words, meanings = _scaled(keyword, 0.0), _scaled(vector, None)
    share = {hit.label: min(hit.score / ceiling, 1.0) if ceiling else 0.0 for hit in keyword}
    cosine = {hit.label: hit.score for hit in vector}
    if not vector:
        weight = 0.0
    found = [
        Evidence(
            label,
            weight * meanings.get(label, 0.0) + (1 - weight) * words.get(label, 0.0),
            cosine.get(label, 0.0),
            share.get(label, 0.0),
        )
        for label in words.keys() | meanings.keys()
    ]
    return sorted(found, key=lambda e: (-e.relevance, e.label))


def _scaled(hits: Sequence[Scored], low: float | None) -> dict[int, float]:
    if not hits:
        return {}
    top = hits[0].score
    bottom = min(hit.score for hit in hits) if low is None and len(hits) >= LEG else 0.0
    span = top - bottom
    return {hit.label: (hit.score - bottom) / span if span > 0 else 1.0 for hit in hits}


def best_passages(found: Sequence[Evidence], unit: Mapping[int, str]) -> list[Evidence]:
    """Return the best passage of each note; `unit` maps a label to what counts as one hit."""
    best: dict[str, Evidence] = {}
    for evidence in found:
        best.setdefault(unit[evidence.label], evidence)
    return list(best.values())


def tilt(grade: Grade, status: str, importance: float, *, lowered: bool) -> float:
    """Return what a note's life and grade make of its relevance; importance moves it by 10 %."""
    trust = PENDING if status in ("pending", "approved") else GRADE[grade]
    return trust * (0.9 + 0.1 * importance) * (LOWERED if lowered else 1.0)


def ordered(
    rows: Sequence[Row], trusted: Container[str], lowered_by: Mapping[str, str]
) -> list[Row]:
    """Return the rows best first, equal ones by path and line.

    Whatever the scores: where a note that a person approved answers strongly, none that nobody
    approved stands above it; and a note stands below the one that superseded it.
    """
    best = sorted(rows, key=lambda row: (-row[0], row[1], row[2]))

    def vouched(row: Row) -> bool:
        return row[1] in trusted and row[1] not in lowered_by

    strong = [i for i, row in enumerate(best) if vouched(row) and row[3] == "strong"]
    head = best[: strong[-1] + 1] if strong else []
    first = [row for row in head if vouched(row)]
    second = [row for row in head if not vouched(row)]
    return _below_successors([*first, *second, *best[len(head) :]], lowered_by)


def _below_successors(rows: list[Row], lowered_by: Mapping[str, str]) -> list[Row]:
    """Return the rows with each one behind its successor; a circle of successors stays as it is."""
    placed: list[Row] = []
    waiting = list(rows)
    while waiting:
        open_ = {row[1] for row in waiting}
        free = (row for row in waiting if lowered_by.get(row[1]) not in open_)
        row = next(free, waiting[0])
        waiting.remove(row)
        placed.append(row)
    return placed
