"""What each session of each agent has heard of the live log.

A session starts from what its agent had heard by then. What it wrote itself it has heard.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from vaultmem.vault.ledger import Ledger, State

Reader = tuple[str, str]
"""An agent, and one of its sessions."""

MOST_KNOWN = 100
"""Sessions of which one process keeps in memory what they heard; of others it is read again."""

_BEGUN = "SELECT base FROM sessions WHERE agent = ? AND session = ?"
_BEGIN = """
INSERT OR IGNORE INTO sessions SELECT ?, ?, coalesce(max(change), 0) FROM heard WHERE agent = ?
"""
_HEARD = """
SELECT change, mark FROM heard
WHERE change > ? AND +agent = ? AND (session = ? OR change <= ?) ORDER BY change
"""
_HEAR = "INSERT OR IGNORE INTO heard (agent, session, mark) VALUES (?, ?, ?)"


@dataclass
class _Known:
    """What is known in memory of one reader."""

    file: int = 0
    state: State | None = None
    base: int = 0
    last: int = 0
    marks: set[str] = field(default_factory=set)


class Readers:
    """The part of the ledger that is about sessions; safe between processes and threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[Reader, _Known] = {}
        self._guard = threading.Lock()

    def heard(self, reader: Reader) -> Set[str]:
        """Return the fingerprints that a session has heard; the first time, begin the session.

        Only what changed since the last call is read, nothing where the file is the same.
        """
        with self._guard:
            state = self._ledger.state()
            known = self._known.get(reader)
            if known is not None and state is not None and known.state == state:
                return known.marks
            with self._ledger.opened() as db:
                if known is None or known.file != self._ledger.made:
                    known = self._known[reader] = _Known(self._ledger.made, base=begun(db, reader))
                    while len(self._known) > MOST_KNOWN:
                        del self._known[next(iter(self._known))]
                rows = db.execute(_HEARD, (known.last, *reader, known.base)).fetchall()
            if rows:
                known.last = rows[-1][0]
                known.marks.update(str(mark) for _, mark in rows)
            known.state = state
            return known.marks

    def hear(self, reader: Reader, marks: Iterable[str]) -> None:
        """Remember that a session has heard some entries.

        A loss of power may take that back: then they are given once more.
        """
        with self._ledger.opened(lasting=False) as db:
            begun(db, reader)
            db.executemany(_HEAR, [(*reader, mark) for mark in marks])

    def wrote(self, reader: Reader, mark: str, file: str) -> None:
        """Remember the fingerprint of a new entry of the live log, and which session wrote it.

        A session without a name is none: it hears nothing.
        """
        with self._ledger.opened() as db:
            db.execute("INSERT OR IGNORE INTO entries VALUES (?, ?)", (mark, file))
            db.execute("INSERT OR IGNORE INTO writers VALUES (?, ?, ?)", (mark, *reader))
            if reader[1]:
                begun(db, reader)
                db.execute(_HEAR, (*reader, mark))

    def writers(self) -> dict[str, str]:
        """Return the agent that wrote each entry, by its fingerprint, where that is known here."""
        with self._ledger.opened() as db:
            return dict(db.execute("SELECT mark, agent FROM writers"))


def begun(db: sqlite3.Connection, reader: Reader) -> int:
    """Return up to which change a session knows what its agent had heard; begin a new one."""
    row = db.execute(_BEGUN, reader).fetchone()
    if row is None:
        db.execute(_BEGIN, (*reader, reader[0]))
        row = db.execute(_BEGUN, reader).fetchone()
    return int(row[0])
