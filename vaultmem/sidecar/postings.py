"""Whoosh's postings as arrays: read once a term and segment, then scored as vectors.

Whoosh's own search walks its postings one by one in Python. Its segments never change once they
are written, so what was read of one stays true until it is merged away.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh.codec.whoosh3 import W3LeafMatcher

from vaultmem.sidecar.seams import Allowed, Scored

Ids = NDArray[np.int64]
Numbers = NDArray[np.float32]
Mask = NDArray[np.bool_]

FIELD = "words"
K1 = 1.2
B = 0.75
CACHED_TERMS = 4096
"""Terms kept of a segment; others are read again when they are asked for."""


class Segment:
    """One segment of the index: its passages, their lengths, and the postings read so far."""

    def __init__(self, reader: Any) -> None:
        count = reader.doc_count_all()
        labels, exact = reader.column_reader("label"), reader.column_reader("length")
        lengths = (reader.doc_field_length(number, FIELD) for number in range(count))
        self.labels: Ids = np.fromiter((labels[n] for n in range(count)), np.int64, count)
        self.exact: Ids = np.fromiter((exact[n] for n in range(count)), np.int64, count)
        self.lengths: Numbers = np.fromiter(lengths, np.float32, count)
        """Lengths as Whoosh rounds them, which its BM25 is made of; `exact` gives the average."""
        self._read: OrderedDict[str, tuple[Ids, Numbers]] = OrderedDict()

    def postings(self, reader: Any, term: str) -> tuple[Ids, Numbers]:
        """Return the numbers of the passages that hold a term, deleted ones too; its weights."""
        known = self._read.pop(term, None)
        if known is None:
            known = _postings(reader, term)
        self._read[term] = known
        if len(self._read) > CACHED_TERMS:
            self._read.popitem(last=False)
        return known


def _postings(reader: Any, term: str) -> tuple[Ids, Numbers]:
    ids: list[Any] = [()]
    weights: list[Any] = [()]
    if (FIELD, term) in reader:
        field = reader.schema[FIELD]
        matcher = reader._terms.matcher(FIELD, field.to_bytes(term), field.format)
        while matcher.is_active():
            _block(matcher, ids, weights)
    return (
        np.concatenate([np.asarray(part, np.int64) for part in ids]),
        np.concatenate([np.asarray(part, np.float32) for part in weights]),
    )


def _block(matcher: Any, ids: list[Any], weights: list[Any]) -> None:
    """Take a block of postings at once, as Whoosh holds them itself; a short list one by one."""
    if not isinstance(matcher, W3LeafMatcher):
        ids.append((matcher.id(),))
        weights.append((matcher.weight(),))
        matcher.next()
        return
    matcher._read_ids()
    matcher._read_weights()
    ids.append(matcher._ids)
    weights.append(matcher._weights)
    matcher._next_block()


class Scorer:
    """BM25 over the segments of one commit of the index.

    Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with Whoosh's idf,
    log(N / (df + 1)) + 1. Fields are merged before saturation: a term of the title counts as
    several of the body.
    """

    def __init__(self, parts: list[tuple[Segment, Any]]) -> None:
        self._parts = [(segment, reader, _live(reader)) for segment, reader in parts]
        self.count = sum(int(live.sum()) for _, _, live in self._parts)
        total = sum(int(s.exact[live].sum()) for s, _, live in self._parts)
        average = total / self.count if self.count else 1.0
        self._norms = [K1 * (1 - B + B * s.lengths / average) for s, _, _ in self._parts]

    def labels(self) -> set[int]:
        """Return the label of every passage that is not deleted."""
        return {int(n) for s, _, live in self._parts for n in s.labels[live]}

    def holding(self, term: str) -> list[tuple[int, float]]:
        """Return label and weight of every passage that holds a term, by label."""
        found: list[tuple[int, float]] = []
        for segment, reader, live in self._parts:
            ids, weights = segment.postings(reader, term)
            kept = live[ids]
            found += zip(segment.labels[ids[kept]].tolist(), weights[kept].tolist(), strict=True)
        return sorted(found)

    def idf(self, term: str) -> float:
        """Return how telling a term is, 0 if no passage holds it."""
        held = sum(
            int(live[segment.postings(reader, term)[0]].sum())
            for segment, reader, live in self._parts
        )
        return log(self.count / (held + 1)) + 1 if held else 0.0

    def best(self, terms: Mapping[str, int], allowed: Allowed | None, limit: int) -> list[Scored]:
        """Return the best passages that hold any of some terms, each counted as often as given."""
        idfs = {term: self.idf(term) * count for term, count in terms.items()}
        labels: list[Ids] = []
        scores: list[Numbers] = []
        for (segment, reader, live), norms in zip(self._parts, self._norms, strict=True):
            found = np.zeros(len(segment.labels), np.float32)
            for term, weight in idfs.items():
                if weight:
                    ids, counts = segment.postings(reader, term)
                    found[ids] += weight * (K1 + 1) * counts / (counts + norms[ids])
            kept = (found > 0) & live
            if allowed is not None:
                kept &= allowed.mask(segment.labels)
            labels.append(segment.labels[kept])
            scores.append(found[kept])
        return ranked(np.concatenate(labels), np.concatenate(scores), limit) if labels else []


def ranked(labels: Ids, scores: Numbers, limit: int) -> list[Scored]:
    """Return the best of some passages, equal ones by label."""
    if len(labels) > 4 * limit:
        edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        near = scores >= edge
        labels, scores = labels[near], scores[near]
    order = np.lexsort((labels, -scores))[:limit]
    return [Scored(int(labels[i]), float(scores[i])) for i in order]


def _live(reader: Any) -> Mask:
    """Return which passages of a segment are not deleted."""
    count = reader.doc_count_all()
    if not reader.has_deletions():
        return np.ones(count, np.bool_)
    live = np.zeros(count, np.bool_)
    live[list(reader.all_doc_ids())] = True
    return live
