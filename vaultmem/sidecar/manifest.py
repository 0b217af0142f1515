"""What the sidecar knows: every file it has seen, its passages, and their vectors.

A SQLite file that may be deleted at any time. It is written last, so what it says has been
indexed has been.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from sys import intern

from vaultmem.sidecar.database import Damaged, Database, noted
from vaultmem.sidecar.packed import packed, unpacked
from vaultmem.vault.scan import Stat
from vaultmem.words.facts import Facts

SCHEMA = 6
NO_TEXT = hashlib.sha256(b"").hexdigest()

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, ctime_ns INTEGER,
  settled INTEGER,
  hash TEXT, facts TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunks (
  label INTEGER PRIMARY KEY, path TEXT, heading TEXT, first INTEGER, last INTEGER,
  scope TEXT, text_hash TEXT);
CREATE INDEX IF NOT EXISTS chunks_path ON chunks (path);
CREATE INDEX IF NOT EXISTS chunks_text ON chunks (text_hash);
CREATE TABLE IF NOT EXISTS embeddings (
  text_hash TEXT, model TEXT, vector BLOB, day INTEGER, PRIMARY KEY (text_hash, model))
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pending (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a note: what is searched."""

    label: int
    path: str
    heading: str
    first: int
    last: int
    scope: str | None
    """Scope of a live-log entry; None means the note's own."""
    text_hash: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """One file as it was indexed."""

    stat: Stat
    settled: bool
    """False if it was so young that the same times may hide another text."""
    hash: str


@dataclass(frozen=True)
class Read:
    """One file as it is to be indexed."""

    stat: Stat
    settled: bool
    facts: Facts
    chunks: tuple[Chunk, ...]
    kept: int = 0
    """How many of the first passages are indexed already, with these labels."""


