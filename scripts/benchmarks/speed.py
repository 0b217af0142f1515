"""The figures of speed: search and its growth, a changed note, indexing, and the graph.

Vectors of large vaults are drawn by chance where only their number matters: see `short_notes`.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from benchmarks import corpus, short_notes, timed_server
from benchmarks.core import indexed
from benchmarks.measure import Row, at_least, at_most, in_child, interleaved, pss, timed, told
from benchmarks.server import Server
from benchmarks.vaults import PYTHON, new_vault, plain_model, real_model

if TYPE_CHECKING:
    from vaultmem.memory import Memory
    from vaultmem.sidecar.seams import Vectors
    from vaultmem.sidecar.vectors import VectorIndex

HERE, THERE = short_notes.SCOPES


def ten_thousand(folder: Path) -> Path:
    """Return an indexed vault of 10,000 notes beside a figure's folder, made by the first."""
    root = folder.parent / "ten-thousand"
    if not (folder.parent / "ten-thousand.ready").exists():
        short_notes.vault(root, {HERE: 5000, THERE: 5000})
        in_child(short_notes.indexed, str(root))
        (folder.parent / "ten-thousand.ready").touch()
    return root


# 5


KEYWORD_LIMIT = 50


def keyword_leg(root: str, database: str, queries: list[str]) -> tuple[list[float], int]:
    """Return the median seconds of our keyword search, of Whoosh's own, and of FTS5 by bm25().

    All are warm, and take the queries by turns. The number is that of the passages.
    """
    from vaultmem.memory import Memory
    from vaultmem.sidecar.analysis import terms

    memory = Memory.open(root)
    index = memory._parts.sidecar.keyword_index()
    whoosh = _whoosh(index._folder)
    fts5, count = _fts5(database, memory)
    acts: list[Callable[[str], object]] = [
        lambda query: index.search(terms(query), None, KEYWORD_LIMIT),
        lambda query: whoosh(terms(query)),
        fts5,
    ]
    for query in queries:
        assert all(act(query) for act in acts), query
    turns = [(act, cycle(queries)) for act in acts]
    found = interleaved(len(queries), *(lambda t=turn: t[0](next(t[1])) for turn in turns))
    memory.close()
    return found, count


def _whoosh(folder: Path) -> Callable[[list[str]], object]:
    from whoosh.index import open_dir
    from whoosh.query import Or, Term

    from vaultmem.sidecar.bm25 import Weighting
    from vaultmem.sidecar.postings import FIELD

    searcher = open_dir(str(folder), readonly=True).searcher(weighting=Weighting())
    return lambda words: searcher.search(Or([Term(FIELD, w) for w in words]), limit=KEYWORD_LIMIT)


def _fts5(database: str, memory: Any) -> tuple[Callable[[str], object], int]:
    """Return SQLite's own search of the same passages, and how many there are."""
    db = sqlite3.connect(database)
    db.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='porter unicode61')")
    facts = memory._parts.sidecar.snapshot.facts
    texts = [(text,) for one in facts.values() for text in memory._parts.meaning._embedded(one)]
    db.executemany("INSERT INTO passages VALUES (?)", texts)
    db.execute("INSERT INTO passages (passages) VALUES ('optimize')")
    db.commit()
    sql = "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages) LIMIT ?"

    def search(query: str) -> object:
        words = " OR ".join(f'"{word}"' for word in query.split())
        return db.execute(sql, (words, KEYWORD_LIMIT)).fetchall()

    return search, len(texts)


class Timings:
    """What questions took, in seconds: in all, in the model, and in all else."""

    def __init__(self, whole: Sequence[float], model: Sequence[float]) -> None:
        self.whole, self.model = list(whole), list(model)
        self.rest = [all_of_it - part for all_of_it, part in zip(whole, model, strict=True)]


