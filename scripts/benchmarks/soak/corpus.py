"""Everything that is hostile: each file alone in a process with limits, and all at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks import knowledge
from benchmarks.measure import Row, at_least, at_most, none, told
from benchmarks.soak import asking, frames, growing

PATIENCE = 60.0
"""Seconds after which a process hangs."""
PROCESSOR = 40
"""Seconds of work after which the system ends it."""
MEMORY = 2 * 1024**3
PLAIN = b"---\ntitle: Plain\n---\nThe tuba is in the attic.\n"


class _Flat:
    """A model that takes no time, so that all the time that is measured is ours."""

    name = "flat"
    dimension = 8

    def passages(self, texts: Sequence[str]) -> list[Any]:
        return [self.query(text) for text in texts]

    def query(self, text: str) -> Any:
        import numpy as np

        return np.full(8, 8**-0.5, np.float32)


def opened(folder: Path) -> Any:
    """Return the memory of a new vault, whose state lies beside it."""
    from vaultmem.memory import Memory, init_vault

    root = init_vault(folder / "vault").root
    os.environ["VAULTMEM_STATE_DIR"] = str(folder / "state")
    return Memory.open(str(root), agent="scout", person=True, model=_Flat())


def tried(folder: Path, items: Sequence[Any]) -> dict[str, Any]:
    """Lay hostile things into a new vault; return what went wrong, and what it took."""
    from tests.hostile.trial import faults

    memory = opened(folder)
    root = memory.vault.root
    (root / "memory/global/plain.md").write_bytes(PLAIN)
    for item in items:
        item.lay(root)
    rss = _status("VmRSS:")
    begin = time.process_time()
    memory.refresh()
    refreshed = time.process_time() - begin
    wrong = faults(memory, items)
    taken = time.process_time() - begin
    memory.close()
    return {
        "name": items[0].path,
        "wrong": wrong,
        "refreshed": refreshed,
        "taken": taken,
        "grown": _status("VmHWM:") - rss,
    }


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(name))) * 1.024 / 1000


def _limited(folder: Path, items: Sequence[Any], out: Path) -> None:
    """Try something in this process, which is new and has limits, and write down what came."""
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))
    Path("/proc/self/clear_refs").write_text("5")  # forgets the most that the parent had
    out.write_text(json.dumps(tried(folder, items)), encoding="utf-8")


def each(folder: Path, trials: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield what came of each trial, made in forked processes, one a core at a time."""
    context = multiprocessing.get_context("fork")
    waiting = list(enumerate(trials))[::-1]
    running: list[tuple[BaseProcess, float, Path]] = []
    while waiting or running:
        while waiting and len(running) < len(os.sched_getaffinity(0)):
            number, items = waiting.pop()
            here = folder / str(number)
            here.mkdir(parents=True)
            process = context.Process(target=_limited, args=(here, items, here / "out.json"))
            process.start()
            running.append((process, time.monotonic() + PATIENCE, here))
        running[0][0].join(0.01)
        for found in [run for run in running if not run[0].is_alive() or time.monotonic() > run[1]]:
            running.remove(found)
            yield _ended(*found)


def _ended(process: BaseProcess, until: float, here: Path) -> dict[str, Any]:
    hung = process.is_alive()
    if hung:
        process.kill()
    process.join()
    out = here / "out.json"
    if process.exitcode == 0 and out.exists():
        result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    else:
        result = {"crashed": f"exit {process.exitcode}"}
    if hung or process.exitcode == -24:
        result["hung"] = True
    _emptied(here)
    return result


def _emptied(folder: Path) -> None:
    """Delete a folder, even one whose path is longer than a path may be."""
    shutil.rmtree(folder, ignore_errors=True)


def files(folder: Path) -> Iterator[Row]:
    """Yield the rows of the files of the corpus."""
    from tests.hostile.corpus import HOSTILE, ROWS, TOGETHER
    from tests.hostile.item import Hostile

    plain = Hostile("plain", "Notes/plain.md", PLAIN, word="tuba")
    trials = [[plain]] * 9 + [[item] for item in HOSTILE]
    tried(folder / "warm", [plain])  # so that no forked process has to import anything
    done = list(each(folder / "alone", trials))
    (together,) = each(folder / "together", [TOGETHER])
    everything = [*done, together]
    wrong = [what for result in everything for what in result.get("wrong", ())]
    for what in wrong[:20]:
        print("  ", what[:200])
    changed = [what for what in wrong if "changed" in what]
    yield at_least("hostile files, each alone and all at once", len(HOSTILE), 250)
    yield at_least("oddities they have", len(ROWS), 81)
    yield none("crashes", sum("crashed" in result for result in everything))
    yield none("hangs", sum("hung" in result for result in everything))
    yield none("files changed", len(changed))
    yield none("not named, not found, or wrongly edited", len(wrong) - len(changed))
    yield from _bounds(done, together)


def _bounds(done: Sequence[dict[str, Any]], together: dict[str, Any]) -> Iterator[Row]:
    whole = [result for result in done if "taken" in result]
    usual = sorted(result["refreshed"] for result in whole)[len(whole) // 2]
    longest, name = max((result["refreshed"], result["name"]) for result in whole)
    note = f"{name}; the median is {usual * 1000:.0f} ms"
    yield at_most("longest time to index one (of the processor)", longest, 2, " s", note)
    yield at_most("most memory one takes", max(result["grown"] for result in whole), 200, " MB")
    if "taken" in together:
        yield told("all at once, read in every way", together["taken"], " s")


def everything(folder: Path) -> Iterator[Row]:
    """Yield all that is hostile: files, documents, questions, messages, text that grows."""
    parts: tuple[Callable[[Path], Iterator[Row]], ...] = (
        files,
        knowledge.hostile,
        asking.rows,
        frames.rows,
        growing.rows,
    )
    for number, part in enumerate(parts):
        here = folder / str(number)
        here.mkdir()
        yield from part(here)
