"""What `scripts/soak` tries for longer than the tests may: each promise, many times over."""

from __future__ import annotations

from benchmarks.measure import Figure
from benchmarks.soak.corpus import everything
from benchmarks.soak.damage import damaged
from benchmarks.soak.doctor import doctor
from benchmarks.soak.failures import failures
from benchmarks.soak.gates import gates
from benchmarks.soak.hostile_vault import used
from benchmarks.soak.many import many
from benchmarks.soak.moved import moved
from benchmarks.soak.poison import poison
from benchmarks.soak.saves import saves
from benchmarks.soak.storms import storms

FIGURES: dict[int, Figure] = {
    1: failures,
    2: many,
    3: damaged,
    4: everything,
    5: storms,
    6: gates,
    7: saves,
    8: used,
    9: moved,
    10: doctor,
    11: poison,
}
