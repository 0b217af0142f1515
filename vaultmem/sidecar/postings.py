"""Whoosh's segments and postings as arrays; its own search walks them one by one in Python.

A segment never changes once it is written, so what was read of one stays true until it is merged.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh.codec.whoosh3 import W3LeafMatcher

Ids = NDArray[np.int32]
Labels = NDArray[np.int64]
Numbers = NDArray[np.float32]
Mask = NDArray[np.bool_]

FIELD = "words"
MOST_POSTINGS = 2_000_000
"""Kept of a segment, 5 bytes each; the terms that were asked for longest ago go first."""


class Segment:
    """One segment of the index: its passages, their notes, and the postings read so far.

    The passages of a note stand side by side, in the note's order.
    """

    def __init__(self, reader: Any) -> None:
        count = reader.doc_count_all()
        lengths = (reader.doc_field_length(number, FIELD) for number in range(count))
        self.labels: Labels = _column(reader, "label")
        self.lengths: Numbers = np.fromiter(lengths, np.float32, count)
        """Lengths as Whoosh rounds them, which its BM25 is made of; `exact` gives the average."""
        self.exact: Labels = _column(reader, "length")
        owners = _column(reader, "note")
        begins = np.r_[True, owners[1:] != owners[:-1]] if count else np.zeros(0, np.bool_)
        self.starts: Ids = np.flatnonzero(begins).astype(np.int32)
        """The number of each note's first passage."""
        self.ends: Ids = np.append(self.starts[1:], count).astype(np.int32)
        """The number of the passage behind each note's last one."""
        self.note: Ids = (np.cumsum(begins) - 1).astype(np.int32)
        """The number of each passage's note."""
        self._further: Ids = np.flatnonzero(~begins).astype(np.int32)
        """The passages that are not the first of their notes."""
        self.sizes: Numbers = np.add.reduceat(self.lengths, self.starts) if count else self.lengths
        self._sorted: Ids = np.argsort(self.labels, kind="stable").astype(np.int32)
        self._read: OrderedDict[str, tuple[Ids, Any]] = OrderedDict()
        self._size = 0

    def postings(self, reader: Any, term: str) -> tuple[Ids, Numbers]:
        """Return the numbers of the passages that hold a term, deleted ones too; its weights."""
        known = self._read.pop(term, None)
        if known is None:
            ids, weights = postings(reader, term)
            small = weights.max(initial=0) < 256
            known = (ids, weights.astype(np.uint8 if small else np.uint32))
            self._size += len(ids)
        self._read[term] = known
        while self._size > MOST_POSTINGS and len(self._read) > 1:
            self._size -= len(self._read.popitem(last=False)[1][0])
        return known[0], known[1].astype(np.float32)

    def best(self, values: Numbers) -> Numbers:
        """Return the greatest value of each note's passages, given one for every passage.

        Most notes have one passage, so this takes a quarter of the time of `maximum.reduceat`.
        """
        found: Numbers = values[self.starts]
        np.maximum.at(found, self.note[self._further], values[self._further])
        return found

    def places(self, labels: Labels) -> Ids:
        """Return the numbers of the passages here that have one of some labels, each given once."""
        at = np.searchsorted(self.labels, labels, sorter=self._sorted)
        near = self._sorted[np.minimum(at, len(self.labels) - 1)]
        there: Ids = near[self.labels[near] == labels]
        return there


def _column(reader: Any, name: str) -> Labels:
    """Return a number of each passage, all read at once where Whoosh holds them as we know it."""
    count = reader.doc_count_all()
    column = reader.column_reader(name, translate=False)
    try:
        kind = np.dtype(column._typecode).newbyteorder(">")
        data = column._dbfile.get(column._basepos, column._count * kind.itemsize)
    except AttributeError:
        return np.fromiter((column[number] for number in range(count)), np.int64, count)
    found = np.zeros(count, np.int64)  # those at the end that are 0 are not written
    found[: column._count] = np.frombuffer(data, kind)
    return found


def postings(reader: Any, term: str) -> tuple[Ids, Numbers]:
    """Return the numbers and weights of the passages that hold a term.

    They are taken a block at a time, as Whoosh holds them itself; where another Whoosh holds them
    otherwise, they are walked one by one through its public methods.
    """
    if (FIELD, term) not in reader:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    try:
        ids, weights = _in_blocks(reader, term)
    except AttributeError:
        ids, weights = _one_by_one(reader.postings(FIELD, term))
    return (
        np.concatenate([np.asarray(part, np.int32) for part in ids]),
        np.concatenate([np.asarray(part, np.float32) for part in weights]),
    )


def _in_blocks(reader: Any, term: str) -> tuple[list[Any], list[Any]]:
    field = reader.schema[FIELD]
    matcher = reader._terms.matcher(FIELD, field.to_bytes(term), field.format)
    if not isinstance(matcher, W3LeafMatcher):  # a short list stands beside the term itself
        return _one_by_one(matcher)
    ids, weights = [], []
    while matcher.is_active():
        matcher._read_ids()
        matcher._read_weights()
        ids.append(matcher._ids)
        weights.append(matcher._weights)
        matcher._next_block()
    return ids, weights


def _one_by_one(matcher: Any) -> tuple[list[Any], list[Any]]:
    ids, weights = [], []
    while matcher.is_active():
        ids.append(matcher.id())
        weights.append(matcher.weight())
        matcher.next()
    return [ids], [weights]
