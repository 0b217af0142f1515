"""What `scripts/soak` tries for longer than the tests may: each promise, many times over."""

from __future__ import annotations

from benchmarks.measure import Figure
from benchmarks.soak import damage, failures, gates, hostile_vault, moved, poison, storms
from benchmarks.soak.corpus import everything
from benchmarks.soak.doctor import doctor
from benchmarks.soak.many import many
from benchmarks.soak.saves import saves

FIGURES: dict[int, Figure] = {
    1: failures.failures,
    3: damage.damaged,
    2: many,
    4: everything,
    5: storms.storms,
    7: saves,
    9: moved.moved,
    10: doctor,
    6: gates.gates,
    8: hostile_vault.used,
    11: poison.poison,
}
