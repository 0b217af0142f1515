"""Putting memories away, bringing them back, and which ones a person may want to put away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Clock, Opener

from vaultmem.memory import Memory, Question, Wish
from vaultmem.verbs.archive import Case, reasons
from vaultmem.words.errors import BadInput, NotFound, Refused
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.life import Grade, Life, Use

TABS = "The person prefers tabs"
FACTS = Facts("memory/global/a.md", Role.MEMORY, grade=Grade.INFERRED)
OLD = Case(FACTS, Life(0.6, 200), 200)


# What a person may want to put away


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (OLD, ("not changed for 200 days", "never used")),
        (
            replace(OLD, life=Life(0.2, 400)),
            ("weak, its strength is 0.05", "not changed for 200 days", "never used"),
        ),
        (
            replace(OLD, life=Life(0.01, 0, Use(1, 0))),
            ("weak, its strength is 0.05", "not changed for 200 days"),
        ),
        (
            Case(FACTS, Life(0.9, 1, Use(1, 0)), 1, "superseded by b", 190),
            ("superseded by b 190 days ago",),
        ),
    ],
    ids=["old and never used", "weak", "weak though used", "superseded long ago"],
)
def test_a_memory_is_listed_with_every_reason(case: Case, why: tuple[str, ...]) -> None:
    assert reasons(case) == why


@pytest.mark.parametrize(
    "case",
    [
        replace(OLD, unchanged=180),
        replace(OLD, life=Life(0.3, 200, Use(1, 0))),
        Case(FACTS, Life(0.01, 0), 0),
        Case(FACTS, Life(0.6, 1, Use(1, 0)), 1, "superseded by b", 180),
    ],
    ids=["not old", "old and used", "weak and new", "superseded of late"],
)
def test_what_is_not_old_or_not_forgotten_stays(case: Case) -> None:
    assert reasons(case) == ()


@pytest.mark.parametrize(
    "changed",
    [
        {"pinned": True},
        {"grade": Grade.APPROVED},
        {"type": "goal"},
        {"status": "archived"},
        {"status": "pending"},
        {"broken": True},
    ],
    ids=str,
)
def test_what_is_kept_is_never_listed(changed: dict[str, object]) -> None:
    case = replace(OLD, facts=replace(FACTS, **changed))  # type: ignore[arg-type]

    assert reasons(case, 1) == ()


@pytest.mark.parametrize("changed", [{"grade": Grade.APPROVED}, {"type": "goal"}], ids=str)
def test_what_was_kept_may_go_once_it_is_superseded(changed: dict[str, object]) -> None:
    facts = replace(FACTS, **changed)  # type: ignore[arg-type]

    assert reasons(replace(OLD, facts=facts, lowered="superseded by b", lowered_for=181))
    assert not reasons(
        replace(OLD, facts=replace(facts, pinned=True), lowered="superseded by b", lowered_for=181)
    )


def test_what_replaced_another_stays_as_long_as_that_one() -> None:
    assert reasons(replace(OLD, lowers=True)) == ()


# In a vault


def kept(memory: Memory, title: str, **more: object) -> str:
    wish = Wish(title=title, content=f"{title}: that is all there is.", **more)  # type: ignore[arg-type]
    return memory.memorize(wish).id


def listed(memory: Memory, **more: object) -> list[str]:
    return [item.id for item in memory.cleanup(**more)]  # type: ignore[arg-type]


def test_cleanup_lists_and_changes_nothing_until_it_is_applied(
    memory: Memory, clock: Clock, root: Path
) -> None:
    old = kept(memory, TABS)
    clock.forward(days=100)
    newer = kept(memory, "Deploys happen on Tuesday")
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    clock.forward(days=100)

    assert listed(memory) == [old]
    assert listed(memory, days=30) == [old, newer]
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before

    (done,) = memory.cleanup(apply=True)
    assert (done.id, done.status) == (old, "archived")
    assert done.reasons == ("weak, its strength is 0.09", "not changed for 200 days", "never used")
    assert listed(memory) == []


def test_an_agents_use_keeps_a_memory_from_the_list(
    memory: Memory, opener: Opener, clock: Clock
) -> None:
    kept(memory, TABS, importance=0.9)
    clock.forward(days=190)
    assert len(listed(memory)) == 1

    opener(person=False).remember(Question("the person prefers tabs"))
    assert listed(memory) == []


def test_a_chain_of_successors_goes_from_its_oldest_end(memory: Memory, clock: Clock) -> None:
    first = kept(memory, "The limit is 100")
    second = kept(memory, "The limit is 200", relates=(f"supersedes: {first}",))
    third = kept(memory, "The limit is 300", relates=(f"supersedes: {second}",))
    clock.forward(days=200)

    assert [listed(memory, apply=True) for _ in range(4)] == [[first], [second], [third], []]


def test_an_agent_is_shown_only_what_it_may_put_away(
    opener: Opener, clock: Clock, root: Path
) -> None:
    person = opener()
    first = kept(person, "The limit is 100")
    kept(person, "The limit is 200", relates=(f"supersedes: {first}",))
    for note in (root / "memory/global").glob("the-limit*.md"):
        text = note.read_text("utf-8")
        note.write_text(text.replace("agent_inferred", "approved"), "utf-8")
    clock.forward(days=200)

    assert listed(opener(person=False), apply=True) == []
    assert listed(opener()) == [first]


def test_only_the_callers_scope_and_the_global_one_are_cleaned(
    opener: Opener, clock: Clock
) -> None:
    here, there = opener(scope="local/here"), opener(scope="local/there")
    mine, other = kept(here, TABS), kept(there, "Deploys happen on Tuesday")
    everywhere = kept(here, "Tea is drunk at five", everywhere=True)
    clock.forward(days=200)

    assert set(listed(here)) == {mine, everywhere}
    assert set(listed(there)) == {other, everywhere}


def test_days_below_one_are_refused(memory: Memory) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        memory.cleanup(0)


# Archiving


def test_an_archived_memory_is_out_of_catalogue_and_search_and_comes_back(
    memory: Memory, root: Path
) -> None:
    told = kept(memory, TABS)
    note, index = root / memory.get(told)[1].path, root / "memory/global/index.md"
    before, catalogue = note.read_bytes(), index.read_bytes()

    (done,) = memory.archive([told, TABS])

    assert note.read_bytes() == before.replace(b"status: working", b"status: archived")
    assert TABS not in index.read_text("utf-8")
    assert memory.remember(Question("the person prefers tabs")).hits == ()
    assert [row[0] for row in memory.listing(Question(""), status="archived")] == [told]
    assert (done.id, done.status) == (told, "archived")

    memory.unarchive([told])
    assert (note.read_bytes(), index.read_bytes()) == (before, catalogue)
    assert memory.remember(Question("the person prefers tabs")).hits[0].id == told


def test_doing_it_again_changes_nothing(memory: Memory, root: Path) -> None:
    told = kept(memory, TABS)
    memory.archive([told])
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    memory.archive([told])

    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


def test_a_note_without_a_status_gets_one_line(memory: Memory, root: Path) -> None:
    note = root / "memory/global/by-hand.md"
    note.write_bytes(b"---\r\ntitle: 'By hand'  # mine\r\n---\r\nThe boat is heron.")
    memory.archive(["By hand"])

    assert note.read_bytes() == (
        b"---\r\ntitle: 'By hand'  # mine\r\nstatus: archived\r\n---\r\nThe boat is heron."
    )


def test_all_or_none(memory: Memory) -> None:
    told = kept(memory, TABS)
    with pytest.raises(NotFound):
        memory.archive([told, "nothere1"])
    with pytest.raises(BadInput, match="at least one"):
        memory.archive([])

    assert memory.get(told)[1].status == "working"


@pytest.mark.parametrize("verb", ["archive", "unarchive"])
def test_a_candidate_waits_for_review(memory: Memory, root: Path, verb: str) -> None:
    for path in ("inbox/scout/a.md", "memory/global/b.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("---\nstatus: pending\nsource: agent_inferred\n---\nx\n", "utf-8")
        with pytest.raises(Refused, match="waits for review"):
            getattr(memory, verb)([path])


def test_an_agent_never_puts_away_what_a_person_approved(opener: Opener, root: Path) -> None:
    (root / "memory/global/by-hand.md").write_text("The boat is heron.\n", "utf-8")

    with pytest.raises(Refused, match="approved by a person"):
        opener(person=False).archive(["memory/global/by-hand.md"])


def test_the_log_tells_of_it(memory: Memory) -> None:
    told = kept(memory, TABS)
    memory.archive([told])
    memory.unarchive([told])

    summaries = [entry.summary.split(" [[")[0] for entry in memory.log.entries()]
    assert summaries == ["memorized", "archived", "brought back"]
