"""What was written since somebody began to record: each path, and its bytes before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

Before = dict[str, bytes | None]
"""Path to bytes; None for a file that was not there."""

_record: ContextVar[tuple[Path, Before] | None] = ContextVar("record", default=None)


@contextmanager
def recording(root: Path) -> Iterator[Before]:
    """Lend a record that fills with what this task writes below a root."""
    before: Before = {}
    token = _record.set((root, before))
    try:
        yield before
    finally:
        _record.reset(token)


def is_recording() -> bool:
    """Return whether what this task writes is being recorded."""
    return _record.get() is not None


def about_to(root: Path, path: str) -> None:
    """Note that a file is about to be written, moved or removed."""
    record = _record.get()
    if record is None or record[0] != root or path in record[1]:
        return
    place = root / path
    try:
        record[1][path] = place.read_bytes() if place.is_file() else None
    except OSError:
        record[1][path] = None
