"""Ranking: how two legs become one order, and what trust and life do to it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from promises import promise

from vaultmem.verbs.ranking import (
    CONFIDENCE,
    GRADE,
    LIFE,
    PENDING,
    Candidate,
    Row,
    fused,
    joined,
    ordered,
    tilt,
)
from vaultmem.words.life import Grade, strength


def of(label: int, words: float, cosine: float | None = None, share: float = 0.0) -> Candidate:
    return Candidate(f"{label}.md", label, words, share, cosine)


def relevances(found: list[tuple[float, Candidate]]) -> list[tuple[int, float]]:
    return [(candidate.label, round(relevance, 4)) for relevance, candidate in found]


# Fusion


def test_the_best_has_relevance_one_and_distances_are_kept() -> None:
    found = [of(1, 8.0), of(2, 4.0), of(3, 0.0)]

    assert relevances(fused(found)) == [(1, 1.0), (2, 0.5), (3, 0.0)]


def test_near_equals_stay_near_however_few_there_are() -> None:
    (_, first), (_, second) = relevances(fused([of(1, 8.0), of(2, 7.9)]))

    assert first - second < 0.1


def test_what_both_legs_like_stands_above_what_one_likes_best() -> None:
    found = [of(1, 10.0, 0.1), of(2, 9.0, 0.6), of(3, 0.0, 0.65), of(4, 1.0, 0.1)]

    assert relevances(fused(found))[0][0] == 2


def test_what_the_model_cannot_read_goes_by_its_words() -> None:
    found = [of(1, 9.0), of(2, 5.0, 0.3), of(3, 1.0, 0.2), of(4, 4.0, 0.25)]

    assert relevances(fused(found))[0][0] == 1
    assert relevances(fused(found)) == relevances(fused(found[::-1]))


def test_without_any_vector_the_order_is_that_of_the_words() -> None:
    found = [of(n, words) for n, words in enumerate([3.0, 9.0, 1.0, 5.0])]

    assert [label for label, _ in relevances(fused(found))] == [1, 3, 0, 2]


def test_a_note_that_stands_out_in_meaning_weighs_more() -> None:
    flat = [
        of(0, 5.0, 0.3),
        of(1, 0.0, 0.36),
        *(of(n, 0.0, 0.3 + n % 2 / 20) for n in range(2, 22)),
    ]
    peak = [of(0, 5.0, 0.3), of(1, 0.0, 0.8), *(of(n, 0.0, 0.3 + n % 2 / 20) for n in range(2, 22))]

    assert relevances(fused(flat))[0][0] == 0
    assert dict(relevances(fused(peak)))[1] > dict(relevances(fused(flat)))[1] + 0.4


def test_equal_relevance_is_ordered_by_label() -> None:
    found = [of(9, 3.0, 0.4), of(4, 3.0, 0.4), of(7, 3.0, 0.4)]

    assert relevances(fused(found)) == [(4, 1.0), (7, 1.0), (9, 1.0)]


def test_nothing_found_is_nothing() -> None:
    assert fused([]) == []
    assert joined([[], []]) == []


candidates = st.lists(
    st.builds(
        of,
        st.integers(1, 30),
        st.floats(0, 50),
        st.none() | st.floats(-1, 1),
        st.floats(0, 1),
    ),
    min_size=1,
    max_size=30,
    unique_by=lambda candidate: candidate.label,
)


@given(candidates)
def test_relevance_lies_between_zero_and_one_and_the_best_has_one(
    found: list[Candidate],
) -> None:
    got = fused(found)

    assert got[0][0] == pytest.approx(1)
    assert all(-1e-9 <= relevance <= 1 + 1e-9 for relevance, _ in got)
    assert {c.label for _, c in got} == {c.label for c in found}


# Several questions


def test_a_note_counts_by_the_question_it_answers_best() -> None:
    first = [(1.0, of(1, 5.0, share=0.4)), (0.2, of(2, 1.0, share=0.1))]
    second = [(1.0, of(2, 5.0, share=0.4)), (0.6, of(3, 3.0, share=0.2))]

    assert relevances(joined([first, second])) == [(1, 1.0), (2, 1.0), (3, 0.6)]


def test_a_question_that_nothing_answers_counts_for_less() -> None:
    good = [(1.0, of(1, 5.0, share=0.4)), (0.9, of(2, 4.5, share=0.36))]
    poor = [(1.0, of(3, 0.5, share=0.04))]

    assert [label for label, _ in relevances(joined([poor, good]))] == [1, 2, 3]


# Confidence


@pytest.mark.parametrize(
    ("cosine", "share", "confidence"),
    [
        (0.6, 0.2, "strong"),
        (0.3, 0.5, "strong"),
        (0.5, 0.29, "moderate"),
        (0.58, 0.0, "moderate"),
        (0.3, 0.27, "weak"),
        (0.29, 0.0, "weak"),
        (0.27, 0.0, ""),
        (-0.5, 0.09, "weak"),
        (0.1, 0.07, ""),
        (None, 0.3, "strong"),
        (None, 0.17, "moderate"),
        (None, 0.03, "weak"),
        (None, 0.02, ""),
    ],
)
def test_confidence_comes_from_absolute_evidence(
    cosine: float | None, share: float, confidence: str
) -> None:
    assert of(1, 1.0, cosine, share).confidence == confidence


@given(st.none() | st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_words_never_make_it_less_sure(cosine: float | None, less: float, more: float) -> None:
    less, more = sorted((less, more))
    order = ["", *reversed(CONFIDENCE)]
    low, high = of(1, 1.0, cosine, less), of(1, 1.0, cosine, more)

    assert 0 <= low.evidence <= high.evidence <= 1
    assert order.index(low.confidence) <= order.index(high.confidence)


# The tilt


@pytest.mark.parametrize(("grade", "factor"), GRADE.items())
def test_a_lower_grade_weighs_less(grade: Grade, factor: float) -> None:
    approved = tilt(Grade.APPROVED, "working", 1.0, lowered=False)

    assert tilt(grade, "working", 1.0, lowered=False) == pytest.approx(approved * factor)


@pytest.mark.parametrize("status", ["pending", "approved"])
def test_what_waits_for_approval_weighs_like_what_came_from_outside(status: str) -> None:
    working = tilt(Grade.APPROVED, "working", 0.7, lowered=False)

    assert tilt(Grade.APPROVED, status, 0.7, lowered=False) == pytest.approx(working * PENDING)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 4000), st.integers(0, 1000))
def test_age_and_strength_move_a_score_by_at_most_a_quarter(
    importance: float, other: float, days: float, uses: int
) -> None:
    strong = tilt(Grade.APPROVED, "working", strength(importance, 0, uses), lowered=False)
    faded = tilt(Grade.APPROVED, "working", strength(other, days), lowered=False)

    assert 1 - LIFE <= faded <= 1
    assert abs(strong - faded) <= LIFE


def test_a_memory_loses_half_its_strength_in_ninety_days_and_never_all_of_it() -> None:
    assert strength(0.8, 90) == pytest.approx(0.4)
    assert strength(0.8, 0, uses=3) > strength(0.8, 0)
    assert strength(0.8, 1e6) == 0.05
    assert strength(0.8, -3) == strength(0.8, 0)


def test_a_superseded_note_weighs_half() -> None:
    working = tilt(Grade.APPROVED, "working", 1.0, lowered=False)

    assert tilt(Grade.APPROVED, "working", 1.0, lowered=True) == pytest.approx(working / 2)


# The order


def row(score: float, path: str, confidence: str = "strong", label: int = 1) -> Row:
    return Row(score, path, label, confidence)


def paths(rows: list[Row]) -> list[str]:
    return [row.path for row in rows]


def test_the_higher_score_comes_first_and_equal_ones_by_path_and_label() -> None:
    rows = [row(0.5, "c"), row(0.9, "b"), row(0.5, "a", label=2), row(0.5, "a", label=1)]

    assert ordered(rows, set(), {}) == [
        row(0.9, "b"),
        row(0.5, "a", label=1),
        row(0.5, "a", label=2),
        row(0.5, "c"),
    ]


def test_nothing_unapproved_stands_above_an_approved_note_that_answers_strongly() -> None:
    rows = [row(0.9, "guess"), row(0.8, "approved too", "weak"), row(0.7, "approved")]

    found = ordered(rows, {"approved", "approved too"}, {})

    assert paths(found) == ["approved too", "approved", "guess"]


def test_an_approved_note_that_answers_weakly_stays_where_its_score_puts_it() -> None:
    rows = [row(0.9, "guess"), row(0.7, "approved", "moderate")]

    assert paths(ordered(rows, {"approved"}, {})) == ["guess", "approved"]


def test_a_note_stands_below_its_successor_whatever_their_scores() -> None:
    rows = [row(0.9, "old"), row(0.5, "between"), row(0.2, "new", "weak")]

    assert paths(ordered(rows, set(), {"old": "new"})) == ["between", "new", "old"]


def test_a_chain_of_successors_stands_newest_first() -> None:
    rows = [row(0.9, "first"), row(0.8, "second"), row(0.7, "third")]
    lowered = {"first": "second", "second": "third"}

    assert paths(ordered(rows, set(), lowered)) == ["third", "second", "first"]


def test_a_circle_of_successors_keeps_its_order() -> None:
    rows = [row(0.9, "a"), row(0.8, "b")]

    assert paths(ordered(rows, set(), {"a": "b", "b": "a"})) == ["a", "b"]


def test_a_superseded_note_whose_successor_does_not_match_stays() -> None:
    rows = [row(0.9, "old"), row(0.5, "other")]

    assert paths(ordered(rows, set(), {"old": "new"})) == ["old", "other"]


def test_an_approved_note_that_was_superseded_shields_nobody() -> None:
    rows = [row(0.9, "guess"), row(0.7, "old")]

    assert paths(ordered(rows, {"old"}, {"old": "new"})) == ["guess", "old"]


names = st.sampled_from("abcdefgh")
many_rows = st.lists(
    st.builds(Row, st.floats(0, 1), names, st.just(1), st.sampled_from(["strong", "weak"])),
    unique_by=lambda row: row.path,
)


@promise("trusted")
@given(many_rows, st.sets(names))
def test_no_lower_grade_stands_above_any_approved_note_that_answers_strongly(
    rows: list[Row], trusted: set[str]
) -> None:
    found = ordered(rows, trusted, {})
    strong = [i for i, r in enumerate(found) if r.path in trusted and r.confidence == "strong"]

    assert all(r.path in trusted for r in found[: max(strong, default=-1) + 1])
    assert sorted(found, key=lambda r: r.path) == sorted(rows, key=lambda r: r.path)


@given(many_rows, st.sets(names), st.dictionaries(st.sampled_from("abcd"), st.sampled_from("efgh")))
def test_no_note_ever_stands_above_its_successor(
    rows: list[Row], trusted: set[str], lowered: dict[str, str]
) -> None:
    place = {r.path: i for i, r in enumerate(ordered(rows, trusted, lowered))}

    assert all(place[new] < place[old] for old, new in lowered.items() if {old, new} <= set(place))


@given(many_rows, st.randoms())
def test_the_order_does_not_depend_on_how_the_rows_came(rows: list[Row], chance: Random) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)

    assert ordered(rows, {"a"}, {"b": "c"}) == ordered(shuffled, {"a"}, {"b": "c"})
