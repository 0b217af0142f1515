"""What one question scores in the keyword index: every note, and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vaultmem.sidecar.postings import Labels, Mask, Numbers, Segment
from vaultmem.sidecar.seams import Allowed, Scored, ranked


class Part(NamedTuple):
    """A segment as one commit sees it."""

    segment: Segment
    reader: Any
    live: Mask
    """Which passages are not deleted."""


class View:
    """Which passages and notes count for a question, by segment."""

    def __init__(self, parts: Sequence[Part], allowed: Allowed | None) -> None:
        self.passages = [
            part.live if allowed is None else part.live & allowed.mask(part.segment.labels)
            for part in parts
        ]
        pairs = zip(parts, self.passages, strict=True)
        self.notes = [notes_of(part.segment, kept) for part, kept in pairs]
        self.count = sum(int(mask.sum()) for mask in self.notes)
        self.narrow = [not kept.all() for kept in self.passages]
        """Whether some passages of a segment do not count."""
        self.holding: dict[str, int] = {}
        """How many of the notes hold a term, of those that were asked for."""


class Scores(NamedTuple):
    """What a question scores in one segment: each passage, and each note by its whole text."""

    passages: Numbers
    notes: Numbers

    @classmethod
    def none(cls, segment: Segment) -> Scores:
        """Return the scores of a segment before any term is counted."""
        sizes = len(segment.labels), len(segment.starts)
        return cls(np.zeros(sizes[0], np.float32), np.zeros(sizes[1], np.float32))


class Tally:
    """What every note scores for one question."""

    def __init__(
        self,
        segments: Sequence[Segment],
        view: View,
        scored: Sequence[Scores],
        ceiling: float,
    ) -> None:
        self._parts = list(zip(segments, view.passages, scored, strict=True))
        self.ceiling = ceiling
        """What a note would score that says nothing but the terms, without end. A term that no
        note holds counts too, and most of all: that it is missing is telling."""
        for (_, kept, scores), notes, narrow in zip(
            self._parts, view.notes, view.narrow, strict=True
        ):
            if narrow:
                np.multiply(scores.passages, kept, out=scores.passages)
                np.multiply(scores.notes, notes, out=scores.notes)
        self._means = [_mean(segment, scores) for segment, _, scores in self._parts]

    def best(self, limit: int) -> list[Scored]:
        """Return the best notes that hold any of the terms, each named by its best passage."""
        found = [
            _best(*part, mean, limit) for part, mean in zip(self._parts, self._means, strict=True)
        ]
        if not found or limit < 1:
            return []
        labels, scores = (np.concatenate(column) for column in zip(*found, strict=True))
        return ranked(labels, scores, limit)

    def scores(self, labels: Sequence[int]) -> dict[int, float]:
        """Return the score of the note that each of some passages belongs to, 0 for no match."""
        wanted = np.unique(np.asarray(labels, np.int64))
        found = dict.fromkeys(wanted.tolist(), 0.0)
        for (segment, kept, _), mean in zip(self._parts, self._means, strict=True):
            here = segment.places(wanted)
            here = here[kept[here]]
            names = segment.labels[here].tolist()
            found.update(zip(names, mean[segment.note[here]].tolist(), strict=True))
        return found


def _mean(segment: Segment, scored: Scores) -> Numbers:
    """Return the score of each note of a segment: 0 for one that may not answer."""
    one_each = len(segment.starts) == len(segment.labels)
    best = scored.passages if one_each else np.maximum.reduceat(scored.passages, segment.starts)
    mean: Numbers = (scored.notes + best) * np.float32(0.5)
    return mean


def _best(
    segment: Segment, kept: Mask, scored: Scores, mean: Numbers, limit: int
) -> tuple[Labels, Numbers]:
    """Return the best passages of the best notes of a segment, equal ones at the edge too."""
    chosen = np.flatnonzero(mean > 0)
    if len(chosen) > limit > 0:
        edge = np.partition(mean[chosen], len(chosen) - limit)[len(chosen) - limit]
        chosen = chosen[mean[chosen] >= edge]
    ends = np.r_[segment.starts[1:], len(segment.labels)]
    spans = zip(segment.starts[chosen].tolist(), ends[chosen].tolist(), strict=True)
    places = [
        start if end - start == 1 else start + int(scored.passages[start:end].argmax())
        for start, end in spans
    ]
    return segment.labels[np.asarray(places, np.int64)], mean[chosen]


def notes_of(segment: Segment, passages: Mask) -> Mask:
    """Return which notes of a segment have any of some passages."""
    if passages.all():
        return np.ones(len(segment.starts), np.bool_)
    found: Mask = np.logical_or.reduceat(passages, segment.starts)
    return found
