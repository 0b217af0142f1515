"""Asking: what is found, what is kept apart, how it is labelled and how much of it is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Clock, FakeModel, Opener
from hostile.questions import QUESTIONS
from hypothesis import given
from hypothesis import strategies as st
from promises import promise

from vaultmem.memory import Answer, Memory, Question, Telling, Wish
from vaultmem.sidecar.embedder import ModelMissing
from vaultmem.sidecar.keyword import KeywordIndex
from vaultmem.sidecar.seams import Vectors
from vaultmem.words.errors import BadInput, NotFound, Refused
from vaultmem.words.hit import Hit, tokens


def note(root: Path, path: str, body: str, *keys: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{key}\n" for key in keys)
    file.write_text(f"---\n{head}---\n{body}\n" if keys else f"{body}\n")


def scope_folder(root: Path, scope: str) -> None:
    note(root, f"memory/{scope}/index.md", "Mine.", f"scope: {scope}")


def ask(memory: Memory, query: str, **wishes: object) -> tuple[Hit, ...]:
    return memory.remember(Question(query, **wishes)).hits  # type: ignore[arg-type]


def paths(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.path for hit in hits]


def by_path(hits: tuple[Hit, ...]) -> dict[str, Hit]:
    return {hit.path: hit for hit in hits}


# Scopes


@pytest.fixture
def two_scopes(root: Path) -> Path:
    """A vault where each of two projects, the global scope and the person know of a valve."""
    for scope in ("alpha", "beta"):
        scope_folder(root, scope)
        title = f"Valve of {scope}"
        note(root, f"memory/{scope}/valve.md", "The valve sticks.", f"title: {title}")
        note(root, f"memory/{scope}/decisions.md", "- We replace the valve.", "type: decisions")
        note(root, f"memory/{scope}/project.md", "A valve and a pump.", "type: project")
        note(root, f"memory/{scope}/sub/deep.md", "A valve, deep down.")
    note(root, "memory/global/valve.md", "Valves are turned clockwise.", "title: Valves anywhere")
    note(root, "Diary.md", "I dreamt of a valve.")
    return root


@pytest.mark.parametrize("how", ["locked", "asked"])
def test_a_question_from_one_scope_never_sees_another(
    two_scopes: Path, opener: Opener, how: str
) -> None:
    locked = "alpha" if how == "locked" else None
    asked = "alpha" if how == "asked" else None
    opener().tell(Telling(summary="The valve of beta leaks", scope="beta"))
    opener().tell(Telling(summary="The valve of alpha leaks", scope="alpha"))
    memory = opener(scope=locked, person=False)

    for query in ("valve", "valve sticks", "leaking valve", "We replace the valve"):
        hits = ask(memory, query, limit=20, scope=asked, detail="full")
        assert {hit.scope for hit in hits} <= {"alpha", ""}
        assert not [hit for hit in hits if "beta" in f"{hit.path} {hit.text}"]
    assert {"memory/alpha/valve.md", "memory/alpha/sub/deep.md", "memory/global/valve.md"} <= set(
        paths(ask(memory, "valve", limit=20, scope=asked))
    )
    assert "Diary.md" in paths(ask(memory, "valve", limit=20, scope=asked))


@pytest.mark.parametrize(
    "query",
    [
        "memory/beta/valve.md",
        "memory/beta/valve",
        "Valve of beta",
        "[[memory/beta/valve]]",
        "b7f3q9xa",
    ],
)
def test_naming_a_note_of_another_scope_does_not_open_it(
    two_scopes: Path, opener: Opener, query: str
) -> None:
    keys = ("id: b7f3q9xa", "title: Valve of beta")
    note(two_scopes, "memory/beta/valve.md", "The valve sticks.", *keys)
    memory = opener(scope="alpha", person=False)

    assert not [path for path in paths(ask(memory, query, limit=20)) if "beta" in path]
    with pytest.raises(NotFound):
        memory.get(query)


def test_a_title_that_two_scopes_share_is_not_ambiguous_to_one_of_them(
    two_scopes: Path, opener: Opener
) -> None:
    for scope in ("alpha", "beta"):
        note(two_scopes, f"memory/{scope}/pump.md", f"Of {scope}.", "title: The pump")
    memory = opener(scope="alpha", person=False)

    assert memory.get("The pump")[1].path == "memory/alpha/pump.md"
    assert paths(ask(memory, "The pump"))[0] == "memory/alpha/pump.md"


def test_a_locked_caller_may_not_ask_in_another_scope(two_scopes: Path, opener: Opener) -> None:
    memory = opener(scope="alpha", person=False)

    with pytest.raises(Refused, match="Leave `scope` out"):
        ask(memory, "valve", scope="beta")
    assert paths(ask(memory, "valve clockwise", scope="global"))[0] == "memory/global/valve.md"


def test_a_caller_locked_to_nothing_sees_all_scopes(two_scopes: Path, memory: Memory) -> None:
    found = {hit.scope for hit in ask(memory, "valve", limit=20)}

    assert found == {"alpha", "beta", ""}


def test_meaning_alone_crosses_no_scope(two_scopes: Path, opener: Opener, tmp_path: Path) -> None:
    memory = opener(scope="alpha", person=False)
    memory.refresh()
    sidecar = memory._parts.sidecar
    nothing = KeywordIndex(tmp_path / "nothing").tally([], None)
    sidecar.keyword = lambda *_: nothing  # type: ignore[method-assign]

    hits = ask(memory, "valve sticks", limit=20)

    assert "memory/alpha/valve.md" in paths(hits)
    assert {hit.scope for hit in hits} <= {"alpha", ""}


def test_neighbours_of_another_scope_are_not_named(two_scopes: Path, opener: Opener) -> None:
    links = "See [[memory/beta/valve]] and [[memory/alpha/project]]."
    note(two_scopes, "memory/alpha/linked.md", f"A siphon. {links}", "title: Siphon")
    note(two_scopes, "memory/beta/back.md", "See [[memory/alpha/linked]].", "title: Back")
    agent = opener(scope="alpha", person=False)

    for memory, scope in ((agent, None), (opener(), "alpha")):
        (hit,) = [h for h in ask(memory, "siphon", scope=scope) if h.title == "Siphon"]
        assert [linked.id for linked in hit.neighbours] == ["memory/alpha/project.md"]


def test_the_label_does_not_name_a_note_of_another_scope(two_scopes: Path, opener: Opener) -> None:
    conflict = 'conflicts:\n  - "[[memory/alpha/valve]]"'
    note(two_scopes, "memory/beta/secret plan.md", "No valve at all.", conflict)
    memory = opener(scope="alpha", person=False)

    assert by_path(ask(memory, "valve sticks"))["memory/alpha/valve.md"].label == "CONFIRMED"
    everyone = opener()
    label = by_path(ask(everyone, "valve sticks"))["memory/alpha/valve.md"].label
    assert label == "CONFIRMED · CONTESTED by memory/beta/secret plan.md"


def test_the_file_of_the_log_is_no_way_round_the_scope_of_its_entries(
    two_scopes: Path, opener: Opener
) -> None:
    opener().tell(Telling(summary="The valve of beta leaks", scope="beta"))
    opener().tell(Telling(summary="The pump of alpha hums", scope="alpha"))
    memory = opener(scope="alpha", person=False)

    for query in ("live-context/2026-11", "live-context/2026-11.md", "Live context 2026-11"):
        for detail in ("passage", "full"):
            assert "beta" not in "".join(hit.text for hit in ask(memory, query, detail=detail))
    (entry,) = [
        h for h in ask(memory, "pump hums", detail="full") if h.type == "insight" and h.text
    ]
    assert "beta" not in entry.text
    with pytest.raises(NotFound):
        memory.get("live-context/2026-11.md")


# Own notes


def test_an_own_note_that_agents_may_not_see_is_not_shown_by_any_name(
    root: Path, opener: Opener
) -> None:
    note(root, "Diary.md", "I dreamt of a valve.", "title: My diary")
    note(root, "memory/global/valve.md", "It sticks, see [[Diary]].", "title: Valve")
    config = root / ".vaultmem/config.toml"
    lines = [line for line in config.read_text().splitlines() if "own_notes" not in line]
    config.write_text("\n".join([*lines, 'own_notes = "none"', ""]))
    agent, person = opener(person=False), opener()

    for query in ("Diary.md", "Diary", "My diary", "[[Diary]]", "dreamt of a valve"):
        assert "Diary.md" not in paths(ask(agent, query, detail="full"))
    assert by_path(ask(agent, "valve"))["memory/global/valve.md"].neighbours == ()
    with pytest.raises(NotFound):
        agent.get("Diary.md")
    assert person.get("Diary.md")[0].title == "My diary"


# Labels


def test_every_grade_has_its_label(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "The valve sticks.", "title: A")
    note(root, "memory/global/b.md", "The valve sticks.", "title: B", "source: user_confirmed")
    note(root, "memory/global/c.md", "The valve sticks.", "title: C", "source: agent_inferred")
    note(root, "memory/global/d.md", "The valve sticks.", "title: D", "status: pending")
    note(root, "memory/global/e.md", "The valve sticks.", "title: E", "retracted: it was wrong")
    note(root, "f.md", "The valve sticks.", "title: F")

    found = {hit.title: hit.label for hit in ask(memory, "valve sticks", limit=20)}

    assert found == {
        "A": "CONFIRMED",
        "B": "CONFIRMED",
        "C": "INFERRED",
        "D": "PENDING",
        "E": "CONFIRMED · STALE",
        "F": "IMPORTED",
    }


def test_a_superseded_note_stands_below_its_successor_and_names_it(
    memory: Memory, root: Path
) -> None:
    note(root, "memory/global/old.md", "The valve opens at five bar.", "title: Old valve")
    supersedes = 'supersedes:\n  - "[[memory/global/old|Old valve]]"'
    body = "A valve, among many other things which are of no interest here, at six bar."
    note(root, "memory/global/new.md", body, "id: k7f3q9xa", "title: Pressure", supersedes)

    hits = ask(memory, "valve opens bar")

    assert paths(hits)[:2] == ["memory/global/new.md", "memory/global/old.md"]
    assert hits[1].label == "CONFIRMED · SUPERSEDED by k7f3q9xa"


def test_a_claim_of_a_lower_grade_only_contests(memory: Memory, root: Path) -> None:
    note(root, "memory/global/old.md", "The valve opens at five bar.", "title: Old")
    claim = 'supersedes:\n  - "[[memory/global/old]]"'
    keys = ("title: New", "source: agent_inferred", claim)
    note(root, "memory/global/new.md", "The valve opens at six bar.", *keys)

    hits = ask(memory, "valve opens at bar")

    assert paths(hits) == ["memory/global/old.md", "memory/global/new.md"]
    assert [hit.label for hit in hits] == [
        "CONFIRMED · CONTESTED by memory/global/new.md",
        "INFERRED",
    ]


def test_an_archived_note_is_not_found(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "The valve sticks.", "status: archived", "title: Valve")

    assert ask(memory, "valve sticks") == ()
    assert ask(memory, "Valve") == ()


# One note, one hit


def test_a_note_of_many_passages_is_one_hit_at_its_best_one(memory: Memory, root: Path) -> None:
    parts = [
        f"## Part {number}\n\n" + f"The pump hums in hall {number}. " * 30 for number in range(6)
    ]
    body = "\n\n".join([*parts, "## Valve\n\nThe valve sticks when it is cold."])
    note(root, "memory/global/plant.md", body, "title: Plant")

    (hit,) = ask(memory, "valve sticks cold", limit=20)

    assert (hit.heading, hit.text) == ("Valve", "## Valve\n\nThe valve sticks when it is cold.")
    lines = (root / "memory/global/plant.md").read_text().split("\n")
    assert "\n".join(lines[hit.lines[0] - 1 : hit.lines[1]]) == hit.text


def test_every_entry_of_the_log_is_a_hit_of_its_own(memory: Memory, clock: Clock) -> None:
    memory.tell(Telling(summary="The valve was replaced"))
    clock.forward(days=1)
    memory.tell(Telling(summary="The valve leaks again"))

    hits = ask(memory, "valve")

    assert {hit.created: "leaks again" in hit.text for hit in hits} == {
        "2026-11-30T02:14:07+00:00": False,
        "2026-12-01T02:14:07+00:00": True,
    }


def test_a_hit_names_the_notes_one_link_away_once_each(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "The siphon. See [[b]] and [[b]].", 'depends_on: "[[b]]"')
    note(root, "memory/global/b.md", "The pump, for [[a]].", "title: Pump")
    note(root, "memory/global/c.md", "Built on it.", 'extends: "[[a]]"', "title: Sink")

    (hit,) = [h for h in ask(memory, "siphon") if h.path.endswith("a.md")]

    assert [(n.title, n.relation) for n in hit.neighbours] == [
        ("Pump", "depends_on"),
        ("Sink", "extended_by"),
    ]


# Filters


@pytest.fixture
def crowd(root: Path) -> Path:
    """Three hundred notes on valves, of which one, a poor match, is odd in every way."""
    for number in range(300):
        keys = (f"title: Valve {number}", "tags: [common]", "created: 2026-10-01T12:00:00")
        note(root, f"memory/global/valve-{number}.md", "A valve, valve, valve.", *keys)
    note(
        root,
        "memory/global/rare.md",
        "Something long about pumps, hoses and halls, where a valve is named once in passing.",
        "title: Rare",
        "type: decision",
        "tags:\n  - Rare/Bird\n  - common",
        "files: [src/rare.rs]",
        "created: 2026-11-15T12:00:00",
    )
    return root


@pytest.mark.parametrize(
    "wish",
    [
        {"tags": ("rare/bird",)},
        {"tags": ("#Rare/Bird",)},
        {"types": ("decision",)},
        {"files": ("src/rare.rs",)},
        {"after": "2026-11-01"},
        {"after": "2026-11-15", "before": "2026-11-15"},
        {"tags": ("common",), "types": ("decision",)},
    ],
    ids=str,
)
def test_a_filter_finds_its_only_note_at_any_rank(
    crowd: Path, memory: Memory, wish: dict[str, object]
) -> None:
    memory.refresh()

    assert paths(ask(memory, "valve", **wish)) == ["memory/global/rare.md"]


@pytest.mark.parametrize(
    ("after", "before", "count"),
    [
        ("", "", 2),
        ("2026-11-10", "", 1),
        ("2026-11-10T12:00:00", "", 1),
        ("2026-11-10T12:00:01", "", 0),
        ("", "2026-11-09", 1),
        ("", "2026-11-08", 0),
        ("2026-11-09", "2026-11-09", 1),
    ],
)
def test_dates_are_inclusive_and_a_note_without_one_is_in_none(
    memory: Memory, root: Path, after: str, before: str, count: int
) -> None:
    note(root, "memory/global/a.md", "The valve.", "created: 2026-11-09T23:59:59", "title: A")
    note(root, "memory/global/b.md", "The valve.", "created: 2026-11-10T12:00:00", "title: B")
    note(root, "memory/global/c.md", "The valve.", "title: C")
    undated = 0 if after or before else 1

    assert len(ask(memory, "valve", after=after, before=before)) == count + undated


def test_entries_of_the_log_count_by_their_own_time(memory: Memory, clock: Clock) -> None:
    memory.tell(Telling(summary="The valve was replaced"))
    clock.forward(hours=2)
    memory.tell(Telling(summary="The valve leaks again"))

    late = ask(memory, "valve", after="2026-11-30T04:00:00")
    early = ask(memory, "valve", before="2026-11-30T03:00:00")

    assert ["leaks again" in hit.text for hit in late] == [True]
    assert ["replaced" in hit.text for hit in early] == [True]


@pytest.mark.parametrize(
    "wish", [{"after": "soon"}, {"before": "2026-02-30"}, {"types": ("poem",)}]
)
def test_a_filter_that_means_nothing_is_refused(memory: Memory, wish: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        ask(memory, "valve", **wish)


# Named outright


@pytest.mark.parametrize(
    "query",
    [
        "k7f3q9xa",
        "memory/global/a.md",
        "memory/global/a",
        "Rate limiting",
        "rate limiting",
        "Throttle",
        "[[memory/global/a]]",
        "[[a|whatever]]",
        "  Rate limiting  ",
    ],
)
def test_the_note_that_is_named_comes_first_and_is_sure(
    memory: Memory, root: Path, query: str
) -> None:
    keys = ("id: k7f3q9xa", "title: Rate limiting", "aliases: [Throttle]", "source: agent_inferred")
    note(root, "memory/global/a.md", "A token bucket.", *keys)
    for number in range(5):
        title = f"title: Rate limiting and throttle {number}"
        text = "Rate limiting, throttle, rate limiting."
        note(root, f"memory/global/b{number}.md", text, title, "source: agent_inferred")

    hit = ask(memory, query)[0]

    assert (hit.path, hit.confidence, hit.id) == ("memory/global/a.md", "strong", "k7f3q9xa")
    assert hit.text == "A token bucket."


def test_a_guess_that_has_the_question_as_its_title_stands_below_what_a_person_approved(
    memory: Memory, root: Path
) -> None:
    keys = ("id: k7f3q9xa", "title: Rate limiting", "source: agent_inferred")
    note(root, "memory/global/a.md", "A token bucket.", *keys)
    for number in range(5):
        title = f"title: Rate limiting and throttle {number}"
        note(root, f"memory/global/b{number}.md", "Rate limiting, throttle, rate limiting.", title)

    found = paths(ask(memory, "Rate limiting"))

    assert found[0].startswith("memory/global/b")
    assert found[-1] == "memory/global/a.md"
    assert paths(ask(memory, "k7f3q9xa")) == ["memory/global/a.md"]


def test_a_superseded_note_stands_below_its_successor_even_if_it_is_named(
    memory: Memory, root: Path
) -> None:
    note(root, "memory/global/old.md", "We deploy on Monday.", "title: Deploy window")
    keys = ("title: Deploys", "supersedes:", '  - "[[old]]"')
    note(root, "memory/global/new.md", "The deploy window is on Tuesday.", *keys)

    assert paths(ask(memory, "deploy window")) == ["memory/global/new.md", "memory/global/old.md"]


def test_an_id_or_a_path_means_one_note_alone(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "A token bucket.", "id: k7f3q9xa", "title: A")
    note(root, "memory/global/b.md", "A global memory, a bucket of k7f3q9xa.", "title: B")

    assert paths(ask(memory, "k7f3q9xa")) == ["memory/global/a.md"]
    assert paths(ask(memory, "memory/global/a.md")) == ["memory/global/a.md"]


def test_a_filter_holds_for_a_note_that_is_named(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "A token bucket.", "id: k7f3q9xa", "title: A")

    assert ask(memory, "k7f3q9xa", types=("goal",)) == ()


# Empty answers


def test_nothing_that_answers_is_an_answer(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "The valve sticks.", "title: A")

    assert memory.remember(Question("zebra crossing")) == Answer()


def test_an_empty_vault_answers_nothing(memory: Memory, root: Path) -> None:
    for file in root.rglob("*.md"):
        file.unlink()

    assert memory.remember(Question("zebra")) == Answer()
    assert memory.remember(Question("zebra")) == Answer()


# The budget


def spent(hits: tuple[Hit, ...]) -> int:
    return sum(tokens(hit.title + hit.path + hit.label + hit.text) for hit in hits)


@promise("bounded")
@pytest.mark.parametrize("budget", [1, 20, 60, 100, 250, 600, 2000])
@pytest.mark.parametrize("detail", ["passage", "titles", "full"])
def test_the_answer_fits_its_budget(memory: Memory, root: Path, budget: int, detail: str) -> None:
    for number in range(6):
        body = f"The valve sticks, number {number}. " + "More about it. " * 200
        note(root, f"memory/global/{number}.md", body, f"title: Valve {number}")

    answer = memory.remember(Question("valve", detail=detail, budget_tokens=budget, limit=6))

    assert spent(answer.hits) <= budget
    assert len(answer.hits) + answer.dropped == 6


def test_the_best_hit_gets_its_text_first(memory: Memory, root: Path) -> None:
    for number in range(4):
        body = "The valve sticks. " * (number + 1) + "More about it. " * 40
        note(root, f"memory/global/{number}.md", body, f"title: Valve {number}")

    hits = ask(memory, "valve", budget_tokens=400)

    assert tokens(hits[0].text) > tokens(hits[-1].text)


def test_titles_alone_carry_no_text_and_full_carries_all_of_it(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "# One\n\nThe valve.\n\n# Two\n\n" + "The pump. " * 150)

    (short,) = ask(memory, "valve", detail="titles")
    (full,) = ask(memory, "valve", detail="full")

    assert short.text == ""
    assert full.text.startswith("# One\n\nThe valve.\n\n# Two\n\nThe pump.")
    assert full.lines[0] == 1


# Languages


def test_thai_is_found_by_its_letters_though_the_model_cannot_read_it(
    memory: Memory, root: Path
) -> None:
    note(root, "memory/global/a.md", "วาล์วของปั๊มน้ำรั่วเมื่ออากาศเย็นมาก", "title: A")
    note(root, "memory/global/b.md", "แมวนอนหลับอยู่บนหลังคาบ้านทั้งวัน", "title: B")

    answer = memory.remember(Question("ปั๊มน้ำรั่ว"))

    assert paths(answer.hits)[:1] == ["memory/global/a.md"]
    assert answer.note == ""
    assert memory._parts.meaning.unreadable() == 2


# Without the model


class Absent(FakeModel):
    """A model that is not on this machine."""

    def passages(self, texts: object) -> list[Vectors | None]:
        raise ModelMissing("model.onnx is missing or damaged")

    def query(self, text: str) -> Vectors | None:
        raise ModelMissing("model.onnx is missing or damaged")


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeModel, "passages", Absent.passages)
    monkeypatch.setattr(FakeModel, "query", Absent.query)


def test_without_the_model_words_still_find_and_one_line_says_so(
    absent: None, memory: Memory, root: Path
) -> None:
    note(root, "memory/global/a.md", "The valve sticks.", "title: A")

    answer = memory.remember(Question("valve sticks"))

    assert paths(answer.hits) == ["memory/global/a.md"]
    assert answer.note.startswith("The embedding model cannot be used (model.onnx is missing")
    assert "\n" not in answer.note


def test_without_the_model_memories_are_kept(absent: None, memory: Memory) -> None:
    memory.memorize(Wish("The valve sticks", "It sticks when it is cold outside."))

    assert [hit.title for hit in ask(memory, "valve cold")] == ["The valve sticks"]


def test_a_question_waits_for_a_few_passages_without_vectors(
    memory: Memory, root: Path, model: FakeModel
) -> None:
    memory.refresh()
    for number in range(64):
        note(root, f"memory/global/{number}.md", f"The valve number {number}.", "title: A")
    before = len(model.embedded)

    answer = memory.remember(Question("valve"))

    assert answer.note == ""
    assert len(model.embedded) == before + 64


def test_a_question_does_not_wait_for_many_and_says_so_in_one_line(
    memory: Memory, root: Path, model: FakeModel
) -> None:
    memory.refresh()
    for number in range(65):
        note(root, f"memory/global/{number}.md", f"The valve number {number}.", "title: A")
    before = len(model.embedded)

    answer = memory.remember(Question("valve"))

    assert answer.note == (
        "65 passages have no vector yet, so this went by keyword; `vaultmem refresh` makes them."
    )
    assert len(answer.hits) == 5
    assert len(model.embedded) == before


# Whatever is asked


@promise("bounded")
def test_every_strange_question_has_an_answer_or_a_refusal(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "The valve sticks.", "title: A")

    assert len(QUESTIONS) >= 80
    for query in QUESTIONS:
        try:
            assert memory.remember(Question(query)).note == "", query[:30]
        except BadInput as refusal:
            assert len(str(refusal)) < 300
    assert memory.remember(Question("valve")).hits
    assert memory._parts.sidecar.refresh().rebuilt == ""


@pytest.mark.parametrize(
    "question",
    [
        Question(""),
        Question(" \n\t "),
        Question("x" * 1001),
        Question("valve", limit=0),
        Question("valve", limit=21),
        Question("valve", detail="everything"),
        Question("valve", budget_tokens=-1),
        Question("valve", scope="///"),
    ],
)
def test_a_question_that_cannot_be_used_is_refused(memory: Memory, question: Question) -> None:
    with pytest.raises(BadInput):
        memory.remember(question)


@given(st.text(min_size=1, max_size=60))
def test_any_text_is_a_question_or_is_refused(asked: Memory, query: str) -> None:
    try:
        answer = asked.remember(Question(query))
    except BadInput:
        return
    assert answer.dropped == 0


@pytest.fixture
def asked(memory: Memory, root: Path) -> Memory:
    note(root, "memory/global/a.md", "The valve sticks.", "title: A")
    return memory


# Lists


def test_a_list_is_newest_first_and_undated_notes_come_last(memory: Memory, root: Path) -> None:
    for name, created in (("a", "2026-01-02"), ("b", "2026-11-30T10:00:00"), ("c", "2025-01-01")):
        note(root, f"memory/global/{name}.md", "Text.", f"title: {name}", f"created: {created}")
    note(root, "memory/global/d.md", "Text.", "title: d")

    assert [facts.title for _, _, facts in memory.listing(Question(""))] == ["b", "a", "c", "d"]


def test_a_list_of_what_is_archived_shows_it(memory: Memory, root: Path) -> None:
    note(root, "memory/global/a.md", "Text.", "title: a", "status: archived")
    note(root, "memory/global/b.md", "Text.", "title: b")

    listed = memory.listing(Question(""), status="archived")
    assert [facts.title for _, _, facts in listed] == ["a"]
    assert [facts.title for _, _, facts in memory.listing(Question(""))] == ["b"]
