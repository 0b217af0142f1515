"""The figures of agents that share a vault: nothing is lost between them, and little is read twice.

`--data DIR` (or VAULTMEM_BENCH_DATA) names a folder that holds `locomo-dev/turns` and
`mrpc/train.tsv`. `--notes N` changes figure 1 (log entries of each agent), 3 (memories) and 5
(sessions of the month).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import briefs, corpus, handed_in, month, sessions
from benchmarks.measure import Row, all_of, none, told
from benchmarks.sessions import MEMORIZE_EVERY, Seat
from benchmarks.vaults import new_vault, repository

# 1


AGENTS = ("scout", "scribe", "smith", "sage")
KILLED = {"scout-1": "log", "scribe-2": "read"}
"""The sessions whose server is killed half way, and in the midst of what."""


def together(folder: Path, notes: int = 500) -> Iterator[Row]:
    """Let four agents work in two sessions each, kill two servers, then count."""
    import anyio

    root, project = folder / "vault", repository(folder / "project")
    new_vault(root)
    seats = list(_seats(notes // 2))
    start = time.time()
    anyio.run(sessions.worked, seats, root, project)
    name = f"{len(AGENTS)} agents, {len(seats)} sessions, {notes} entries each"
    yield told(f"{name}: time", time.time() - start, " s")
    refused = [why for seat in seats for why in seat.refused]
    yield none("  calls refused", len(refused), refused[0] if refused else "")
    yield from _kept(root, seats)


def _seats(entries: int) -> Iterator[Seat]:
    for place, agent in enumerate(AGENTS):
        for number in (1, 2):
            facts = list(
                corpus.facts(-(-entries // MEMORIZE_EVERY), seed=200 + 10 * place + number)
            )
            yield Seat(agent, number, facts, entries, KILLED.get(f"{agent}-{number}", ""))


def _kept(root: Path, seats: Sequence[Seat]) -> Iterator[Row]:
    from vaultmem.memory import Memory
    from vaultmem.words.entry import parse

    files = sorted((root / "live-context").glob("*.md"))
    lines = [line for file in files for line in file.read_text("utf-8").split("\n")]
    lines = [line for line in lines if line.startswith("- ")]
    entries = [entry for line in lines if (entry := parse(line))]
    there = {entry.mark for entry in entries}
    lost = sum(mark not in there for seat in seats for mark in seat.marks)
    yield none("  entries acknowledged and lost", lost, f"{sum(len(s.marks) for s in seats)}")
    yield none("  entries torn", len(lines) - len(entries) + sum(not e.genuine for e in entries))
    kept = [item for seat in seats for item in seat.notes.items()]
    gone = len(kept) - len(dict(kept)) + sum(text not in _text(root / path) for path, text in kept)
    copies = sum(seat.copies for seat in seats)
    yield none(
        "  memories acknowledged and lost", gone, f"{len(kept)} kept, {copies} known already"
    )
    memory = Memory.open(str(root))
    yield none("  faults that `log verify` finds", len(memory.verify_log()))
    memory.close()
    said = {
        seat.name: {e.mark for e in entries if e.summary.startswith(f"{seat.name} says")}
        for seat in seats
    }
    yield from _given(seats, said)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _given(seats: Sequence[Seat], said: dict[str, set[str]]) -> Iterator[Row]:
    """Yield what each session was given of what the others said."""
    for name, same in (("another agent's session", False), ("the same agent's session", True)):
        counts = [
            (reader.name, reader.given[mark])
            for reader in seats
            for writer in seats
            if reader is not writer and (reader.agent == writer.agent) == same
            for mark in said[writer.name]
        ]
        missed = [reader for reader, count in counts if not count]
        note = ", ".join([f"of {len(counts):,}", *sorted(set(missed))[:2]])
        yield none(f"  entries that {name} was never given", len(missed), note)
    again = [(seat, mark) for seat in seats for mark, n in seat.given.items() if n > 1]
    doubtful = sum(mark in seat.unconfirmed for seat, mark in again)
    note = f"{doubtful} more, whose server was killed as it gave them" if doubtful else ""
    yield none("  entries given to a session again", len(again) - doubtful, note)


# 2


def heard(folder: Path, times: int = 100) -> Iterator[Row]:
    """Append by one agent while another one is in the middle of its session."""
    import anyio

    root, project = folder / "vault", repository(folder / "project")
    new_vault(root)
    said, given = anyio.run(sessions.heard, root, project, times)
    yield all_of("the next answer says that there is news", said, times)
    yield all_of("  and the log gives it, alone", given, times)


FIGURES = {
    1: together,
    2: heard,
    3: briefs.told_at_start,
    4: handed_in.retained,
    5: month.replayed,
}