class Asked:
    """A server with a live watcher, whose questions are timed."""

    def __init__(self, root: Path, file: Path) -> None:
        self._file = file
        file.write_text("", encoding="utf-8")
        program = [PYTHON, timed_server.__file__, str(file), "mcp", "--vault", str(root)]
        self._server = Server([*program, "--agent", "scout"], root.parent)
        self._server.hello()

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()

    def remember(self, query: str, **more: Any) -> str:
        asked = {"name": "remember", "arguments": {"query": query, **more}}
        answer = self._server.ask("tools/call", asked)
        text: str = answer["content"][0]["text"]
        if answer.get("isError"):
            raise RuntimeError(text)
        return text

    def settled(self, queries: Sequence[str], **more: Any) -> None:
        """Open the model, wait until the watcher vouches, and ask everything once."""
        self.remember(queries[0], **more)
        time.sleep(5)
        for query in queries:
            text = self.remember(query, **more)
            assert "by keyword" not in text, text

    def timed(self, query: str, **more: Any) -> float:
        return timed(lambda: self.remember(query, **more))

    def timings(self, whole: Sequence[float]) -> Timings:
        """Return the last questions' times, those in the model as the server wrote them down."""
        told_by_it = self._file.read_text(encoding="utf-8").split()
        return Timings(whole, [float(value) for value in told_by_it[-len(whole) :]])


def searching(folder: Path, times: int = 100) -> Iterator[Row]:
    """Search 10,000 notes by keyword, and ask a server about them."""
    root, queries = ten_thousand(folder), short_notes.queries(times)
    database = str(folder / "fts5.db")
    (ours, whoosh, fts5), passages = in_child(keyword_leg, str(root), database, queries)
    name = f"keyword search, 10,000 notes, {passages:,} passages"
    yield at_least(f"{name}: Whoosh's own", whoosh / ours, 20, "x", _of(whoosh, ours))
    yield at_least(f"{name}: FTS5", fts5 / ours, 3, "x", _of(fts5, ours))
    with Asked(root, folder / "seconds") as server:
        server.settled(queries)
        found = server.timings([server.timed(query) for query in queries])
    whole, model, rest = (median(times) for times in (found.whole, found.model, found.rest))
    yield told("remember over MCP, 10,000 notes: median", whole * 1000, " ms")
    yield told("  95th percentile", quantiles(found.whole, n=20)[-1] * 1000, " ms")
    note = _of(rest, model)
    yield at_most("  without the model, against the query's embedding", rest / model, 1, "x", note)


def _of(one: float, other: float) -> str:
    return f"{one * 1000:.2f} and {other * 1000:.2f} ms"


# 6


REST = (1000, 20_000)
"""Notes in the scope that is not asked about."""


def grown(folder: Path, times: int = 100) -> Iterator[Row]:
    """Ask about one scope of 500 notes while the rest of the vault grows."""
    roots, queries = [folder / f"vault-{rest}" for rest in REST], short_notes.queries(times)
    for root, rest in zip(roots, REST, strict=True):
        short_notes.vault(root, {HERE: 500, THERE: rest})
        model, _ = in_child(short_notes.indexed, str(root))
    less, more = _asked_by_turns(roots, queries)
    name = f"a scope of 500 notes, the rest {REST[0]:,} or {REST[1]:,}: remember"
    small, large = median(less.whole), median(more.whole)
    yield at_most(name, large / small, 1.3, "x", _of(large, small))
    small, large = median(less.rest), median(more.rest)
    yield told("  without the model", large / small, "x", _of(large, small))
    weights = [in_child(weight, str(root), model, queries) for root in roots]
    each = (weights[1] - weights[0]) / (REST[1] - REST[0]) * 10_000
    note = " and ".join(f"{value:.0f}" for value in weights)
    yield at_most("memory for 10,000 notes beside the model", each, 60, " MB", note)


def _asked_by_turns(roots: Sequence[Path], queries: Sequence[str]) -> tuple[Timings, Timings]:
    """Ask servers of two vaults the same questions of one scope, by turns."""
    files = [root.with_suffix(".seconds") for root in roots]
    with Asked(roots[0], files[0]) as small, Asked(roots[1], files[1]) as large:
        for server in (small, large):
            server.settled(queries, scope=HERE)
        taken = [[s.timed(query, scope=HERE) for s in (small, large)] for query in queries]
        less, more = zip(*taken, strict=True)
        return small.timings(less), large.timings(more)


def weight(root: str, model: str, queries: list[str]) -> float:
    """Return the memory of a process that has opened a vault and answered, without a model."""
    from vaultmem.memory import Memory, Question

    memory = Memory.open(root, model=short_notes.Drawn(model))
    assert sum(len(memory.remember(Question(query)).hits) for query in queries) > len(queries)
    found = pss(os.getpid())
    memory.close()
    return found


# 7


PATIENCE = 20.0
"""Seconds after which a change counts as not found at all."""


