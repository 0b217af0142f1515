"""Every run of the full matrix: each verb, each call, each fault, each way to die."""

from __future__ import annotations

import errno as errnos
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from .disk import ERRNOS
from .verbs import VERBS
from .world import World

Run = Callable[[], list[str]]


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


def every_failure(world: World) -> Iterator[Run]:
    """Yield every run in which a call of a verb fails: each call, each way to fail."""
    for nth, call in enumerate(world.calls, 1):
        for code in ERRNOS:
            for forever in (False, True):
                yield lambda n=nth, c=code, f=forever: world.run(n, c, forever=f)
        if call == "write":
            yield lambda n=nth: world.run(n, errnos.ENOSPC, short=True)
            yield lambda n=nth: world.run(n, errnos.ENOSPC, short=True, forever=True)
            yield lambda n=nth: world.run(n, errnos.ENOSPC, whole=True)
    yield lambda: world.run(len(world.calls) + 1, errnos.EIO)


def every_kill(world: World) -> Iterator[Run]:
    """Yield every run in which the process dies at a call of a verb, or in half of a write."""
    for nth, call in enumerate(world.calls, 1):
        yield lambda n=nth: world.run_killed(n)
        if call == "write":
            yield lambda n=nth: world.run_killed(n, half=True)


def matrix(name: str, step: int) -> Counter[str]:
    """Make every `step`-th run of a verb's matrix; count the runs and what they broke."""
    counts: Counter[str] = Counter()
    with scratch() as folder:
        world = World(folder, VERBS[name])
        first = sum(map(ord, name)) % step  # so that not all verbs leave out the same
        for kind, runs in (("failures", every_failure), ("kills", every_kill)):
            for run in islice(runs(world), first, None, step):
                counts[kind] += 1
                counts.update(_kinds(run()))
    return counts


def _kinds(wrong: list[str]) -> set[str]:
    """Return what kinds of promises were broken."""
    found = {"broken"} if wrong else set()
    for said in wrong:
        torn = "neither old nor new" in said or "moments" in said or "torn" in said
        found.add("torn" if torn else "lost" if "acknowledged" in said else "other")
    return found
