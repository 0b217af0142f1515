"""The figures of hosts: servers that are shared, and what an agent gets on its program.

`--seconds N` changes how long the clients of figure 2 work.
"""

from __future__ import annotations

from benchmarks import bound, connecting, crowd, hooks, importing

FIGURES = {
    1: bound.leaks,
    2: crowd.crowded,
    3: hooks.starting,
    5: connecting.connecting,
    6: importing.imported,
}
