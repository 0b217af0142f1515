"""A vault with every damage: all are named, all that can be are mended, no text is lost.

Each damage is tried alone and all of them at once; then a repair of all of them is killed at one
call after another, and the next repair must finish it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest import mock

from benchmarks.measure import Row, all_of, at_least, none, told
from tests.conftest import Clock, FakeModel
from tests.damages import SEEDS, Files, Place, Seed, lost, named, prepared, sown
from tests.faults.harness import KILLED, Faulty, killed
from vaultmem.memory import Caller, Memory, init_vault, laid_ground
from vaultmem.vault import files, salvage
from vaultmem.vault import settings as settings_of
from vaultmem.verbs.damages.table import DAMAGES
from vaultmem.verbs.repairing import Repaired

SECONDS = 180.0
"""For how long repairs are killed, unless said otherwise."""


@dataclass
class Ward:
    """A vault and its state in a folder, which are put back to how they were before each try."""

    folder: Path
    place: Place = field(init=False)

    def __post_init__(self) -> None:
        root = init_vault(self.work / "vault").root
        with closing(opened(root)) as memory:
            prepared(memory)
            self.place = Place(root, memory.settings.state, memory.settings.sidecar)

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def keep(self, name: str) -> None:
        subprocess.run(["cp", "-a", self.work, self.folder / name], check=True)

    def back(self, name: str) -> None:
        shutil.rmtree(self.work)
        subprocess.run(["cp", "-a", self.folder / name, self.work], check=True)


@dataclass
class Tally:
    """What became of some damages."""

    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, place: Place, seeds: Sequence[Seed], before: Files, runs: list[Repaired]) -> None:
        first, second = runs
        left = first.report.findings
        for seed in seeds:
            mended = named(seed, first.mended)
            self.seen["named"] += mended or named(seed, left)
            if can_be_mended(seed):
                self.seen["mended"] += mended and not named(seed, left)
            if not (mended or named(seed, left)):
                self.wrong.append(f"not named: {seed.kind} at {seed.path}")
        self.seen["lost"] += len(list(lost(before, place.files())))
        self.seen["mended twice"] += len(second.mended)

    def rows(self, what: str, seeds: Sequence[Seed]) -> Iterator[Row]:
        mendable = sum(can_be_mended(seed) for seed in seeds)
        yield all_of(f"{what}: named", self.seen["named"], len(seeds), ", ".join(self.wrong[:1]))
        yield all_of(f"{what}: mended of what can be", self.seen["mended"], mendable)
        yield none(f"{what}: files in which a person's text was lost", self.seen["lost"])
        yield none(f"{what}: left for a second repair to mend", self.seen["mended twice"])


def can_be_mended(seed: Seed) -> bool:
    return DAMAGES[seed.kind].ours or seed.kind == "index"


def opened(root: Path) -> Memory:
    caller = Caller("scout", "chat", "s1", None, True)
    return Memory(settings_of.load(root, root), caller, Clock(), FakeModel())


def repaired(root: Path) -> Repaired:
    with mock.patch.object(salvage, "os", files.os):  # so that its calls are counted too
        laid = laid_ground(str(root))
        with closing(opened(root)) as memory:
            return memory.repair(laid)


def doctor(folder: Path, seconds: float = SECONDS) -> Iterator[Row]:
    with mock.patch.dict(os.environ, VAULTMEM_STATE_DIR=str(folder / "work/state")):
        ward = Ward(folder)
        ward.keep("used")
        yield at_least("kinds of damage that are seeded", len({seed.kind for seed in SEEDS}), 40)
        yield from _alone(ward)
        yield from _together(ward)
        yield from _killed(ward, seconds)


def _tried(ward: Ward, seeds: Sequence[Seed], tally: Tally) -> None:
    sown(ward.place, seeds)
    before = ward.place.files()
    root = ward.place.root
    tally.add(ward.place, seeds, before, [repaired(root), repaired(root)])


def _alone(ward: Ward) -> Iterator[Row]:
    tally = Tally()
    for seed in SEEDS:
        ward.back("used")
        _tried(ward, [seed], tally)
    yield from tally.rows("each alone", SEEDS)


def _together(ward: Ward) -> Iterator[Row]:
    tally = Tally()
    ward.back("used")
    _tried(ward, SEEDS, tally)
    yield from tally.rows("all at once", SEEDS)


def _killed(ward: Ward, seconds: float) -> Iterator[Row]:
    ward.back("used")
    sown(ward.place, SEEDS)
    before, root = ward.place.files(), ward.place.root
    ward.keep("sick")
    with Faulty() as watched:
        repaired(root)
    made = [(nth, call) for nth, call in enumerate(watched.calls, 1) if call != "open"]
    calls = [(nth, False) for nth, _ in made]
    calls += [(nth, True) for nth, call in made if call == "write"]
    Random(7).shuffle(calls)
    end, tried, unfinished, gone = time.monotonic() + seconds, 0, 0, 0
    for nth, half in calls:
        if time.monotonic() > end:
            break
        ward.back("sick")
        tried += killed(lambda: repaired(root), nth, half=half) == KILLED
        done = repaired(root)
        unfinished += any(finding.ours for finding in done.report.findings)
        gone += len(list(lost(before, ward.place.files())))
    note = f"of {len(calls):,} that write"
    yield told("repairs killed, each at another call", tried, note=note)
    yield none("killed repairs that the next one did not finish", unfinished)
    yield none("killed repairs: files in which a person's text was lost", gone)
