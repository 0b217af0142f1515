"""The figures of hosts: servers that are shared, and what each agent gets of them.

`--seconds N` changes how long the clients of figure 2 work.
"""

from __future__ import annotations

from benchmarks import bound, crowd

FIGURES = {
    1: bound.leaks,
    2: crowd.crowded,
}
