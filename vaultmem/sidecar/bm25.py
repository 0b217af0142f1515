"""BM25 over arrays of postings: the notes that hold some terms, best first."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from math import log
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from whoosh.scoring import BM25F

from vaultmem.sidecar.postings import Ids, Mask, Numbers, Segment
from vaultmem.sidecar.seams import Allowed
from vaultmem.sidecar.tally import Part, Scores, Tally, View

K1 = 1.2
B = 0.75
MOST_WEIGHED = 2_000_000
"""Values kept of the terms that were asked for lately, 4 to 8 bytes each."""


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


class Scorer:
    """BM25 over the segments of one commit of the index.

    Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009. Fields are merged before
    saturation: a tag counts as two words of the body. A note's score is the mean of that of its
    whole text and that of its best passage, which serves long notes and short ones: nDCG@10 on
    LoCoMo's sessions is 0.825 with the whole, 0.834 with the best passage, 0.840 with both.
    """

    def __init__(self, parts: list[tuple[Segment, Any]]) -> None:
        self._parts = [Part(segment, reader, _live(reader)) for segment, reader in parts]
        self._whole = View(self._parts, None)
        self.count = self._whole.count
        """How many notes there are; an entry of a log is one."""
        passages = sum(int(part.live.sum()) for part in self._parts)
        total = sum(int(part.segment.exact[part.live].sum()) for part in self._parts)
        each, whole = total / max(passages, 1), total / max(self.count, 1)
        self._norms = [
            (_norms(part.segment.lengths, each), _norms(part.segment.sizes, whole))
            for part in self._parts
        ]
        self._known: OrderedDict[str, list[_Held]] = OrderedDict()
        self._size = 0
        self._views: WeakKeyDictionary[Allowed, View] = WeakKeyDictionary()

    def labels(self) -> set[int]:
        """Return the label of every passage that is not deleted."""
        return {int(n) for part in self._parts for n in part.segment.labels[part.live]}

    def holding(self, term: str) -> list[tuple[int, float]]:
        """Return label and weight of every passage that holds a term, by label."""
        found: list[tuple[int, float]] = []
        for segment, reader, live in self._parts:
            passages, counts = segment.postings(reader, term)
            kept = live[passages]
            labels = segment.labels[passages[kept]]
            found += zip(labels.tolist(), counts[kept].tolist(), strict=True)
        return sorted(found)

    def tally(self, terms: Sequence[str], allowed: Allowed | None, among: Allowed | None) -> Tally:
        """Return what every note that is allowed scores for some terms, each as often as given.

        How telling a term is, is told from the notes it is asked `among`: in a scope where every
        note names the same person, the name tells nothing.
        """
        view, seen = self._view(allowed), self._view(among)
        scored = [Scores(part.segment) for part in self._parts]
        ceiling = 0.0
        for term, times in Counter(terms).items():
            held = self._held(term)
            weight = times * idf(_holding(seen, term, held), seen.count) * (K1 + 1)
            ceiling += weight
            for scores, one in zip(scored, held, strict=True):
                scores.all[one.places] += weight * one.worth
        return Tally([part.segment for part in self._parts], view, scored, ceiling)

    def _view(self, allowed: Allowed | None) -> View:
        """Return the index as those see it who may see some passages; worked out once."""
        if allowed is None:
            return self._whole
        if allowed not in self._views:
            self._views[allowed] = View(self._parts, allowed)
        return self._views[allowed]

    def _held(self, term: str) -> list[_Held]:
        """Return where a term stands in each segment; what was asked for lately is kept."""
        known = self._known.pop(term, None)
        if known is None:
            known = [
                _weighed(part, term, *norms)
                for part, norms in zip(self._parts, self._norms, strict=True)
            ]
            self._size += sum(len(held.worth) for held in known)
        self._known[term] = known
        while self._size > MOST_WEIGHED and len(self._known) > 1:
            _, old = self._known.popitem(last=False)
            self._size -= sum(len(held.worth) for held in old)
        return known


class _Held(NamedTuple):
    """Where a term stands in a segment, and what it is worth there before its weight.

    Passages come first, then notes, numbered as in `Scores.all`. A term that is nearly everywhere
    has a value for everywhere: that is quicker to add.
    """

    places: Ids | slice
    worth: Numbers
    passages: int
    """How many of the places are passages."""

    def notes_among(self, counting: Mask) -> int:
        """Return how many notes hold the term, of the passages and notes that count."""
        there = counting[self.places][self.passages :] & (self.worth[self.passages :] > 0)
        return int(np.count_nonzero(there))


def _holding(view: View, term: str, held: Sequence[_Held]) -> int:
    """Return how many of the notes that count hold a term."""
    known = view.holding.get(term)
    if known is None:
        pairs = zip(view.all, held, strict=True)
        known = sum(one.notes_among(mask) for mask, one in pairs)
        view.holding[term] = known
    return known


def _weighed(part: Part, term: str, each: Numbers, whole: Numbers) -> _Held:
    segment = part.segment
    passages, counts = segment.postings(part.reader, term)
    if not len(passages):
        return _Held(passages, counts, 0)
    owners = segment.note[passages]
    first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    notes, sums = owners[first], np.add.reduceat(counts, first)
    places = np.append(passages, notes + np.int32(len(each)))
    worth = np.append(counts / (counts + each[passages]), sums / (sums + whole[notes]))
    if len(places) * 4 < len(each) + len(whole):
        return _Held(places, worth.astype(np.float32), len(passages))
    everywhere = np.zeros(len(each) + len(whole), np.float32)
    everywhere[places] = worth
    return _Held(slice(None), everywhere, len(each))


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