def changed_note(folder: Path, times: int = 20) -> Iterator[Row]:
    """Change one note of 10,000, and ask until both legs find what it says now."""
    found = in_child(changed_and_found, str(ten_thousand(folder)), times)
    note = f"{min(found):.2f} to {max(found):.2f}"
    name = f"a changed note of 10,000, found by both legs, median of {len(found)}"
    yield at_most(name, median(found), 1, " s", note)


def changed_and_found(root: str, times: int) -> list[float]:
    """Return the seconds from each change of a note until both legs find it, a watcher beside."""
    from vaultmem.memory import Memory, Question

    memory = Memory.open(root)
    memory.keep_fresh()
    memory.remember(Question("refund queue"))  # opens the model
    time.sleep(5)
    paths = sorted((Path(root) / "memory" / HERE).glob("note-*.md"))[:: 5000 // times]
    facts = corpus.facts(times, seed=int(time.time()))  # others than in a run before
    found = []
    for path, (_, fact) in zip(paths, facts, strict=False):
        path.write_text(f"{_head(path)}{fact}\n", encoding="utf-8")
        found.append(_seconds_until_found(memory, path.relative_to(root).as_posix(), fact))
        time.sleep(1.5)
    memory.close()
    return found


def _head(path: Path) -> str:
    """Return the properties of a note as they stand."""
    _, properties, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    return f"---\n{properties}---\n"


def _seconds_until_found(memory: Memory, path: str, fact: str) -> float:
    """Return the seconds until a note is first of all by its words, and by their meaning."""
    from vaultmem.memory import Question

    question = Question(fact, limit=20, budget_tokens=20_000, explain=True)
    start = time.perf_counter()
    while time.perf_counter() - start < PATIENCE:
        why = next((dict(h.why) for h in memory.remember(question).hits if h.path == path), {})
        if why.get("keyword_rank") == 1 and why.get("vector_rank") == 1:
            break
        time.sleep(0.01)
    return time.perf_counter() - start


# 8


def indexing(folder: Path, notes: int = 2000) -> Iterator[Row]:
    """Index notes with the recompiled model and with the plain one, beside fastembed alone."""
    new_vault(folder / "fast", notes)
    new_vault(folder / "plain", notes)
    total, inside, texts, _ = in_child(indexed, str(folder / "fast"))
    alone = in_child(embedded_alone, texts)
    slow, _, _, _ = in_child(indexed_without_onnx, str(folder / "plain"), str(folder / "state"))
    name = f"index {notes:,} notes, {len(texts):,} passages"
    yield at_most(f"{name}: a note, outside the model", (total - inside) / notes * 1e3, 3, " ms")
    note = f"{len(texts) / total:.0f} and {len(texts) / alone:.0f} passages/s"
    yield at_least("  with onnx, faster than fastembed's embed", alone / total, 1.5, "x", note)
    note = f"{len(texts) / slow:.0f} passages/s"
    yield at_most("  without onnx, slower than fastembed's embed", slow / alone, 1.25, "x", note)
    yield from _model_alone(texts)


def embedded_alone(texts: list[str]) -> float:
    """Return the seconds in which fastembed embeds passages with the model as it comes.

    They come in the order in which the product sends them, so that its sorting by length, which
    saves padding, is no part of the difference.
    """
    from vaultmem.sidecar.local import BATCH, LONGEST, length
    from vaultmem.sidecar.meaning import AT_ONCE

    model = plain_model()
    cut = [text[:LONGEST] for text in texts]
    groups = (cut[i : i + AT_ONCE] for i in range(0, len(cut), AT_ONCE))
    sent = [t for group in groups for t in sorted(group, key=lambda text: length(model, text))]
    return timed(lambda: list(model.embed(sent, batch_size=BATCH)))


def indexed_without_onnx(root: str, state: str) -> tuple[float, float, list[str], float]:
    """Index a vault as where the package `onnx` is not installed."""
    from vaultmem.sidecar.embedder import NAME

    os.environ["VAULTMEM_STATE_DIR"] = state  # where no recompiled model lies
    sys.modules["onnx"] = None  # type: ignore[assignment]
    assert real_model().name == NAME
    return indexed(root)


def _model_alone(texts: list[str]) -> Iterator[Row]:
    chosen, rates, cosines = in_child(model_alone, texts[:: max(1, len(texts) // 300)][:300])
    for threads, rate in rates.items():
        note = "chosen" if threads == chosen else f"{chosen or 'none'} chosen"
        yield told(f"  the model with {threads} threads", rate, " passages/s", note)
    name = f"  cosine of recompiled and plain, {len(cosines)} passages"
    yield Row(f"{name}: least", f"{min(cosines):.4f}")
    yield Row(f"{name}: mean", f"{sum(cosines) / len(cosines):.4f}")


def model_alone(texts: list[str]) -> tuple[int | None, dict[int, float], list[float]]:
    """Return the threads the product chose, passages a second by threads, and each cosine."""
    from vaultmem.sidecar.threads import Threads, cores

    model = real_model()
    chosen = Threads(Path(os.environ["VAULTMEM_STATE_DIR"]) / "models").known(model.name)
    some = sorted(texts[:100], key=len)
    rates = {}
    for threads in sorted({1, max(1, cores() // 2), cores()}):
        opened = model._files.load(threads)
        list(opened.embed(some[:8]))
        rates[threads] = len(some) / min(
            timed(lambda m=opened: list(m.embed(some, batch_size=32)))  # type: ignore[misc]
            for _ in range(2)
        )
    vectors = zip(model.passages(texts), plain_model().embed(texts, batch_size=32), strict=True)
    return chosen, rates, [float(one @ other) for one, other in vectors if one is not None]


# 9


COUNT = 30_000
NOISE = 0.05
"""Standard deviation of what is added to each number of a vector: about as long as the vector."""
NEAREST = 10


def graph(folder: Path, passages: int = 600) -> Iterator[Row]:
    """Search 30,000 vectors through the graph, beside exact search."""
    recall, wide, ours, exact, built = in_child(recalled, str(folder), passages)
    name = f"recall@{NEAREST} of the graph, {COUNT:,} vectors"
    note = f"{passages} passages of the model, repeated with noise of {NOISE} a number"
    yield at_least(name, recall * 100, 99, "%", note)
    yield told("  of the 200 that a question asks for", wide * 100, "%")
    yield told("  a search through the graph", ours * 1000, " ms", f"built in {built:.0f} s")
    yield told("  an exact search", exact * 1000, " ms")


def recalled(folder: str, passages: int) -> tuple[float, float, float, float, float]:
    """Return recall of 10 and of 200, the seconds of both searches, and those of the build."""
    from vaultmem.sidecar.vectors import VectorIndex
    from vaultmem.verbs.choosing import LEG

    vectors, questions = embedded_and_repeated(passages)
    rows = [(label, row.tobytes()) for label, row in enumerate(vectors.astype("float16"), 1)]
    whole, near = (VectorIndex(vectors.shape[1], exact_below=n) for n in (COUNT + 1, 0))
    for index in (whole, near):
        index.update([label for label, _ in rows], [rows])
    built = timed(lambda: near.adopt(near.write(Path(folder) / "graph.bin")))
    turns = [(index, cycle(questions)) for index in (near, whole)]
    ours, exact = interleaved(
        len(questions), *(lambda t=turn: t[0].search(next(t[1]), None, NEAREST) for turn in turns)
    )
    recalls = [_recall(near, whole, questions, limit) for limit in (NEAREST, 2 * LEG)]
    return recalls[0], recalls[1], ours, exact, built


def _recall(near: VectorIndex, whole: VectorIndex, questions: Sequence[Vectors], k: int) -> float:
    """Return the share of the true nearest that the graph gives."""
    found = 0
    for question in questions:
        true = {hit.label for hit in whole.search(question, None, k)}
        found += len(true & {hit.label for hit in near.search(question, None, k)})
    return found / len(questions) / k


def embedded_and_repeated(passages: int, asked: int = 200) -> tuple[Vectors, list[Vectors]]:
    """Return many vectors like those of real passages, and the real ones of some questions."""
    import numpy as np

    model = real_model()
    facts = list(corpus.facts(passages, seed=21))
    real = np.array(model.passages([f"{title}\n{content}" for title, content in facts]))
    repeated = np.tile(real, (COUNT // passages + 1, 1))[:COUNT]
    chance = np.random.default_rng(13)
    noisy = repeated + NOISE * chance.standard_normal(repeated.shape, np.float32)
    noisy /= np.linalg.norm(noisy, axis=1, keepdims=True)
    questions = [model.query(title) for title, _ in corpus.facts(asked, seed=22)]
    return noisy, [vector for vector in questions if vector is not None]


FIGURES = {5: searching, 6: grown, 7: changed_note, 8: indexing, 9: graph}
