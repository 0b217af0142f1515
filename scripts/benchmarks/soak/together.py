"""Eight processes that keep notes at once, and an index that must equal one built from scratch."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import corpus
from benchmarks.measure import Row, at_once, in_child, none, told
from benchmarks.vaults import fake_model, new_vault


class Kept(NamedTuple):
    """What a process kept: texts by path; what was refused; the slowest step in seconds."""

    notes: list[tuple[str, str]]
    refused: list[str]
    slowest: float


def kept(root: str, number: int, begin: float, notes: int) -> Kept:
    """Memorize, from a moment on that all processes know."""
    from vaultmem.memory import Memory, Wish
    from vaultmem.words.errors import VaultmemError

    agent = f"agent-{number}"
    memory = Memory.open(root, agent=agent, session=agent, model=fake_model())
    done = Kept([], [], 0.0)
    time.sleep(max(0.0, begin - time.time()))
    for title, content in corpus.facts(notes, seed=100 + number):
        start = time.perf_counter()
        try:
            receipt = memory.memorize(Wish(title=f"{title} of {agent}", content=content))
            done.notes.append((receipt.path, content))
        except VaultmemError as error:
            done.refused.append(str(error))
        done = done._replace(slowest=max(done.slowest, time.perf_counter() - start))
    memory.close()
    return done


def exported(root: str, state: str) -> Any:
    """Return all that the sidecar of a vault holds, with its state in a folder of its own."""
    os.environ["VAULTMEM_STATE_DIR"] = state
    from vaultmem.memory import Memory
    from vaultmem.sidecar.proof import export

    memory = Memory.open(root, model=fake_model())
    memory.refresh()
    parts = memory._parts
    found = export(parts.sidecar, parts.meaning)
    memory.close()
    return found


def announced(root: str) -> tuple[list[str], int]:
    """Return what the log says of memories, and how many faults its own proof finds."""
    from vaultmem.memory import Memory

    memory = Memory.open(root)
    said = [entry.summary for entry in memory.log.entries() if entry.kind == "memory"]
    faults = len(memory.verify_log())
    memory.close()
    return said, faults


def together(folder: Path, workers: int = 8, notes: int = 25) -> Iterator[Row]:
    """Keep notes from eight processes at once, then count."""
    root = folder / "vault"
    new_vault(root)
    begin = time.time() + 8
    done = at_once(kept, [(str(root), number, begin, notes) for number in range(workers)])
    slowest = max(one.slowest for one in done)
    name = f"{workers} processes keep {notes} notes each"
    yield told(name, time.time() - begin, " s", f"slowest step {slowest:.2f} s")
    refused = [why for one in done for why in one.refused]
    yield none("  refused", len(refused), refused[0] if refused else "")
    acked = [item for one in done for item in one.notes]
    doubled = len(acked) - len(dict(acked))
    lost = doubled + sum(text not in _text(root / path) for path, text in acked)
    yield none("  notes acknowledged and lost", lost, f"{len(acked)} acknowledged")
    said, faults = in_child(announced, str(root))
    wrong = abs(len(said) - len(acked)) + sum(count - 1 for count in Counter(said).values())
    yield none("  notes that the log tells of not once", wrong + faults)
    now = in_child(exported, str(root), os.environ["VAULTMEM_STATE_DIR"])
    fresh = in_child(exported, str(root), str(folder / "fresh-state"))
    value = f"{'yes' if now == fresh else 'no'} ({len(now['passages'])} passages)"
    yield Row("  sidecar equals one built from scratch", value, "yes", now == fresh)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
