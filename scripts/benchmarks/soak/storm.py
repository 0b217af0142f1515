"""Eight writers on one log, killed and started again, and readers beside them."""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

from benchmarks.measure import Row, at_least, at_once, in_child, none, told
from benchmarks.soak import writers
from benchmarks.soak.writers import Diary, Listened, said
from benchmarks.vaults import new_vault

WRITERS, READERS = 8, 2
KILLS, TORN = 7, (2, 5)
"""How often each writer is killed; which of these deaths fall into the middle of a line."""
LATEST = 0.03
"""Seconds after an acknowledgement within which a kill comes: anywhere in the next append."""


class Writer:
    """One writer through all its lives, seen from outside."""

    def __init__(self, root: Path, number: int, share: int) -> None:
        self.number, self.share = number, share
        self.diary = Diary(root.parent / f"writer-{number}.diary")
        self.deaths: list[int] = []
        self.failed = 0
        self._root, self._path = root, root.parent / f"writer-{number}.diary"
        self._process: BaseProcess | None = None
        self._chance = random.Random(number)
        self._doom = 0.0
        """When it is killed, 0 while that is not decided."""
        step = share / (KILLS + 1)
        self._at = [int(step * (life + self._chance.uniform(0.5, 1.5))) for life in range(KILLS)]

    @property
    def done(self) -> bool:
        return len(self.diary.acked) >= self.share and not self.alive

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def tend(self) -> None:
        """Start it where it is dead, and kill it where it is time to."""
        self.diary.look()
        life, now = len(self.deaths), time.monotonic()
        if not self.alive:
            self._buried()
            if len(self.diary.acked) < self.share:
                self._start()
        elif life < KILLS and life not in TORN and len(self.diary.acked) >= self._at[life]:
            self._doom = self._doom or now + self._chance.uniform(0, LATEST)
            if now >= self._doom and self._process:
                self._process.kill()

    def _buried(self) -> None:
        if self._process is not None and self._process.exitcode:
            self.deaths.append(self._process.exitcode)
            self.failed += self._process.exitcode != -9
        self._process, self._doom = None, 0.0

    def _start(self) -> None:
        life = len(self.deaths)
        torn = self._at[life] if life in TORN else 0
        given = (str(self._root), self.number, str(self._path), self.share, torn)
        self._process = _context().Process(target=writers.written, args=given, daemon=True)
        self._process.start()


