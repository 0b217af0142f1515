"""Which notes say nearly the same, all of them each other: clusters by complete linkage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vaultmem.words.near import BLIND_SHARED, grams

NEIGHBOURS = 50
"""Notes near one that are looked at; more is no cluster but a flood."""
BLOCK = 1024

Pair = tuple[int, int, float]
"""Two notes by number, the lower one first, and how near they are."""


def meant_pairs(vectors: NDArray[np.float32], least: float) -> Iterator[Pair]:
    """Yield the pairs of rows whose cosine is at least so much, each note's nearest alone.

    `vectors` has shape (n, dimension), its rows of length 1; a row of nan is near nothing.
    """
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        cosines = np.nan_to_num(block @ vectors.T, nan=-1.0)
        rows = np.arange(len(block))
        cosines[rows, start + rows] = -1.0
        if cosines.shape[1] > NEIGHBOURS:
            edge = np.partition(cosines, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS, None]
            cosines[cosines < edge] = -1.0
        for row, column in np.argwhere(cosines >= least).tolist():
            one = start + row
            yield min(one, column), max(one, column), float(cosines[row, column])


def spelt_pairs(texts: Sequence[str], blind: Sequence[bool]) -> Iterator[Pair]:
    """Yield the pairs of which a model cannot read one, and that may share 0.8 of their 3-grams.

    Two sets that share so much share one of the rarest fifth of either, so only those are met.
    """
    held = [grams(text) for text in texts]
    counted: dict[str, int] = defaultdict(int)
    for each in held:
        for gram in each:
            counted[gram] += 1
    met: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(held):
        rarest = sorted(each, key=lambda gram: (counted[gram], gram))
        others: set[int] = set()
        for gram in rarest[: int(len(each) * (1 - BLIND_SHARED)) + 1]:
            others.update(met[gram][-NEIGHBOURS:])
            met[gram].append(number)
        for other in sorted(others):
            if blind[number] or blind[other]:
                shared = len(each & held[other]) / len(each | held[other])
                if shared >= BLIND_SHARED:
                    yield other, number, shared


def clusters(pairs: Sequence[Pair], least: int, most: int) -> list[list[int]]:
    """Return groups in which every two are a pair, the nearest joined first: complete linkage."""
    near = {(one, other) for one, other, _ in pairs}
    group = {number: [number] for pair in near for number in pair}
    for one, other, _ in sorted(pairs, key=lambda pair: (-pair[2], pair[:2])):
        left, right = group[one], group[other]
        if left is right or len(left) + len(right) > most:
            continue
        if all((min(a, b), max(a, b)) in near for a in left for b in right):
            left += right
            group.update(dict.fromkeys(right, left))
    unique = {id(members): sorted(members) for members in group.values()}
    return sorted(members for members in unique.values() if len(members) >= least)


def confirmed(pairs: Iterator[Pair], near: Callable[[int, int, float], bool]) -> list[Pair]:
    """Return those pairs that are near indeed, each once."""
    unique = {(one, other): score for one, other, score in pairs}
    return [(*pair, score) for pair, score in unique.items() if near(*pair, score)]
