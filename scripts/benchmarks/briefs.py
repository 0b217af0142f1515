"""Briefs: what they cost in a vault that is full, and whether they keep to their budget."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import corpus, short_notes
from benchmarks.measure import Row, all_of, at_most, in_child, interleaved, none
from benchmarks.vaults import SCOPE, fake_model

if TYPE_CHECKING:
    from vaultmem.memory import Brief, Memory

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
    name = f"brief, {notes:,} memories, {ENTRIES:,} log entries"
    for what, seconds in (("a new session", new), ("a session up to date", old)):
        note = f"{seconds * 1000:.1f} of {plain * 1000:.1f} ms"
        yield at_most(f"{name}: {what}, against remember", seconds / plain, 3, "x", note)


def logged(root: str, count: int) -> None:
    """Write a log that other agents filled in the last month: as many signed entries, in order."""
    from vaultmem.memory import Memory
    from vaultmem.words.entry import Entry, signed
    from vaultmem.words.frontmatter import composed
    from vaultmem.words.times import offset

    memory = Memory.open(root, agent="scout")
    ledger, layout = memory._parts.ledger, memory.vault.layout
    first = datetime.now(UTC) - timedelta(days=28)
    months: dict[str, list[Entry]] = {}
    for number, (title, _) in enumerate(corpus.facts(count, seed=7)):
        time = offset(first + number * timedelta(days=27) / count, memory.vault.zone)
        agent = ("scribe", "smith", "sage")[number % 3]
        entry = signed(Entry(time, agent, "mcp", "note", SCOPE, title), ledger.machine)
        months.setdefault(time[:7], []).append(entry)
    for month, entries in months.items():
        lines = "".join(f"{entry.line()}\n" for entry in entries)
        memory.vault.create(layout.log(month), composed({"title": f"Live context {month}"}, lines))
        ledger.record([entry.mark for entry in entries], layout.log(month))
    assert not memory.verify_log()
    memory.close()


def _timed(root: str, times: int = 31) -> list[float]:
    """Return the median seconds of a new session's brief, of a later one, and of a question."""
    from vaultmem.memory import Memory, Question

    memory = Memory.open(root, agent="scout", scope=SCOPE, session="s")
    memory.introduce()
    late = memory.called(session="late")
    while late.read_log(10**6)[1]:
        pass
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
    fit, over, cut = in_child(_kept_to, str(folder))
    note = f"worst {over} too many" if over else ""
    yield all_of(f"briefs within their budget, of {VAULTS} vaults", fit, VAULTS, note)
    yield none("  of them with an identity that was cut", cut)


def _kept_to(folder: str) -> tuple[int, int, int]:
    """Return how many briefs kept to their budget, the worst excess, and the identities cut."""
    from vaultmem.doors import answers
    from vaultmem.words.hit import tokens

    fit = worst = cut = 0
    for number in range(VAULTS):
        chance = random.Random(number)
        identity, memory = _any_vault(Path(folder, str(number)), chance)
        budget = round(10 ** chance.uniform(1.5, 3.7))
        found = memory.brief("the refund queue" if number % 2 else "", budget)
        shown = {part.name: part.text for part in found.parts}
        cut += shown.get("Identity", "") != identity
        excess = tokens(answers.brief(found)) - budget
        alone = _identity_alone(found)
        fit += excess <= 0 or alone
        worst = max(worst, 0 if alone else excess)
        memory.close()
    return fit, worst, cut


def _identity_alone(found: Brief) -> bool:
    return [part.name for part in found.parts] == ["Identity"]


def _any_vault(root: Path, chance: random.Random) -> tuple[str, Memory]:
    """Return the identity and the memory of a vault whose parts have any size, also none."""
    from vaultmem.memory import Memory, Telling, Wish, init_vault
    from vaultmem.words.frontmatter import composed

    init_vault(root)
    memory = Memory.open(str(root), agent="scout", session="s", scope=SCOPE, model=fake_model())
    identity = _prose(chance, (0, 20, 200, 2000))
    if identity:
        path = root / memory.vault.layout.identity("scout")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(composed({"title": "Scout", "type": "identity"}, f"{identity}\n"))
    if checkpoint := _prose(chance, (0, 30, 300, 1200)):
        memory.tell(Telling("checkpoint", "half way", detail=checkpoint[:9000]))
    for title, content in corpus.facts(chance.choice([0, 1, 8, 25]), seed=chance.randrange(10**6)):
        memory.memorize(Wish(title=title, content=content, allow_similar=True))
    other = memory.called(agent="scribe", session="other")
    for _ in range(chance.choice([0, 1, 10, 40])):
        other.tell(Telling("note", _prose(chance, (3, 10, 30))[:300]))
    return identity, memory


def _prose(chance: random.Random, sizes: tuple[int, ...]) -> str:
    """Return a text of as many words as one of some sizes."""
    wanted = chance.choice(sizes)
    facts = corpus.facts(1 + wanted // 20, seed=chance.randrange(10**6))
    return " ".join(" ".join(content for _, content in facts).split()[:wanted])
