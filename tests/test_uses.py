"""Uses: a hit that an agent was given counts once an hour, and keeps a memory strong."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from math import log
from pathlib import Path

import pytest
from conftest import Clock, Opener
from hypothesis import given, settings
from hypothesis import strategies as st
from promises import promise

from vaultmem.memory import Memory, Question, Wish
from vaultmem.vault.ledger import Ledger
from vaultmem.words.errors import DiskFailed
from vaultmem.words.life import HOUR, LEAST_STRENGTH, Life, Use, share, strength

context = multiprocessing.get_context("spawn")
importances = st.floats(0, 1)
days = st.floats(-10, 10_000)
counts = st.integers(0, 100_000)
half_lives = st.floats(1, 3650)
TABS = "The person prefers tabs"


# The formula


@given(importances, days, counts, half_lives)
def test_strength_is_its_closed_form(
    importance: float, age: float, uses: int, half_life: float
) -> None:
    faded = importance * 2 ** (-max(age, 0) / half_life) * (1 + 1.2 * log(1 + uses))

    assert strength(importance, age, uses, half_life) == pytest.approx(max(0.05, faded), rel=1e-12)


@given(st.floats(0.2, 1), half_lives, counts)
def test_it_halves_in_a_half_life(importance: float, half_life: float, uses: int) -> None:
    whole = strength(importance, 0, uses, half_life)

    assert strength(importance, half_life, uses, half_life) == pytest.approx(whole / 2)


@given(importances, days, counts, half_lives, st.floats(0, 1000), counts)
def test_it_falls_with_time_and_grows_with_uses_and_never_leaves_its_floor(
    importance: float, age: float, uses: int, half_life: float, later: float, more: int
) -> None:
    now = strength(importance, age, uses, half_life)

    assert LEAST_STRENGTH <= strength(importance, age + later, uses, half_life) <= now
    assert strength(importance, age, uses + more, half_life) >= now
    assert 0 < share(now) < 1


@given(importances, st.floats(0, 10_000), counts, half_lives)
def test_a_life_is_the_product_of_its_parts(
    importance: float, age: float, uses: int, half_life: float
) -> None:
    life = Life(importance, age, Use(uses), half_life)

    assert life.strength == max(LEAST_STRENGTH, importance * life.decay * life.boost)


# The ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


@settings(max_examples=30)
@given(st.lists(st.floats(-3 * HOUR, 3 * HOUR), max_size=30))
def test_one_use_an_hour_counts_whatever_the_clock_does(
    tmp_path_factory: pytest.TempPathFactory, steps: list[float]
) -> None:
    ledger = Ledger(tmp_path_factory.mktemp("uses") / "ledger.db")
    moment, count, last = 1e9, 0, None
    for step in steps:
        moment += step
        if last is None or abs(moment - last) >= HOUR:
            count, last = count + 1, moment
        ledger.use(["a", "a"], moment)

    assert ledger.uses() == ({"a": Use(count, last)} if steps else {})


def test_each_ledger_sees_what_the_others_counted(tmp_path: Path) -> None:
    one, other = Ledger(tmp_path / "ledger.db"), Ledger(tmp_path / "ledger.db")
    one.use(["a", "b"], 0)
    assert other.uses() == {"a": Use(1, 0), "b": Use(1, 0)}

    one.use(["a"], HOUR)
    assert other.uses() == {"a": Use(2, HOUR), "b": Use(1, 0)}

    one.unused(["a"])
    other.use(["c"], HOUR)
    assert one.uses() == {"b": Use(1, 0), "c": Use(1, HOUR)}
    assert other.uses() == one.uses()


def test_what_is_forgotten_is_counted_from_the_start(ledger: Ledger) -> None:
    ledger.use(["a"], 0)
    assert [ledger.see("a"), ledger.see("a")] == [1, 2]

    ledger.unused(["a"])
    assert (ledger.uses(), ledger.see("a")) == ({}, 1)


def test_a_ledger_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.use(["a", "b"], 0)
    assert len(ledger.uses()) == 2

    (tmp_path / "ledger.db").rename(tmp_path / "old.db")
    assert ledger.uses() == {}
    ledger.use(["c", "d", "e"], 0)
    assert set(ledger.uses()) == {"c", "d", "e"}


def _counting(path: Path, number: int) -> None:
    ledger = Ledger(path)
    for hour in range(number, 60, 3):
        ledger.use(["mine", f"of {number}"], hour * HOUR)
        ledger.use(["once"], hour)


def test_processes_that_count_at_once_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    processes = [context.Process(target=_counting, args=(path, n)) for n in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0] * 3
    counted = {name: use.count for name, use in Ledger(path).uses().items()}
    assert counted == {"mine": 60, "once": 1, **{f"of {n}": 20 for n in range(3)}}


def test_a_process_that_dies_while_it_counts_leaves_all_or_nothing(ledger: Ledger) -> None:
    ledger.use(["a"], 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        child = os.fork()
    if not child:
        with ledger.opened() as db:
            db.execute("UPDATE uses SET count = 99")
            os._exit(9)
    os.waitpid(child, 0)

    assert ledger.uses() == {"a": Use(1, 0)}
    ledger.use(["a"], HOUR)
    assert ledger.uses() == {"a": Use(2, HOUR)}


# What counts


@pytest.fixture
def told(memory: Memory) -> str:
    """The id of a memory of a vault, which holds another one too."""
    memory.memorize(Wish(title="Deploys happen on Tuesday", content="Tuesday, by the train."))
    return memory.memorize(
        Wish(title=TABS, content="Indent with tabs in every project.", importance=0.8)
    ).id


def uses(memory: Memory, ref: str) -> int:
    return memory.strength(ref).life.use.count


def test_a_hit_that_an_agent_was_given_counts_once_an_hour(
    opener: Opener, clock: Clock, told: str
) -> None:
    agent = opener(person=False)
    for minutes in (0, 30, 29, 1, 59):
        clock.forward(minutes=minutes)
        assert agent.remember(Question("tabs in every project")).hits[0].id == told

    assert uses(agent, told) == 2
    assert uses(agent, "Deploys happen on Tuesday") == 0


def test_what_a_person_asks_or_a_verb_looks_up_is_no_use(opener: Opener, told: str) -> None:
    opener().remember(Question("tabs in every project"))
    opener(person=False).matching(Question("tabs in every project"))
    opener(person=False).get(told)

    assert uses(opener(), told) == 0


def test_a_note_named_outright_and_one_in_a_brief_are_uses(
    opener: Opener, clock: Clock, told: str
) -> None:
    agent = opener(person=False)
    agent.remember(Question(told))
    assert uses(agent, told) == 1

    clock.forward(hours=1)
    agent.brief(about="tabs in every project")
    assert uses(agent, told) == 2


def test_only_memories_are_used(opener: Opener, root: Path) -> None:
    (root / "mine.md").write_text("The boat is called heron.\n", "utf-8")
    agent = opener(person=False)

    assert agent.remember(Question("boat called heron")).hits
    assert agent._parts.ledger.uses() == {}


def test_a_note_without_an_id_is_counted_by_its_path(opener: Opener, root: Path) -> None:
    path = "memory/global/by-hand.md"
    (root / path).write_text("The boat is called heron.\n", "utf-8")
    agent = opener(person=False)
    agent.remember(Question("boat called heron"))

    assert dict(agent._parts.ledger.uses()) == {path: Use(1, agent._parts.clock().timestamp())}


def test_uses_outlive_a_restart_and_a_new_sidecar_and_stand_in_no_note(
    opener: Opener, root: Path, told: str
) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    agent = opener(person=False)
    agent.remember(Question("tabs in every project"))
    agent.close()

    again = opener(person=False)
    again.refresh(rebuild=True)
    assert uses(again, told) == 1
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


@pytest.mark.parametrize("broken", ["use", "uses"])
def test_a_ledger_that_fails_leaves_the_answer_as_it_is(
    opener: Opener, told: str, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fails(*_: object) -> None:
        raise DiskFailed("ledger.db", OSError(30, "read-only"))

    monkeypatch.setattr(Ledger, broken, fails)

    assert opener(person=False).remember(Question("tabs in every project")).hits[0].id == told


@promise("erased")
def test_forgetting_and_erasing_drop_the_uses_and_erasing_leaves_no_trace(
    opener: Opener, root: Path, told: str
) -> None:
    path = "memory/global/secret-boat-name.md"
    (root / path).write_text("The boat is called heron.\n", "utf-8")
    agent, person = opener(person=False), opener()
    agent.remember(Question("tabs in every project"))
    agent.remember(Question("boat called heron"))
    assert set(agent._parts.ledger.uses()) == {told, path}

    person.forget([told])
    person.erase(path)

    assert Ledger(agent.settings.state / "ledger.db").uses() == {}
    person.restore(told)
    assert uses(person, told) == 0
    left = [
        file
        for file in agent.settings.state.glob("ledger.db*")
        if path.encode() in file.read_bytes()
    ]
    assert left == []


# What it does


def test_a_use_lifts_a_note_and_starts_its_time_anew(
    opener: Opener, clock: Clock, told: str
) -> None:
    clock.forward(days=90)
    assert opener().strength(told).life == Life(0.8, 90)
    assert opener().strength(told).life.strength == pytest.approx(0.4)

    opener(person=False).remember(Question("tabs in every project"))
    clock.forward(days=45)
    found = opener().strength(told)
    assert found.life.strength == pytest.approx(0.8 * 2**-0.5 * (1 + 1.2 * log(2)))
    assert found.last_use == "2027-02-28T02:14:07+00:00"


def test_an_edit_after_a_use_counts_from_the_edit(opener: Opener, clock: Clock, told: str) -> None:
    opener(person=False).remember(Question("tabs in every project"))
    clock.forward(days=10)
    person = opener()
    person.memorize(Wish(importance=0.9, id=told, hash=person.get(told)[1].hash))
    clock.forward(days=2)

    assert person.strength(told).life.days == pytest.approx(2)


def test_ranking_knows_the_uses(opener: Opener, clock: Clock, told: str) -> None:
    agent = opener(person=False)
    for _ in range(3):
        clock.forward(hours=2)
        hit = agent.remember(Question("tabs in every project", explain=True)).hits[0]

    assert dict(hit.why)["strength"] == pytest.approx(0.8 * (1 + 1.2 * log(3)), abs=2e-3)


def test_a_moment_to_come_is_now(opener: Opener, clock: Clock, told: str) -> None:
    clock.forward(days=-400)

    assert opener().strength(told).life.days == 0


def test_a_year_without_a_use_leaves_a_memory_findable(
    opener: Opener, clock: Clock, told: str
) -> None:
    clock.forward(days=366)
    hit = opener(person=False).remember(Question("tabs in every project")).hits[0]

    assert (hit.id, hit.confidence) == (told, "strong")


def test_a_vault_may_set_its_half_life(opener: Opener, root: Path, clock: Clock, told: str) -> None:
    config = root / ".vaultmem/config.toml"
    config.write_text(config.read_text("utf-8") + "half_life_days = 10\n", "utf-8")
    clock.forward(days=20)

    assert opener().strength(told).life.strength == pytest.approx(0.2)
