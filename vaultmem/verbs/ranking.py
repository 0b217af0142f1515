"""Which note answers best: two legs mixed, then life and grade as a tilt. All of it is pure."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from vaultmem.words.life import Grade, share
from vaultmem.words.question import CONFIDENCES

VECTOR_WEIGHT = (0.4, 0.5)
PEAK = (2.0, 3.0)
"""The weight of meaning goes from the first to the second as the best cosine stands 2 to 3 standard
deviations above the mean: the more a note stands out, the better the model reads the question.
SciFact's train queries (nDCG@10), LoCoMo's turns (recall@10) and sessions (nDCG@10) give 0.740,
0.705 and 0.844; a fixed 0.45 gives 0.738, 0.699 and 0.841, a fixed 0.5 gives 0.742, 0.703 and
0.830."""
LEAST_SPREAD = (0.1, 0.05)
"""Least standard deviation of BM25, as a share of the best score, and of cosines: where all answer
alike, small differences are not blown up."""
LEAST_SPAN = 2.0
GRADE = {
    Grade.APPROVED: 1.0,
    Grade.CONFIRMED: 0.95,
    Grade.IMPORTED: 0.9,
    Grade.INFERRED: 0.85,
    Grade.OUTSIDE: 0.65,
}
PENDING = 0.65
LIFE = 0.25
"""What age, use and importance together may take from a score."""
LOWERED = 0.5
"""A superseded note ranks below its successor; it stays findable."""
CONFIDENCE = {"strong": (0.4, 0.3), "moderate": (0.29, 0.17), "weak": (0.14, 0.03)}
"""Least evidence for each; then the least where the model cannot read and words alone tell. On
LoCoMo's turns 94 % of the questions put to a foreign conversation stay below moderate, and 3 % of
those whose answer is among the first ten do."""


LEAST_SHARE = 0.08
"""A note that holds so much of the words is at least weak, whatever the model thinks of it."""


class Candidate(NamedTuple):
    """A note that either leg found, with what both say of it."""

    hit: str
    """What counts as one hit: a note's path, or that and the line of an entry."""
    label: int
    """Its best passage."""
    words: float = 0.0
    """BM25 of the note."""
    share: float = 0.0
    """The same as a share of what the question could reach, from 0 to 1."""
    cosine: float | None = None
    """Cosine of its best passage; None where the model cannot read it or the question."""
    ranks: tuple[int, int] = (0, 0)
    """Its place in the keyword and the vector leg, from 1; 0 if that leg did not bring it."""

    @property
    def evidence(self) -> float:
        """How sure it is that this answers, from 0 to 1, whatever else was found."""
        if self.cosine is None:
            return self.share
        return (max(self.cosine, 0.0) + self.share) / 2

    @property
    def confidence(self) -> str:
        """`strong`, `moderate` or `weak`; empty below the floor."""
        blind, evidence = self.cosine is None, self.evidence
        for name, least in CONFIDENCE.items():
            if evidence >= least[blind]:
                return name
        return "weak" if self.share >= LEAST_SHARE else ""


@dataclass(frozen=True)
class Row:
    """A note in the order of the answer."""

    score: float
    path: str
    label: int
    """Its best passage; 0 if it has none."""
    confidence: str
    why: tuple[tuple[str, float], ...] = ()
    """What made the score, by name."""
    copies: int = 1
    """How many near-copies it stands for, itself among them."""
    relevance: float = 1.0
    """How well it answers beside the others, from 0 to 1, before life and grade tilt that."""
    evidence: float = 1.0
    """How sure it is that it answers, from 0 to 1."""

    def standing_for(self, sources: Sequence[Row]) -> Row:
        """Return the row of a parent that was found with some of its sources.

        It says what they say, so it answers as well and as surely as the best of them.
        """
        best = max(row.relevance for row in (self, *sources))
        sure = max((self, *sources), key=lambda row: CONFIDENCES.index(row.confidence))
        gained = best / self.relevance if self.relevance else 1.0
        why = tuple((name, best if name == "relevance" else value) for name, value in self.why)
        return replace(
            self,
            score=self.score * gained,
            confidence=sure.confidence,
            why=why,
            copies=self.copies + sum(row.copies for row in sources),
            relevance=best,
        )


