"""What crashes leave of a file that grows by lines, and how it is put apart."""

from __future__ import annotations

import pytest
from damages import entry
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.entry import Entry, signed
from vaultmem.words.tears import apart, glued, torn_decisions

ONE, TWO = entry("2026-11-29", "The valve sticks"), entry("2026-11-30", "The hose leaks")
DECISION = "- 2026-11-30T03:00:00+00:00 **scout** · decision · Retry twice · because it fails"


@pytest.mark.parametrize(
    ("text", "then"),
    [
        (f"{ONE}{TWO}\n", f"{ONE}\n{TWO}\n"),
        (f"{ONE[:20]}{TWO}\n", f"{ONE[:20]}\n{TWO}\n"),
        (f"{ONE[:-3]}{TWO}", f"{ONE[:-3]}\n{TWO}\n"),
        (f"\0\0{ONE}{ONE[:9]}\n", f"\0\0\n{ONE}\n{ONE[:9]}\n"),
        (f"{DECISION}{DECISION}\n", f"{DECISION}\n{DECISION}\n"),
        (f"{ONE}\n{TWO}", f"{ONE}\n{TWO}\n"),
    ],
)
def test_each_whole_entry_begins_a_line(text: str, then: str) -> None:
    assert apart(text) == then
    assert apart(then) == then


def test_an_entry_that_quotes_another_is_one() -> None:
    said = Entry(TWO[2:27], "scout", "chat", "note", "", f"he wrote {DECISION}")
    quoting = signed(said, "zz").line()

    assert glued([quoting, ONE, "words of a person", ""]) == []
    assert apart(f"{quoting}\n") == f"{quoting}\n"


@pytest.mark.parametrize("length", [1, 2, 4, 9, 12, 16, 25, 30, 45])
def test_a_decision_cut_anywhere_is_torn_and_a_persons_list_is_not(length: int) -> None:
    lines = [DECISION[:length], DECISION, "- 2 pumps", "- We meet on 2026-11-30", "-- ", "text"]

    assert torn_decisions(lines) == [1]


PIECES = st.lists(st.sampled_from([ONE, TWO, DECISION, "\n", "\0", "- 2026-", "words", "\r\n"]))


@given(PIECES, st.integers(0, 200))
def test_nothing_is_taken_out_and_nothing_but_line_ends_is_added(
    pieces: list[str], cut: int
) -> None:
    text = "".join(pieces)[cut:]
    once = apart(text)

    assert once.replace("\n", "") == text.replace("\n", "")
    assert apart(once) == once
    assert glued(once.split("\n")) == []
