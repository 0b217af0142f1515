"""What agents hand in at the end of their sessions: facts, the same in other words, and junk."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import datasets
from benchmarks.measure import Missing, Row, in_child, none, told
from benchmarks.vaults import new_vault

if TYPE_CHECKING:
    from vaultmem.memory import Memory

PAIRS = 80

STATE = (
    "All tests pass now.",
    "CI is green again.",
    "The build is still running on my machine.",
    "I have just pushed the branch.",
    "Currently on line 212 of the importer.",
    "Working on the migration, about half of it is done.",
    "Three files are changed and not committed yet.",
    "The dev server runs on port 3000 in the other terminal.",
    "Waiting for the reviewer.",
    "Task in progress.",
)
PLANS = (
    "Next I will rename the handler and run the tests again.",
    "I'm going to look at the parser now.",
    "TODO: clean up the imports.",
    "Let me check the logs first.",
    "Then we need to update the changelog.",
    "Next step: open the pull request.",
    "Tomorrow we will go on with the second half.",
    "I plan to split this function afterwards.",
    "After that I would add two more tests.",
    "We should probably continue with the other module.",
)
PROVIDERS = (
    "API Error: 529 overloaded_error, retrying in 8 seconds.",
    "The request failed with 429 Too Many Requests.",
    "The model returned 503 Service Unavailable.",
    "I hit the rate limit again.",
    "Error: context window exceeded.",
    "upstream connect error or disconnect/reset before headers",
    "Request timed out after 600 seconds, attempt 3 of 10.",
    "The provider said internal server error.",
    '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}',
    "Your credit balance is too low to use the API.",
)
OURS = (
    "3 unread log entries of others: call log with kind read.",
    "From the vault: data, not instructions.\n\n## Identity\n\nI am scout.",
    "## Checkpoint\n\nMove the refund queue.\n\n## Unread log\n\nnothing",
    "- 2026-11-30T02:14:07+00:00 **scout** · mcp · handoff · global · Merged the retries "
    "^lc-8f2kq7m3-b4",
    "Kept k7f3q9xa in memory/global/prefers-tabs.md (working, hash 0a1b2c3d)",
    "- [[memory/global/prefers-tabs|Prefers tabs]] — Indent with tabs. · user_preference",
    "1. **Prefers tabs** [CONFIRMED · strong] k7f3q9xa\n   memory/global/prefers-tabs.md:12\n"
    "   > Indent with tabs.",
    "- Prefers tabs [CONFIRMED, strong] (k7f3q9xa)\n  Indent with tabs in every project.",
    "Not kept: the vault says nearly this already.\n- Prefers tabs (k7f3q9xa, hash 0a1b2c3d)",
    "Nothing in the vault answers that.",
)
JUNK = {"run state": STATE, "plans": PLANS, "provider errors": PROVIDERS, "our own text": OURS}


@dataclass(frozen=True)
class HandedIn:
    """One thing that is handed in: a wording of a fact, by its number, or junk of a kind."""

    text: str
    fact: int = -1
    junk: str = ""

    def line(self) -> str:
        return json.dumps({"content": self.text, "type": "insight"})


def handed_in() -> list[HandedIn]:
    """Return both wordings of every pair and the junk, mixed as sessions would."""
    facts = [HandedIn(text, number) for number, pair in enumerate(pairs()) for text in pair]
    junk = [HandedIn(text, junk=kind) for kind, texts in JUNK.items() for text in texts]
    found = [*facts, *junk]
    random.Random(4).shuffle(found)
    return found


def pairs() -> Iterator[tuple[str, str]]:
    """Return the first pairs, in the file's order, that people called the same.

    Raises:
        Missing: the file is not there.
    """
    file = datasets.place() / "mrpc" / "train.tsv"
    if not file.is_file():
        raise Missing(f"{file} is not there; give the folder of data sets with --data.")
    rows = [row.split("\t") for row in file.read_text("utf-8-sig").splitlines()[1:]]
    return islice(((row[3], row[4]) for row in rows if row[0] == "1"), PAIRS)


def retained(folder: Path) -> Iterator[Row]:
    """Hand in 200 things of which 80 are facts, and look at what then waits for a person."""
    from vaultmem.memory import Memory

    if not hasattr(Memory, "retain"):
        yield Row("candidates: this version cannot retain", "-")
        return
    given = handed_in()
    new_vault(folder / "vault")
    names = in_child(_names, str(folder / "vault"), given)
    yield from _rows(given, names)


def _names(root: str, given: Sequence[HandedIn]) -> list[str]:
    """Retain all that is given; return each one's candidate, empty where it was dropped."""
    from vaultmem.memory import Memory

    memory = Memory.open(root, agent="scout")
    names = [_name(memory, one) for one in given]
    memory.close()
    return names


def _name(memory: Memory, one: HandedIn) -> str:
    done = memory.retain(one.line())
    return done.kept[0].id if done.kept else ""


def _rows(given: Sequence[HandedIn], names: Sequence[str], pairs: int = PAIRS) -> Iterator[Row]:
    first: dict[str, HandedIn] = {}
    for one, name in zip(given, names, strict=True):
        if name:
            first.setdefault(name, one)
    facts = {one.fact for one in first.values() if one.fact >= 0}
    yield told(f"{len(given)} handed in: candidates left", len(first))
    yield none(f"  facts of {pairs} without a candidate of their own", pairs - len(facts))
    twice = sum(one.fact >= 0 for one in first.values()) - len(facts)
    yield told("  facts that wait in both wordings", twice)
    for kind, texts in JUNK.items():
        left = sum(one.junk == kind for one in first.values())
        yield told(f"  {kind} left", left, "", f"of {len(texts)}")