def fused(found: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
    """Return each candidate with its relevance: 1 for the best, less by how far the others fall.

    Scores of each leg are standardised over all candidates, so it counts how much better one is,
    and mixed. What the model cannot read goes by its words alone. Equal ones are ordered by label.
    """
    if not found:
        return []
    top = max(candidate.words for candidate in found)
    words = _standard([c.words for c in found], LEAST_SPREAD[0] * top)
    read = _standard([c.cosine for c in found if c.cosine is not None], LEAST_SPREAD[1])
    weight = _weight(max(read, default=0.0))
    meanings = iter(read)
    mixed = [
        word if candidate.cosine is None else (1 - weight) * word + weight * next(meanings)
        for word, candidate in zip(words, found, strict=True)
    ]
    best = max(mixed)
    span = max(best - min(mixed), LEAST_SPAN)
    rows = [(1 - (best - mix) / span, c) for mix, c in zip(mixed, found, strict=True)]
    return sorted(rows, key=lambda row: (-row[0], row[1].label))


def _weight(peak: float) -> float:
    """Return the weight of meaning by how far the best cosine stands out, in deviations."""
    share = min(max((peak - PEAK[0]) / (PEAK[1] - PEAK[0]), 0.0), 1.0)
    return VECTOR_WEIGHT[0] + share * (VECTOR_WEIGHT[1] - VECTOR_WEIGHT[0])


def _standard(values: Sequence[float], least: float) -> list[float]:
    """Return standard scores; a spread below `least` counts as that."""
    if not values:
        return []
    mean = fmean(values)
    spread = max(sqrt(fmean([(value - mean) ** 2 for value in values])), least) or 1.0
    return [(value - mean) / spread for value in values]


def joined(
    answers: Sequence[Sequence[tuple[float, Candidate]]],
) -> list[tuple[float, Candidate]]:
    """Return the candidates of several questions as one list, each by the question it answers best.

    A question that is answered with less evidence counts for less.
    """
    sure = [max((c.evidence for _, c in found), default=0.0) for found in answers]
    most = max(sure, default=0.0) or 1.0
    best: dict[str, tuple[float, Candidate]] = {}
    for found, evidence in zip(answers, sure, strict=True):
        for relevance, candidate in found:
            scaled = relevance * evidence / most
            if candidate.hit not in best or scaled > best[candidate.hit][0]:
                best[candidate.hit] = (scaled, candidate)
    return sorted(best.values(), key=lambda row: (-row[0], row[1].label))


def tilt(grade: Grade, status: str, strength: float, *, lowered: bool) -> float:
    """Return what a note's life and grade make of its relevance.

    `strength` is at least 0 and not capped; it ranks as s / (1 + s).
    """
    trust = PENDING if status in ("pending", "approved") else GRADE[grade]
    alive = 1 - LIFE + LIFE * share(strength)
    return trust * alive * (LOWERED if lowered else 1.0)


def ordered(
    rows: Sequence[Row],
    trusted: Container[str],
    lowered_by: Mapping[str, str],
    waiting: Container[str] = (),
) -> list[Row]:
    """Return the rows best first, equal ones by path and line.

    Whatever the scores: where a note that a person approved answers strongly, none that nobody
    approved stands above it; one that waits for a person stands below every approved one that
    answers as surely; and a note stands below the one that superseded it.
    """
    best = sorted(rows, key=lambda row: (-row.score, row.path, row.label))

    def vouched(row: Row) -> bool:
        return row.path in trusted and row.path not in lowered_by

    strong = [i for i, row in enumerate(best) if vouched(row) and row.confidence == "strong"]
    head = best[: strong[-1] + 1] if strong else []
    first = [row for row in head if vouched(row)]
    second = [row for row in head if not vouched(row)]
    whole = [*first, *second, *best[len(head) :]]
    for row in [row for row in reversed(whole) if row.path in waiting]:
        sure = CONFIDENCES[CONFIDENCES.index(row.confidence) :]
        above = [i for i, o in enumerate(whole) if vouched(o) and o.confidence in sure]
        at = whole.index(row)
        if above and above[-1] > at:
            whole.insert(above[-1], whole.pop(at))
    return _below_successors(whole, lowered_by)


def _below_successors(rows: list[Row], lowered_by: Mapping[str, str]) -> list[Row]:
    """Return the rows with each one behind its successor; a circle of successors stays as it is."""
    if not any(row.path in lowered_by for row in rows):
        return rows
    placed: list[Row] = []
    waiting = list(rows)
    while waiting:
        open_ = {row.path for row in waiting}
        free = (row for row in waiting if lowered_by.get(row.path) not in open_)
        row = next(free, waiting[0])
        waiting.remove(row)
        placed.append(row)
    return placed
