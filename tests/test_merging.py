"""Two notes that grew from a third become one, and nothing that either says is lost."""

from __future__ import annotations

import difflib
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.conflicts import conflicted, first_side
from vaultmem.words.frontmatter import composed, read, split
from vaultmem.words.merging import Merged, merged
from vaultmem.words.note import parse

BASE = b"""---
id: k7f3q9xa
title: Use tabs
type: "decision" # a comment
tags:
  - style
  - python
updated: 2026-11-01T10:00:00
mine: [a, {b: c}]
---
Indent with tabs.

In every project.
"""


def weave(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Return both sides where they change different lines, else both with markers."""
    lines = [text.splitlines(keepends=True) for text in (base, ours, theirs)]
    edits: list[tuple[int, int, list[bytes]]] = []
    for side in lines[1:]:
        for kind, a, b, c, d in difflib.SequenceMatcher(None, lines[0], side).get_opcodes():
            if kind != "equal":
                edits.append((a, b, side[c:d]))
    edits.sort(key=lambda edit: edit[:2])
    if any(one[1] >= other[0] for one, other in pairwise(edits)):
        return Merged(b"<<<<<<< ours\n" + ours + b"=======\n" + theirs + b">>>>>>> theirs\n", False)
    for a, b, new in reversed(edits):
        lines[0][a:b] = new
    return Merged(b"".join(lines[0]))


def of(ours: bytes, theirs: bytes, base: bytes = BASE) -> Merged:
    return merged(base, ours, theirs, weave)


def changed(*pairs: tuple[bytes, bytes], data: bytes = BASE) -> bytes:
    for old, new in pairs:
        assert old in data
        data = data.replace(old, new)
    return data


TAGS = b"  - style\n  - python\n"
CASES = {
    "other keys and other lines": (
        changed((b"Use tabs", b"Use hard tabs"), (b"tabs.\n", b"tabs, 4 wide.\n")),
        changed((b'"decision"', b"'insight'"), (b"every project", b"all projects")),
        changed(
            (b"Use tabs", b"Use hard tabs"),
            (b"tabs.\n", b"tabs, 4 wide.\n"),
            (b'"decision"', b"'insight'"),
            (b"every project", b"all projects"),
        ),
    ),
    "sets are united, and what one side took out stays out": (
        changed((TAGS, b"  - python\n  - new\n")),
        changed((TAGS, b"  - style\n  - python\n  - other\n")),
        changed((TAGS, b"  - python\n  - new\n  - other\n")),
    ),
    "a list that both emptied is gone": (
        changed((TAGS, b"  - style\n")),
        changed((TAGS, b"  - python\n")),
        changed((b"tags:\n" + TAGS, b"")),
    ),
    "the later update counts": (
        changed((b"2026-11-01", b"2026-11-03")),
        changed((b"2026-11-01", b"2026-11-02")),
        changed((b"2026-11-01", b"2026-11-03")),
    ),
    "a new key goes last, as its side wrote it": (
        changed((b"Use tabs", b"Tabs")),
        changed((b"mine:", b"pinned:  true\nmine:")),
        changed((b"Use tabs", b"Tabs"), (b"c}]\n", b"c}]\npinned:  true\n")),
    ),
    "a key that one side took out is gone": (
        changed((b'type: "decision" # a comment\n', b"")),
        changed((b"Use tabs", b"Tabs")),
        changed((b'type: "decision" # a comment\n', b""), (b"Use tabs", b"Tabs")),
    ),
    "a comment of theirs is kept": (
        changed((b"Use tabs", b"Tabs")),
        changed((b"tags:", b"# about style\ntags:")),
        changed((b"Use tabs", b"Tabs"), (b"tags:", b"# about style\ntags:")),
    ),
    "lines end as one side has them if both are of one kind": (
        changed((b"Use tabs", b"Tabs")),
        BASE.replace(b"\n", b"\r\n"),
        changed((b"Use tabs", b"Tabs")).replace(b"\n", b"\r\n"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_does_not_contradict_is_one(name: str) -> None:
    ours, theirs, both = CASES[name]

    assert of(ours, theirs) == Merged(both)


@pytest.mark.parametrize("name", CASES)
def test_the_sides_may_change_places(name: str) -> None:
    ours, theirs, both = CASES[name]
    turned = of(theirs, ours)
    found, wanted = (read(split(data).block) for data in (turned.data, both))

    assert turned.clean
    assert {k: sorted(v) if k == "tags" else v for k, v in found.items()} == {
        k: sorted(v) if k == "tags" else v for k, v in wanted.items()
    }
    assert split(turned.data).body == split(both).body


def test_a_contradiction_stands_between_markers_and_the_note_stays_readable() -> None:
    done = of(changed((b"Use tabs", b"Tabs")), changed((b"Use tabs", b"Spaces")))

    assert not done.clean
    marks = b"<<<<<<< ours\ntitle: Tabs\n=======\ntitle: Spaces\n>>>>>>> theirs\n"
    assert done.data == changed((b"title: Use tabs\n", marks))
    note = parse("a.md", done.data)
    assert (note.id, note.title, note.broken) == ("k7f3q9xa", "Tabs", True)
    assert "it holds the markers of a merge conflict" in note.oddities


def test_a_conflict_of_the_body_leaves_the_properties_alone() -> None:
    done = of(changed((b"with tabs", b"with 2")), changed((b"with tabs", b"with 4")))

    assert not done.clean and conflicted(done.data)
    assert split(done.data).block == split(BASE).block


def test_properties_that_cannot_be_read_are_merged_as_text() -> None:
    broken = changed((b"title: Use", b"title: [Use"))

    assert of(broken, changed((b"every project", b"all"))) == Merged(
        changed((b"title: Use", b"title: [Use"), (b"every project", b"all"))
    )


def test_two_new_notes_of_one_path_are_both_kept() -> None:
    other = changed((b"k7f3q9xa", b"m2x8w4rt"), (b"Indent", b"Never indent"))
    done = of(BASE, other, b"")

    assert not done.clean and BASE in done.data and other in done.data
    assert first_side(done.data) == BASE


def test_the_same_new_note_is_one_with_the_higher_grade() -> None:
    keys = {"title": "Use tabs", "created": "2026-11-02", "tags": ["a"]}
    ours = composed({"id": "m2x8w4rt", **keys, "source": "agent_inferred"}, "Indent.")
    keys |= {"created": "2026-11-01", "tags": ["b"]}
    theirs = composed({"id": "k7f3q9xa", **keys, "source": "user_confirmed"}, "Indent.\n\n")

    for sides in permutations((ours, theirs)):
        done = of(*sides, base=b"")
        said = read(split(done.data).block)
        assert done.clean
        assert (said["id"], said["source"]) == ("k7f3q9xa", "user_confirmed")
        assert (sorted(said["tags"]), said["created"]) == (["a", "b"], "2026-11-01")


words = st.sampled_from(["a", "b", "c", "tabs: no", "é", "1", "[[x|y]]"])
notes = st.builds(
    composed,
    st.fixed_dictionaries(
        {"title": words},
        optional={
            "tags": st.lists(words, unique=True),
            "files": st.lists(words, unique=True),
            "importance": words,
            "updated": st.sampled_from(["2026-11-01", "2026-11-02"]),
        },
    ),
    st.lists(words).map("\n\n".join),
)


@given(notes, notes)
def test_what_one_side_left_alone_is_as_the_other_has_it(a: bytes, b: bytes) -> None:
    assert of(a, b, a) == of(b, a, a) == Merged(b)
    assert of(b, b, a) == Merged(b)


@given(notes, notes, notes)
def test_a_merge_is_the_same_from_both_ends_and_loses_no_line(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    one, other = of(ours, theirs, base), of(theirs, ours, base)

    assert one.clean == other.clean
    if one.clean:
        mine, yours = (read(split(data).block) for data in (one.data, other.data))
        assert {k: sorted(v) if isinstance(v, list) else v for k, v in mine.items()} == {
            k: sorted(v) if isinstance(v, list) else v for k, v in yours.items()
        }
    lost = [
        line
        for side, against in ((ours, theirs), (theirs, ours))
        for line in split(side).body.splitlines()
        if line not in split(base).body.splitlines() and line not in one.data.splitlines()
    ]
    assert lost == []
