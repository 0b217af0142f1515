"""Four writers that are killed at random, and what of that which they acknowledged is there."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, at_least, none, told
from benchmarks.vaults import fake_model, new_vault

WRITERS = 4
PRELOADED = (
    "benchmarks.soak.killing",
    "tests.conftest",
    "vaultmem.verbs.memorize",
    "vaultmem.verbs.tell",
    "vaultmem.sidecar.keyword",
    "filelock",
)
"""What each writer has imported when it begins, so that it lives long enough to write."""
Said = list[tuple[str, str, str]]
"""What a writer acknowledged: `log`, `note` or `edit`; a fingerprint or a path; a text."""


def written(root: str, name: str, journal: str) -> None:
    """Append to the log, memorize and edit until killed; each is noted once acknowledged."""
    from vaultmem.memory import Memory
    from vaultmem.words.errors import VaultmemError

    memory = Memory.open(root, agent=name, session=name, model=fake_model())
    file = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(*said: str) -> None:
        os.write(file, json.dumps(said).encode() + b"\n")

    for turn in range(1_000_000):
        try:
            _turn(memory, f"{name} fact {turn}", turn % 2 == 0, note)
        except VaultmemError as error:
            note("refused", "", str(error))


def _turn(memory: Any, title: str, edited: bool, note: Callable[[str, str, str], None]) -> None:
    """Tell the log, keep a note and change it, and say so after each."""
    from vaultmem.memory import Telling, Wish

    note("log", memory.tell(Telling("note", title)).entry.mark, title)
    text = f"{title} was found in a place that nobody knew of before."
    done = memory.memorize(Wish(title, text, allow_similar=True))
    note("note", done.path, text)
    if edited:
        text = f"{title} was looked at again and is said in other words."
        note("editing", done.path, text)
        memory.memorize(Wish(content=text, id=done.id, hash=done.hash, allow_similar=True))
        note("edit", done.path, text)


def _journals(folder: Path) -> Iterator[Said]:
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_bytes().split(b"\n")[:-1]  # what ends in no newline was not noted
        yield [tuple(json.loads(line)) for line in lines]


def killed(folder: Path, seconds: float = 60) -> Iterator[Row]:
    """Kill writers at random moments for a while, each followed by another; then count."""
    root, journals = folder / "killed", folder / "journals"
    new_vault(root)
    journals.mkdir()
    context: Any = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    dice, begun = random.Random(7), 0
    slots: list[Any] = [None] * WRITERS
    end = time.monotonic() + seconds
    kills = 0
    while time.monotonic() < end:
        for slot, process in enumerate(slots):
            if process is None:
                begun += 1
                given = (str(root), f"agent-{slot}-{begun}", str(journals / f"{begun}.jsonl"))
                slots[slot] = context.Process(target=written, args=given, daemon=True)
                slots[slot].start()
        time.sleep(dice.uniform(0.02, 0.3))
        slot = dice.randrange(WRITERS)
        alive = slots[slot].is_alive()
        slots[slot].kill()
        slots[slot].join()
        kills += alive
        slots[slot] = None
    for process in slots:
        if process is not None:
            process.kill()
            process.join()
    yield from _counted(root, list(_journals(journals)), kills, seconds)


def _counted(root: Path, journals: list[Said], kills: int, seconds: float) -> Iterator[Row]:
    from vaultmem.memory import Memory

    start = time.monotonic()
    memory = Memory.open(str(root), model=fake_model())
    memory.refresh()
    took = time.monotonic() - start
    marks = Counter(entry.mark for entry in memory.log.entries())
    logged = [mark for said in journals for kind, mark, _ in said if kind == "log"]
    lost = sum(marks[mark] != 1 for mark in logged)
    gone, kept = _notes_lost(root, journals)
    told_of = {(fault.file, fault.line) for fault in memory.verify_log()}
    torn = [
        (path, number)
        for path in memory.log.months()
        for number, line in enumerate(memory.log.lines(path), 1)
        if line.startswith("- ") and not any(line.endswith(f"^{mark}") for mark in marks)
    ]
    name = f"{WRITERS} writers for {seconds:g} s: killed at random"
    yield at_least(name, kills, 2.5 * seconds, note=f"{len(journals)} writers")
    yield none("  entries of the log acknowledged and lost or doubled", lost, f"{len(logged)} kept")
    yield none("  notes and edits acknowledged and lost", gone, f"{kept} kept")
    yield none(
        "  torn lines of the log that nobody tells of", len(set(torn) - told_of), str(len(torn))
    )
    unwell = [f"{f.path}: {f.what}" for f in memory.doctor().findings if not f.harmless]
    unwell = [said for said in unwell if not said.startswith("live-context/")]
    yield none("  anything else that the doctor finds", len(unwell), "; ".join(unwell[:2])[:200])
    refused = [why for said in journals for kind, _, why in said if kind == "refused"]
    yield told("  refused, with what to do", len(refused), note=refused[0][:100] if refused else "")
    yield told("  reading it all in again", took, " s")
    memory.close()


def _notes_lost(root: Path, journals: list[Said]) -> tuple[int, int]:
    """Return how many notes hold neither what was acknowledged last nor a later try, and all."""
    last: dict[str, list[str]] = {}
    for said in journals:
        for kind, path, text in said:
            if kind == "editing":
                last[path] = [*last[path][-1:], text]
            elif kind in ("note", "edit"):
                last[path] = [text]
    texts = {
        path: (root / path).read_text("utf-8") if (root / path).exists() else "" for path in last
    }
    return sum(not any(text in texts[path] for text in last[path]) for path in last), len(last)
