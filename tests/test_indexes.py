"""The search indexes: what every one of them promises, and what each does with damaged files."""

from __future__ import annotations

import math
import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FakeModel, Opener
from promises import promise

from vaultmem.memory import Memory, Question, Wish
from vaultmem.sidecar.keyword import Doc, KeywordIndex
from vaultmem.sidecar.proof import export
from vaultmem.sidecar.seal import digest_of
from vaultmem.sidecar.seams import Scored, Vectors
from vaultmem.sidecar.sidecar import Rebuilt
from vaultmem.sidecar.tally import Tally
from vaultmem.sidecar.vectors import Row, VectorIndex

Passages = dict[int, str]


class ListIndex:
    """The least that an index may be: a list, searched from end to end."""

    def __init__(self) -> None:
        self.held: dict[str, Passages] = {}

    def put(self, path: str, passages: Passages) -> None:
        self.held[path] = passages

    def forget(self, path: str) -> None:
        self.held.pop(path, None)

    def search(self, query: str, allowed: Collection[int] | None, limit: int) -> list[Scored]:
        wanted, found = set(query.split()), []
        for passages in self.held.values():
            for label, text in passages.items():
                score = len(wanted & set(text.split())) / len(text.split())
                if score and (allowed is None or label in allowed):
                    found.append(Scored(label, score))
        return sorted(found, key=lambda hit: (-hit.score, hit.label))[:limit]

    def reopened(self) -> ListIndex:
        return self


