"""How many threads a model runs best with on this machine: measured once, then kept."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROUNDS = 2
"""Timed runs of each number of threads; the quickest counts, the others were disturbed."""


def cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows know no affinity
        return os.cpu_count() or 1


class Threads:
    """The best number of threads of each model, in one small file."""

    def __init__(
        self,
        folder: Path,
        count: Callable[[], int] = cores,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._file = folder / "threads.json"
        self._count = count
        self._clock = clock
        self._known: dict[str, int] = {}

    def known(self, model: str) -> int | None:
        """Return the number measured for a model on as many cores as there are now, else None."""
        key = f"{model} on {self._count()}"
        if key not in self._known:
            self._known |= self._kept()
        return self._known.get(key)

    def measure(self, model: str, prepared: Callable[[int], Callable[[], object]]) -> int:
        """Return the best number of threads, and keep it.

        Args:
            model: its name.
            prepared: gives, for a number of threads, what runs one small batch with it.
        """
        all_of_them = self._count()
        candidates = sorted({1, max(1, all_of_them // 2), all_of_them})
        best = candidates[0]
        if len(candidates) > 1:
            best = min(candidates, key=lambda threads: self._seconds(prepared(threads)))
        self._known[f"{model} on {all_of_them}"] = best
        self._keep()
        return best

    def _seconds(self, run: Callable[[], object]) -> float:
        run()  # the first run also allocates
        found = []
        for _ in range(ROUNDS):
            start = self._clock()
            run()
            found.append(self._clock() - start)
        return min(found)

    def _kept(self) -> dict[str, int]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(kept, dict):
            return {}
        return {k: v for k, v in kept.items() if type(v) is int and v > 0}

    def _keep(self) -> None:
        beside = self._file.with_name(f"{self._file.name}.{secrets.token_hex(4)}")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text(json.dumps(self._kept() | self._known), encoding="utf-8")
            beside.replace(self._file)
        except OSError:  # then it is measured again next time
            with suppress(OSError):
                beside.unlink()