class Manifest(Database):
    """What has been indexed, in one SQLite file; each method is one transaction."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _TABLES)

    @property
    def generation(self) -> int:
        """Counts the changes of files and passages; readers look at it before each query."""
        return self._number("generation", 0)

    @property
    def vector_state(self) -> tuple[int, int]:
        """Moves with every change of the passages that have vectors."""
        return self.generation, self._number("embedded", 0)

    def _number(self, name: str, default: int) -> int:
        try:
            return int(self.meta(name, str(default)))
        except ValueError as error:
            raise Damaged(error) from error

    def files(self) -> dict[str, Indexed]:
        """Return every file indexed."""
        rows = self._rows("SELECT path, size, mtime_ns, inode, ctime_ns, settled, hash FROM files")
        return {
            intern(path): Indexed(Stat(*stat), bool(settled), intern(text_hash))
            for path, *stat, settled, text_hash in rows
        }

    def pending(self) -> set[str]:
        """Return the paths that a refresh was about to index when it ended early."""
        return {row[0] for row in self._rows("SELECT path FROM pending")}

    def facts(self) -> dict[str, Facts]:
        """Return the facts of every file."""
        rows = self._rows("SELECT facts FROM files ORDER BY path")
        return {facts.path: facts for (text,) in rows for facts in [unpacked(text)]}

    def chunks(self) -> list[Chunk]:
        """Return every passage, by label."""
        sql = "SELECT label, path, heading, first, last, scope, text_hash FROM chunks"
        rows = self._rows(f"{sql} ORDER BY label")
        return [Chunk(row[0], intern(row[1]), intern(row[2]), *row[3:]) for row in rows]

    def moment(self) -> tuple[int, dict[str, Facts], list[Chunk]]:
        """Return generation, facts and passages as they stood together."""
        with self._lock, self._said():
            self._db.execute("BEGIN")
            try:
                return self.generation, self.facts(), self.chunks()
            finally:
                self._db.rollback()

    def chunks_of(self, path: str) -> list[Chunk]:
        """Return the passages of one file, in its order."""
        sql = "SELECT label, path, heading, first, last, scope, text_hash FROM chunks"
        return [Chunk(*row) for row in self._rows(f"{sql} WHERE path = ? ORDER BY label", path)]

    def any_chunks(self, paths: Iterable[str]) -> bool:
        """Return whether any of some files has a passage."""
        sql = "SELECT 1 FROM chunks WHERE path = ? LIMIT 1"
        return any(self._rows(sql, path) for path in paths)

    def next_label(self) -> int:
        """Return a label that no passage was ever given, nor any above it."""
        return self._number("label", 1)

    def announce(self, paths: Iterable[str], label: int, keyword: str) -> None:
        """Write down what is about to be indexed, so that a crash cannot hide it.

        No label below `label` is given again. `keyword` is the keyword index as it stands now.
        """
        with self._write() as db:
            db.executemany("INSERT OR IGNORE INTO pending VALUES (?)", [(p,) for p in paths])
            noted(db, label=str(label), keyword=keyword)

    def apply(self, gone: Iterable[str], read: Iterable[Read], keyword: str) -> None:
        """Replace what is known of some files, forget others, and end what was announced."""
        with self._write() as db:
            for path in gone:
                for table in ("files", "chunks", "pending"):
                    db.execute(f"DELETE FROM {table} WHERE path = ?", (path,))  # noqa: S608
            for item in read:
                _put(db, item)
            noted(db, keyword=keyword)
            _grown(db)

    def restat(self, seen: dict[str, tuple[Stat, bool]]) -> None:
        """Note new times of files whose text is the same."""
        with self._write() as db:
            db.executemany(
                "UPDATE files SET size = ?, mtime_ns = ?, inode = ?, ctime_ns = ?, settled = ? "
                "WHERE path = ?",
                [(*stat, ok, path) for path, (stat, ok) in seen.items()],
            )

    def missing(self, model: str, dimension: int = 0) -> list[Chunk]:
        """Return the passages that a model has not embedded, or not so long, by path."""
        sql = (
            "SELECT label, path, heading, first, last, scope, c.text_hash FROM chunks c "
            "LEFT JOIN embeddings e ON e.text_hash = c.text_hash AND e.model = ?1 "
            "AND (?2 = 0 OR e.vector IS NULL OR length(e.vector) = ?2) "
            "WHERE e.text_hash IS NULL ORDER BY path, label"
        )
        return [Chunk(*row) for row in self._rows(sql, model, 2 * dimension)]

    def embed(self, model: str, vectors: dict[str, bytes | None], day: int) -> None:
        """Store float16 vectors by text hash; None marks a text the model cannot read."""
        with self._write() as db:
            db.executemany(
                "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)",
                [(text, model, vector, day) for text, vector in vectors.items()],
            )
            _grown(db, "embedded")

    def labels(self) -> list[int]:
        """Return the label of every passage, in order."""
        return [row[0] for row in self._rows("SELECT label FROM chunks ORDER BY label")]

    def vectors(self, model: str, labels: Sequence[int]) -> list[tuple[int, bytes | None]]:
        """Return label and float16 vector of those of some passages that are embedded, by label.

        It is None where the model cannot read the text.
        """
        sql = (
            "SELECT c.label, e.vector FROM chunks c JOIN embeddings e "
            "ON e.text_hash = c.text_hash AND e.model = ? "
            "WHERE c.label IN (SELECT value FROM json_each(?)) ORDER BY c.label"
        )
        return self._rows(sql, model, json.dumps(list(labels)))

    def unembed(self, model: str, labels: Sequence[int]) -> None:
        """Forget the vectors of the texts of some passages."""
        texts = "SELECT text_hash FROM chunks WHERE label IN (SELECT value FROM json_each(?))"
        sql = f"DELETE FROM embeddings WHERE model = ? AND text_hash IN ({texts})"  # noqa: S608
        with self._write() as db:
            db.execute(sql, (model, json.dumps(list(labels))))
            _grown(db, "embedded")

    def embedded(self, model: str) -> dict[str, bytes | None]:
        """Return the vector of every text that some passage has, None for an unreadable one."""
        sql = (
            "SELECT text_hash, vector FROM embeddings WHERE model = ? "
            "AND text_hash IN (SELECT text_hash FROM chunks)"
        )
        return dict(self._rows(sql, model))

    def unreadable(self, model: str) -> int:
        """Return how many notes have a passage that a model cannot read; no text is none."""
        sql = (
            "SELECT count(DISTINCT c.path) FROM chunks c JOIN embeddings e "
            "ON e.text_hash = c.text_hash AND e.model = ? "
            "WHERE e.vector IS NULL AND c.text_hash <> ?"
        )
        return int(self._rows(sql, model, NO_TEXT)[0][0])

    def sweep(self, today: int, keep: int = 30) -> None:
        """Drop embeddings that nothing has referenced for `keep` days."""
        with self._write() as db:
            db.execute(
                "UPDATE embeddings SET day = ? WHERE text_hash IN (SELECT text_hash FROM chunks)",
                (today,),
            )
            db.execute("DELETE FROM embeddings WHERE day < ?", (today - keep,))

    def purge(self) -> None:
        """Drop every embedding that nothing references, and the bytes of all that was dropped."""
        with self._write() as db:
            db.execute(
                "DELETE FROM embeddings WHERE text_hash NOT IN (SELECT text_hash FROM chunks)"
            )
        with self._lock, self._said():
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def clear(self) -> None:
        """Forget every file and passage; embeddings stay: they are costly, and keyed by text."""
        with self._write() as db:
            for table in ("files", "chunks", "pending"):
                db.execute(f"DELETE FROM {table}")  # noqa: S608
            noted(db, keyword="")
            _grown(db)


def _put(db: sqlite3.Connection, item: Read) -> None:
    stat, facts = item.stat, item.facts
    db.execute("DELETE FROM pending WHERE path = ?", (facts.path,))
    if not item.kept:
        db.execute("DELETE FROM chunks WHERE path = ?", (facts.path,))
    db.execute(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (facts.path, *stat, item.settled, facts.hash, packed(facts)),
    )
    db.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
        [astuple(chunk) for chunk in item.chunks[item.kept :]],
    )


def _grown(db: sqlite3.Connection, name: str = "generation") -> None:
    db.execute("INSERT OR IGNORE INTO meta VALUES (?, '0')", (name,))
    db.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE name = ?", (name,))
