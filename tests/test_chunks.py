"""Passages: where a body is cut, and that nothing of it is lost."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from growth import seconds
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.sidecar.chunks import LIMIT, Passage, passages

SENTENCE = "The fixed window let bursts through at its edges, so it went. "


def headings_of(body: str) -> list[str]:
    return [passage.heading for passage in passages(body)]


def texts_of(body: str, limit: int = LIMIT) -> list[str]:
    return [passage.text for passage in passages(body, limit=limit)]


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def content(text: str) -> str:
    return "".join(text.split())


def test_a_short_body_is_one_passage_without_heading() -> None:
    assert passages("One.\n\nTwo.\n") == [Passage("", 1, 3, "One.\n\nTwo.")]


@pytest.mark.parametrize("body", ["", "\n", " \n\t\n\r\n", "\u3000\n\xa0\n"])
def test_a_blank_body_has_no_passage(body: str) -> None:
    assert passages(body) == []


def test_sections_carry_their_path_and_their_lines_in_the_file() -> None:
    body = "before\n# A\none\n\n## B\n\ntwo\n### C\nthree\n## D\nfour\n# E\n"

    assert passages(body, first_line=10) == [
        Passage("", 10, 10, "before"),
        Passage("A", 11, 12, "# A\none"),
        Passage("A > B", 14, 16, "## B\n\ntwo"),
        Passage("A > B > C", 17, 18, "### C\nthree"),
        Passage("A > D", 19, 20, "## D\nfour"),
        Passage("E", 21, 21, "# E"),
    ]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# Title", "Title"),
        ("###### Deep", "Deep"),
        ("   # Indented", "Indented"),
        ("#\tTab", "Tab"),
        ("# Closed ##", "Closed"),
        ("# C#", "C#"),
        ("# ", ""),
        ("# ##", ""),
        ("#tag", ""),
        ("####### seven", ""),
        ("    # code", ""),
        ("\\# escaped", ""),
        ("> # quoted", ""),
        ("Title\n=====", ""),
    ],
)
def test_only_a_hash_with_a_space_makes_a_heading(line: str, heading: str) -> None:
    assert headings_of(f"{line}\n\ntext") == [heading]


def test_a_heading_without_words_leaves_no_gap_in_the_path() -> None:
    assert headings_of("# \n## Below\ntext")[-1] == "Below"


def test_a_very_long_heading_is_cut_in_the_path_and_whole_in_the_text() -> None:
    title = "word " * 40

    [passage] = passages(f"# {title}\ntext")

    assert len(passage.heading) <= 120
    assert title.strip() in passage.text


@pytest.mark.parametrize(
    "fence",
    [
        "```\n# no\n```",
        "~~~ python\n# no\n~~~",
        "````\n```\n# no\n```\n# no\n````",
        "```\n~~~\n# no\n```",
        "   ```\n# no\n   ```",
        "```\n    ```\n# no\n```",
        "```\n``` x\n# no\n```",
        "- ```\n  # no\n  ```",
        "10. ~~~\n    ~~~~",
    ],
)
def test_a_hash_in_a_code_fence_is_no_heading(fence: str) -> None:
    assert headings_of(f"{fence}\n# Yes\n") == ["", "Yes"]


@pytest.mark.parametrize("line", ["``` a ` b", "```inline```", "``", "    ```", "a ```"])
def test_what_only_looks_like_a_fence_opens_none(line: str) -> None:
    assert headings_of(f"{line}\n# Yes\n") == ["", "Yes"]


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    assert headings_of("# A\n```\n# no\n\n# no\n") == ["A"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_line_end_counts_as_one(end: str) -> None:
    body = end.join(["# A", "one", "", "# B", "two"])

    assert [(p.first, p.last) for p in passages(body)] == [(1, 2), (4, 5)]


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_other_separators_end_no_line(odd: str) -> None:
    [passage] = passages(f"one{odd}# two\nthree")

    assert (passage.heading, passage.last, passage.text) == ("", 2, f"one{odd}# two\nthree")


def test_blocks_are_packed_to_the_limit() -> None:
    body = "\n\n".join(["x" * 300] * 6)

    assert [(p.first, p.last) for p in passages(body)] == [(1, 5), (7, 11)]


def test_the_last_two_passages_are_evened_out() -> None:
    body = "\n\n".join(["x" * 240] * 5)

    assert [size(text) for text in texts_of(body)] == [482, 724]


def test_a_code_fence_stays_whole_where_it_fits() -> None:
    fence = "```\n" + "\n".join(["call()", ""] * 100) + "\n```"

    assert fence in texts_of(f"{SENTENCE * 8}\n\n{fence}\n\n{SENTENCE * 8}")


def test_a_code_fence_that_does_not_fit_is_cut_at_lines() -> None:
    lines = ["```", *(f"call({n})  # and some words on it" for n in range(100)), "```"]

    found = texts_of("\n".join(lines))

    assert len(found) > 1
    assert "\n".join(found).split("\n") == lines


def test_a_long_paragraph_is_cut_at_line_ends_first() -> None:
    lines = [f"{n} " + "word " * 30 for n in range(20)]

    assert "\n".join(texts_of("\n".join(lines))).split("\n") == lines


def test_a_long_line_is_cut_at_sentence_ends_and_its_parts_share_the_line() -> None:
    found = passages(SENTENCE * 50)

    assert {(p.first, p.last) for p in found} == {(1, 1)}
    assert all(p.text.rstrip().endswith("went.") for p in found)
    assert "".join(p.text for p in found) == SENTENCE * 50


@pytest.mark.parametrize(
    ("unit", "ending"),
    [
        ("我们用令牌桶限制公共接口。", "。"),
        ("速いですか！", "！"),
        ("เราจำกัดอัตราของบริการสาธารณะ ", " "),
        ("ພວກເຮົາຈຳກັດອັດຕາ ", " "),
        ('He said "no." ', " "),
        ("「はい。」", "」"),
        ("no sentence ends here and words stay whole ", " "),
    ],
)
def test_sentences_end_as_their_script_ends_them(unit: str, ending: str) -> None:
    assert {text[-1] for text in texts_of(unit * 200)} == {ending}


@pytest.mark.parametrize(
    "grapheme",
    ["e\u0301", "👩‍👩‍👧‍👦", "🇹🇭", "👍🏽", "กำ", "ก็", "क्षि", "\u1112\u1161\u11ab", "葛\U000e0100"],
)
def test_no_grapheme_is_cut(grapheme: str) -> None:
    found = texts_of(grapheme * 400)

    assert len(found) > 1
    assert {text.replace(grapheme, "") for text in found} == {""}


def test_a_grapheme_longer_than_a_passage_is_cut_all_the_same() -> None:
    found = texts_of("a" + "\u0301" * 2000)

    assert all(size(text) <= LIMIT for text in found)
    assert "".join(found) == "a" + "\u0301" * 2000


def test_a_heading_stays_with_the_text_below_it() -> None:
    first, *_ = texts_of("# Title\n\n" + SENTENCE * 16)

    assert first.startswith("# Title\n\nThe fixed")


def test_nothing_is_dropped_for_being_short() -> None:
    assert texts_of("# A\n\n# B\n\nx\n") == ["# A", "# B\n\nx"]


LINES = st.one_of(
    st.sampled_from(
        ["", " ", "# A", "## B ##", "```", "````py", "~~~", "- ```", "| a | b |", "> q", "- x"]
    ),
    st.text(max_size=60),
    st.builds(lambda unit, n: unit * n, st.text(min_size=1, max_size=8), st.integers(1, 60)),
)
BODIES = st.builds(
    lambda lines, ends: "".join(line + end for line, end in zip(lines, ends, strict=False)),
    st.lists(LINES, max_size=40),
    st.lists(st.sampled_from(["\n", "\n", "\r\n", "\r"]), min_size=40, max_size=40),
)
LIMITS = st.integers(8, 300)


@given(BODIES, LIMITS)
def test_every_line_that_is_not_blank_is_in_one_passage(body: str, limit: int) -> None:
    assert "".join(map(content, texts_of(body, limit))) == content(body)


@given(BODIES, LIMITS)
def test_no_passage_is_longer_than_the_limit_or_blank(body: str, limit: int) -> None:
    found = texts_of(body, limit)

    assert all(size(text) <= limit and content(text) for text in found)


@given(BODIES, LIMITS, st.integers(1, 50))
def test_the_line_numbers_lead_to_the_text(body: str, limit: int, first_line: int) -> None:
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", body)

    for p in passages(body, first_line, limit):
        whole = "".join(lines[p.first - first_line : p.last - first_line + 1])
        assert p.text in whole


@given(BODIES, LIMITS)
def test_passages_stand_in_the_order_of_the_file(body: str, limit: int) -> None:
    found = passages(body, limit=limit)

    assert all(p.first <= p.last for p in found)
    assert all(a.last <= b.first for a, b in pairwise(found))


@pytest.mark.parametrize(
    "unit",
    ["#", "# ", "`", "```\n", ">", "|", "a", ". ", "[[", "\n", "漢", "\u0301", "🇹", "# a\n"],
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    short, long = unit * (12_500 // len(unit)), unit * (100_000 // len(unit))

    assert seconds(lambda: passages(long)) < 20 * seconds(lambda: passages(short)) + 0.05


def test_a_line_of_ten_megabytes_is_cut() -> None:
    found = passages("x" * 10_000_000)

    assert sum(len(p.text) for p in found) == 10_000_000
    assert {size(p.text) for p in found} == {LIMIT}
