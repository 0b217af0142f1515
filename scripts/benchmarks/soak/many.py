"""Many that write, read and serve at once, each part in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row
from benchmarks.soak.storm import logged


def many(folder: Path, notes: int = 16_000) -> Iterator[Row]:
    """Let many write one vault at once, while others read it."""
    yield from logged(folder, notes)
