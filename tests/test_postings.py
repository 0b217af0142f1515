"""Postings scored as arrays: the same order as Whoosh's own BM25, from the same index."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from whoosh import index as whoosh_index
from whoosh.query import Or, Term
from whoosh.reading import SegmentReader

from vaultmem.sidecar import postings
from vaultmem.sidecar.bm25 import Weighting
from vaultmem.sidecar.keyword import Doc, KeywordIndex
from vaultmem.sidecar.postings import Segment
from vaultmem.sidecar.seams import ranked

WORDS = [f"w{n}" for n in range(400)]
WEIGHTS = [1 / (n + 1) for n in range(400)]


def documents(chance: random.Random, first: int, count: int) -> list[Doc]:
    made = []
    for label in range(first, first + count):
        words = chance.choices(WORDS, WEIGHTS, k=chance.randint(5, 200))
        made.append(Doc(label, f"n{label}.md", Counter(words), label))
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 1,500 passages in several segments, frequent terms over many blocks."""
    place = tmp_path_factory.mktemp("postings") / "keyword"
    index = KeywordIndex(place)
    chance = random.Random(7)
    index.replace([], documents(chance, 0, 900))
    index.replace([], documents(chance, 900, 500))
    index.replace([], documents(chance, 1400, 100))
    index.close()
    return place


def test_a_thousand_queries_give_whooshs_order(folder: Path) -> None:
    ours, theirs = KeywordIndex(folder), whoosh_index.open_dir(str(folder))
    chance = random.Random(8)
    with theirs.searcher(weighting=Weighting()) as searcher:
        column = searcher.reader().column_reader("label")
        for _ in range(1000):
            words = chance.choices(WORDS, k=chance.randint(1, 8))
            query = Or([Term("words", w, boost=float(n)) for w, n in Counter(words).items()])
            expected = {
                int(column[hit.docnum]): hit.score for hit in searcher.search(query, limit=None)
            }

            found = ours.search(words, None, 20)

            assert len(found) == min(20, len(expected))
            assert [h.score for h in found] == pytest.approx(
                sorted(expected.values(), reverse=True)[: len(found)], rel=1e-4
            )
            assert all(h.score == pytest.approx(expected[h.label], rel=1e-4) for h in found)


def test_deleted_passages_neither_surface_nor_count(folder: Path, tmp_path: Path) -> None:
    chance = random.Random(9)
    docs = documents(chance, 0, 300)
    shrunk, small = KeywordIndex(tmp_path / "shrunk"), KeywordIndex(tmp_path / "small")
    shrunk.replace([], docs)
    shrunk.replace([doc.path for doc in docs[200:]], [])
    small.replace([], docs[:200])

    for word in WORDS[:50]:
        assert [h.label for h in shrunk.search([word], None, 10)] == [
            h.label for h in small.search([word], None, 10)
        ]
        assert shrunk.tally([word], None).ceiling == pytest.approx(
            small.tally([word], None).ceiling
        )


def test_a_segment_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = KeywordIndex(folder)
    index.search(["w1"], None, 5)
    read: list[object] = []
    monkeypatch.setattr(Segment, "__init__", lambda self, reader: read.append(reader))

    index.search(["w2"], None, 5)

    assert read == []


def test_equal_scores_are_ordered_by_label_at_the_edge_of_the_limit() -> None:
    labels = np.array([9, 4, 7, 1, 8, 3, 2, 6, 5], np.int64)
    scores = np.array([1, 1, 1, 2, 1, 1, 1, 1, 1], np.float32)

    assert [hit.label for hit in ranked(labels, scores, 2)] == [1, 2]


def test_another_whoosh_is_read_through_its_public_methods(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = KeywordIndex(folder).search(["w1", "w7", "w300"], None, 50)

    def changed(reader: object, term: str) -> None:
        raise AttributeError("_read_ids")

    plain = SegmentReader.column_reader
    monkeypatch.setattr(SegmentReader, "column_reader", lambda *args, **_: list(plain(*args)))
    monkeypatch.setattr(postings, "_in_blocks", changed)

    assert KeywordIndex(folder).search(["w1", "w7", "w300"], None, 50) == expected


def test_a_notes_score_is_the_mean_of_its_whole_and_its_best_passage(tmp_path: Path) -> None:
    index = KeywordIndex(tmp_path / "keyword")
    both = Counter(apple=1, pear=1)
    index.replace([], [Doc(1, "two.md", Counter(apple=1, plum=1), 1)])
    index.replace([], [Doc(2, "split.md", Counter(apple=1, fig=1), 2)])
    index.replace(
        [],
        [
            Doc(3, "long.md", Counter(apple=1, kiwi=1), 3),
            Doc(4, "long.md", Counter(pear=1, kiwi=1), 3),
            Doc(5, "log.md", both, 5),
            Doc(6, "log.md", Counter(lime=2), 6),
        ],
    )

    found = index.search(["apple", "pear"], None, 10)

    assert [hit.label for hit in found][:2] == [5, 4]
    assert len(found) == 4
    assert index.tally(["apple", "pear"], None).scores([3, 4, 6, 99]) == {
        3: found[1].score,
        4: found[1].score,
        6: 0.0,
        99: 0.0,
    }


def test_how_telling_a_term_is_is_told_from_what_is_allowed(tmp_path: Path) -> None:
    index = KeywordIndex(tmp_path / "keyword")
    here = [Doc(n, f"here/{n}.md", Counter(["scout", f"w{n}", "x"]), n) for n in range(8)]
    there = [Doc(n, f"there/{n}.md", Counter(["fig", "pear", "x"]), n) for n in range(8, 40)]
    index.replace([], [*here, *there])

    assert index.tally(["scout"], range(8)).ceiling < index.tally(["scout"], None).ceiling
    alone = KeywordIndex(tmp_path / "alone")
    alone.replace([], here)
    assert index.tally(["scout", "w3"], range(8)).ceiling == pytest.approx(
        alone.tally(["scout", "w3"], None).ceiling
    )
