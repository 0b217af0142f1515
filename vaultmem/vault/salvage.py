"""A SQLite file that is damaged: set aside as it is, and what can be read of it kept."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from vaultmem.words.errors import DiskFailed

_LOGS = ("-wal", "-shm")


def fault(path: Path) -> str:
    """Return what is wrong with a SQLite file, empty if nothing is or there is none."""
    if not path.exists():
        return ""
    try:
        with closing(sqlite3.connect(path, timeout=10)) as db:
            said = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError:
        return ""  # somebody else's turn, or the disk's refusal: no damage
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if said == "ok" else said


def salvaged(path: Path, tables: str) -> Path:
    """Put a whole file in the place of a damaged one and return where that lies now.

    Every row that can be read is kept. The caller holds the lock. If this ends anywhere, the
    damaged file is still in its place or the new one is.

    Raises:
        DiskFailed: the disk refused.
    """
    made, aside = path.with_name(f"{path.name}.new"), _free(path)
    try:
        for end in ("", *_LOGS):
            with suppress(FileNotFoundError):
                os.unlink(f"{made}{end}")  # noqa: PTH108  # what an earlier try left
        with closing(sqlite3.connect(made)) as new:
            new.executescript(tables)
            _copied(path, new)
        os.link(path, aside)
        for end in _LOGS:
            with suppress(FileNotFoundError):
                os.replace(f"{path}{end}", f"{aside}{end}")  # noqa: PTH105
        os.replace(made, path)  # noqa: PTH105
    except (OSError, sqlite3.Error) as error:
        said = error if isinstance(error, OSError) else OSError(0, str(error))
        raise DiskFailed(path, said) from error
    return aside


def set_aside(path: Path) -> Path:
    """Give what lies at a path another name beside it, and return that; raises `DiskFailed`."""
    aside = _free(path)
    try:
        os.replace(path, aside)  # noqa: PTH105
    except OSError as error:
        raise DiskFailed(path, error) from error
    return aside


def _free(path: Path) -> Path:
    number = 1
    while os.path.lexists(path.with_name(f"{path.name}.damaged-{number}")):
        number += 1
    return path.with_name(f"{path.name}.damaged-{number}")


def _copied(path: Path, new: sqlite3.Connection) -> None:
    """Copy what can be read of each table, from both of its ends."""
    names = [row[0] for row in new.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path, timeout=10)) as old:
        for name in names:
            columns = new.execute(f"PRAGMA table_info({name})").fetchall()
            keys = ", ".join(f"{column[1]} DESC" for column in columns if column[5])
            put = f"INSERT OR IGNORE INTO {name} VALUES ({','.join('?' * len(columns))})"  # noqa: S608
            for order in ("", f" ORDER BY {keys}"):
                with suppress(sqlite3.DatabaseError):  # a table of another shape
                    new.executemany(put, _rows(old, f"SELECT * FROM {name}{order}"))  # noqa: S608
    new.commit()


def _rows(old: sqlite3.Connection, sql: str) -> Iterator[tuple[object, ...]]:
    """Yield the rows up to the first that cannot be read."""
    with suppress(sqlite3.DatabaseError):
        yield from old.execute(sql)
