"""What `scripts/soak` tries for longer than the tests may: each promise, many times over."""

from __future__ import annotations

from benchmarks.measure import Figure
from benchmarks.soak.doctor import doctor

FIGURES: dict[int, Figure] = {
    10: doctor,
}
