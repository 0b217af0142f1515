"""Facts that are stated again and again, with the questions that ask for them, all from people.

- `claims`: SciFact's abstracts, asked for by its train claims.
- `talk`: the turns of LoCoMo's conversations, asked for by its questions; a scope a conversation.
- `news`: pairs of sentences that people called the same (MRPC), each a note: a clean memory says
  the fact in both wordings. One of them is the question, as an agent looks before it stores. Pairs
  that people called different are facts beside.

Agents state again what somebody has stored already: a copy says the same in the same words on
another day.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from pathlib import Path

from benchmarks import corpus, datasets
from benchmarks.datasets import DataSet, Document, Judged, Query, scope_of
from benchmarks.measure import Missing
from benchmarks.vaults import new_vault

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAYS = 6
"""All is stated within so many days before now."""
AGENTS = ("scout", "scribe", "smith")
TITLE_WORDS = 8


def clock() -> datetime:
    """Return the moment at which all questions are asked."""
    return NOW


@dataclass(frozen=True)
class Fact:
    """One fact: its first wording is the note, its copies take the others by turns."""

    id: str
    wordings: tuple[str, ...]
    title: str = ""
    scope: str = ""
    once: bool = False
    """Whether nobody states it again."""

    def statement(self, number: int) -> tuple[str, str]:
        """Return title and text of the note, number 0, or of a copy."""
        text = self.wordings[number % len(self.wordings)]
        return self.title or " ".join(text.split()[:TITLE_WORDS]), text


@dataclass(frozen=True)
class Asked:
    """One question, put to one scope, and the facts that answer it."""

    text: str
    scope: str
    relevant: Judged


@dataclass(frozen=True)
class Restated:
    """Facts and the questions that ask for them."""

    name: str
    facts: list[Fact]
    questions: list[Asked]


def claims(count: int) -> Restated:
    """Return SciFact's first train claims that `count` abstracts or more answer together."""
    data = datasets.load(datasets.place(), "scifact", "train")
    scope = scope_of("claims")
    answering: set[str] = set()
    questions = []
    for query in data.queries:
        if len(answering) >= count:
            break
        answering.update(data.relevant[query.id])
        questions.append(Asked(query.text, scope, data.relevant[query.id]))
    facts = [_fact(document, scope) for document in data.documents if document.id in answering]
    return Restated("claims", facts, questions)


ANSWERABLE = (1, 2, 3, 4)
"""LoCoMo's categories; the fifth cannot be answered."""


def talk(count: int) -> Restated:
    """Return whole conversations of LoCoMo, so many that `count` turns or more answer."""
    data = datasets.load(datasets.place(), "locomo-dev/turns")
    queries = [query for query in data.queries if query.category in ANSWERABLE]
    groups = list(_rich(data, queries, count))
    facts = [_fact(d, scope_of(d.group)) for d in data.documents if d.group in groups]
    questions = [
        Asked(query.text, scope_of(query.group), data.relevant[query.id])
        for query in queries
        if query.group in groups
    ]
    return Restated("talk", facts, questions)


def _rich(data: DataSet, queries: Sequence[Query], count: int) -> Iterator[str]:
    """Yield the conversations with most turns that answer, until they are enough together."""
    answering: dict[str, set[str]] = {}
    for query in queries:
        answering.setdefault(query.group, set()).update(data.relevant[query.id])
    for group in sorted(answering, key=lambda group: (-len(answering[group]), group)):
        if count <= 0:
            return
        count -= len(answering[group])
        yield group


def _fact(document: Document, scope: str) -> Fact:
    return Fact(document.id, (document.text,), document.title, scope)


def news(count: int) -> Restated:
    """Return the facts of `paired`, each wording a note of its own from the start."""
    data = paired(count)
    facts = [replace(fact, wordings=(wording,)) for fact in data.facts for wording in fact.wordings]
    return replace(data, facts=facts)


