"""A month of two agents, replayed: what they said is kept session by session, and asked for.

Each agent lives through one conversation of LoCoMo; every week questions are put of which all that
answers them has been said. Three memories answer: the product, a folder searched by ripgrep, and
one flat file of which the newest lines are read.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING

from benchmarks import datasets, distinct
from benchmarks.datasets import DataSet, Document, Query
from benchmarks.measure import Row, at_least, in_child, told
from benchmarks.restated import ANSWERABLE, Asked
from benchmarks.vaults import new_vault

if TYPE_CHECKING:
    from vaultmem.memory import Memory

AGENTS = {"scout": "conv-41", "scribe": "conv-42"}
"""Whose conversation each agent lives through."""
WEEKS = 4
QUESTIONS = 30
"""Questions a week."""
DAYS = 28
FIRST = datetime(2026, 11, 1, 9, tzinfo=UTC)
SCOPE = "local/bench/month"
FLAT_LINES = 200
TITLE_WORDS = 8


@dataclass
class Found:
    """What one memory gave to each question: whether it answered, and in how many tokens."""

    answered: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def add(self, given: set[str], wanted: set[str], size: int) -> None:
        self.answered.append(bool(given & wanted))
        self.tokens.append(size)


class Month:
    """The vault as it grows, and what has been told of each conversation."""

    def __init__(self, root: Path) -> None:
        from vaultmem.memory import Memory

        self.root = root
        self.now = FIRST
        self.paths: dict[str, str] = {}
        """Where each turn is kept, by its id."""
        self.lines: list[tuple[str, str]] = []
        """The flat file: path and text of each memory, in the order in which they came."""
        self.refused = 0
        self.found: dict[str, Found] = {}
        self.memory: Memory = Memory.open(str(root), scope=SCOPE, clock=lambda: self.now)

    def keep(self, agent: str, turns: Sequence[Document]) -> None:
        """Memorize the turns of one session."""
        from vaultmem.memory import Wish
        from vaultmem.words.errors import VaultmemError

        memory = self.memory.called(agent=agent, session=f"{agent}-{self.now:%d-%H}")
        for turn in turns:
            title = " ".join(turn.text.split()[:TITLE_WORDS])
            try:
                done = memory.memorize(Wish(title=title[:200], content=turn.text))
            except VaultmemError:
                self.refused += 1
                continue
            self.paths[turn.id] = done.path if done.kept else done.similar[0].path
            if done.kept and not done.seen:
                self.lines.append((done.path, turn.text))

    def ask(self, queries: Sequence[Query], data: DataSet) -> None:
        """Put questions to every memory."""
        known = {path: path for path, _ in self.lines}
        ripgrep = distinct.ripgrep(self.root, known)
        for number, query in enumerate(queries):
            wanted = {self.paths[turn] for turn in data.relevant[query.id]}
            self._ask_ours(query.text, wanted, f"week {self.now:%d} {number}")
            found = ripgrep(Asked(query.text, SCOPE, {}))[: distinct.FEW]
            paths = set().union(*found)
            texts = [distinct.title_and_text(self.root / path) for path in sorted(paths)]
            self._add("ripgrep, the first 5 files", paths, wanted, texts)
            newest = self.lines[-FLAT_LINES:]
            self._add(
                f"one flat file, its newest {FLAT_LINES} lines",
                {path for path, _ in newest},
                wanted,
                [f"- {text}" for _, text in newest],
            )

    def _ask_ours(self, text: str, wanted: set[str], session: str) -> None:
        from vaultmem.doors import answers, answers_log
        from vaultmem.memory import Question

        answer = self.memory.remember(Question(text))
        top = {hit.path for hit in answer.hits}
        self._add("ours, remember", top, wanted, [answers.answer(answer)])
        brief = self.memory.called(session=session).brief(text)
        about = "".join(part.text for part in brief.parts if part.name == "Memories")
        names = set(re.findall(r"^- .* \((\S+)\)$", about, re.M))
        told = {self.memory.get(name)[0].path for name in names}
        self._add("ours, brief with about", told, wanted, [answers_log.brief(brief)])
        self._add("  of it the memories", told, wanted, [about])
        self._add("ours, either of both", top | told, wanted, [answers.answer(answer), about])

    def _add(self, name: str, given: set[str], wanted: set[str], texts: Sequence[str]) -> None:
        from vaultmem.words.hit import tokens

        size = sum(tokens(text) for text in texts)
        self.found.setdefault(name, Found()).add(given, wanted, size)


def replayed(folder: Path, notes: int = 40) -> Iterator[Row]:
    """Replay a month of so many sessions, and count the answers."""
    data = datasets.load(datasets.place(), "locomo-dev/turns")
    new_vault(folder / "vault")
    found, memories, refused = in_child(_lived, folder / "vault", data, notes)
    asked = len(next(iter(found.values())).answered)
    yield told(f"{notes} sessions: memories", memories, "", f"{refused} turns refused")
    shares = {name: fmean(one.answered) for name, one in found.items()}
    for name, one in found.items():
        size = f"{median(one.tokens):,.0f} tokens at the median"
        yield told(f"{name}: {asked} questions answered", shares[name], "", size)
    for other in [name for name in shares if not name.startswith(("ours", " "))]:
        yield at_least(f"ours, remember, against {other}", shares["ours, remember"], shares[other])


def _lived(root: Path, data: DataSet, sessions: int) -> tuple[dict[str, Found], int, int]:
    """Live through the month; return what each memory found, the memories and the refusals."""
    month, chance = Month(root), random.Random(5)
    for number, (agent, turns) in enumerate(_sessions(data, sessions), 1):
        month.keep(agent, turns)
        month.now += timedelta(days=DAYS) / sessions
        if number % (sessions // WEEKS) == 0:
            told = [q for q in data.queries if _can_be_asked(q, data, month.paths)]
            month.ask(chance.sample(told, min(QUESTIONS, len(told))), data)
    month.memory.close()
    return month.found, len(month.lines), month.refused


def _can_be_asked(query: Query, data: DataSet, paths: dict[str, str]) -> bool:
    return query.category in ANSWERABLE and set(data.relevant[query.id]) <= paths.keys()


def _sessions(data: DataSet, count: int) -> Iterator[tuple[str, list[Document]]]:
    """Yield agents and the turns of a session, both agents by turns."""
    by_agent = {agent: _divided(data, group) for agent, group in AGENTS.items()}
    for number in range(count // len(AGENTS)):
        for agent, sessions in by_agent.items():
            yield agent, sessions[number]


def _divided(data: DataSet, group: str) -> list[list[Document]]:
    """Return the sessions of a conversation in their order."""
    found: dict[str, list[Document]] = {}
    for turn in data.documents:
        if turn.group == group:
            found.setdefault(turn.id.split(":")[0], []).append(turn)
    return list(found.values())
