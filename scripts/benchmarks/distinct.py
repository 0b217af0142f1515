"""What is found, counted in facts: who states a fact a second time adds nothing.

Three searchers: the product; a flat folder searched by ripgrep; and the cosine of whole notes.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log2
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.datasets import Judged
from benchmarks.measure import program
from benchmarks.restated import Asked

if TYPE_CHECKING:
    from vaultmem.memory import Memory
    from vaultmem.sidecar.seams import Vectors

FEW, MANY = 5, 10
"""Hits that precision and recall look at, and those that nDCG does."""
Found = list[frozenset[str]]
"""The facts that each hit states, best hit first; a parent states those of all its sources."""
Search = Callable[[Asked], Found]


# What is measured


def precision(found: Found) -> float:
    """Return the share of the first hits that state a fact which none above them states."""
    first = found[:FEW]
    return fmean(_fresh(first)) if first else 0.0


def _fresh(found: Found) -> Iterator[bool]:
    stated: set[str] = set()
    for facts in found:
        yield not facts <= stated
        stated |= facts


def recall(found: Found, relevant: Judged) -> float:
    """Return the share of the facts asked for that the first hits state."""
    return len(set().union(*found[:FEW]) & set(relevant)) / len(relevant)


def ndcg(found: Found, relevant: Judged) -> float:
    """Return nDCG with linear gains: a place gains once, by the best fact that is stated first."""
    stated: set[str] = set()
    gain = 0.0
    for place, facts in enumerate(found[:MANY]):
        gain += max((relevant.get(fact, 0) for fact in facts - stated), default=0) / log2(place + 2)
        stated |= facts
    best = sorted(relevant.values(), reverse=True)[:MANY]
    return gain / sum(grade / log2(place + 2) for place, grade in enumerate(best))


Means = dict[str, float]


def means(search: Search, questions: Sequence[Asked]) -> Means:
    """Return the mean of every metric over the questions."""
    runs = [(search(asked), asked.relevant) for asked in questions]
    return {
        "P@5": fmean(precision(found) for found, _ in runs),
        "R@5": fmean(recall(*run) for run in runs),
        "nDCG@10": fmean(ndcg(*run) for run in runs),
    }


# The product


def product(memory: Memory, known: Mapping[str, str]) -> Search:
    """Return the product's own search as an agent asks it; `known` is the fact by path."""
    from vaultmem.memory import Question

    states = stated_by(memory, known)

    def search(asked: Asked) -> Found:
        answer = memory.remember(Question(asked.text, limit=MANY, scope=asked.scope))
        if "by keyword" in answer.note:
            raise RuntimeError(answer.note)
        return [states(hit.path) for hit in answer.hits]

    return search


def stated_by(memory: Memory, known: Mapping[str, str]) -> Callable[[str], frozenset[str]]:
    """Return what tells the facts that a note states, those of what it consolidates included."""
    memory.refresh()
    snapshot = memory._parts.sidecar.snapshot

    def states(path: str, above: frozenset[str] = frozenset()) -> frozenset[str]:
        if path in known:
            return frozenset({known[path]})
        sources = {
            source
            for kind, link in snapshot.facts[path].relations
            if kind == "consolidates" and (source := snapshot.names.resolve(link, path))
        }
        return frozenset().union(*(states(s, above | {path}) for s in sources - above))

    return states


class Kept:
    """A model that embeds each text once, however many vaults hold it."""

    seconds = 0.0
    """What the model itself has taken so far."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._known: dict[tuple[str, str], Vectors | None] = {}
        self.name = model.name
        self.dimension = model.dimension

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        lacking = [text for text in dict.fromkeys(texts) if ("passage", text) not in self._known]
        start = time.perf_counter()
        for text, vector in zip(lacking, self._model.passages(lacking), strict=True):
            self._known["passage", text] = vector
        self.seconds += time.perf_counter() - start
        return [self._known["passage", text] for text in texts]

    def query(self, text: str) -> Vectors | None:
        if ("query", text) not in self._known:
            self._known["query", text] = self._model.query(text)
        return self._known["query", text]


# Without the product


def ripgrep(root: Path, known: Mapping[str, str]) -> Search:
    """Return the search of a flat folder by `rg`: the file with most matches of any word first.

    Where there is no `rg` the matches are counted here, in the same way.
    """
    folders = _by_scope(known)
    counted = _rg(root) if shutil.which("rg") else _counted(root, known)

    def search(asked: Asked) -> Found:
        words = sorted(set(re.findall(r"\w+", asked.text.casefold())))
        counts = counted(f"memory/{asked.scope}", words)
        found = [path for path in folders[f"memory/{asked.scope}"] if counts.get(path)]
        found.sort(key=lambda path: (-counts[path], path))
        return [frozenset({known[path]}) for path in found[:MANY]]

    return search


Count = Callable[[str, Sequence[str]], Mapping[str, int]]


def _rg(root: Path) -> Count:
    def counts(folder: str, words: Sequence[str]) -> Mapping[str, int]:
        asked = ["rg", "--ignore-case", "--word-regexp", "--count-matches", "--no-config"]
        lines = program([*asked, "|".join(words), folder], root, allowed=(0, 1)).splitlines()
        return {path: int(count) for path, count in (line.rsplit(":", 1) for line in lines)}

    return counts


def _counted(root: Path, known: Mapping[str, str]) -> Count:
    matches: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    for path in known:
        words = Counter(re.findall(r"\w+", (root / path).read_text("utf-8").casefold()))
        of_folder = matches[path.rpartition("/")[0]]
        for word, count in words.items():
            of_folder.setdefault(word, {})[path] = count

    def counts(folder: str, words: Sequence[str]) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        for word in words:
            found.update(matches[folder].get(word, {}))
        return found

    return counts


def plain_vectors(root: Path, known: Mapping[str, str], model: Any) -> Search:
    """Return the search by the cosine of whole notes, title and text, with the same model."""
    folders = _by_scope(known)
    vectors = {folder: _vectors(root, paths, model) for folder, paths in folders.items()}

    def search(asked: Asked) -> Found:
        folder = f"memory/{asked.scope}"
        cosines = vectors[folder] @ model.query(asked.text)
        best = np.argsort(-cosines, kind="stable")[:MANY]
        return [frozenset({known[folders[folder][n]]}) for n in best.tolist()]

    return search


def _vectors(root: Path, paths: Sequence[str], model: Any) -> Any:
    texts = [title_and_text(root / path) for path in paths]
    return np.array(model.passages(texts), np.float32)


def title_and_text(note: Path) -> str:
    """Return the title and the text of a note, without its other properties."""
    _, head, text = note.read_text("utf-8").split("---\n", 2)
    title = next(line for line in head.splitlines() if line.startswith("title: "))
    return f"{json.loads(title.removeprefix('title: '))}\n{text}"


def _by_scope(known: Mapping[str, str]) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = defaultdict(list)
    for path in sorted(known):
        folders[path.rpartition("/")[0]].append(path)
    return folders