class Keywords:
    """The keyword index, handled by texts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = KeywordIndex(folder)

    def put(self, path: str, passages: Passages) -> None:
        docs = [Doc(label, path, Counter(text.split()), label) for label, text in passages.items()]
        self.index.replace([path], docs)

    def forget(self, path: str) -> None:
        self.index.replace([path], [])

    def search(self, query: str, allowed: Collection[int] | None, limit: int) -> list[Scored]:
        return self.index.search(query.split(), allowed, limit)

    def reopened(self) -> Keywords:
        self.index.close()
        return Keywords(self.folder)


class Meanings:
    """The vector index, handled by texts: a vector has a place for each word it was given."""

    def __init__(self, held: dict[str, Passages] | None = None) -> None:
        self.held = held or {}
        self.index = VectorIndex(FakeModel.dimension)
        self._load()

    def _load(self) -> None:
        rows = sorted(
            (label, text) for passages in self.held.values() for label, text in passages.items()
        )
        loaded(
            self.index, [(label, vector(text).astype(np.float16).tobytes()) for label, text in rows]
        )

    def put(self, path: str, passages: Passages) -> None:
        self.held[path] = passages
        self._load()

    def forget(self, path: str) -> None:
        self.held.pop(path, None)
        self._load()

    def search(self, query: str, allowed: Collection[int] | None, limit: int) -> list[Scored]:
        return [hit for hit in self.index.search(vector(query), allowed, limit) if hit.score > 0.2]

    def reopened(self) -> Meanings:
        return Meanings(self.held)


def vector(text: str) -> Vectors:
    made = FakeModel().query(text)
    assert made is not None
    return made


AnyIndex = ListIndex | Keywords | Meanings


class IndexContract:
    """What whoever asks an index may rely on."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> AnyIndex:
        raise NotImplementedError

    def test_an_empty_index_finds_nothing(self, index: AnyIndex) -> None:
        assert index.search("roses", None, 5) == []

    def test_a_passage_is_found_by_a_word_of_it(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses", 2: "white walls"})

        assert labels(index.search("roses", None, 5)) == [1]

    def test_putting_a_note_twice_leaves_one_copy(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses"})
        index.put("a.md", {2: "red roses"})

        assert labels(index.search("roses", None, 5)) == [2]

    def test_a_note_put_again_is_not_found_by_its_old_words(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses"})
        index.put("a.md", {2: "white walls"})

        assert index.search("roses", None, 5) == []

    def test_a_forgotten_note_is_not_found(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses"})
        index.put("b.md", {2: "pink roses"})
        index.forget("a.md")

        assert labels(index.search("roses", None, 5)) == [2]

    def test_forgetting_an_unknown_note_is_fine(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses"})
        index.forget("never-there.md")

        assert labels(index.search("roses", None, 5)) == [1]

    def test_reopened_it_answers_the_same(self, index: AnyIndex) -> None:
        for number in range(12):
            index.put(f"{number}.md", {number: f"red roses {'and more ' * number}"})
        before = index.search("red roses", None, 5)

        assert index.reopened().search("red roses", None, 5) == before

    def test_a_limit_larger_than_the_content_gives_all_of_it(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses", 2: "pink roses"})

        assert sorted(labels(index.search("roses", None, 1000))) == [1, 2]

    def test_a_limit_of_nothing_gives_nothing(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses"})

        assert index.search("roses", None, 0) == []

    def test_where_nothing_is_allowed_nothing_is_found(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses"})

        assert index.search("roses", set(), 5) == []

    def test_only_what_is_allowed_is_found(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red roses", 2: "pink roses"})

        assert labels(index.search("roses", {2, 99}, 5)) == [2]

    def test_what_is_allowed_is_chosen_before_the_best_are(self, index: AnyIndex) -> None:
        for number in range(40):
            index.put(f"{number}.md", {number: "roses" if number else "roses in a long hedge"})

        assert labels(index.search("roses", {0}, 1)) == [0]

    def test_the_better_passage_comes_first(self, index: AnyIndex) -> None:
        index.put("a.md", {1: "red walls and a long hedge", 2: "red roses"})

        assert labels(index.search("red roses", None, 5)) == [2, 1]

    def test_equal_scores_are_ordered_by_label(self, index: AnyIndex) -> None:
        order = random.Random(3).sample(range(30), 30)
        for label in order:
            index.put(f"{label}.md", {label: "red roses"})

        assert labels(index.search("roses", None, 3)) == [0, 1, 2]


def labels(hits: Sequence[Scored]) -> list[int]:
    return [hit.label for hit in hits]


class TestListIndex(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> ListIndex:
        return ListIndex()


class TestKeywordIndex(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Keywords:
        return Keywords(tmp_path / "keyword")


class TestVectorIndex(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Meanings:
        return Meanings()


# The vector index


def some_vectors(count: int, seed: int = 1, dimension: int = 16) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def rows_of(matrix: Vectors, first: int = 0) -> list[tuple[int, bytes]]:
    return [(first + i, row.astype(np.float16).tobytes()) for i, row in enumerate(matrix)]


def loaded(index: VectorIndex, rows: Sequence[Row]) -> None:
    """Let an index hold the vectors of some rows and no other."""
    index.update([], [])
    index.update([label for label, _ in rows], [rows])


def saved(index: VectorIndex, path: Path) -> str:
    """Write a graph, put it to use, and return its digest."""
    graph = index.write(path)
    index.adopt(graph)
    return graph.digest


def filled(matrix: Vectors, exact_below: int = 20_000) -> VectorIndex:
    index = VectorIndex(matrix.shape[1], exact_below)
    loaded(index, rows_of(matrix))
    return index


@pytest.mark.parametrize(
    "query",
    [
        np.zeros(15, np.float32),
        np.zeros(17, np.float32),
        np.zeros((1, 16), np.float32),
        np.full(16, np.nan, np.float32),
        np.full(16, np.inf, np.float32),
    ],
    ids=["short", "long", "a-matrix", "nan", "infinite"],
)
def test_a_query_that_is_no_vector_of_the_index_is_refused(query: Vectors) -> None:
    index = filled(some_vectors(5))

    with pytest.raises(ValueError, match="one finite vector of 16 numbers"):
        index.search(query, None, 3)


def test_stored_vectors_that_are_not_finite_or_of_another_length_are_left_out() -> None:
    good = some_vectors(2)
    index = VectorIndex(16)
    bad = [
        (7, np.full(16, np.nan, np.float16).tobytes()),
        (8, np.full(16, np.inf, np.float16).tobytes()),
        (9, b"short"),
    ]
    loaded(index, [*rows_of(good), *bad])

    assert index.labels == {0, 1}
    assert {hit.label for hit in index.search(good[0], None, 10)} == {0, 1}


def test_the_graph_finds_what_exact_search_finds(tmp_path: Path) -> None:
    matrix = some_vectors(600)
    exact, graph = filled(matrix), filled(matrix, exact_below=10)
    saved(graph, tmp_path / "vectors.bin")
    queries = some_vectors(50, seed=2)

    found = [
        len(
            {h.label for h in exact.search(q, None, 10)}
            & {h.label for h in graph.search(q, None, 10)}
        )
        for q in queries
    ]

    assert sum(found) >= 495


def test_the_graph_obeys_a_filter(tmp_path: Path) -> None:
    matrix = some_vectors(600)
    exact, graph = filled(matrix), filled(matrix, exact_below=10)
    saved(graph, tmp_path / "vectors.bin")
    allowed = set(range(0, 600, 20))

    for query in some_vectors(20, seed=3):
        hits = graph.search(query, allowed, 5)
        assert {hit.label for hit in hits} <= allowed
        assert labels(hits) == labels(exact.search(query, allowed, 5))


def test_a_deleted_label_never_surfaces_from_the_graph(tmp_path: Path) -> None:
    matrix = some_vectors(100)
    index = filled(matrix, exact_below=10)
    saved(index, tmp_path / "vectors.bin")
    loaded(index, rows_of(matrix)[50:])

    for query in matrix[:50]:
        hits = index.search(query, None, 100)
        assert len(hits) == 50
        assert min(hit.label for hit in hits) == 50


def test_a_passage_newer_than_the_graph_is_found(tmp_path: Path) -> None:
    matrix = some_vectors(101)
    index = filled(matrix[:100], exact_below=10)
    saved(index, tmp_path / "vectors.bin")
    loaded(index, rows_of(matrix))

    assert index.search(matrix[100], None, 1)[0].label == 100


def test_a_graph_is_stale_once_it_lacks_a_tenth_of_the_passages(tmp_path: Path) -> None:
    matrix = some_vectors(200)
    index = filled(matrix[:100])
    saved(index, tmp_path / "vectors.bin")

    loaded(index, rows_of(matrix[:110]))
    assert not index.stale()
    loaded(index, rows_of(matrix[:120]))
    assert index.stale()


def test_a_saved_graph_is_loaded_again(tmp_path: Path) -> None:
    matrix = some_vectors(50)
    path = tmp_path / "vectors.bin"
    digest = saved(filled(matrix, exact_below=10), path)
    other = filled(matrix, exact_below=10)

    assert other.open(path, digest, frozenset(range(50)))
    assert other.search(matrix[3], None, 1)[0].label == 3
    assert os.listdir(tmp_path) == ["vectors.bin"]


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: bytes(4096) + data[4096:],
        lambda data: data[:100] + bytes([data[100] ^ 255]) + data[101:],
        lambda data: b"not a graph at all",
    ],
    ids=["empty", "half", "a-byte-short", "a-page-of-zeros", "a-flipped-byte", "another-file"],
)
def test_a_damaged_graph_is_not_loaded(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    matrix = some_vectors(50)
    path = tmp_path / "vectors.bin"
    digest = saved(filled(matrix), path)
    path.write_bytes(harm(path.read_bytes()))
    other = filled(matrix, exact_below=10)

    assert not other.open(path, digest, frozenset(range(50)))
    assert other.search(matrix[3], None, 1)[0].label == 3


def test_a_graph_that_is_gone_or_not_the_one_written_down_is_not_loaded(tmp_path: Path) -> None:
    matrix = some_vectors(50)
    path = tmp_path / "vectors.bin"
    index = filled(matrix, exact_below=10)
    digest = saved(index, path)

    assert not index.open(path, "", frozenset(range(50)))
    assert not index.open(path, "0" * 64, frozenset(range(50)))
    assert not index.open(path, digest, frozenset(range(49)))
    assert not index.open(tmp_path / "none.bin", digest, frozenset(range(50)))


def test_a_graph_that_was_not_written_whole_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hnswlib

    path = tmp_path / "vectors.bin"
    index = filled(some_vectors(50))
    digest = saved(index, path)

    class Full(hnswlib.Index):  # type: ignore[misc]
        def save_index(self, name: str) -> None:
            Path(name).write_bytes(b"the disk is full")

    monkeypatch.setattr(hnswlib, "Index", Full)

    with pytest.raises(OSError, match="not written whole"):
        saved(index, path)
    assert digest_of(path) == digest


# The keyword index inside of a sidecar: whatever happens to its files, the answers stay right

HARMS: dict[str, Callable[[Path], Any]] = {
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "a byte short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "flipped": lambda path: path.write_bytes(bytes(byte ^ 0x55 for byte in path.read_bytes())),
    "one bit flipped": lambda path: path.write_bytes(one_bit(path.read_bytes())),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
}


def one_bit(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]


GARDEN = {
    "Roses need pruning": "Prune the roses in late winter, before they bud.",
    "Compost wants turning": "Turn the compost every second week with a fork.",
    "Frost in May": "Cover the tomatoes while a frost may still come.",
}

NEXT_DOOR = {"Roses of the neighbour": "Their roses bud early."}


@pytest.fixture
def planted(memory: Memory, root: Path) -> Memory:
    for scope, notes in (("garden", GARDEN), ("next-door", NEXT_DOOR)):
        folder = root / "memory" / scope
        folder.mkdir()
        (folder / "index.md").write_text(f"---\nscope: {scope}\n---\n")
        for title, content in notes.items():
            (folder / f"{title}.md").write_text(f"---\ntitle: {title}\n---\n{content}\n")
    memory.refresh()
    return memory


def state_files(memory: Memory) -> list[Path]:
    inside = sorted(memory.settings.sidecar.rglob("*"))
    return [path for path in inside if path.is_file() and not path.name.endswith("LOCK")]


def keyword_files(memory: Memory) -> list[Path]:
    return [path for path in state_files(memory) if path.parent.name == "keyword"]


def titles(memory: Memory, query: str, scope: str | None = None) -> list[str]:
    return [hit.title for hit in memory.remember(Question(query, scope=scope)).hits]


def test_the_sidecar_has_the_files_that_the_damage_tests_harm(planted: Memory) -> None:
    kinds = {path.suffix for path in state_files(planted)}

    assert kinds >= {".db", ".toc", ".seg"}
    planted.refresh(rebuild=True)
    assert len(keyword_files(planted)) == 2


@pytest.mark.parametrize("running", [True, False], ids=["while-open", "while-closed"])
@pytest.mark.parametrize("harm", HARMS.values(), ids=list(HARMS))
def test_damage_to_any_file_of_the_keyword_index_is_healed(
    planted: Memory, opener: Opener, harm: Callable[[Path], Any], running: bool
) -> None:
    whole = export(planted._parts.sidecar)
    memory = planted
    memory.refresh(rebuild=True)
    for number in range(2):
        path = keyword_files(memory)[number]
        if not running:
            memory.close()
        harm(path)
        if not running:
            memory = opener()

        assert titles(memory, "prune roses", "garden")[:1] == ["Roses need pruning"], path
        assert "Roses of the neighbour" not in titles(memory, "roses", "garden"), path
        assert export(memory._parts.sidecar) == whole, path


@pytest.mark.parametrize("harm", ["deleted", "emptied", "cut in half", "flipped", "zeroed"])
def test_damage_to_the_manifest_is_healed(planted: Memory, opener: Opener, harm: str) -> None:
    whole = export(planted._parts.sidecar)
    planted.close()
    HARMS[harm](planted.settings.sidecar / "manifest.db")
    memory = opener()

    assert titles(memory, "prune roses", "garden")[:1] == ["Roses need pruning"]
    assert export(memory._parts.sidecar) == whole


@pytest.mark.parametrize("seed", range(20))
def test_a_page_of_the_manifest_overwritten_raises_nothing(
    planted: Memory, opener: Opener, seed: int
) -> None:
    planted.close()
    path = planted.settings.sidecar / "manifest.db"
    data = bytearray(path.read_bytes())
    page = random.Random(seed).randrange(len(data) // 4096)
    data[page * 4096 : (page + 1) * 4096] = bytes(4096)
    path.write_bytes(data)
    memory = opener()

    assert titles(memory, "prune roses", "garden")[:1] == ["Roses need pruning"]
    assert memory.doctor().well


def test_facts_that_cannot_be_read_are_made_anew(planted: Memory, opener: Opener) -> None:
    planted.close()
    with sqlite3.connect(planted.settings.sidecar / "manifest.db") as db:
        db.execute("UPDATE files SET facts = '{\"role\": 3}'")
    db.close()
    memory = opener()

    assert titles(memory, "prune roses", "garden")[:1] == ["Roses need pruning"]
    assert memory.doctor().well


@promise("rebuilt")
def test_a_deleted_sidecar_is_made_anew_by_the_next_question(planted: Memory) -> None:
    import shutil

    whole = export(planted._parts.sidecar)
    shutil.rmtree(planted.settings.sidecar)

    assert titles(planted, "prune roses", "garden")[:1] == ["Roses need pruning"]
    assert export(planted._parts.sidecar) == whole


def test_a_damage_met_in_the_middle_of_a_question_asks_it_again(
    planted: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failed = KeywordIndex.tally, []

    def tally(self: KeywordIndex, *given: Any) -> Tally:
        if not failed:
            failed.append(True)
            raise EOFError
        return real(self, *given)

    monkeypatch.setattr(KeywordIndex, "tally", tally)

    assert titles(planted, "prune roses", "garden")[:1] == ["Roses need pruning"]
    assert "Roses of the neighbour" not in titles(planted, "roses", "garden")


def test_a_damage_met_while_memorizing_keeps_the_note(
    planted: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failed = KeywordIndex.tally, []

    def tally(self: KeywordIndex, *given: Any) -> Tally:
        if not failed:
            failed.append(True)
            raise FileNotFoundError
        return real(self, *given)

    monkeypatch.setattr(KeywordIndex, "tally", tally)
    done = planted.memorize(Wish("Moss grows", "Rake the moss out in spring.", scope="garden"))

    assert failed
    assert planted.remember(Question("moss", scope="garden")).hits[0].id == done.id


@pytest.mark.parametrize("vector", ["x'0000'", "x'" + "007e" * 64 + "'"], ids=["short", "nan"])
def test_a_vector_that_is_none_is_made_anew(planted: Memory, opener: Opener, vector: str) -> None:
    planted.remember(Question("roses"))
    whole = export(planted._parts.sidecar, planted._parts.meaning)
    planted.close()
    with sqlite3.connect(planted.settings.sidecar / "manifest.db") as db:
        db.execute(f"UPDATE embeddings SET vector = {vector}")
    db.close()
    memory = opener()

    assert titles(memory, "prune roses", "garden")[:1] == ["Roses need pruning"]
    assert titles(memory, "prune roses", "garden")[:1] == ["Roses need pruning"]
    assert export(memory._parts.sidecar, memory._parts.meaning) == whole


def test_an_index_that_stays_unusable_is_said_in_one_sentence(
    planted: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tally(self: KeywordIndex, *given: Any) -> Tally:
        raise EOFError

    monkeypatch.setattr(KeywordIndex, "tally", tally)

    with pytest.raises(Rebuilt, match="Ask again"):
        planted.remember(Question("prune roses"))


def test_a_rebuild_costs_no_embedding(planted: Memory, model: FakeModel) -> None:
    planted.remember(Question("roses"))
    count = len(model.embedded)
    planted.refresh(rebuild=True)

    assert planted._parts.meaning.missing() == 0
    assert len(model.embedded) == count


def test_other_settings_rebuild_the_index_and_keep_the_vectors(
    planted: Memory, root: Path, opener: Opener, model: FakeModel
) -> None:
    (root / "Own.md").write_text("# Own\n\nThe shed has a red door.\n")
    planted.refresh()
    count = len(model.embedded)
    planted.close()
    config = root / ".vaultmem/config.toml"
    lines = [line for line in config.read_text().splitlines() if "own_notes" not in line]
    config.write_text("\n".join([*lines, 'own_notes = "none"', ""]))
    memory = opener()

    assert memory.refresh().rebuilt == "its settings or its version changed"
    assert titles(memory, "shed red door") == []
    assert len(model.embedded) == count


def test_a_failed_commit_leaves_the_index_open_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whoosh.writing import SegmentWriter

    index = Keywords(tmp_path / "keyword")
    index.put("a.md", {1: "red roses"})
    with monkeypatch.context() as patch:
        patch.setattr(SegmentWriter, "_commit_toc", _full)
        with pytest.raises(OSError, match="No space"):
            index.put("b.md", {2: "pink roses"})
    index.put("b.md", {3: "pink roses"})

    assert labels(index.search("roses", None, 5)) == [1, 3]


def _full(*_: Any) -> None:
    raise OSError(28, "No space left on device")


@promise("erased")
def test_nothing_of_a_forgotten_passage_is_left_after_a_purge(tmp_path: Path) -> None:
    index = Keywords(tmp_path / "keyword")
    index.put("a.md", {1: "xylophone roses"})
    index.put("b.md", {2: "pink roses"})
    index.forget("a.md")
    index.index.purge()

    left = b"".join(path.read_bytes() for path in (tmp_path / "keyword").iterdir())
    assert b"xylophone" not in left
    assert labels(index.search("roses", None, 5)) == [2]


def test_only_what_is_new_is_read_and_what_is_gone_is_dropped() -> None:
    matrix = some_vectors(6)
    index = filled(matrix)
    rows = [*rows_of(some_vectors(9))[6:8], (8, None)]

    assert index.lacking([0, 2, 4, 6, 7, 8]) == [6, 7, 8]
    index.update([0, 2, 4, 6, 7, 8], [rows])

    assert index.labels == {0, 2, 4, 6, 7}
    assert index.lacking([0, 2, 8, 9]) == [9]
    assert index.search(matrix[2], None, 1)[0].label == 2
    assert index.search(matrix[1], None, 1)[0].label != 1


def test_cosines_of_passages_are_told_by_label_and_nan_without_a_vector() -> None:
    matrix = some_vectors(4)
    index = filled(matrix)

    assert index.scores(matrix[1], [1, 3, 99]) == {
        1: pytest.approx(1, abs=1e-3),
        3: pytest.approx(float(matrix[1] @ matrix[3]), abs=1e-3),
    }
    alike = index.alike([1, 99, 3])
    assert alike(0).tolist() == [
        pytest.approx(1, abs=1e-3),
        pytest.approx(math.nan, nan_ok=True),
        pytest.approx(float(matrix[1] @ matrix[3]), abs=1e-3),
    ]
    assert np.isnan(alike(1)).all()


def test_a_small_graph_is_kept_on_disk_and_not_in_memory(tmp_path: Path) -> None:
    matrix = some_vectors(50)
    index = filled(matrix)
    saved(index, tmp_path / "vectors.bin")

    assert not index.stale()
    assert index.search(matrix[3], None, 1)[0].label == 3
    assert (tmp_path / "vectors.bin").stat().st_size > 50 * 4 * matrix.shape[1]
