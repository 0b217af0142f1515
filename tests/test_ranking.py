"""Ranking: how two legs become one order, and what trust and life do to it."""

from __future__ import annotations

import pytest

from vaultmem.sidecar.seams import Scored
from vaultmem.verbs.ranking import (
    LEG,
    Evidence,
    Row,
    best_passages,
    fused,
    ordered,
    tilt,
)
from vaultmem.words.life import Grade


def hits(*scores: float) -> list[Scored]:
    """Return hits with labels from 1, best first."""
    return [Scored(label, score) for label, score in enumerate(scores, 1)]


def relevances(found: list[Evidence]) -> list[tuple[int, float]]:
    return [(e.label, round(e.relevance, 4)) for e in found]


# Fusion


def test_words_alone_count_as_a_share_of_the_best() -> None:
    assert relevances(fused(hits(8.0, 4.0, 2.0), [], 16.0, 0.6)) == [(1, 1.0), (2, 0.5), (3, 0.25)]


def test_meaning_alone_keeps_only_its_own_weight() -> None:
    assert relevances(fused([], hits(0.8, 0.4), 16.0, 0.6)) == [(1, 0.6), (2, 0.3)]


def test_both_legs_are_mixed_by_weight() -> None:
    keyword = [Scored(1, 10.0), Scored(2, 5.0)]
    vector = [Scored(2, 0.8), Scored(1, 0.2)]

    assert relevances(fused(keyword, vector, 20.0, 0.6)) == [(2, 0.8), (1, 0.55)]


def test_what_one_leg_alone_found_is_there_too() -> None:
    found = fused([Scored(1, 10.0)], [Scored(2, 0.5)], 20.0, 0.6)

    assert relevances(found) == [(2, 0.6), (1, 0.4)]


def test_a_full_vector_leg_is_scaled_from_its_worst_hit() -> None:
    vector = hits(*(0.9 - 0.001 * number for number in range(LEG)))

    found = fused([], vector, 1.0, 0.6)

    assert round(found[0].relevance, 4) == 0.6
    assert round(found[-1].relevance, 4) == 0.0


def test_equal_relevance_is_ordered_by_label() -> None:
    keyword = [Scored(9, 3.0), Scored(4, 3.0), Scored(7, 3.0)]

    assert [e.label for e in fused(keyword, [], 3.0, 0.6)] == [4, 7, 9]


def test_nothing_found_is_nothing() -> None:
    assert fused([], [], 0.0, 0.6) == []


@pytest.mark.parametrize(
    ("cosine", "share", "confidence"),
    [
        (0.55, 0.0, "strong"),
        (0.0, 0.5, "strong"),
        (0.54, 0.49, "moderate"),
        (0.4, 0.0, "moderate"),
        (0.0, 0.25, "moderate"),
        (0.39, 0.24, "weak"),
        (0.25, 0.0, "weak"),
        (0.0, 0.05, "weak"),
        (0.24, 0.04, ""),
    ],
)
def test_confidence_comes_from_absolute_evidence(
    cosine: float, share: float, confidence: str
) -> None:
    assert Evidence(1, 1.0, cosine, share).confidence == confidence


def test_the_share_of_what_was_possible_is_never_more_than_all_of_it() -> None:
    found = fused([Scored(1, 30.0)], [], 20.0, 0.6)

    assert found[0].share == 1.0


def test_one_hit_a_note_at_its_best_passage() -> None:
    found = [Evidence(3, 0.9), Evidence(1, 0.8), Evidence(2, 0.7)]

    best = best_passages(found, {1: "b.md", 2: "a.md", 3: "a.md"})

    assert [e.label for e in best] == [3, 1]


# The tilt


@pytest.mark.parametrize(
    ("grade", "factor"),
    [
        (Grade.APPROVED, 1.0),
        (Grade.CONFIRMED, 0.95),
        (Grade.IMPORTED, 0.9),
        (Grade.INFERRED, 0.85),
        (Grade.OUTSIDE, 0.65),
    ],
)
def test_a_lower_grade_weighs_less(grade: Grade, factor: float) -> None:
    assert tilt(grade, "working", 1.0, lowered=False) == pytest.approx(factor)


@pytest.mark.parametrize("status", ["pending", "approved"])
def test_what_waits_for_approval_weighs_like_what_came_from_outside(status: str) -> None:
    assert tilt(Grade.APPROVED, status, 1.0, lowered=False) == pytest.approx(0.65)


def test_importance_moves_a_score_by_a_tenth() -> None:
    least = tilt(Grade.APPROVED, "working", 0.0, lowered=False)
    most = tilt(Grade.APPROVED, "working", 1.0, lowered=False)

    assert (least, most) == (pytest.approx(0.9), pytest.approx(1.0))


def test_a_superseded_note_weighs_half() -> None:
    assert tilt(Grade.APPROVED, "working", 1.0, lowered=True) == pytest.approx(0.5)


# The order


def row(score: float, path: str, confidence: str = "strong", label: int = 1) -> Row:
    return (score, path, label, confidence)


def paths(rows: list[Row]) -> list[str]:
    return [path for _, path, _, _ in rows]


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
