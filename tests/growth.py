"""How long some work takes of the thread's own time, so that growth can be told by ratio."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def seconds(work: Callable[[], object]) -> float:
    """Return the better of two runs, without the collector's share."""
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(2):
            begun = time.thread_time()
            work()
            best = min(best, time.thread_time() - begun)
    finally:
        gc.enable()
    return best
