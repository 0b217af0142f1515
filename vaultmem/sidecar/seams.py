"""What a search index and an embedding model must be able to do; all else is theirs."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


MOST_MASKS = 16


class Allowed:
    """The passages that may answer a question, chosen before anything is ranked."""

    def __init__(self, labels: Collection[int]) -> None:
        self.labels = np.unique(np.fromiter(labels, np.int64, len(labels)))
        self._lock = threading.Lock()
        self._masks: dict[int, tuple[NDArray[np.int64], NDArray[np.bool_]]] = {}

    @classmethod
    def of(cls, labels: Allowed | Collection[int] | None) -> Allowed | None:
        """Return what a caller means by labels; None allows all."""
        return labels if labels is None or isinstance(labels, Allowed) else cls(labels)

    def __len__(self) -> int:
        """Return how many passages may answer."""
        return len(self.labels)

    def mask(self, labels: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of some passages may answer; told once for each array."""
        with self._lock:
            known = self._masks.get(id(labels))
        if known is None or known[0] is not labels:
            known = (labels, np.isin(labels, self.labels))
            with self._lock:
                self._masks[id(labels)] = known
                if len(self._masks) > MOST_MASKS:
                    self._masks.pop(next(iter(self._masks)))
        return known[1]

    def within(self, other: Allowed) -> Allowed:
        """Return the passages that both allow."""
        return Allowed(np.intersect1d(self.labels, other.labels, assume_unique=True).tolist())


class Leg(NamedTuple):
    """Passages that compete with each other alone, and how many of their notes are taken."""

    passages: Allowed
    limit: int


class Scored(NamedTuple):
    """One passage found: its label, and how well it answers (more is better)."""

    label: int
    score: float


def ranked(labels: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> list[Scored]:
    """Return the best of some passages, equal ones by label."""
    if len(labels) > 4 * limit:
        edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        near = scores >= edge
        labels, scores = labels[near], scores[near]
    order = np.lexsort((labels, -scores))[:limit]
    best = zip(labels[order].tolist(), scores[order].tolist(), strict=True)
    return [Scored(*one) for one in best]


Query_contra = TypeVar("Query_contra", contravariant=True)


class Index(Protocol[Query_contra]):
    """What answers a query with passages. Equal scores are ordered by label."""

    def search(
        self, query: Query_contra, allowed: Allowed | Collection[int] | None, limit: int
    ) -> list[Scored]:
        """Return the best passages among those allowed (None: all), best first."""
        ...


class Embedder(Protocol):
    """What turns texts into vectors of unit length.

    A slow one may have `at_once`, the passages to embed between two writes.
    """

    @property
    def name(self) -> str:
        """Name and version of the model; another name means other vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors; 0 while nobody knows, at most until the first vector."""
        ...

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Return one unit vector a text, None for a text that the model cannot read."""
        ...

    def query(self, text: str) -> Vectors | None:
        """Return the unit vector of a question, None if the model cannot read it."""
        ...


class Reranker(Protocol):
    """What reads a question and a passage together."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the question; more is better."""
        ...
