"""Types, relations, labels, and which links lower another note."""

from __future__ import annotations

import pytest

from vaultmem.words.errors import BadInput
from vaultmem.words.life import (
    Claim,
    Grade,
    Rank,
    Standing,
    label,
    relation_named,
    standings,
    type_named,
)

HERE = Rank("a", Grade.CONFIRMED)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("bugfix", "bug_fix"),
        ("Bug-Fix", "bug_fix"),
        ("preference", "user_preference"),
        ("docs", "documentation"),
        ("runbook", "process"),
        ("goal", "goal"),
    ],
)
def test_a_type_is_known_by_its_usual_names(said: str, meant: str) -> None:
    assert type_named(said) == meant


def test_an_unknown_type_or_relation_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="architecture"):
        type_named("poem")
    with pytest.raises(BadInput, match="supersedes"):
        relation_named("hates")


def test_a_newer_note_of_the_same_grade_supersedes() -> None:
    found = standings([Claim("supersedes", "new", "old")], {"new": HERE, "old": HERE})

    assert found == {"old": Standing("SUPERSEDED by", "new")}


@pytest.mark.parametrize(
    "source",
    [
        Rank("a", Grade.INFERRED),
        Rank("b", Grade.APPROVED),
        Rank("a", Grade.APPROVED, valid=False),
    ],
    ids=["lower grade", "other scope", "pending"],
)
def test_a_link_that_may_not_lower_contests(source: Rank) -> None:
    found = standings([Claim("supersedes", "new", "old")], {"new": source, "old": HERE})

    assert found == {"old": Standing(contested_by="new")}


def test_a_conflict_contests_both_and_lowers_nobody() -> None:
    found = standings([Claim("conflicts", "x", "y")], {"x": HERE, "y": HERE})

    assert found == {"x": Standing(contested_by="y"), "y": Standing(contested_by="x")}


def test_a_note_never_lowers_itself() -> None:
    assert standings([Claim("supersedes", "x", "x")], {"x": HERE}) == {}


@pytest.mark.parametrize(
    ("grade", "status", "standing", "shown"),
    [
        (Grade.APPROVED, "working", Standing(), "CONFIRMED"),
        (Grade.INFERRED, "pending", Standing(), "PENDING"),
        (Grade.IMPORTED, "archived", Standing(), "IMPORTED · ARCHIVED"),
        (
            Grade.INFERRED,
            "working",
            Standing("SUPERSEDED by", "new", "other"),
            "INFERRED · SUPERSEDED by k7f3q9xa · CONTESTED by other",
        ),
    ],
)
def test_a_label_says_how_far_to_trust(
    grade: Grade, status: str, standing: Standing, shown: str
) -> None:
    assert label(grade, status, standing, {"new": "k7f3q9xa"}) == shown
