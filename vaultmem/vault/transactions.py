"""One SQLite file that stays open, lent to one transaction at a time."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vaultmem.words.errors import DiskFailed, StateDamaged

_HARM = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_AGAIN = 0.005
"""Seconds until a file is opened again that others were making."""
_INHERITED: list[sqlite3.Connection] = []


class Transactions:
    """A SQLite file with its tables, made at the first need; safe between processes and threads.

    It stays open between two transactions: the last one to close a file writes its log of changes
    back and waits for the disk, which takes longer than most transactions do.
    """

    def __init__(self, path: Path, tables: str) -> None:
        self._path = path
        self._tables = tables
        self._open: sqlite3.Connection | None = None
        self._owner = 0
        """The process that opened it: a child of that process must open its own."""
        self._turn = threading.Lock()
        self.made = 0
        """The file that is open, by its inode."""

    @contextmanager
    def opened(self, wait: float = 10, *, lasting: bool = True) -> Iterator[sqlite3.Connection]:
        """Lend a connection for one transaction that waits so many seconds for another process.

        One that is not `lasting` survives the end of this process, but a loss of power may take
        it back.

        Raises:
            StateDamaged: the file is not whole. DiskFailed: SQLite or the disk refused.
        """
        with self._turn:
            try:
                connection = self._connected(wait)
                connection.execute(f"PRAGMA synchronous={'FULL' if lasting else 'NORMAL'}")
                with connection:
                    yield connection
            except UnicodeDecodeError as error:  # of a message that quotes the damaged bytes
                self.close()
                raise StateDamaged(self._path, error) from error
            except (sqlite3.Error, OSError) as error:
                self.close()
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _HARM:
                    raise StateDamaged(self._path, error) from error
                raise DiskFailed(self._path, OSError(0, str(error))) from error

    def sweep(self) -> None:
        """Leave nothing of what was deleted in the log of changes.

        Raises:
            DiskFailed: SQLite or the disk refused.
        """
        with self.opened() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of the file; the next transaction opens it again."""
        if self._open is not None:
            _close(self._open, self._owner)
        self._open, self.made = None, 0

    def _connected(self, wait: float) -> sqlite3.Connection:
        if self._open is None or not self._same():
            self.close()
            self._open = self._connect(wait)
        self._open.execute(f"PRAGMA busy_timeout={int(wait * 1000)}")
        return self._open

    def _same(self) -> bool:
        """Return whether the open file is still the one at its path, and of this process."""
        try:
            return self._owner == os.getpid() and self._path.stat().st_ino == self.made
        except FileNotFoundError:
            return False

    def _connect(self, wait: float) -> sqlite3.Connection:
        connection = connected(self._path, self._tables, wait)
        weakref.finalize(self, _close, connection, os.getpid())
        self._owner, self.made = os.getpid(), self._path.stat().st_ino
        return connection


def connected(path: Path, script: str, wait: float) -> sqlite3.Connection:
    """Return an open SQLite file on which a script has run.

    Where others make or close the file at this moment, SQLite fails at once; this waits.
    """
    end = time.monotonic() + wait
    while True:
        connection = sqlite3.connect(path, timeout=wait, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(script)
            return connection
        except sqlite3.Error as error:
            connection.close()
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > end:
                raise
        time.sleep(_AGAIN)


def _close(connection: sqlite3.Connection, owner: int) -> None:
    """Close a connection in the process that opened it; a child that inherited it never does, not
    even by letting go of it, since SQLite would take the file for its own.
    """
    if os.getpid() == owner:
        connection.close()
    else:
        _INHERITED.append(connection)
