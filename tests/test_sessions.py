"""How the benchmark of agents counts: what was acknowledged, given, and handed in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from benchmarks import agents, handed_in, month
from benchmarks.handed_in import HandedIn
from benchmarks.measure import Missing, Row
from benchmarks.sessions import Seat


def seat(agent: str, number: int, **given: int) -> Seat:
    return Seat(agent, number, [], 0, given=Counter(given))


def values(rows: list[Row]) -> list[str]:
    return [row.value for row in rows]


def test_an_entry_is_missed_by_each_session_that_was_never_given_it() -> None:
    seats = [seat("scout", 1), seat("scout", 2, c=1), seat("scribe", 1, a=1)]
    said = {"scout-1": {"a", "b"}, "scout-2": set[str](), "scribe-1": {"c"}}

    rows = list(agents._given(seats, said))

    assert values(rows) == ["2 (of 4, scout-1, scribe-1)", "2 (of 2, scout-2)", "0"]


def test_an_entry_that_a_session_was_given_twice_is_given_again() -> None:
    seats = [seat("scout", 1), seat("scribe", 1, a=2)]

    (*_, again) = agents._given(seats, {"scout-1": {"a"}, "scribe-1": set()})

    assert (again.value, again.good) == ("1", False)


def test_a_fact_is_lost_where_none_of_its_wordings_has_a_candidate_of_its_own() -> None:
    given = [HandedIn("one", 0), HandedIn("uno", 0), HandedIn("two", 1), HandedIn("dos", 1)]

    rows = list(handed_in._rows(given, ["a", "b", "a", ""], 2))

    assert values(rows)[:3] == ["2", "1", "1"]


def test_junk_is_left_where_a_candidate_was_made_of_it() -> None:
    given = [HandedIn("All tests pass.", junk="run state"), HandedIn("one", 0)]

    rows = list(handed_in._rows(given, ["a", "b"], 1))

    assert values(rows)[:4] == ["2", "0", "0", "1 (of 10)"]


def test_only_pairs_that_people_called_the_same_are_handed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTMEM_BENCH_DATA", str(tmp_path))
    with pytest.raises(Missing):
        list(handed_in.pairs())
    (tmp_path / "mrpc").mkdir()
    rows = ["Quality\t1\t2\tA\tB", "1\t1\t2\tOne.\tUno.", "0\t3\t4\tTwo.\tThree."]
    (tmp_path / "mrpc/train.tsv").write_text("\n".join(rows), encoding="utf-8")

    assert list(handed_in.pairs()) == [("One.", "Uno.")]


def test_a_question_is_answered_by_any_note_that_was_wanted() -> None:
    found = month.Found()

    found.add({"a", "b"}, {"b", "c"}, 10)
    found.add({"a"}, {"b"}, 20)

    assert (found.answered, found.tokens) == ([True, False], [10, 20])
