"""BM25 over arrays of postings: the notes that hold some terms, best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from whoosh.scoring import BM25F

from vaultmem.sidecar.postings import Labels, Numbers, Segment
from vaultmem.sidecar.seams import Allowed, Scored, ranked

Mask = NDArray[np.bool_]

K1 = 1.2
B = 0.75


def idf(held: int, count: int) -> float:
    """Return how telling a term is that `held` of `count` notes hold: Robertson and Sparck Jones'
    weight, kept above zero by adding 1 within the logarithm.

    Of SciFact's train queries it makes nDCG@10 0.691, Whoosh's own log(N / (df + 1)) + 1 0.689.
    """
    return log(1 + (count - held + 0.5) / (held + 0.5))


class Weighting(BM25F):  # type: ignore[misc]
    """The same BM25 for Whoosh's own search."""

    def __init__(self) -> None:
        super().__init__(B=B, K1=K1)

    def idf(self, searcher: Any, fieldname: str, text: bytes) -> float:
        """Return a term's weight; called by Whoosh."""
        reader = searcher.get_parent().reader()
        return idf(reader.doc_frequency(fieldname, text), reader.doc_count())


class Part(NamedTuple):
    """A segment as one commit sees it."""

    segment: Segment
    reader: Any
    live: Mask
    """Which passages are not deleted."""


class Scorer:
    """BM25 over the segments of one commit of the index.

    Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009. Fields are merged before
    saturation: a tag counts as two words of the body. A note's score is the mean of that of its
    whole text and that of its best passage, which serves long notes and short ones: nDCG@10 on
    LoCoMo's sessions is 0.825 with the whole, 0.834 with the best passage, 0.840 with both.
    """

    def __init__(self, parts: list[tuple[Segment, Any]]) -> None:
        self._parts = [Part(segment, reader, _live(reader)) for segment, reader in parts]
        self.count = sum(int(part.live[part.segment.starts].sum()) for part in self._parts)
        """How many notes there are; an entry of a log is one."""
        passages = sum(int(part.live.sum()) for part in self._parts)
        total = sum(int(part.segment.exact[part.live].sum()) for part in self._parts)
        self._each = [_norms(p.segment.lengths, total / max(passages, 1)) for p in self._parts]
        self._all = [_norms(p.segment.sizes, total / max(self.count, 1)) for p in self._parts]

    def labels(self) -> set[int]:
        """Return the label of every passage that is not deleted."""
        return {int(n) for part in self._parts for n in part.segment.labels[part.live]}

    def holding(self, term: str) -> list[tuple[int, float]]:
        """Return label and weight of every passage that holds a term, by label."""
        found: list[tuple[int, float]] = []
        for segment, reader, live in self._parts:
            held = segment.held(reader, term)
            kept = live[held.passages]
            labels = segment.labels[held.passages[kept]]
            found += zip(labels.tolist(), held.counts[kept].tolist(), strict=True)
        return sorted(found)

    def tally(self, terms: Sequence[str], allowed: Allowed | None, among: Allowed | None) -> Tally:
        """Return what every note that is allowed scores for some terms, each as often as given.

        How telling a term is, is told from the notes it is asked `among`: in a scope where every
        note names the same person, the name tells nothing.
        """
        kept = [_kept(part, allowed) for part in self._parts]
        notes = [_kept(part, among)[part.segment.starts] for part in self._parts]
        count = sum(int(mask.sum()) for mask in notes)
        weights = {term: self._weight(term, notes, count) for term in set(terms)}
        ceiling = sum(weights[term][1] for term in terms) * (K1 + 1)
        found = Counter(term for term in terms if weights[term][0])
        each = {term: n * weights[term][1] * (K1 + 1) for term, n in found.items()}
        scored = [
            _scores(part, each, *norms)
            for part, *norms in zip(self._parts, self._each, self._all, strict=True)
        ]
        return Tally([part.segment for part in self._parts], kept, scored, ceiling)

    def _weight(self, term: str, notes: Sequence[Mask], count: int) -> tuple[int, float]:
        """Return how many of some notes hold a term, and how telling it is."""
        held = sum(
            int(mask[part.segment.held(part.reader, term).notes].sum())
            for part, mask in zip(self._parts, notes, strict=True)
        )
        return held, idf(held, count)


class Tally:
    """What every note scores for one question."""

    def __init__(
        self,
        segments: Sequence[Segment],
        kept: Sequence[Mask],
        scored: Sequence[_Scores],
        ceiling: float,
    ) -> None:
        self._parts = list(zip(segments, kept, scored, strict=True))
        self.ceiling = ceiling
        """What a note would score that says nothing but the terms, without end. A term that no
        note holds counts too, and most of all: that it is missing is telling."""

    def best(self, limit: int) -> list[Scored]:
        """Return the best notes that hold any of the terms, each named by its best passage."""
        found = [_best(*part) for part in self._parts]
        if not found or limit < 1:
            return []
        labels, scores = (np.concatenate(column) for column in zip(*found, strict=True))
        return ranked(labels, scores, limit)

    def scores(self, labels: Sequence[int]) -> dict[int, float]:
        """Return the score of the note that each of some passages belongs to, 0 for no match."""
        wanted = np.unique(np.asarray(labels, np.int64))
        found = dict.fromkeys(wanted.tolist(), 0.0)
        for segment, kept, scored in self._parts:
            here = np.flatnonzero(np.isin(segment.labels, wanted) & kept)
            names = segment.labels[here].tolist()
            found.update(zip(names, scored.mean[segment.note[here]].tolist(), strict=True))
        return found


class _Scores(NamedTuple):
    """The scores of one segment: of passages, and of notes by their best passage and in all."""

    passages: Numbers
    best: Numbers
    mean: Numbers


def _scores(part: Part, weights: Mapping[str, float], each: Numbers, whole: Numbers) -> _Scores:
    segment = part.segment
    passages = np.zeros(len(segment.labels), np.float32)
    notes = np.zeros(len(segment.starts), np.float32)
    for term, weight in weights.items():
        held = segment.held(part.reader, term)
        passages[held.passages] += weight * held.counts / (held.counts + each[held.passages])
        notes[held.notes] += weight * held.sums / (held.sums + whole[held.notes])
    best = np.maximum.reduceat(passages, segment.starts) if len(passages) else passages
    return _Scores(passages, best, (notes + best) / np.float32(2))


def _best(segment: Segment, kept: Mask, scored: _Scores) -> tuple[Labels, Numbers]:
    """Return the best passage of every note of a segment that holds a term, and its score."""
    chosen = np.flatnonzero((scored.mean > 0) & kept[segment.starts])
    # The first of a note's passages that has its best score, found without a loop over notes.
    is_best = np.flatnonzero(scored.passages == scored.best[segment.note])
    first = np.searchsorted(is_best, segment.starts[chosen])
    return segment.labels[is_best[first]], scored.mean[chosen]


def _kept(part: Part, allowed: Allowed | None) -> Mask:
    """Return which passages of a segment may answer."""
    return part.live if allowed is None else part.live & allowed.mask(part.segment.labels)


def _norms(lengths: Numbers, average: float) -> Numbers:
    return (K1 * (1 - B + B * lengths / (average or 1.0))).astype(np.float32)


def _live(reader: Any) -> Mask:
    """Return which passages of a segment are not deleted."""
    count = reader.doc_count_all()
    if not reader.has_deletions():
        return np.ones(count, np.bool_)
    live = np.zeros(count, np.bool_)
    live[list(reader.all_doc_ids())] = True
    return live
