"""Vaults that sleep: what it keeps, what it can be undone to, and how long it takes."""

from __future__ import annotations

import functools
import hashlib
import random
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import distinct, restated
from benchmarks.distinct import Kept
from benchmarks.measure import Row, at_most, none, timed, told
from benchmarks.vaults import real_model

if TYPE_CHECKING:
    from vaultmem.memory import Memory


@functools.cache
def model() -> Kept:
    """Return the bundled model, one for all figures."""
    return Kept(real_model())


def opened(root: Path) -> Memory:
    """Open a vault that nobody else changes, at the moment when all questions are asked."""
    from vaultmem.memory import Memory

    memory = Memory.open(str(root), agent="scout", clock=restated.clock, model=model())
    memory.refresh()
    memory._parts.sidecar.vouched = lambda: True
    return memory


def slept(memory: Memory, min_size: int = 3) -> None:
    """Let all scopes sleep."""
    from vaultmem.memory import SleepWish

    memory.sleep(SleepWish(min_size=min_size))
    memory.refresh()


def seconds_of_sleep(memory: Memory, min_size: int) -> float:
    """Let all scopes sleep; return the seconds that this takes beyond the embeddings."""
    before = model().seconds
    taken = timed(lambda: slept(memory, min_size))
    return taken - (model().seconds - before)


def parents(memory: Memory) -> list[str]:
    """Return the path of every note that consolidates others."""
    facts = memory._parts.sidecar.snapshot.facts.values()
    return [f.path for f in facts if any(kind == "consolidates" for kind, _ in f.relations)]


COPIES = 10


def lossless(folder: Path, notes: int = 100) -> Iterator[Row]:
    """After sleep over ten copies: every statement is still there, and sleep can be undone."""
    data = restated.paired(notes)
    root = folder / "vault"
    restated.write(data, COPIES, root)
    memory = opened(root)
    before = hashes(root)
    slept(memory)
    said = statements(memory, restated.paths(data, COPIES))
    lost, unfound = [], 0
    for path, lines in said.items():
        there = findable(memory, path)
        unfound += not there
        lost += [line for line, parent_says_it in lines.items() if not (parent_says_it or there)]
    count = sum(map(len, said.values()))
    yield none("statements lost by sleep", len(lost), f"{count:,} of {len(said):,} notes")
    unsaid = sum(not says for lines in said.values() for says in lines.values())
    yield told("  not in a parent's own words", unsaid)
    yield told("  notes that cannot be found by path", unfound)
    made = parents(memory)
    woken(memory, made)
    after = hashes(root)
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    yield none("files that undoing every sleep leaves changed", len(changed), f"{len(made)} sleeps")
    memory.close()


def statements(memory: Memory, known: Mapping[str, str]) -> dict[str, dict[str, bool]]:
    """Return each folded note's sentences, and whether the note that it is folded into says them.

    A parent of a parent says all that both do.
    """
    from vaultmem.sidecar.chunks import sentences

    vault, standing = memory._parts.vault, memory._parts.sidecar.snapshot.standing
    found = {}
    for path in known:
        by, said = path, ""
        while (stands := standing.get(by)) and stands.lowered.startswith("CONSOLIDATED"):
            by = stands.by
            said += _plain(vault.read(by).body)
        lines = (_plain(line) for line in sentences(vault.read(path).body))
        found[path] = {line: line in said for line in lines if line}
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def findable(memory: Memory, path: str) -> bool:
    """Return whether a question that is a note's path gives this note."""
    from vaultmem.memory import Question

    return [hit.path for hit in memory.remember(Question(path)).hits] == [path]


def woken(memory: Memory, made: list[str]) -> None:
    """Undo every sleep, the last one first."""
    for path in reversed(made):
        memory.undo_sleep(path)
    memory.refresh()


def hashes(root: Path) -> dict[str, str]:
    """Return the digest of every file in the scopes' folders."""
    files = (path for path in (root / "memory").rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


MOST_SLEEP = 60.0
TRIED = 500
"""Notes of which the naive loop compares every two."""


def large_sleep(folder: Path, notes: int = 5000) -> Iterator[Row]:
    """Sleep over many memories, half of them copies of each other, beside a naive loop."""
    root = folder / "vault"
    data = restated.mixed(notes)
    paths = list(restated.write(data, restated.MIXED_COPIES, root))
    memory = opened(root)
    yield told("memories awake", len(paths))
    taken = seconds_of_sleep(memory, 3)
    note = f"{len(parents(memory)):,} parents"
    yield at_most("  sleep beyond the embeddings", taken, MOST_SLEEP, " s", note)
    chosen = random.Random(4).sample(paths, min(TRIED, len(paths)))
    texts = [distinct.title_and_text(root / path) for path in chosen]
    model().passages(texts)
    naive = timed(lambda: all_pairs(texts)) * (len(paths) / len(chosen)) ** 2
    yield told(f"  every two compared, scaled from {len(chosen)} by the square", naive, " s")
    memory.close()


def all_pairs(texts: list[str]) -> int:
    """Return how many of every two texts are near, each two compared in turn."""
    from vaultmem.words.near import near

    pairs = combinations(list(zip(texts, model().passages(texts), strict=True)), 2)
    return sum(near(one, other, float(a @ b)) for (one, a), (other, b) in pairs)
