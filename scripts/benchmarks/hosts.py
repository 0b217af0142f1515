"""The figures of hosts: servers that are shared, and what an agent gets on its program.

`--seconds N` changes how long the clients of figure 2 work.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import bound, connecting, crowd, hooks, importing, one_model, plugins
from benchmarks.measure import Row


def connected(folder: Path) -> Iterator[Row]:
    """Connect every host, and let a canned model work in those that take a plugin."""
    yield from connecting.connecting(folder / "connected")
    yield from plugins.plugged(folder / "plugged")


FIGURES = {
    1: bound.leaks,
    2: crowd.crowded,
    3: hooks.starting,
    4: one_model.together,
    5: connected,
    6: importing.imported,
}
