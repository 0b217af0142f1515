"""The keyword index: BM25 over passages, kept by Whoosh in the state folder.

Whoosh unpickles its table of contents, so an index is only ever opened where we wrote it.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from whoosh.codec.whoosh3 import W3Codec
from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, ID, FieldType, Schema
from whoosh.formats import Existence

from vaultmem.sidecar.bm25 import Scorer
from vaultmem.sidecar.postings import FIELD, Segment
from vaultmem.sidecar.seams import Allowed, Scored
from vaultmem.sidecar.storage import Storage
from vaultmem.sidecar.tally import Tally

SETTLED_NS = 1_000_000_000
"""A folder that was changed this lately may change again without a newer time."""


class Doc(NamedTuple):
    """A passage as it is indexed: how often each term counts, by field weight."""

    label: int
    path: str
    terms: Counter[str]
    note: int
    """Label of the first passage of what counts as one hit: a note, or an entry of a log."""


class Words(FieldType):  # type: ignore[misc]
    """A field whose terms come counted: no analysis inside of Whoosh."""

    def __init__(self) -> None:
        self.format = Existence()
        self.scorable = True
        self.stored = False
        self.vector = None
        self.analyzer = None

    def index(self, value: Counter[str], **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Yield term, count, weight and no payload, as Whoosh's writer wants them."""
        for term, count in value.items():
            yield term.encode("utf-8"), count, float(count), b""

    def to_bytes(self, value: Any) -> bytes:
        """Return a term as it stands in the index."""
        return value if isinstance(value, bytes) else str(value).encode("utf-8")

    def from_bytes(self, data: bytes) -> str:
        """Return a term as text."""
        return data.decode("utf-8")


def _schema() -> Schema:
    label, note, length = (COLUMN(NumericColumn(kind)) for kind in "qqI")
    return Schema(path=ID(), label=label, note=note, length=length, words=Words())


class KeywordIndex:
    """One Whoosh index in one folder. Whatever is odd about its files raises; rebuild it then."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder = folder
        storage = Storage(folder)
        there = storage.index_exists()
        self._index = storage.open_index() if there else storage.create_index(_schema())
        self._reader: Any = None
        self._scorer = Scorer([])
        self._segments: dict[str, Segment] = {}
        self._generation = -2
        self._looked = 0
        """When the folder was changed last, as of the last look at its commits."""

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
        writer = self._writer()
        try:
            for path in paths:
                writer.delete_by_term("path", path)
            for doc in docs:
                length = sum(doc.terms.values())
                writer.add_document(
                    path=doc.path, label=doc.label, note=doc.note, length=length, words=doc.terms
                )
            writer.commit()
        except BaseException:
            _released(writer)
            raise

    def _writer(self) -> Any:
        """Return a writer that leaves out what takes time and is not read: each term's shortest
        and longest passage, and compression.
        """
        writer = self._index.writer(limitmb=256, codec=W3Codec(compression=0))
        writer.codec.length_stats = False
        return writer

    def purge(self) -> None:
        """Rewrite the index so that nothing of forgotten passages is left in its files."""
        writer = self._writer()
        try:
            writer.commit(optimize=True)
        except BaseException:
            _released(writer)
            raise

    def search(
        self, query: Sequence[str], allowed: Allowed | Collection[int] | None, limit: int
    ) -> list[Scored]:
        """Return the notes that hold any of some terms, each at its best passage, by BM25."""
        return self.tally(query, allowed).best(limit)

    def tally(
        self,
        query: Sequence[str],
        allowed: Allowed | Collection[int] | None,
        among: Allowed | Collection[int] | None = None,
    ) -> Tally:
        """Return what every note that is allowed scores for some terms.

        How telling a term is, is told from the passages it is asked `among`, those allowed if
        that is not said.
        """
        self._refreshed()
        chosen = Allowed.of(allowed)
        return self._scorer.tally(query, chosen, chosen if among is None else Allowed.of(among))

    def _refreshed(self) -> None:
        """Move to the newest commit; a reader that meets a commit half-way tries again.

        Nothing is looked for while the folder is as old as at the last look.
        """
        changed = self._folder.stat().st_mtime_ns
        if changed == self._looked:
            return
        self._looked = changed if time.time_ns() - changed > SETTLED_NS else 0
        latest = self._index.latest_generation()
        if latest == self._generation:
            return
        for attempt in range(4):
            try:
                reader = self._index.refresh().reader()
                leaves = [pair for pair in reader.leaf_readers() if pair[0].doc_count_all()]
                parts = [(self._segment(leaf), leaf) for leaf, _ in leaves]
                scorer = Scorer(parts)
                break
            except FileNotFoundError:
                if attempt == 3:
                    raise
        if self._reader is not None:
            self._reader.close()
        self._reader, self._scorer, self._generation = reader, scorer, latest
        names = {_name(leaf) for _, leaf in parts}
        self._segments = {n: s for n, s in self._segments.items() if n in names}

    def _segment(self, leaf: Any) -> Segment:
        """Return what is known of a segment; one that was seen before is not read again."""
        name = _name(leaf)
        if name not in self._segments:
            self._segments[name] = Segment(leaf)
        return self._segments[name]

    def labels(self) -> set[int]:
        """Return the label of every passage in the index."""
        self._refreshed()
        return self._scorer.labels()

    def holding(self, term: str) -> set[int]:
        """Return the labels of the passages that hold a term."""
        self._refreshed()
        return {label for label, _ in self._scorer.holding(term)}

    def postings(self) -> Iterator[tuple[str, list[tuple[int, float]]]]:
        """Yield every term with the labels and weights of the passages that hold it."""
        self._refreshed()
        for term in self._reader.field_terms(FIELD):
            rows = self._scorer.holding(term)
            if rows:
                yield term, rows

    def close(self) -> None:
        """Let go of the files."""
        if self._reader is not None:
            self._reader.close()
        self._index.close()


def _released(writer: Any) -> None:
    """Give up a writer that failed, so that its lock does not outlive it."""
    with suppress(Exception):
        writer.cancel()
    if writer.writelock and not writer.is_closed:
        writer.writelock.release()


def _name(leaf: Any) -> str:
    """Return what tells a segment from every other, now and later."""
    return str(leaf.segment().segment_id())
