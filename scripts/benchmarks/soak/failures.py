"""A disk that fails at the Nth call of every verb, and a process that dies there."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, at_least, none, spread
from benchmarks.soak.killing import killed

RUNS = 4000
"""Of all runs about so many are made, spread over all verbs, calls and faults."""
WHOLE = 65_000
"""About so many runs there are; with as many `notes` each is made."""


def _failed(verb: str, step: int) -> Counter[str]:
    harness = importlib.import_module("tests.faults.harness")
    found: Counter[str] = harness.matrix(verb, step)
    return found


def failures(folder: Path, notes: int = RUNS, seconds: float = 60) -> Iterator[Row]:
    """Let every disk call of every verb fail or kill, and count what that breaks.

    About `notes` runs are made; then writers are killed at random for some seconds.
    """
    verbs = sorted(importlib.import_module("tests.faults.harness").VERBS)
    step = max(1, WHOLE // notes)
    done = spread(_failed, [(verb, step) for verb in verbs])
    for verb, found in zip(verbs, done, strict=True):
        note = f"{found['failures']} failures, {found['kills']} kills"
        yield none(f"{verb}: promises broken", found["broken"], note)
    total = sum(done, Counter[str]())
    yield at_least(f"all {len(verbs)} verbs: calls that failed", total["failures"], 4000)
    yield at_least("  deaths at a call", total["kills"], 400)
    yield none("  a file torn, or files of different moments", total["torn"])
    yield none("  acknowledged and lost", total["lost"])
    yield none("  any other promise broken", total["other"])
    yield from killed(folder, seconds)
