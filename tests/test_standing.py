"""How notes stand: which links lower another note, and what a label says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vaultmem.words.life import Grade
from vaultmem.words.standing import Claim, Rank, Standing, label, standings

HERE = Rank("a", Grade.CONFIRMED)


def test_a_newer_note_of_the_same_grade_supersedes() -> None:
    found = standings([Claim("supersedes", "new", "old")], {"new": HERE, "old": HERE})

    assert found == {"old": Standing("SUPERSEDED by", "new", head="new")}


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


def test_a_chain_resolves_to_its_head() -> None:
    claims = [Claim("supersedes", "b", "a"), Claim("supersedes", "c", "b")]

    found = standings(claims, dict.fromkeys("abc", HERE))

    assert found["a"] == Standing("SUPERSEDED by", "b", head="c")
    assert label(Grade.INFERRED, "working", found["a"], {}) == "INFERRED · SUPERSEDED by c"


def test_what_goes_in_a_circle_lowers_nobody() -> None:
    around = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "old")]
    claims = [Claim("supersedes", source, target) for source, target in around]

    found = standings(claims, dict.fromkeys([*"abc", "old"], HERE))

    assert [found[name].lowered for name in "abc"] == ["", "", ""]
    assert all(found[name].circular and found[name].contested_by for name in "abc")
    assert found["old"].head == "a"


def test_of_two_events_the_later_one_is_the_present_whichever_was_written_first() -> None:
    late_news = replace(HERE, moment=1.0, dated=True)
    known = replace(HERE, moment=5.0)

    found = standings(
        [Claim("supersedes", "told late", "known")], {"told late": late_news, "known": known}
    )

    assert found == {"told late": Standing("SUPERSEDED by", "known", head="known")}


def test_without_a_date_of_its_own_the_newer_statement_is_the_present() -> None:
    ranks = {"new": replace(HERE, moment=1.0), "old": replace(HERE, moment=5.0)}

    assert standings([Claim("supersedes", "new", "old")], ranks)["old"].by == "new"


@pytest.mark.parametrize("lost", ["gone", "retracted"])
def test_a_parent_whose_source_is_lost_is_stale(lost: str) -> None:
    ranks = {"parent": HERE, "kept": HERE}
    target = "" if lost == "gone" else "bad"
    if target:
        ranks[target] = replace(HERE, retracted=True)
    claims = [Claim("consolidates", "parent", "kept"), Claim("consolidates", "parent", target)]

    found = standings(claims, ranks)

    assert found["parent"].stale
    assert found["kept"].by == "parent"
    assert label(Grade.INFERRED, "working", found["parent"], {}) == "INFERRED · STALE"


def test_of_two_successors_the_one_of_the_higher_grade_counts_then_the_newest() -> None:
    ranks = {
        "old": Rank("a", Grade.INFERRED),
        "guess": Rank("a", Grade.INFERRED, moment=9.0),
        "said": Rank("a", Grade.CONFIRMED, moment=1.0),
        "said later": Rank("a", Grade.CONFIRMED, moment=2.0),
    }

    found = standings([Claim("supersedes", name, "old") for name in ranks], ranks)

    assert found["old"].by == "said later"


def heirs(*names: str) -> tuple[list[Claim], dict[str, Rank]]:
    """Return the claims of notes that all supersede one, and what they all weigh."""
    return [Claim("supersedes", name, "old") for name in names], dict.fromkeys(
        ["old", "later", *names], HERE
    )


def test_two_notes_that_replaced_the_same_one_unknown_to_each_other_are_both_contested() -> None:
    found = standings(*heirs("here", "there"), linked=lambda one, other: False)

    assert found["old"].lowered == "SUPERSEDED by"
    assert found["here"] == Standing(contested_by="there")
    assert found["there"] == Standing(contested_by="here")


def test_a_note_that_was_split_in_two_is_not_contested() -> None:
    assert set(standings(*heirs("one", "two"), linked=lambda one, other: True)) == {"old"}


def test_of_several_heirs_those_that_know_all_others_are_not_contested() -> None:
    known = {frozenset(pair) for pair in (("a", "b"), ("b", "c"))}

    found = standings(*heirs("a", "b", "c"), linked=lambda x, y: frozenset((x, y)) in known)

    assert {path for path, standing in found.items() if standing.contested_by} == {"a", "c"}


def test_an_heir_that_was_replaced_contests_nobody() -> None:
    claims, ranks = heirs("here", "there")
    claims += [Claim("supersedes", "later", "here"), Claim("supersedes", "later", "there")]

    found = standings(claims, ranks, linked=lambda one, other: False)

    assert [s.contested_by for s in found.values()] == ["", "", ""]
    assert found["old"].head == "later"


def test_an_heir_that_was_put_away_contests_nobody_and_what_it_replaced_stays_replaced() -> None:
    claims, ranks = heirs("here", "there")
    ranks["here"] = replace(HERE, archived=True)

    found = standings(claims, ranks, linked=lambda one, other: False)

    assert set(found) == {"old"}
    assert standings(claims[:1], ranks)["old"].lowered == "SUPERSEDED by"
