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
        self.all = [np.append(kept, notes_of(part.segment, kept)) for part, kept in pairs]
        """The same of the passages, then of the notes, of each segment."""
        self.count = sum(
            int(mask[len(kept) :].sum()) for mask, kept in zip(self.all, self.passages, strict=True)
        )
        self.narrow = [not mask.all() for mask in self.all]
        """Whether some passages of a segment do not count."""
        self.holding: dict[str, int] = {}
        """How many of the notes hold a term, of those that were asked for."""


class Scores:
    """What a question scores in one segment: each passage, and each note by its whole text."""

    def __init__(self, segment: Segment) -> None:
        passages = len(segment.labels)
        self.all: Numbers = np.zeros(passages + len(segment.starts), np.float32)
        """Of the passages first, then of the notes."""
        self.passages, self.notes = self.all[:passages], self.all[passages:]


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
        for scores, mask, narrow in zip(scored, view.all, view.narrow, strict=True):
            if narrow:
                np.multiply(scores.all, mask, out=scores.all)
        self._means = [_mean(segment, scores) for segment, _, scores in self._parts]

    def best(self, limit: int, within: Allowed | None = None) -> list[Scored]:
        """Return the best notes that hold any of the terms, each named by its best passage.

        With `within`, only notes that have one of those passages.
        """
        found = []
        for (segment, _, scored), mean in zip(self._parts, self._means, strict=True):
            if within is not None:
                mean = mean * notes_of(segment, within.mask(segment.labels))
            found.append(_best(segment, scored, mean, limit))
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
    mean: Numbers = (scored.notes + segment.best(scored.passages)) * np.float32(0.5)
    return mean


def _best(segment: Segment, scored: Scores, mean: Numbers, limit: int) -> tuple[Labels, Numbers]:
    """Return the best passages of the best notes of a segment, equal ones at the edge too."""
    chosen = np.flatnonzero(mean > 0)
    if len(chosen) > limit > 0:
        edge = np.partition(mean[chosen], len(chosen) - limit)[len(chosen) - limit]
        chosen = chosen[mean[chosen] >= edge]
    spans = zip(segment.starts[chosen].tolist(), segment.ends[chosen].tolist(), strict=True)
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
