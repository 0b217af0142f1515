"""Measuring: times, medians, memory of a process, and the table that is printed."""

from __future__ import annotations

import functools
import inspect
import multiprocessing
import os
import shutil
import subprocess
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

Result = TypeVar("Result")
Figure = Callable[[Path], Iterable["Row"]]


class Missing(Exception):
    """What a figure needs is not there; the message says how to give it."""


_WIDTHS = (58, 34, 14)


@dataclass(frozen=True)
class Row:
    """One measured thing; `good` is None where there is no bar."""

    name: str
    value: str
    bar: str = ""
    good: bool | None = None

    def line(self, number: int) -> str:
        verdict = {True: "PASS", False: "FAIL", None: "-"}[self.good]
        return _line(f"{number:>2} {self.name}", self.value, self.bar, verdict)


def _line(*cells: str) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=False)]
    return "  ".join([*padded, cells[-1]])


HEADING = _line(" # figure", "measured", "bar", "")


def at_most(name: str, value: float, most: float, unit: str = "", note: str = "") -> Row:
    """Return the row of a number that must not be above a bar."""
    return Row(name, _told(value, unit, note), f"<= {most:g}{unit}", value <= most)


def at_least(name: str, value: float, least: float, unit: str = "", note: str = "") -> Row:
    """Return the row of a number that must not be below a bar."""
    return Row(name, _told(value, unit, note), f">= {least:g}{unit}", value >= least)


def none(name: str, count: int, note: str = "") -> Row:
    """Return the row of something that must not happen at all."""
    return Row(name, _told(count, "", note), "0", count == 0)


def all_of(name: str, count: int, wanted: int, note: str = "") -> Row:
    """Return the row of something that must happen every time."""
    return Row(name, _told(count, "", note), f"{wanted:,}", count == wanted)


def told(name: str, value: float, unit: str = "", note: str = "") -> Row:
    """Return the row of a number that has no bar."""
    return Row(name, _told(value, unit, note))


def _told(value: float, unit: str, note: str) -> str:
    number = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    return f"{number}{unit}" + (f" ({note})" if note else "")


def of_size(measured: Figure, **sizes: float | None) -> Figure:
    """Return a figure with other sizes, such as `notes`, those of them that it lets choose."""
    known = inspect.signature(measured).parameters
    chosen = {name: size for name, size in sizes.items() if size is not None and name in known}
    sized: Callable[..., Iterable[Row]] = measured
    return functools.partial(sized, **chosen) if chosen else measured


def figure(number: int, measured: Figure, folder: Path) -> Iterator[Row]:
    """Yield the rows of one figure, measured in an empty folder; an error is a failed row."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield from measured(folder)
    except Missing as error:
        yield Row(str(error), "", "", good=False)
    except Exception as error:
        traceback.print_exc()
        yield Row(f"figure {number} could not be measured", type(error).__name__, "", good=False)


def make_private(folder: Path) -> None:
    """Let nothing that is measured read or write the state or settings of who runs it."""
    ours = [name for name in os.environ if name.startswith("VAULTMEM_")]
    for name in ours:
        if name != "VAULTMEM_BENCH_DATA":
            del os.environ[name]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # who installs the product has it compiled
    os.environ["VAULTMEM_STATE_DIR"] = str(folder / "state")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    os.environ["HOME"] = str(folder)
    folder.mkdir(parents=True, exist_ok=True)


def timed(act: Callable[[], object]) -> float:
    """Return the seconds that an act takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def interleaved(count: int, *acts: Callable[[], object]) -> list[float]:
    """Return each act's median seconds of `count`, taken by turns so that all meet one load."""
    taken = [[timed(act) for act in acts] for _ in range(count)]
    return [median(column) for column in zip(*taken, strict=True)]


def program(arguments: Sequence[str], cwd: Path, allowed: Sequence[int] = (0,)) -> str:
    """Run a program to its end and return its output; another exit code than allowed raises."""
    done = subprocess.run(
        arguments, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode not in allowed:
        raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


@contextmanager
def _processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Give new processes that end with the block, at once where it ends by an exception."""
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown()


def in_child(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return what a function gives in a new process, so that its memory is its own."""
    with _processes(1) as pool:
        return pool.submit(function, *arguments).result()


def at_once(function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]) -> list[Result]:
    """Return what a function gives for each of some arguments, in as many processes at once."""
    with _processes(len(arguments)) as pool:
        futures = [pool.submit(function, *given) for given in arguments]
        return [future.result() for future in futures]


def spread(function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]) -> list[Result]:
    """Return what a function gives for each of some arguments, one process a core."""
    with _processes(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(function, *zip(*arguments, strict=True)))


def peak_memory() -> float:
    """Return the most memory this process ever had resident, in MB.

    Not `ru_maxrss`, which on Linux begins at what the parent had.
    """
    return _kilobytes(Path("/proc/self/status"), "VmHWM:") / 1000


def pss(pid: int) -> float:
    """Return the memory of a process in MB, what it shares counted by its share."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:") / 1000


def _kilobytes(path: Path, name: str) -> float:
    lines = path.read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(name))) * 1.024
