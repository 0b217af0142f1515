"""The figures of hosts: servers that are shared, and what an agent gets on its program.

`--seconds N` changes how long the clients of figure 2 work.
"""

from __future__ import annotations

from benchmarks import bound, crowd, importing, one_model

FIGURES = {
    1: bound.leaks,
    2: crowd.crowded,
    4: one_model.together,
    6: importing.imported,
}
