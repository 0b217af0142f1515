"""The keyword index: BM25 over passages, kept by Whoosh in the state folder.

Whoosh unpickles its table of contents, so an index is only ever opened where we wrote it.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from whoosh import index as whoosh_index
from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, ID, FieldType, Schema
from whoosh.formats import Frequency
from whoosh.query import Or, Term
from whoosh.scoring import BM25F
from whoosh.system import pack_uint

from vaultmem.sidecar.seams import Scored

K1 = 1.2
B = 0.75


class Doc(NamedTuple):
    """A passage as it is indexed: how often each term counts, by field weight."""

    label: int
    path: str
    terms: Counter[str]


class Words(FieldType):  # type: ignore[misc]
    """A field whose terms come counted: no analysis inside of Whoosh."""

    def __init__(self) -> None:
        self.format = Frequency()
        self.scorable = True
        self.stored = False
        self.vector = None
        self.analyzer = None

    def index(self, value: Counter[str], **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Yield term, count, weight and encoded count, as Whoosh's writer wants them."""
        for term in sorted(value):
            count = value[term]
            yield term.encode("utf-8"), count, float(count), pack_uint(count)

    def to_bytes(self, value: Any) -> bytes:
        """Return a term as it stands in the index."""
        return value if isinstance(value, bytes) else str(value).encode("utf-8")

    def from_bytes(self, data: bytes) -> str:
        """Return a term as text."""
        return data.decode("utf-8")


def _schema() -> Schema:
    return Schema(path=ID(), label=COLUMN(NumericColumn("q")), words=Words())


class KeywordIndex:
    """One Whoosh index in one folder. Whatever is odd about its files raises; rebuild it then."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder = folder
        there = whoosh_index.exists_in(str(folder))
        make = whoosh_index.open_dir if there else whoosh_index.create_in
        self._index = make(str(folder)) if there else make(str(folder), _schema())
        self._searcher: Any = None
        self._labels: list[int] = []
        self._generation = -2

    @property
    def generation(self) -> int:
        """Counts the commits of the index on disk."""
        return int(self._index.latest_generation())

    @staticmethod
    def wipe(folder: Path) -> None:
        """Remove an index, whatever state it is in."""
        shutil.rmtree(folder, ignore_errors=True)

    def replace(self, paths: Iterable[str], docs: Iterable[Doc]) -> None:
        """Forget all passages of some paths, then add passages, in one commit."""
        writer = self._index.writer(limitmb=256)
        try:
            for path in paths:
                writer.delete_by_term("path", path)
            for doc in docs:
                writer.add_document(path=doc.path, label=doc.label, words=doc.terms)
            writer.commit()
        except BaseException:
            _released(writer)
            raise

    def purge(self) -> None:
        """Rewrite the index so that nothing of forgotten passages is left in its files."""
        writer = self._index.writer()
        try:
            writer.commit(optimize=True)
        except BaseException:
            _released(writer)
            raise

    def search(
        self, query: Sequence[str], allowed: Collection[int] | None, limit: int
    ) -> list[Scored]:
        """Return the passages that hold any of some terms, by BM25 (k1 1.2, b 0.75).

        Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009. Fields are merged
        before saturation: a term of the title counts as several of the body.
        """
        if not query or limit < 1 or (allowed is not None and not allowed):
            return []
        self._refreshed()
        counted = Counter(query)
        parts = [Term("words", term, boost=float(count)) for term, count in counted.items()]
        chosen = None if allowed is None else self._documents(allowed)
        if chosen is not None and not chosen:
            return []
        hits = self._best(Or(parts), chosen, limit)
        return sorted(hits, key=lambda hit: (-hit.score, hit.label))[:limit]

    def _best(self, query: Any, chosen: set[int] | None, limit: int) -> list[Scored]:
        """Return the best hits and all that are equal to the last of them, in Whoosh's order."""
        asked = limit
        while True:
            asked *= 2
            found = self._searcher.search(query, limit=asked, filter=chosen)
            hits = [Scored(self._labels[hit.docnum], float(hit.score)) for hit in found]
            if len(hits) < asked or hits[-1].score < hits[limit - 1].score:
                return hits

    def ceiling(self, query: Sequence[str]) -> float:
        """Return the highest score that a passage could reach for some terms."""
        self._refreshed()
        idf = self._searcher.idf
        return float(sum(idf("words", term) * (K1 + 1) for term in query))

    def _documents(self, allowed: Collection[int]) -> set[int]:
        chosen = allowed if isinstance(allowed, set | frozenset) else set(allowed)
        return {number for number, label in enumerate(self._labels) if label in chosen}

    def _refreshed(self) -> None:
        """Move to the newest commit; a reader that meets a commit half-way tries again."""
        latest = self._index.latest_generation()
        if latest == self._generation:
            return
        for attempt in range(4):
            try:
                searcher = self._index.refresh().searcher(weighting=BM25F(B=B, K1=K1))
                self._labels = _labels(searcher.reader())
                break
            except FileNotFoundError:
                if attempt == 3:
                    raise
        if self._searcher is not None:
            self._searcher.close()
        self._searcher, self._generation = searcher, latest

    def labels(self) -> set[int]:
        """Return the label of every passage in the index."""
        self._refreshed()
        reader = self._searcher.reader()
        return {self._labels[number] for number in reader.all_doc_ids()}

    def postings(self) -> Iterator[tuple[str, list[tuple[int, float]]]]:
        """Yield every term with the labels and weights of the passages that hold it."""
        self._refreshed()
        reader = self._searcher.reader()
        for term in reader.field_terms("words"):
            matcher = reader.postings("words", term)
            rows = []
            while matcher.is_active():
                if not reader.is_deleted(matcher.id()):
                    rows.append((self._labels[matcher.id()], matcher.weight()))
                matcher.next()
            if rows:
                yield term, sorted(rows)

    def close(self) -> None:
        """Let go of the files."""
        if self._searcher is not None:
            self._searcher.close()
        self._index.close()


def _released(writer: Any) -> None:
    """Give up a writer that failed, so that its lock does not outlive it."""
    with suppress(Exception):
        writer.cancel()
    if writer.writelock and not writer.is_closed:
        writer.writelock.release()


def _labels(reader: Any) -> list[int]:
    """Return the label of each document number, deleted ones too."""
    count = reader.doc_count_all()
    if not count:
        return []
    column = reader.column_reader("label")
    return [int(column[number]) for number in range(count)]
