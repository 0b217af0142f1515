"""Many that write, read and serve at once, each part in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.crowd import crowded
from benchmarks.measure import Row
from benchmarks.soak.editors import edited
from benchmarks.soak.leaks import leaks
from benchmarks.soak.storm import logged
from benchmarks.soak.together import together


def many(folder: Path, notes: int = 16_000, seconds: float = 15) -> Iterator[Row]:
    """Let many write one vault at once while others read it, so many entries of the log and a
    share of that in edits of one note; then let a server be called, and left, for so long.
    """
    parts: dict[str, Callable[[Path], Iterable[Row]]] = {
        "log": partial(logged, notes=notes),
        "notes": together,
        "edits": partial(edited, rounds=max(notes // 64, 1)),
        "crowd": partial(crowded, seconds=seconds),
        "leaks": partial(leaks, seconds=seconds),
    }
    for name, part in parts.items():
        (folder / name).mkdir()
        yield from part(folder / name)