def _context() -> multiprocessing.context.ForkServerContext:
    """Return a way to start processes that have the product imported already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["benchmarks.soak.writers", "vaultmem.memory", "vaultmem.verbs.tell"]
    )
    return context


def logged(folder: Path, notes: int = 16_000) -> Iterator[Row]:
    """Let eight processes append that many entries to one log, killed again and again."""
    root = folder / "vault"
    new_vault(root)
    crew = [Writer(root, number, notes // WRITERS) for number in range(WRITERS)]
    begun = time.monotonic()
    readers = _stormed(root, crew)
    spent = time.monotonic() - begun
    acked = sum(len(writer.diary.acked) for writer in crew)
    yield told(f"{WRITERS} processes append {acked:,} entries", spent, " s", "kills included")
    least = min(len(writer.deaths) for writer in crew)
    count = sum(len(writer.deaths) for writer in crew)
    yield at_least("  kills of each writer at least", least, 6, "", f"{count} in all")
    refused = [why for writer in crew for why in writer.diary.refused]
    failed = len(refused) + sum(writer.failed for writer in crew)
    yield none("  refused, or ended by an error", failed, refused[0] if refused else "")
    yield from in_child(_judged, root, [writer.number for writer in crew], readers)
    for synced in (True, False):
        begin, count = time.time() + 6, max(notes // (10 * WRITERS), 1)
        given = [(str(root), number, begin, count, synced) for number in range(WRITERS)]
        starts, ends = zip(*at_once(writers.hurried, given), strict=True)
        rate = count * WRITERS / (max(ends) - min(starts))
        yield told(f"  appends a second with{'' if synced else 'out'} fsync", rate)


def _stormed(root: Path, crew: list[Writer]) -> list[Listened]:
    """Run all writers to their ends, with readers beside; return what these met."""
    end, results = root.parent / "end", [root.parent / f"reader-{n}" for n in range(READERS)]
    diaries = [str(root.parent / f"writer-{writer.number}.diary") for writer in crew]
    reading = [
        _context().Process(
            daemon=True, target=writers.listened, args=(str(root), diaries, str(end), str(result))
        )
        for result in results
    ]
    try:
        for process in reading:
            process.start()
        while not all(writer.done for writer in crew):
            for writer in crew:
                writer.tend()
            time.sleep(0.003)
    finally:
        end.touch()
        for process in reading:
            process.join()
    return [Listened(**json.loads(result.read_text("utf-8"))) for result in results]


def _judged(root: Path, numbers: list[int], readers: list[Listened]) -> list[Row]:
    """Return what became of the log, against what was acknowledged and what readers met."""
    from vaultmem.memory import Memory

    diaries = {number: Diary(root.parent / f"writer-{number}.diary") for number in numbers}
    for diary in diaries.values():
        diary.look()
    memory = Memory.open(str(root))
    lines = [line for path in memory.log.months() for line in memory.log.lines(path)]
    faults = memory.verify_log()
    memory.refresh(embed=False)
    again = [line for path in memory.log.months() for line in memory.log.lines(path)]
    memory.close()
    return [
        *_kept(lines, diaries, root),
        *_torn(lines, [fault.line for fault in faults]),
        none(
            "  lines that a refresh moved or dropped",
            sum(a != b for a, b in zip(lines, again, strict=False)) + abs(len(lines) - len(again)),
        ),
        *_met(lines, readers),
    ]


def _kept(lines: list[str], diaries: dict[int, Diary], root: Path) -> Iterator[Row]:
    from vaultmem.words.entry import parse

    found = [entry for line in lines if (entry := parse(line)) and entry.genuine]
    there = {entry.mark: entry for entry in found}
    acked = [(number, one) for number, diary in diaries.items() for one in diary.acked]
    lost = sum(
        one.mark not in there
        or not there[one.mark].summary.startswith(said(number, one.turn).summary)
        for number, one in acked
    )
    yield none("  entries acknowledged and lost", lost, f"{len(acked):,} acknowledged")
    details = [
        (root / one.path, said(number, one.turn).detail) for number, one in acked if one.path
    ]
    gone = sum(not path.exists() or text not in path.read_text("utf-8") for path, text in details)
    yield none("  details acknowledged and lost", gone, f"{len(details):,} acknowledged")
    turns = [
        (int(words[0]), int(words[2][:-1])) for e in found if len(words := e.summary.split()) > 2
    ]
    doubled = sum(count - 1 for count in Counter(turns).values())
    yield none("  entries doubled", doubled, f"{len(found):,} in the log")
    order = {number: [turn for writer, turn in turns if writer == number] for number in diaries}
    yield none(
        "  writers whose order was not kept", sum(own != sorted(own) for own in order.values())
    )


def _torn(lines: list[str], told_of: list[int]) -> Iterator[Row]:
    """Yield whether each line that a death cut short stands alone and is reported."""
    from vaultmem.words.entry import parse

    torn = {
        number
        for number, line in enumerate(lines, 1)
        if line.startswith("-") and line != "---" and not ((entry := parse(line)) and entry.genuine)
    }
    yield at_least("  lines torn by a death", len(torn), WRITERS * len(TORN))
    glued = sum("**writer-" in lines[number - 1].split("**writer-", 1)[-1] for number in torn)
    yield none("  of them glued to another line", glued)
    yield none("  of them not reported, or others reported", len(torn ^ set(told_of)))


def _met(lines: list[str], readers: list[Listened]) -> Iterator[Row]:
    from vaultmem.words.entry import parse

    known = {entry.line() for line in lines if (entry := parse(line)) and not entry.signed}
    reads = sum(reader.reads for reader in readers)
    yield told(f"  looks of {len(readers)} readers meanwhile", reads)
    yield none("  looks that went backwards", sum(reader.backwards for reader in readers))
    yield none("  entries acknowledged before a look and not in it", sum(r.missed for r in readers))
    half = [line for reader in readers for line in reader.odd if line not in known]
    yield none("  half lines met that became whole", len(half), half[0][:60] if half else "")
