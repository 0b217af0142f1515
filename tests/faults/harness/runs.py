"""Every run of the full matrix: each verb, each call, each fault, each way to die."""

from __future__ import annotations

import errno as errnos
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from .disk import ERRNOS
from .verbs import VERBS
from .world import World


@contextmanager
def scratch() -> Iterator[Path]:
    """Lend a folder, in memory where there is one, since a run writes a vault many times over."""
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-faults-", dir=where))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def every_run(world: World) -> Iterator[Callable[[], list[str]]]:
    """Yield every run of the full matrix for one verb: each call, each fault, each way to die."""
    for nth, call in enumerate(world.calls, 1):
        for code in ERRNOS:
            for forever in (False, True):
                yield lambda n=nth, c=code, f=forever: world.run(n, c, forever=f)
        yield lambda n=nth: world.run_killed(n)
        if call == "write":
            yield lambda n=nth: world.run(n, errnos.ENOSPC, short=True)
            yield lambda n=nth: world.run(n, errnos.ENOSPC, short=True, forever=True)
            yield lambda n=nth: world.run(n, errnos.ENOSPC, whole=True)
            yield lambda n=nth: world.run_killed(n, half=True)
    yield lambda: world.run(len(world.calls) + 1, errnos.EIO)


def matrix(name: str, part: int, parts: int) -> tuple[int, int]:
    """Return how many runs of one part of a verb's matrix were made, and how many broke a promise.

    Every `parts`-th run is made, the first being number `part`, so that all parts are the whole.
    """
    with scratch() as folder:
        chosen = islice(every_run(World(folder, VERBS[name])), part, None, parts)
        results = [run() for run in chosen]
    return len(results), sum(bool(wrong) for wrong in results)
