"""The figures of noise: memory grows, recall does not get worse, and nothing is lost by it.

`--data DIR` (or VAULTMEM_BENCH_DATA) names a folder that holds `scifact`, `locomo-dev/turns` and
`mrpc/train.tsv`. `--notes N` changes figure 1 (facts of a set that are asked for), 3 (the same), 4
(memories that sleep) and 6 (memories in all).
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from math import log
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import corpus, distinct, nearness, restated, short_notes, sleeping
from benchmarks.distinct import Means
from benchmarks.measure import Row, at_least, at_most, in_child, timed, told
from benchmarks.restated import Restated
from benchmarks.sleeping import model, opened, parents, seconds_of_sleep, slept
from benchmarks.vaults import new_vault, real_model

if TYPE_CHECKING:
    from vaultmem.memory import Memory

COPIES = (1, 3, 10)
LEFT = 0.98
"""Least share of what a clean memory reaches that must be left after sleep."""


# 1


def recall(folder: Path, notes: int = 300) -> Iterator[Row]:
    """Three sets of facts, each clean and with copies, before and after sleep."""
    for name, load in restated.SETS.items():
        data = load(notes)
        facts = {fact.id for fact in data.facts}
        yield Row(f"{name}: facts, questions", f"{len(facts):,}, {len(data.questions):,}")
        clean = yield from _without_sleep(folder / f"{name}-clean", data, 0)
        for copies in COPIES:
            root = folder / f"{name}-{copies}"
            yield from _without_sleep(root, data, copies)
            yield from _after_sleep(root, data, copies, clean)


def _named(data: Restated, copies: int) -> str:
    said = {0: "clean", 1: "1 copy of each"}.get(copies, f"{copies} copies of each")
    return f"{data.name}, {said}"


def _row(name: str, found: Means) -> Row:
    return Row(name, "  ".join(f"{metric} {mean:.3f}" for metric, mean in found.items()))


def _without_sleep(root: Path, data: Restated, copies: int) -> Iterator[Row]:
    """Yield what the three searchers find; return what ours does."""
    known, name = restated.write(data, copies, root), _named(data, copies)
    for leg, search in {
        "ripgrep": distinct.ripgrep(root, known),
        "whole-note vectors": distinct.plain_vectors(root, known, model()),
    }.items():
        yield _row(f"{name}: {leg}", distinct.means(search, data.questions))
    memory = opened(root)
    ours = distinct.means(distinct.product(memory, known), data.questions)
    memory.close()
    yield _row(f"{name}: ours" + (" before sleep" if copies else ""), ours)
    return ours


def _after_sleep(root: Path, data: Restated, copies: int, clean: Means) -> Iterator[Row]:
    """Yield what ours finds after sleep, and whether enough of a clean memory's is left.

    A fact with one copy has two notes, so it is folded only where that is asked for.
    """
    memory, known = opened(root), restated.paths(data, copies)
    least = min(copies + 1, 3)
    name = f"{_named(data, copies)}: ours after sleep" + (" --min-size 2" if least == 2 else "")
    taken = seconds_of_sleep(memory, least)
    ours = distinct.means(distinct.product(memory, known), data.questions)
    yield _row(name, ours)
    for metric, mean in ours.items():
        bar = LEFT * clean[metric]
        yield Row(f"  {metric}", f"{mean:.4f}", f">= {bar:.4f}", mean >= bar)
    states = distinct.stated_by(memory, known)
    made = [states(path) for path in parents(memory)]
    yield told("  parents", len(made), "", f"{taken:.0f} s beyond the model")
    yield told("  of them join different facts", sum(len(facts) > 1 for facts in made))
    memory.close()


# 5


CASES = 5000


def life(folder: Path) -> Iterator[Row]:
    """Strength against its closed form, in cases drawn by chance."""
    del folder
    from vaultmem.words.life import BOOST, HALF_LIFE, LEAST_STRENGTH, strength

    chance = random.Random(5)
    greatest = 0.0
    for _ in range(CASES):
        importance, days = chance.random(), chance.uniform(-1, 1500)
        uses, half_life = int(chance.expovariate(0.1)), chance.choice([HALF_LIFE, 7.0, 365.0])
        age = 0.5 ** (max(days, 0.0) / half_life)
        closed = max(0.05, importance * age * (1 + 1.2 * log(1 + uses)))
        greatest = max(greatest, abs(strength(importance, days, uses, half_life) - closed))
    constants = (HALF_LIFE, BOOST, LEAST_STRENGTH)
    said = ", ".join(f"{constant:g}" for constant in constants)
    yield Row("half-life, boost, floor", said, "90, 1.2, 0.05", constants == (90.0, 1.2, 0.05))
    bar = greatest <= 1e-12
    yield Row(
        f"strength in {CASES:,} cases: greatest deviation", f"{greatest:.1e}", "<= 1e-12", bar
    )


# 6


MOST_TIMES = 2.0
TIMES = 20


def keeping(folder: Path, notes: int = 20_000) -> Iterator[Row]:
    """Keep something in a large vault, which looks for near-copies first, beside asking it."""
    root = short_notes.vault(folder / "vault", {short_notes.SCOPES[0]: notes})
    in_child(short_notes.indexed, str(root))
    for watched in (False, True):
        asked, kept = in_child(asked_and_kept, str(root), watched)
        how = f"{notes:,} notes, " + ("watched" if watched else "looked at anew each time")
        yield told(f"remember, {how}, median of {TIMES}", asked * 1000, " ms")
        yield told(f"memorize, {how}, median of {TIMES}", kept * 1000, " ms")
        times = told if watched else functools.partial(at_most, most=MOST_TIMES)
        yield times("  memorize, times a remember", kept / asked)


def asked_and_kept(root: str, watched: bool) -> tuple[float, float]:
    """Return the median seconds of `remember` and of `memorize`, taken by turns.

    Only the second question after a note is kept counts: the first one pays for what is new.
    """
    from vaultmem.memory import Memory, Question, Wish

    memory = Memory.open(root, agent="scout", scope=short_notes.SCOPES[0], model=real_model())
    queries = cycle(short_notes.queries(TIMES))
    facts = corpus.facts(TIMES + 1, seed=6 + watched)
    taken: tuple[list[float], list[float]] = ([], [])

    def ask() -> None:
        answer = memory.remember(Question(next(queries)))
        assert "by keyword" not in answer.note, answer.note

    def keep() -> None:
        title, content = next(facts)
        assert memory.memorize(Wish(title=title, content=content)).id

    ask()
    keep()
    if watched:
        memory._parts.sidecar.vouched = lambda: True
    for _ in range(TIMES):
        ask()
        for act, seconds in zip((ask, keep), taken, strict=True):
            seconds.append(timed(act))
    memory.close()
    return median(taken[0]), median(taken[1])


# 7


SCOPE = corpus.SCOPES[0]
TRUTH = (
    "Retention of customer backups",
    "Backups of customer data are kept for 35 days in the Frankfurt bucket; then the nightly job "
    "shreds them.",
)
SUPERSEDING = (
    "Retention of customer backups has changed",
    "Backups of customer data are now kept for 7 days in the Frankfurt bucket; then the nightly "
    "job shreds them.",
)
LIE = "Backups of customer data are kept for ever in the Virginia bucket and no job shreds them."
LIES = 100
QUESTIONS = (
    "How long do we keep backups of customer data?",
    "retention of customer backups",
    "When is the backup of a customer gone for good?",
    "After how many days does the nightly job shred backups?",
    "Which bucket are customer backups in?",
    "Are the backups in Frankfurt shredded, and by what?",
    "backup retention period, Frankfurt bucket",
    "For how many days can customer data be restored from a backup?",
    "nightly job that shreds customer backups",
    "How far back do the backups of our customers go?",
)


INDIRECT = "Can I still restore customer data from a month ago?"
"""What the approved note answers too, but not strongly; so nothing is promised."""


def believed(folder: Path) -> Iterator[Row]:
    """Ask for what a person approved, among notes that deny it in the question's own words."""
    stuffings = {
        "one question each": lambda number: [QUESTIONS[number % len(QUESTIONS)]] * 3,
        "all questions": lambda _: QUESTIONS,
    }
    for kind, stuffing in stuffings.items():
        root = folder / kind.replace(" ", "-")
        root.parent.mkdir(parents=True, exist_ok=True)
        new_vault(root, 300)
        truth = deceived(root, stuffing)
        memory = opened(root)
        name = f"approved note first among {LIES} lies stuffed with {kind}"
        yield at_least(name, _first(memory, truth), len(QUESTIONS))
        yield told(f"  asked indirectly: {INDIRECT}", _first(memory, truth, [INDIRECT]))
        slept(memory)
        yield at_least("  after sleep", _first(memory, truth), len(QUESTIONS))
        memory.close()


