"""The vector index: exact search by numpy up to some size, an hnswlib graph above.

The manifest holds the vectors; the graph is a file beside it that is only loaded if its digest
is the one we wrote down, since hnswlib believes whatever a file says.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vaultmem.sidecar.seal import digest_of
from vaultmem.sidecar.seams import Scored, Vectors

EXACT_BELOW = 20_000
"""Up to here exact search is as fast as the graph, and it is exact."""
STALE_SHARE = 0.1
"""The graph is built anew once this share of the passages is not in it."""
M = 16
EF_BUILD = 200
EF_SEARCH = 200


class VectorIndex:
    """The vectors of all passages in memory, and the graph over them if there is a good one."""

    def __init__(self, dimension: int, exact_below: int = EXACT_BELOW) -> None:
        self._dimension = dimension
        self._exact_below = exact_below
        self._labels: NDArray[np.int64] = np.empty(0, np.int64)
        self._matrix: Vectors = np.empty((0, dimension), np.float32)
        self._graph: Any = None
        self._in_graph: frozenset[int] = frozenset()

    def load(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Take the vectors of all passages: labels in order, float16 bytes of `dimension`.

        What is no finite vector of that length is left out.
        """
        good = [(label, data) for label, data in rows if len(data) == 2 * self._dimension]
        self._labels = np.fromiter((label for label, _ in good), np.int64, len(good))
        joined = b"".join(data for _, data in good)
        matrix = np.frombuffer(joined, np.float16).reshape(len(good), self._dimension)
        whole = np.isfinite(matrix).all(axis=1)
        self._labels, self._matrix = self._labels[whole], matrix[whole].astype(np.float32)

    @property
    def labels(self) -> set[int]:
        """The label of every passage that has a vector."""
        return set(self._labels.tolist())

    def search(self, query: Vectors, allowed: Collection[int] | None, limit: int) -> list[Scored]:
        """Return the passages nearest to a unit vector, by cosine.

        Raises:
            ValueError: the query is not one finite vector of this index's dimension.
        """
        if query.shape != (self._dimension,) or not np.isfinite(query).all():
            raise ValueError(f"a query is one finite vector of {self._dimension} numbers")
        if not len(self._labels) or limit < 1:
            return []
        rows = self._rows(query, allowed, limit)
        scores = self._matrix[rows] @ query.astype(np.float32)
        best = np.lexsort((self._labels[rows], -scores))[:limit]
        return [Scored(int(self._labels[rows[i]]), float(scores[i])) for i in best]

    def _rows(
        self, query: Vectors, allowed: Collection[int] | None, limit: int
    ) -> NDArray[np.int64]:
        """Return the rows worth scoring: all that are allowed, or those the graph proposes."""
        everything = np.arange(len(self._labels))
        if allowed is not None:
            wanted = np.fromiter(allowed, np.int64, len(allowed))
            everything = everything[np.isin(self._labels, wanted)]
        if len(everything) <= self._exact_below or self._graph is None:
            return everything
        try:
            proposed = self._proposed(query, allowed, limit)
        except RuntimeError:  # hnswlib met fewer than it was asked for: the filter cut it off
            return everything
        fresh = [label not in self._in_graph for label in self._labels[everything].tolist()]
        near = np.isin(self._labels[everything], proposed)
        chosen: NDArray[np.int64] = everything[near | np.array(fresh, bool)]
        return chosen

    def _proposed(
        self, query: Vectors, allowed: Collection[int] | None, limit: int
    ) -> NDArray[np.int64]:
        live = self._in_graph & self.labels
        chosen = live if allowed is None else live & set(allowed)
        count = min(limit * 2, len(chosen))
        if not count:
            return np.empty(0, np.int64)
        self._graph.set_ef(max(EF_SEARCH, count * 2))
        found, _ = self._graph.knn_query(
            query.reshape(1, -1), k=count, filter=lambda label: label in chosen
        )
        return np.asarray(found[0], np.int64)

    def stale(self) -> bool:
        """Return whether the graph lacks a tenth of the passages, or holds as many dead ones."""
        live = self.labels
        apart = len(live ^ self._in_graph)
        return apart > STALE_SHARE * max(len(live), 1)

    def save(self, path: Path) -> str:
        """Write a new graph of all vectors to a file, and return its digest.

        Raises:
            OSError: the file is not whole; the old one is still there.
        """
        import hnswlib

        graph = hnswlib.Index(space="ip", dim=self._dimension)
        graph.init_index(max(len(self._labels), 1), M=M, ef_construction=EF_BUILD, random_seed=7)
        if len(self._labels):
            graph.add_items(self._matrix, self._labels)
        temporary = path.with_suffix(".part")
        graph.save_index(str(temporary))
        if temporary.stat().st_size < self._matrix.nbytes:
            raise OSError(28, f"{temporary} was not written whole")
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        self._graph, self._in_graph = graph, frozenset(self._labels.tolist())
        return digest_of(path)

    def open(self, path: Path, digest: str, labels: frozenset[int]) -> bool:
        """Load a graph that we wrote: same digest, same labels. Return whether it is in use."""
        try:
            import hnswlib

            if not digest or digest_of(path) != digest:
                return False
            graph = hnswlib.Index(space="ip", dim=self._dimension)
            graph.load_index(str(path), max_elements=max(len(labels), 1))
        except (ImportError, OSError, RuntimeError):
            return False
        if graph.get_current_count() != len(labels):
            return False
        self._graph, self._in_graph = graph, labels
        return True
