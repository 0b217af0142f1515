"""Many that write, read and serve at once, each part in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.crowd import crowded
from benchmarks.measure import Row
from benchmarks.soak.editors import edited
from benchmarks.soak.storm import logged
from benchmarks.soak.together import together


def many(folder: Path, notes: int = 16_000, seconds: float = 30) -> Iterator[Row]:
    """Let many write one vault at once, while others read it: that many entries, notes and edits,
    and clients for so long.
    """
    for name, part in (
        ("log", lambda place: logged(place, notes)),
        ("notes", together),
        ("edits", lambda place: edited(place, notes // 32)),
        ("crowd", lambda place: crowded(place, seconds)),
    ):
        (folder / name).mkdir()
        yield from part(folder / name)
