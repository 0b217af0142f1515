"""The vector index: exact search by numpy up to some size, an hnswlib graph above.

The manifest holds the vectors; the graph is a file beside it that is only loaded if its digest
is the one we wrote down, since hnswlib believes whatever a file says.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vaultmem.sidecar.seal import digest_of
from vaultmem.sidecar.seams import Allowed, Scored, Vectors, ranked

EXACT_BELOW = 30_000
"""Up to here exact search serves: 7 ms at 30,000 where the graph takes 1, in half the memory."""
STALE_SHARE = 0.1
"""The graph is built anew once this share of the passages is not in it."""
M = 16
EF_BUILD = 100
EF_SEARCH = 200


Row = tuple[int, bytes | None]
"""A passage's label, and its vector as float16 bytes; None if the model cannot read it."""


class Graph(NamedTuple):
    """An hnswlib graph, the passages in it, and the digest of its file."""

    graph: Any
    labels: frozenset[int]
    digest: str


class VectorIndex:
    """The vectors of all passages in memory, and the graph over them if there is a good one."""

    def __init__(self, dimension: int, exact_below: int = EXACT_BELOW) -> None:
        self._dimension = dimension
        self._exact_below = exact_below
        self._labels: NDArray[np.int64] = np.empty(0, np.int64)
        self._matrix: NDArray[np.floating[Any]] = np.empty((0, dimension), np.float32)
        self._blank: NDArray[np.int64] = np.empty(0, np.int64)
        """The passages that have no vector, since the model cannot read them."""
        self._last: tuple[object, object, Vectors] = (None, None, np.empty(0, np.float32))
        """The last query that was compared with all rows, those rows, and their cosines."""
        self._graph: Any = None
        self._in_graph: frozenset[int] = frozenset()
        self._held: NDArray[np.bool_] = np.empty(0, np.bool_)
        """Which rows are in the graph."""

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return self._dimension

    def holds(self, data: bytes) -> bool:
        """Return whether some bytes are one finite vector of this index's dimension."""
        if len(data) != 2 * self._dimension:
            return False
        return bool(np.isfinite(np.frombuffer(data, np.float16)).all())

    def lacking(self, labels: Sequence[int]) -> list[int]:
        """Return which of some passages nothing is known of."""
        known = np.r_[self._labels, self._blank]
        now = np.asarray(labels, np.int64)
        lacking: list[int] = now[~np.isin(now, known)].tolist()
        return lacking

    def update(self, labels: Sequence[int], groups: Iterable[Sequence[Row]]) -> None:
        """Hold the passages with these labels alone, and the vectors that are new among them.

        What is no finite vector of the right length counts as none.
        """
        now = np.asarray(labels, np.int64)
        kept = np.isin(self._labels, now)
        every = slice(None) if kept.all() else kept
        names, parts = [self._labels[every]], [self._matrix[every]]
        given = [self._blank]
        if len(kept) and kept.all() and not (groups := [rows for rows in groups if rows]):
            self._blank = self._blank[np.isin(self._blank, now)]
            return
        for rows in groups:
            found, vectors = self._read(rows)
            names.append(found)
            parts.append(vectors.astype(self._matrix.dtype))
            given.append(np.fromiter((label for label, _ in rows), np.int64, len(rows)))
        labels_now, matrix = np.concatenate(names), np.concatenate(parts)
        if not (labels_now[:-1] < labels_now[1:]).all():
            order = np.argsort(labels_now, kind="stable")
            labels_now, matrix = labels_now[order], matrix[order]
        self._labels, self._matrix = labels_now, matrix
        blank = np.concatenate(given)
        self._blank = blank[np.isin(blank, now) & ~np.isin(blank, self._labels)]
        self._hold()

    def _read(self, rows: Sequence[Row]) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        """Return the labels and vectors of the rows that hold one."""
        size = 2 * self._dimension
        good = [(label, data) for label, data in rows if data is not None and len(data) == size]
        labels = np.fromiter((label for label, _ in good), np.int64, len(good))
        joined = b"".join(data for _, data in good)
        vectors = np.frombuffer(joined, np.float16).reshape(len(good), self._dimension)
        whole = np.isfinite(vectors).all(axis=1)
        return labels[whole], vectors[whole]

    def _hold(self) -> None:
        """Hold vectors in half the memory where the graph does the searching."""
        known = np.fromiter(self._in_graph, np.int64, len(self._in_graph))
        self._held = np.isin(self._labels, known)
        wanted = np.float32 if self._graph is None else np.float16
        self._matrix = self._matrix.astype(wanted, copy=False)

    @property
    def labels(self) -> set[int]:
        """The label of every passage that has a vector."""
        return set(self._labels.tolist())

    def search(
        self, query: Vectors, allowed: Allowed | Collection[int] | None, limit: int
    ) -> list[Scored]:
        """Return the passages nearest to a unit vector, by cosine.

        Raises:
            ValueError: the query is not one finite vector of this index's dimension.
        """
        if query.shape != (self._dimension,) or not np.isfinite(query).all():
            raise ValueError(f"a query is one finite vector of {self._dimension} numbers")
        if not len(self._labels) or limit < 1:
            return []
        mask = self._mask(query, Allowed.of(allowed), limit)
        if mask is None:
            return ranked(self._labels, self._dot(slice(None), query), limit)
        labels = self._labels[mask]
        if len(labels) * 4 < len(mask):
            return ranked(labels, self._dot(mask, query), limit)
        return ranked(labels, self._dot(slice(None), query)[mask], limit)

    def _dot(self, rows: Any, query: Vectors) -> Vectors:
        """Return the cosine of some rows; those of all rows are kept for the next look."""
        before, matrix, known = self._last
        cosines: Vectors
        if before is query and matrix is self._matrix:
            cosines = known[rows]
            return cosines
        chosen = self._matrix[rows].astype(np.float32, copy=False)
        cosines = _products(chosen, query)
        if isinstance(rows, slice):
            self._last = (query, self._matrix, cosines)
        return cosines

    def scores(self, query: Vectors, labels: Sequence[int]) -> dict[int, float]:
        """Return the cosine of given passages; one that has no vector is left out."""
        wanted = np.unique(np.asarray(labels, np.int64))
        rows, there = self._places(wanted)
        return dict(zip(wanted[there].tolist(), self._dot(rows, query).tolist(), strict=True))

    def alike(self, labels: Sequence[int]) -> Callable[[int], Vectors]:
        """Return what tells the cosines of some passages with the one at a place among them.

        A cosine is nan where one of the two has no vector.
        """
        rows, there = self._places(np.asarray(labels, np.int64))
        held = np.full((len(there), self._dimension), np.nan, np.float32)
        held[there] = self._matrix[rows]
        return lambda place: _products(held, held[place])

    def _places(self, labels: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the rows of those of some passages that have a vector, and which have one."""
        rows = np.searchsorted(self._labels, labels)
        there = rows < len(self._labels)
        there[there] = self._labels[rows[there]] == labels[there]
        return rows[there], there

    def _mask(
        self, query: Vectors, allowed: Allowed | None, limit: int
    ) -> NDArray[np.bool_] | None:
        """Return the rows worth scoring, those allowed or proposed by the graph; None is all."""
        mask = None if allowed is None else allowed.mask(self._labels)
        count = len(self._labels) if mask is None else int(mask.sum())
        if count > self._exact_below and self._graph is not None:
            near = np.isin(self._labels, self._proposed(query, mask, limit)) | ~self._held
            mask = near if mask is None else near & mask
        return None if mask is None or mask.all() else mask

    def _proposed(
        self, query: Vectors, mask: NDArray[np.bool_] | None, limit: int
    ) -> NDArray[np.int64]:
        """Return the labels that the graph finds near; what it holds and is gone never counts."""
        usable = self._held if mask is None else self._held & mask
        count = min(limit * 2, int(usable.sum()))
        if not count:
            return np.empty(0, np.int64)
        self._graph.set_ef(max(EF_SEARCH, count * 2))
        whole = int(usable.sum()) == len(self._in_graph)
        chosen = set() if whole else set(self._labels[usable].tolist())
        sieve = None if whole else chosen.__contains__
        found, _ = self._graph.knn_query(query.reshape(1, -1), k=count, filter=sieve)
        return np.asarray(found[0], np.int64)

    def stale(self) -> bool:
        """Return whether the graph lacks a tenth of the passages, or holds as many dead ones."""
        live = self.labels
        apart = len(live ^ self._in_graph)
        return apart > STALE_SHARE * max(len(live), 1)

    def write(self, path: Path) -> Graph:
        """Write a new graph of all vectors to a file and return it; `adopt` puts it to use.

        Others may search meanwhile.

        Raises:
            OSError: the file is not whole; the old one is still there.
        """
        labels, matrix = self._labels, self._matrix.astype(np.float32, copy=False)
        graph = _built(labels, matrix)
        temporary = path.with_suffix(".part")
        graph.save_index(str(temporary))
        if temporary.stat().st_size < matrix.nbytes:
            raise OSError(28, f"{temporary} was not written whole")
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        return Graph(graph, frozenset(labels.tolist()), digest_of(path))

    def adopt(self, graph: Graph) -> None:
        """Search with a graph from now on; a small one is only known of, as exact search serves."""
        self._in_graph = graph.labels
        self._graph = graph.graph if len(graph.labels) > self._exact_below else None
        self._hold()

    def open(self, path: Path, digest: str, labels: frozenset[int]) -> bool:
        """Load a graph that we wrote: same digest, same labels. Return whether it is in use."""
        try:
            import hnswlib

            if not digest or digest_of(path) != digest:
                return False
            if len(labels) <= self._exact_below:
                self.adopt(Graph(None, labels, digest))
                return True
            graph = hnswlib.Index(space="ip", dim=self._dimension)
            graph.load_index(str(path), max_elements=max(len(labels), 1))
        except (ImportError, OSError, RuntimeError):
            return False
        if graph.get_current_count() != len(labels):
            return False
        self.adopt(Graph(graph, labels, digest))
        return True


def _built(labels: NDArray[np.int64], matrix: Vectors) -> Any:
    import hnswlib

    graph = hnswlib.Index(space="ip", dim=matrix.shape[1])
    graph.init_index(max(len(labels), 1), M=M, ef_construction=EF_BUILD, random_seed=7)
    if len(labels):
        graph.add_items(matrix, labels)
    return graph


def _products(matrix: Vectors, vector: Vectors) -> Vectors:
    """Return the inner product of each row and a vector.

    By one thread: `@` wakes one on every core, and under load waits for them five times as long as
    the sums take.
    """
    found: Vectors = np.einsum("ij,j->i", matrix, vector)
    return found