def deceived(root: Path, stuffing: Callable[[int], Sequence[str]]) -> str:
    """Write the truth, a note that would supersede it, and the lies; return the truth's path."""
    folder = f"memory/{SCOPE}"
    link = f'"[[{folder}/truth|{TRUTH[0]}]]"'
    old, new = "2026-11-01T09:00:00", restated.NOW.strftime("%Y-%m-%dT%H:%M:%S")
    _note(root / folder / "truth.md", 0, *TRUTH, f"source: approved\ncreated: {old}")
    denied = f"source: agent_inferred\nimportance: 1.0\ncreated: {new}"
    superseding = f"{denied}\nsupersedes:\n  - {link}"
    _note(root / folder / "superseding.md", 1, *SUPERSEDING, superseding)
    for number in range(LIES):
        words = stuffing(number)
        file = root / folder / f"lie-{number:03}.md"
        _note(file, number + 2, words[0], f"{LIE} {' '.join(words)}", denied)
    corpus.age(root)
    return f"{folder}/truth.md"


def _note(file: Path, number: int, title: str, text: str, more: str) -> None:
    named = f'id: {restated.note_id(number)}\ntitle: "{title}"\ntype: process\nstatus: working'
    file.write_text(f"---\n{named}\n{more}\n---\n{text}\n", encoding="utf-8")


def _first(memory: Memory, path: str, questions: Sequence[str] = QUESTIONS) -> int:
    """Return how many of the questions a note answers first."""
    from vaultmem.memory import Question

    answers = [memory.remember(Question(query, scope=SCOPE)).hits for query in questions]
    return sum(bool(hits) and hits[0].path == path for hits in answers)


FIGURES = {
    1: recall,
    2: nearness.FIGURE,
    3: sleeping.lossless,
    4: sleeping.large_sleep,
    5: life,
    6: keeping,
    7: believed,
}
