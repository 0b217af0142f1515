"""A SQLite file that may be damaged or deleted at any time: its errors are told apart."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from vaultmem.vault.transactions import connected
from vaultmem.words.errors import DiskFailed, VaultmemError

_DISK = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
    }
)
_TABLE = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+)")
_HARM = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Damaged(VaultmemError):
    """The file cannot be believed; whoever opens it throws it away and reads the notes anew."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"The search index was damaged ({error}) and is made anew. Ask again.")


class Database:
    """One SQLite file with a table of words about itself. Safe between threads and processes.

    Every method raises `Damaged` where the file is not whole, `DiskFailed` where the disk refuses.
    """

    def __init__(self, path: Path, tables: str) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._only_files()
        self._all_or_none(set(_TABLE.findall(tables)))
        with self._said():
            self._db = connected(path, f"PRAGMA synchronous=NORMAL;{tables}", wait=10)
        try:
            self._inode = path.stat().st_ino
        except BaseException:
            self._db.close()
            raise

    @property
    def there(self) -> bool:
        """Whether the file at its path is still the one that is open."""
        try:
            return os.stat(self._path).st_ino == self._inode  # noqa: PTH116  # half as slow
        except OSError:
            return False

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Tell what the disk refuses from what is damaged."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _DISK:
                raise DiskFailed(self._path, OSError(0, str(error))) from error
            if code in _HARM:
                self._removed()
            raise Damaged(error) from error
        except UnicodeDecodeError as error:  # of a message that quotes the damaged bytes
            self._removed()
            raise Damaged(error) from error

    def _only_files(self) -> None:
        """Remove it all where a part of it is no file but a link or a folder."""
        if any(path.is_symlink() or path.is_dir() for path in self._parts):
            self._removed()

    def _all_or_none(self, tables: set[str]) -> None:
        """Raise `Damaged` where only some of the tables are there: their rows are lost."""
        if not self._path.exists():
            return
        sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
        with self._said(), closing(sqlite3.connect(self._path, timeout=10)) as db:
            found = {str(row[0]) for row in db.execute(sql)} & tables
        if found and found != tables:
            self._removed()
            raise Damaged(ValueError(f"no table {min(tables - found)}"))

    @property
    def _parts(self) -> list[Path]:
        return [self._path.with_name(f"{self._path.name}{end}") for end in ("", "-wal", "-shm")]

    def _removed(self) -> None:
        """Remove the file, so that whoever opens it next makes it anew."""
        for path in self._parts:
            removed(path)

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._said(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        with self._lock, self._said():
            return self._db.execute(sql, values).fetchall()

    def meta(self, name: str, default: str = "") -> str:
        """Return a stored word about the file itself."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", name)
        return str(rows[0][0]) if rows else default

    def set_meta(self, **values: str) -> None:
        """Store words about the file itself."""
        with self._write() as db:
            noted(db, **values)


def removed(path: Path) -> None:
    """Remove what has a name, a file, a link or a folder; what cannot be removed stays."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def noted(db: sqlite3.Connection, **values: str) -> None:
    """Store words about the file itself, inside of a transaction."""
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
