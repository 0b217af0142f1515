"""Briefs: what they cost in a vault that is full, and whether they keep to their budget."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import corpus, short_notes
from benchmarks.measure import Row, all_of, at_most, in_child, interleaved, none, told
from benchmarks.vaults import SCOPE, fake_model

if TYPE_CHECKING:
    from vaultmem.memory import Memory

ENTRIES = 20_000
VAULTS = 100


def told_at_start(folder: Path, notes: int = 5000) -> Iterator[Row]:
    """Yield what a brief takes, and whether it keeps to its budget."""
    yield from _beside_remember(folder, notes)
    yield from _within(folder)


# What a brief takes


def _beside_remember(folder: Path, notes: int) -> Iterator[Row]:
    """Time the brief of a new session by turns with a question, in one process."""
    root = short_notes.vault(folder / "vault", {SCOPE: notes})
    in_child(logged, str(root), ENTRIES)
    in_child(short_notes.indexed, str(root))
    new, old, plain = in_child(_timed, str(root))
    yield told("memories", notes, "", f"{ENTRIES:,} log entries")
    for what, seconds in (("a new session", new), ("a session up to date", old)):
        note = f"{seconds * 1000:.1f} of {plain * 1000:.1f} ms"
        yield at_most(f"brief of {what} against remember", seconds / plain, 3, "x", note)


def logged(root: str, count: int) -> None:
    """Write a log that other agents filled in the last month."""
    from vaultmem.memory import Memory

    memory = Memory.open(root, agent="scout")
    _logged(memory, count)
    assert not memory.verify_log()
    memory.close()


def _logged(memory: Memory, count: int) -> None:
    """Make the log of as many signed entries of other agents, in order; there is none yet."""
    from vaultmem.words.entry import Entry, signed
    from vaultmem.words.frontmatter import composed
    from vaultmem.words.times import offset

    vault, machine = memory.vault, memory._parts.ledger.machine
    first = datetime.now(UTC) - timedelta(days=28)
    months: dict[str, list[Entry]] = {}
    for number, (_, content) in enumerate(corpus.facts(count, seed=7)):
        time = offset(first + number * timedelta(days=27) / count, vault.zone)
        agent = ("scribe", "smith", "sage")[number % 3]
        summary = content.split(". ")[0]
        entry = signed(Entry(time, agent, "mcp", "note", SCOPE, summary), machine)
        months.setdefault(time[:7], []).append(entry)
    for month, entries in months.items():
        path, lines = vault.layout.log(month), [f"{entry.line()}\n" for entry in entries]
        vault.create(path, composed({"title": f"Live context {month}"}, "".join(lines)))


def _timed(root: str, times: int = 31) -> list[float]:
    """Return the median seconds of a new session's brief, of a later one, and of a question."""
    from vaultmem.memory import Memory, Question

    memory = Memory.open(root, agent="scout", scope=SCOPE, session="s")
    memory.introduce()
    late = memory.called(session="late")
    while late.read_log(10**6).more:
        late.confirm()
    late.confirm()
    asked = iter(short_notes.queries(times + 3))
    sessions = iter(f"session {number}" for number in range(times + 3))

    def new() -> object:
        return memory.called(session=next(sessions)).brief()

    def plain() -> object:
        return memory.remember(Question(next(asked)))

    interleaved(3, new, late.brief, plain)
    found = interleaved(times, new, late.brief, plain)
    memory.close()
    return found


# What a brief holds


def _within(folder: Path) -> Iterator[Row]:
    """Ask for briefs of any budget in vaults of all sizes; count those that keep to it."""
    found = in_child(_asked, str(folder))
    for name, over in (
        ("as an agent reads them", [one.read for one in found]),
        ("the text of their parts", [one.parts for one in found]),
    ):
        fit = sum(excess <= 0 for excess in over)
        note = f"worst {max(over)} tokens over" if fit < len(over) else ""
        yield all_of(f"briefs within their budget, {name}", fit, VAULTS, note)
    yield none("  identities cut", sum(one.cut for one in found))


class Excess(NamedTuple):
    """By how many tokens a brief is over its budget; an identity alone never is."""

    read: int
    parts: int
    cut: bool
    """Whether the identity is not whole."""


def _asked(folder: str) -> list[Excess]:
    """Return what the briefs of all vaults have too much, each asked by its own budget."""
    return [_excess(Path(folder, str(number)), random.Random(number)) for number in range(VAULTS)]


def _excess(root: Path, chance: random.Random) -> Excess:
    from vaultmem.doors import answers_log
    from vaultmem.words.hit import tokens

    identity, memory = _any_vault(root, chance)
    budget = round(10 ** chance.uniform(1.5, 3.7))
    found = memory.brief(chance.choice(["", "the refund queue"]), budget)
    memory.close()
    shown = {part.name: part.text for part in found.parts}
    cut = shown.get("Identity", "") != identity
    if list(shown) == ["Identity"]:
        return Excess(0, 0, cut)
    read = tokens(answers_log.brief(found)) - budget
    return Excess(read, sum(map(tokens, shown.values())) - budget, cut)


def _any_vault(root: Path, chance: random.Random) -> tuple[str, Memory]:
    """Return the identity and the memory of a vault whose parts have any size, also none."""
    from vaultmem.memory import Memory, Telling, Wish, init_vault
    from vaultmem.words.frontmatter import composed

    init_vault(root)
    memory = Memory.open(str(root), agent="scout", session="s", scope=SCOPE, model=fake_model())
    if entries := chance.choice([0, 1, 10, 60]):
        _logged(memory, entries)
    identity = _prose(chance, (0, 20, 200, 2000))
    if identity:
        path = memory.vault.layout.identity("scout")
        memory.vault.create(path, composed({"type": "identity"}, f"{identity}\n"))
    if checkpoint := _prose(chance, (0, 30, 300, 1200)):
        memory.tell(Telling("checkpoint", "half way", detail=checkpoint[:9000]))
    facts = list(corpus.facts(chance.choice([0, 1, 8, 60]), seed=chance.randrange(10**6)))
    for number, (title, content) in enumerate(facts[1:]):
        keys = {"title": title, "type": "learning", "status": "working"}
        memory.vault.create(f"memory/{SCOPE}/{number}.md", composed(keys, content))
    if facts:
        memory.memorize(Wish(title=facts[0][0], content=facts[0][1], allow_similar=True))
    return identity, memory


def _prose(chance: random.Random, sizes: tuple[int, ...]) -> str:
    """Return a text of as many words as one of some sizes."""
    wanted = chance.choice(sizes)
    facts = corpus.facts(1 + wanted // 20, seed=chance.randrange(10**6))
    return " ".join(" ".join(content for _, content in facts).split()[:wanted])