def paired(count: int) -> Restated:
    """Return `count` pairs that say the same, and as many sentences of pairs that do not."""
    same, other = _pairs(True), _pairs(False)
    scope = scope_of("news")
    facts, questions = [], []
    for number, (first, second) in enumerate(islice(same, count)):
        facts.append(Fact(f"same-{number}", (second, first), scope=scope))
        questions.append(Asked(first, scope, {f"same-{number}": 1}))
    for number, pair in enumerate(islice(other, count // 2)):
        facts += [Fact(f"other-{number}-{n}", (said,), scope=scope) for n, said in enumerate(pair)]
    return Restated("news", facts, questions)


def _pairs(same: bool) -> Iterator[tuple[str, str]]:
    """Yield MRPC's pairs of one label whose sentences stand in no other pair."""
    file = datasets.place() / "mrpc" / "train.tsv"
    if not file.is_file():
        raise Missing(f"{file} is not there; give the folder of data sets with --data.")
    rows = [line.split("\t") for line in file.read_text("utf-8-sig").splitlines()[1:]]
    often = Counter(sentence for row in rows for sentence in row[3:5])
    for label, _, _, first, second in rows:
        if (label == "1") == same and often[first] == often[second] == 1:
            yield first, second


SETS: dict[str, Callable[[int], Restated]] = {"claims": claims, "talk": talk, "news": news}


MIXED_COPIES = 5


def mixed(notes: int) -> Restated:
    """Return facts of the news that make so many notes, every second of them a statement of a fact
    that is stated six times.
    """
    often = paired(notes // 2 // (MIXED_COPIES + 1))
    facts = [fact for fact in often.facts if len(fact.wordings) > 1]
    unequal = (said for pair in _pairs(False) for said in pair)
    spare = (first for first, _ in islice(_pairs(True), len(facts), None))
    left = islice(chain(unequal, spare), notes - len(facts) * (MIXED_COPIES + 1))
    scope = facts[0].scope
    facts += [Fact(f"once-{n}", (said,), scope=scope, once=True) for n, said in enumerate(left)]
    return Restated("mixed", facts, [])


def paths(data: Restated, copies: int) -> dict[str, str]:
    """Return fact by path of every statement of the facts, those first stated first."""
    return {path: fact.id for path, fact, _ in _statements(data, copies)}


def _statements(data: Restated, copies: int) -> Iterator[tuple[str, Fact, int]]:
    """Yield path, fact and number of every statement."""
    stated = ((n, f) for n in range(copies + 1) for f in data.facts if not (n and f.once))
    for count, (number, fact) in enumerate(stated):
        yield f"memory/{fact.scope}/n{count:05}.md", fact, number


def write(data: Restated, copies: int, root: Path) -> dict[str, str]:
    """Make a vault that states every fact once and so many times more; return fact by path."""
    new_vault(root)
    for scope in {fact.scope for fact in data.facts}:
        folder = root / "memory" / scope
        folder.mkdir(parents=True)
        (folder / "index.md").write_text(f"---\nscope: {scope}\n---\n", encoding="utf-8")
    for count, (path, fact, number) in enumerate(_statements(data, copies)):
        day = NOW - timedelta(days=DAYS) * (1 - number / (copies + 1))
        moment = day + timedelta(seconds=20 * (count % len(data.facts)))
        (root / path).write_text(_page(fact, number, count, moment), encoding="utf-8")
    corpus.age(root)
    return paths(data, copies)


def _page(fact: Fact, number: int, count: int, moment: datetime) -> str:
    title, text = fact.statement(number)
    then = moment.strftime("%Y-%m-%dT%H:%M:%S")
    head = {
        "id": note_id(count),
        "title": json.dumps(title, ensure_ascii=False),
        "type": "insight",
        "status": "working",
        "source": "agent_inferred",
        "importance": "0.5",
        "agent": AGENTS[count % len(AGENTS)],
        "created": then,
        "updated": then,
    }
    return "".join(["---\n", *(f"{key}: {said}\n" for key, said in head.items()), f"---\n{text}\n"])


def note_id(count: int) -> str:
    """Return the id of a note by its number."""
    letters = "abcdefghjkmnpqrstvwxyz"
    return "n" + "".join(letters[count // 22**place % 22] for place in range(7))
