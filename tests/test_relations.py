"""Relations: said in one note, seen from both ends, taken out again; goals are made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Opener

from vaultmem.memory import Memory, Question, Wish
from vaultmem.verbs.relate import Edge
from vaultmem.words.errors import BadInput, NotFound, Refused


@pytest.fixture
def kept(memory: Memory) -> dict[str, str]:
    """Four memories, by a word of theirs."""
    said = {
        "limit": "Requests are limited by a token bucket in the gateway.",
        "redis": "The counters of the gateway live in Redis on the second host.",
        "host": "The second host is restarted on Sunday night for updates.",
        "alone": "Invoices are numbered by year and month.",
    }
    return {word: memory.memorize(Wish(f"What is known of the {word}", text)).id
            for word, text in said.items()}  # fmt: skip


def test_a_relation_stands_in_one_note_and_is_seen_from_both(
    memory: Memory, root: Path, kept: dict[str, str]
) -> None:
    done = memory.relate(kept["limit"], "depends_on", kept["redis"], "it counts there")

    text = (root / done.path).read_text("utf-8")
    link = "[[memory/global/what-is-known-of-the-redis|What is known of the redis]]"
    assert f'depends_on:\n  - "{link}"\n' in text
    assert f"Depends on {link} because it counts there\n" in text
    assert memory.graph(kept["limit"]).edges == (Edge(kept["limit"], "depends_on", kept["redis"]),)
    assert memory.graph(kept["redis"]).edges == (Edge(kept["redis"], "needed_by", kept["limit"]),)


def test_taking_a_relation_out_leaves_the_rest_byte_for_byte(
    memory: Memory, root: Path, kept: dict[str, str]
) -> None:
    path = root / memory.get(kept["limit"])[1].path
    before = path.read_bytes()
    memory.relate(kept["limit"], "depends_on", kept["redis"], "it counts there")

    memory.unrelate(kept["limit"], "depends_on", "What is known of the redis")

    assert path.read_bytes() == before


def test_a_relation_to_a_note_that_is_gone_can_be_taken_out(
    memory: Memory, root: Path, kept: dict[str, str]
) -> None:
    memory.relate(kept["limit"], "depends_on", kept["redis"])
    memory.forget([kept["redis"]])
    finding = next(f for f in memory.doctor().findings if "which is not there" in f.what)

    command = finding.mend.split("`")[1]
    memory.unrelate(*command.removeprefix("vaultmem unrelate ").replace('"', "").split())

    assert memory.get(kept["limit"])[1].relations == ()


def test_what_is_not_related_cannot_be_unrelated(memory: Memory, kept: dict[str, str]) -> None:
    with pytest.raises(NotFound, match="depends_on"):
        memory.unrelate(kept["limit"], "depends_on", kept["alone"])


def test_an_agent_relates_no_note_that_a_person_approved(opener: Opener, root: Path) -> None:
    for name in ("one", "two"):
        (root / "memory" / "global" / f"{name}.md").write_text(f"About {name}.\n", "utf-8")

    with pytest.raises(Refused):
        opener(person=False).relate("one", "supersedes", "two")


def test_a_circle_of_successors_is_refused(memory: Memory, kept: dict[str, str]) -> None:
    memory.relate(kept["limit"], "supersedes", kept["redis"])
    memory.relate(kept["redis"], "consolidates", kept["host"])

    with pytest.raises(BadInput, match="circle"):
        memory.relate(kept["host"], "supersedes", kept["limit"])
    with pytest.raises(BadInput, match="circle"):
        memory.relate(kept["host"], "closes", kept["host"])


def test_a_circle_made_by_hand_lowers_nobody_and_is_named(
    memory: Memory, root: Path, kept: dict[str, str]
) -> None:
    memory.relate(kept["limit"], "supersedes", kept["redis"])
    path = root / memory.get(kept["redis"])[1].path
    text = path.read_text("utf-8")
    path.write_text(
        text.replace("---\n", '---\nsupersedes: ["[[what-is-known-of-the-limit]]"]\n', 1), "utf-8"
    )

    named = [f.path for f in memory.doctor().findings if "replaces itself" in f.what]

    assert len(named) == 2
    assert "SUPERSEDED" not in memory.remember(Question(kept["redis"])).hits[0].label


def test_the_graph_goes_as_far_as_asked(memory: Memory, kept: dict[str, str]) -> None:
    memory.relate(kept["limit"], "depends_on", kept["redis"])
    memory.relate(kept["redis"], "depends_on", kept["host"])

    assert set(memory.graph(kept["limit"]).titles) == {kept["limit"], kept["redis"]}
    assert set(memory.graph(kept["limit"], 2).titles) == {
        kept[w] for w in ("limit", "redis", "host")
    }
    assert memory.graph(kept["alone"], 6).edges == ()


@pytest.mark.parametrize("depth", [0, 7])
def test_a_depth_has_bounds(memory: Memory, kept: dict[str, str], depth: int) -> None:
    with pytest.raises(BadInput, match="depth"):
        memory.graph(kept["limit"], depth)


def test_the_graph_shows_nothing_of_another_scope(opener: Opener) -> None:
    other = opener(scope="local/b").memorize(Wish("A fact of project b", "It is about b alone."))
    mine = opener().memorize(
        Wish(
            "A fact that is true everywhere", "It is about all.", relates=(f"extends: {other.id}",)
        )
    )

    assert opener(scope="local/a").graph(mine.id).edges == ()
    assert len(opener(scope="local/b").graph(mine.id).edges) == 1


def test_a_chain_of_successors_names_what_holds_now(memory: Memory, kept: dict[str, str]) -> None:
    memory.relate(kept["redis"], "supersedes", kept["limit"])
    memory.relate(kept["host"], "supersedes", kept["redis"])

    label = memory.remember(Question(kept["limit"])).hits[0].label

    assert label == f"INFERRED · SUPERSEDED by {kept['host']}"


def test_an_older_event_that_arrives_later_is_history(memory: Memory) -> None:
    now = memory.memorize(
        Wish("Where the database runs", "The database runs in Frankfurt.", valid_from="2026-06-01")
    )
    old = memory.memorize(
        Wish(
            "Where the database ran",
            "The database runs in Dublin.",
            valid_from="2025-01-01",
            relates=(f"supersedes: {now.id} because somebody said so late",),
        )
    )

    hits = memory.remember(Question("where does the database run")).hits

    assert [hit.id for hit in hits] == [now.id, old.id]
    assert hits[1].label == f"INFERRED · SUPERSEDED by {now.id}"
    then = memory.remember(Question("where does the database run", as_of="2025-12-31")).hits
    assert [hit.id for hit in then] == [old.id]


def test_what_supersedes_the_same_note_again_links_to_what_did_so_before(
    memory: Memory, kept: dict[str, str]
) -> None:
    again = (f"supersedes: {kept['limit']}",)
    first = memory.memorize(Wish("Reads", "Reads are limited by key.", relates=again))
    second = memory.memorize(Wish("Writes", "Writes are limited by host.", relates=again))

    assert memory.get(second.id)[1].texts("related_to") == (f"[[{first.path[:-3]}|Reads]]",)
    assert memory.get(first.id)[1].texts("related_to") == ()
    labels = {hit.id: hit.label for hit in memory.remember(Question("limited by key or host")).hits}
    assert labels[first.id] == labels[second.id] == "INFERRED"


def test_what_is_retracted_is_stale_and_so_is_what_was_built_on_it(
    memory: Memory, root: Path, kept: dict[str, str]
) -> None:
    memory.relate(kept["limit"], "consolidates", kept["redis"])
    path = root / memory.get(kept["redis"])[1].path
    before = path.read_bytes()

    memory.retract(kept["redis"], "it moved")

    labels = {w: memory.remember(Question(kept[w])).hits[0].label for w in ("limit", "redis")}
    assert labels["limit"] == "INFERRED · STALE"
    assert labels["redis"].endswith("STALE")
    assert b"retracted: it moved\n" in path.read_bytes()
    memory.retract(kept["redis"], "")
    assert path.read_bytes() == before
    assert memory.remember(Question(kept["limit"])).hits[0].label == "INFERRED"


class TestGoals:
    @pytest.fixture
    def goal(self, memory: Memory) -> str:
        return memory.memorize(
            Wish(
                "Halve the latency", "Calls should take half as long.", type="goal", importance=0.8
            )
        ).id

    @pytest.fixture
    def found(self, memory: Memory, goal: str) -> list[str]:
        said = ("Batched lookups save a third of the time.", "The cache needs ten minutes to warm.")
        return [
            memory.memorize(
                Wish(
                    f"Finding {n} on latency", text, importance=0.5, relates=(f"achieves: {goal}",)
                )
            ).id
            for n, text in enumerate(said)
        ]

    def test_a_goal_gathers_what_achieves_it(
        self, memory: Memory, goal: str, found: list[str]
    ) -> None:
        known = memory.goals()[0]

        assert (known.id, known.closed_by) == (goal, "")
        assert [name for name, _ in known.findings] == found

    def test_consolidate_closes_it_with_all_that_was_found(
        self, memory: Memory, goal: str, found: list[str]
    ) -> None:
        done = memory.consolidate(goal)

        _, note = memory.get(done.id)
        assert note.body.startswith("- The cache needs ten minutes to warm.[^1]\n- Batched lookups")
        assert note.importance == 0.88
        assert memory.goals()[0].closed_by == done.id
        assert len(note.texts("consolidates")) == 2
        source = memory.remember(Question(found[0])).hits[0]
        assert source.label == f"INFERRED · CONSOLIDATED into {done.id}"
        assert memory.strength(found[0]).life.importance == pytest.approx(0.1)

    def test_a_note_that_closes_a_goal_does_so_through_memorize_alone(
        self, memory: Memory, goal: str, found: list[str]
    ) -> None:
        done = memory.memorize(
            Wish("Latency is halved", "By batching and a warm cache.", relates=(f"closes: {goal}",))
        )

        note = memory.get(done.id)[1]
        assert len(note.texts("consolidates")) == 2
        assert note.importance == 0.88
        assert memory.goals()[0].closed_by == done.id

    def test_what_is_found_after_it_was_closed_stays_as_it_is(
        self, memory: Memory, goal: str, found: list[str]
    ) -> None:
        memory.consolidate(goal)
        late = memory.memorize(
            Wish("One more finding", "Compression costs more than it saves.",
                 relates=(f"achieves: {goal}",))
        )  # fmt: skip

        assert memory.remember(Question(late.id)).hits[0].label == "INFERRED"

    def test_it_can_be_opened_again(self, memory: Memory, goal: str, found: list[str]) -> None:
        closing = memory.consolidate(goal)

        assert memory.reopen(goal) == [closing.path]

        assert memory.goals()[0].closed_by == ""
        assert memory.remember(Question(found[0])).hits[0].label == "INFERRED"
        with pytest.raises(BadInput, match="open already"):
            memory.reopen(goal)

    def test_without_a_finding_there_is_nothing_to_consolidate(
        self, memory: Memory, goal: str
    ) -> None:
        with pytest.raises(BadInput, match="achieves"):
            memory.consolidate(goal)

    def test_a_fact_is_no_goal(self, memory: Memory, found: list[str]) -> None:
        with pytest.raises(BadInput, match="no goal"):
            memory.consolidate(found[0])

    def test_a_guess_closes_no_goal_that_a_person_set(self, opener: Opener, root: Path) -> None:
        path = root / "memory" / "global" / "ship-it.md"
        path.write_text("---\ntitle: Ship it\ntype: goal\n---\nBy Christmas.\n", "utf-8")
        agent = opener(person=False)
        done = agent.memorize(
            Wish("It was shipped today", "The release is out.", relates=("closes: Ship it",))
        )

        goal = agent.goals()[0]

        assert (goal.closed_by, goal.waiting) == ("", done.id)
