"""How the benchmark of noise counts: in facts, each of which is stated once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks import distinct, restated
from benchmarks.restated import Asked, Fact, Restated

ONE, TWO, BOTH = frozenset({"one"}), frozenset({"two"}), frozenset({"one", "two"})
DATA = Restated(
    "birds",
    [
        Fact(
            "owl", ("Owls hunt at night.", "At night owls go hunting."), scope="local/bench/birds"
        ),
        Fact("jay", ("Jays hide acorns, acorns and nuts.",), "Jays", "local/bench/birds"),
    ],
    [],
)


def test_a_hit_that_states_nothing_new_is_a_place_lost() -> None:
    assert distinct.precision([ONE, ONE, TWO, BOTH]) == 0.5
    assert distinct.precision([]) == 0.0


def test_a_fact_is_found_once_wherever_it_is_stated_again() -> None:
    assert distinct.recall([BOTH], {"one": 1, "two": 1}) == 1.0
    assert distinct.ndcg([ONE, ONE, ONE], {"one": 2}) == 1.0
    assert distinct.ndcg([TWO, ONE, ONE], {"one": 1}) == pytest.approx(0.6309, abs=1e-4)


def test_a_parent_that_joins_two_facts_gains_as_one_place() -> None:
    assert distinct.ndcg([BOTH], {"one": 1, "two": 1}) == pytest.approx(0.6131, abs=1e-4)


def test_copies_take_the_wordings_by_turns() -> None:
    owl = DATA.facts[0]

    assert [owl.statement(number)[1] for number in range(3)] == [
        "Owls hunt at night.",
        "At night owls go hunting.",
        "Owls hunt at night.",
    ]
    assert owl.statement(0)[0] == "Owls hunt at night."
    assert DATA.facts[1].statement(4)[0] == "Jays"


def test_a_folder_is_ranked_by_the_matches_of_any_word(tmp_path: Path) -> None:
    known = restated.write(DATA, 1, tmp_path / "vault")
    search = distinct.ripgrep(tmp_path / "vault", known)

    asked = Asked("Do owls eat ACORNS or nuts?", "local/bench/birds", {})

    assert search(asked) == [{"jay"}, {"jay"}, {"owl"}, {"owl"}]
    assert search(Asked("Hens?", "local/bench/birds", {})) == []


def test_a_note_is_read_as_its_title_and_text(tmp_path: Path) -> None:
    said = json.dumps('A "quoted" title')
    (tmp_path / "note.md").write_text(f"---\nid: a\ntitle: {said}\n---\nText.\n", encoding="utf-8")

    assert distinct.title_and_text(tmp_path / "note.md") == 'A "quoted" title\nText.\n'
