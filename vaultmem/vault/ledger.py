"""The small durable state that is not in notes: entries seen, what each note was used, bindings.

What each session has heard is kept in the same file: see `readers`; so are tokens: see `tokens`.

It lies in the person's state folder and is shared by all copies of a vault on this machine.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from vaultmem.vault.transactions import Transactions
from vaultmem.words.entry import token
from vaultmem.words.errors import DiskFailed
from vaultmem.words.life import HOUR, Use

State = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Time, size and inode of the file, and of the log of changes beside it."""
SETTLED_NS = 1_000_000_000
"""A file that was changed this lately may change again without a newer time."""

TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS bindings (folder TEXT PRIMARY KEY, scope TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS entries (mark TEXT PRIMARY KEY, file TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS writers (mark TEXT PRIMARY KEY, agent TEXT, session TEXT)
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
  agent TEXT, session TEXT, base INTEGER NOT NULL, PRIMARY KEY (agent, session)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS heard (
  change INTEGER PRIMARY KEY, agent TEXT, session TEXT, mark TEXT, UNIQUE (agent, session, mark)
);
CREATE TABLE IF NOT EXISTS trash (path TEXT PRIMARY KEY, origin TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS graves (mark TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tokens (
  agent TEXT PRIMARY KEY, hash BLOB NOT NULL, reads TEXT NOT NULL, writes TEXT NOT NULL,
  own INTEGER NOT NULL, made REAL NOT NULL, days INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (name TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS uses (
  change INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL, last REAL NOT NULL
);
"""
_NEVER = Use()
_COUNT = """
INSERT INTO uses (name, count, last) VALUES (?, 1, ?) ON CONFLICT (name) DO UPDATE
SET change = (SELECT max(change) + 1 FROM uses), count = count + 1, last = excluded.last
WHERE abs(excluded.last - last) >= ?
"""
_FOLLOW = """
UPDATE OR IGNORE uses SET change = (SELECT max(change) + 1 FROM uses), name = ? WHERE name = ?
"""


class Ledger:
    """A SQLite file; each method is one transaction, safe between processes and threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = Transactions(path, TABLES)
        self._uses: dict[str, Use] = {}
        self._newest: tuple[int, str, int, float] = (0, "", 0, 0.0)
        """The last change of `uses` that is in `_uses`, as the table holds it."""
        self._uses_of: State | None = None
        """The state of the file that `_uses` is of."""
        self._reading = threading.Lock()

    @property
    def made(self) -> int:
        """The file that is open, by its inode; another one is another ledger."""
        return self._file.made

    def opened(
        self, wait: float = 10, *, lasting: bool = True
    ) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a connection for one transaction; see `Transactions.opened`."""
        return self._file.opened(wait, lasting=lasting)

    def close(self) -> None:
        """Let go of the file; the next transaction opens it again."""
        self._file.close()

    def state(self) -> State | None:
        """Return what tells this state of the file from every other.

        It is None for one so young that the same times may hide a later change.
        """
        found = [(0, 0, 0), (0, 0, 0)]
        for place, end in enumerate(("", "-wal")):
            with suppress(FileNotFoundError):
                stat = os.stat(f"{self._path}{end}")  # noqa: PTH116  # half as slow
                found[place] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        old_enough = time.time_ns() - max(found)[0] > SETTLED_NS
        return (found[0], found[1]) if old_enough else None

    @property
    def machine(self) -> str:
        """The two letters that mark this machine's log entries; made once."""
        made = token(secrets.token_hex(16), 2)
        with self.opened() as db:
            row = db.execute("SELECT value FROM facts WHERE name = 'machine'").fetchone()
            if row:
                return str(row[0])
            db.execute("INSERT OR IGNORE INTO facts VALUES ('machine', ?)", (made,))
            row = db.execute("SELECT value FROM facts WHERE name = 'machine'").fetchone()
        return str(row[0])

    def fact(self, name: str) -> str:
        """Return what was noted under a name, empty if nothing was."""
        with self.opened() as db:
            row = db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def note(self, name: str, value: str) -> None:
        """Note a value under a name."""
        if value != self.fact(name):
            with self.opened() as db:
                db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def note_all(self, values: Mapping[str, str]) -> None:
        """Note some values by their names, in one transaction."""
        with self.opened() as db:
            db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", values.items())

    def noted(self, prefix: str) -> set[str]:
        """Return the names that begin in a certain way under which anything was noted."""
        with self.opened() as db:
            rows = db.execute("SELECT name FROM facts WHERE name GLOB ?", (f"{prefix}*",))
            return {str(row[0]) for row in rows}

    def due(self, name: str, now: datetime, every: timedelta) -> bool:
        """Note that something is done now, unless it was within a span; return whether it was not.

        A moment in the future, of a clock that went back, counts as none.
        """
        with self.opened() as db:
            db.execute("BEGIN IMMEDIATE")
            row = db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
            last = float(row[0]) if row else 0.0
            if 0 <= now.timestamp() - last < every.total_seconds():
                return False
            value = str(now.timestamp())
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
        return True

    def binding(self, folder: str) -> str | None:
        """Return the scope bound to a folder of this machine, None if there is none."""
        with self.opened() as db:
            row = db.execute("SELECT scope FROM bindings WHERE folder = ?", (folder,)).fetchone()
        return str(row[0]) if row else None

    def bindings(self) -> dict[str, str]:
        """Return all bindings: folder to scope."""
        with self.opened() as db:
            return dict(db.execute("SELECT folder, scope FROM bindings ORDER BY folder"))

    def bind(self, folder: str, scope: str) -> str:
        """Bind a folder to a scope and return the scope it got: `-2` is added to a taken one."""
        with self.opened() as db:
            db.execute("BEGIN IMMEDIATE")
            taken = {
                str(row[0])
                for row in db.execute("SELECT scope FROM bindings WHERE folder <> ?", (folder,))
            }
            free, number = scope, 1
            while free in taken:
                number += 1
                free = f"{scope}-{number}"
            db.execute("INSERT OR REPLACE INTO bindings VALUES (?, ?)", (folder, free))
        return free

    def unbind(self, folder: str) -> bool:
        """Take back a binding; return whether there was one."""
        with self.opened() as db:
            return db.execute("DELETE FROM bindings WHERE folder = ?", (folder,)).rowcount > 0

    def knows(self, mark: str) -> bool:
        """Return whether a fingerprint was seen before."""
        with self.opened() as db:
            row = db.execute("SELECT 1 FROM entries WHERE mark = ?", (mark,)).fetchone()
        return row is not None

    def recorded(self) -> dict[str, str]:
        """Return every fingerprint seen, with the file it was seen in."""
        with self.opened() as db:
            return dict(db.execute("SELECT mark, file FROM entries"))

    def trashed(self, path: str, origin: str) -> None:
        """Remember where a note in the trash came from."""
        with self.opened() as db:
            db.execute("INSERT OR REPLACE INTO trash VALUES (?, ?)", (path, origin))

    def untrashed(self, path: str) -> None:
        """Forget where a note in the trash came from: it is there no more."""
        with self.opened() as db:
            db.execute("DELETE FROM trash WHERE path = ?", (path,))

    def origin(self, path: str) -> str | None:
        """Return where a note in the trash came from, None if that is not known here."""
        with self.opened() as db:
            row = db.execute("SELECT origin FROM trash WHERE path = ?", (path,)).fetchone()
        return str(row[0]) if row else None

    def bury(self, marks: Iterable[str]) -> None:
        """Remember what was erased for good, by its marks."""
        with self.opened() as db:
            db.executemany("INSERT OR IGNORE INTO graves VALUES (?)", [(m,) for m in marks])

    def unbury(self, marks: Iterable[str]) -> None:
        """Forget that something was erased: it is wanted again."""
        with self.opened() as db:
            db.executemany("DELETE FROM graves WHERE mark = ?", [(mark,) for mark in marks])

    def graves(self) -> frozenset[str]:
        """Return the marks of all that was erased for good."""
        with self.opened() as db:
            return frozenset(str(row[0]) for row in db.execute("SELECT mark FROM graves"))

    def see(self, name: str) -> int:
        """Count that a note's statement was made once more; return how often it was by now."""
        with self.opened() as db:
            db.execute(
                "INSERT INTO seen VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = count + 1",
                (name,),
            )
            row = db.execute("SELECT count FROM seen WHERE name = ?", (name,)).fetchone()
        return int(row[0])

    def use(self, names: Iterable[str], moment: float) -> None:
        """Count one use of each note by its name, unless one was counted within the hour.

        All of it is one transaction, none where `uses` last saw that nothing is due, and right
        however many processes count at once. It waits a second at most, since an answer waits.
        """
        due = [name for name in names if self._uses.get(name, _NEVER).due(moment)]
        if due:
            with self.opened(wait=1, lasting=False) as db:
                db.executemany(_COUNT, [(name, moment, HOUR) for name in due])

    def uses(self) -> Mapping[str, Use]:
        """Return the uses of every note that has any, by its name.

        Only what changed since the last call is read; all of it where the file is another one.
        """
        with self._reading:
            state = self.state()
            if state is not None and state == self._uses_of:
                return self._uses
            with self.opened() as db:
                since = "SELECT * FROM uses WHERE change >= ? ORDER BY change"
                rows = db.execute(since, (self._newest[0],)).fetchall()
                if self._newest[0] and self._newest not in rows[:1]:
                    self._uses = {}
                    rows = db.execute(since, (0,)).fetchall()
            for _, name, count, last in rows:
                self._uses[name] = Use(count, last)
            self._newest = rows[-1] if rows else (0, "", 0, 0.0)
            self._uses_of = state
            return self._uses

    def moved(self, names: Mapping[str, str]) -> None:
        """Let what was counted of some notes follow them to other names, if those have nothing.

        A disk that refuses that costs the counts and nothing else.
        """
        with suppress(DiskFailed), self.opened(lasting=False) as db:
            db.execute("BEGIN IMMEDIATE")
            pairs = [(new, old) for old, new in names.items()]
            db.executemany("UPDATE OR IGNORE seen SET name = ? WHERE name = ?", pairs)
            db.executemany(_FOLLOW, pairs)
        for old in names:
            self._uses.pop(old, None)

    def unused(self, names: Iterable[str]) -> None:
        """Forget what was counted of some notes, and where they came from if they are in the
        trash: nothing of their names and paths stays in the file.
        """
        gone = [(name,) for name in names]
        with self.opened() as db:
            db.execute("PRAGMA secure_delete=ON")
            for table, column in (("uses", "name"), ("seen", "name"), ("trash", "path")):
                db.executemany(f"DELETE FROM {table} WHERE {column} = ?", gone)  # noqa: S608
        self._file.sweep()
        for (name,) in gone:
            self._uses.pop(name, None)
