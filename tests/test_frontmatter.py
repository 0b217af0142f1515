"""Taking a note's bytes apart and changing one key without touching another byte."""

from __future__ import annotations

import pytest
from hostile.notes import BOM, ODD, PATCHABLE
from hypothesis import example, given
from hypothesis import strategies as st

from vaultmem.words.errors import Refused
from vaultmem.words.frontmatter import (
    Split,
    Unreadable,
    Written,
    composed,
    patched,
    read,
    scalar,
    split,
)

by_name = pytest.mark.parametrize("name", sorted(ODD))
patchable = pytest.mark.parametrize("name", sorted(PATCHABLE))
not_patchable = pytest.mark.parametrize("name", sorted(set(ODD) - PATCHABLE))

# Taking apart


@by_name
def test_every_odd_note_joins_to_itself(name: str) -> None:
    assert split(ODD[name]).join() == ODD[name]


@given(st.binary(max_size=300))
@example(b"---\n---\n")
@example(b"---\n---")
@example(b"---\r\na: b\r\n---\r\n")
@example(BOM + b"---\na: b\n---\nx")
def test_any_bytes_join_to_themselves(data: bytes) -> None:
    assert split(data).join() == data


fragments = st.lists(
    st.sampled_from(
        ["---", "---\n", "---\r\n", "\n", "\r", "\r\n", "a: b\n", "- x\n", " ", "\ufeff", "# c\n"]
    ),
    max_size=12,
).map("".join)


@given(fragments)
def test_anything_that_looks_like_fences_joins_to_itself(text: str) -> None:
    assert split(text.encode()).join() == text.encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", Split()),
        (b"---", Split(body=b"---")),
        (b"---\n---", Split(b"", b"---\n", b"", b"---", b"")),
        (b"---\n---\nx", Split(b"", b"---\n", b"", b"---\n", b"x")),
        (b"---\na: b\n---\nx", Split(b"", b"---\n", b"a: b\n", b"---\n", b"x")),
        (b"---\r\na: b\r\n---\r\nx", Split(b"", b"---\r\n", b"a: b\r\n", b"---\r\n", b"x")),
        (BOM + b"---\na: b\n---\n", Split(BOM, b"---\n", b"a: b\n", b"---\n", b"")),
        (BOM + b"x", Split(BOM, body=b"x")),
        (b" ---\na: b\n---\n", Split(body=b" ---\na: b\n---\n")),
        (b"\n---\na: b\n---\n", Split(body=b"\n---\na: b\n---\n")),
        (b"--- \na: b\n---\n", Split(body=b"--- \na: b\n---\n")),
        (b"----\na: b\n----\n", Split(body=b"----\na: b\n----\n")),
        (b"---\na: b\n...\n", Split(body=b"---\na: b\n...\n")),
        (b"---\na: b\n--- \n", Split(body=b"---\na: b\n--- \n")),
        (b"---\na: b\n ---\n---\n", Split(b"", b"---\n", b"a: b\n ---\n", b"---\n", b"")),
        (b"---\na: b\n---\n---\n", Split(b"", b"---\n", b"a: b\n", b"---\n", b"---\n")),
        (b"---\ra: b\r---\r", Split(body=b"---\ra: b\r---\r")),
    ],
)
def test_properties_stand_between_two_lines_of_three_dashes(data: bytes, expected: Split) -> None:
    assert split(data) == expected


def test_a_block_over_64_kib_counts_as_body() -> None:
    long = b"---\n" + b"a: b\n" * 14_000 + b"---\nbody\n"

    assert split(long) == Split(body=long, too_long=True)
    with pytest.raises(Refused, match="over 64 KiB"):
        patched(split(long), "title", "x")


# Reading


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b"", {}),
        (b"# nothing\n", {}),
        (b"title: no\n", {"title": "no"}),
        (
            b"a: 007\nb: 12:30\nc: 0xFF\nd: 1e3\n",
            {"a": "007", "b": "12:30", "c": "0xFF", "d": "1e3"},
        ),
        (b"a:\nb: ~\nc: null\n", {"a": "", "b": "~", "c": "null"}),
        (
            b"a: 2026-02-30\nb: 2026-11-30T10:00:00Z\n",
            {"a": "2026-02-30", "b": "2026-11-30T10:00:00Z"},
        ),
        (b"a: [x, 1, true]\n", {"a": ["x", "1", "true"]}),
        (b"a:\n- x\n- y\n", {"a": ["x", "y"]}),
        (b"a: {b: {c: 1}}\n", {"a": {"b": {"c": "1"}}}),
        (b'a: "\\u00e9\\t"\n', {"a": "é\t"}),
        (b"a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
        ("ключ: значение\n".encode(), {"ключ": "значение"}),
        (b"a: =\nb: <<\n", {"a": "=", "b": "<<"}),
    ],
)
def test_every_value_is_the_text_that_stands_in_the_file(
    block: bytes, expected: dict[str, object]
) -> None:
    assert read(block) == expected


@pytest.mark.parametrize(
    ("block", "why"),
    [
        (b"- a\n", "not a list of keys"),
        (b"a sentence\n", "not a list of keys"),
        (b"a: 1\na: 2\n", "stands twice"),
        (b"a: 1\nA: 2\n", "stands twice"),
        (b"a: &x 1\nb: *x\n", "an anchor is used twice"),
        (b"a: &x [*x]\n", "an anchor is used twice"),
        (b"a: !!python/object/apply:os.system ['true']\n", "is not understood"),
        (b"a: !secret b\n", "is not understood"),
        (b"a: !!binary aGVsbG8=\n", "is not understood"),
        (b"? [a, b]\n: c\n", "a key is not text"),
        (b"a: " + b"[" * 40 + b"]" * 40 + b"\n", "nested too deep"),
        (b"a: [" + b"x, " * 12_000 + b"]\n", "holds too much"),
        (b"a: [\n", "while parsing"),
        (b"a: b: c\n", "not allowed in this context"),
        (b"a: \xff\n", "not UTF-8"),
        (b"a: x\x00y\n", "control characters"),
        (b"a: " + b"[" * 60_000 + b"\n", "increasing flow level"),
        (b"- " * 30_000 + b"a\n", "increasing block level"),
        (b"? " * 30_000 + b"a\n", "increasing block level"),
    ],
)
def test_what_properties_never_need_is_refused_with_the_reason(block: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read(block)


@given(st.binary(max_size=200))
def test_reading_any_bytes_gives_keys_or_a_reason(block: bytes) -> None:
    try:
        assert isinstance(read(block), dict)
    except Unreadable as why:
        assert str(why)


# Changing one key

VALUES: list[tuple[str, Written]] = [
    ("title", "Another title"),
    ("title", 'It\'s "quoted": # and more'),
    ("tags", ["one", "two words", "#three"]),
    ("tags", []),
    ("importance", 0.85),
    ("seen", 3),
    ("pinned", True),
    ("a new key", "x"),
]


def own_lines(data: bytes, key: str) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Return the lines before, of and behind a key, which has lines of its own or none."""
    parts = split(data)
    lines = parts.block.splitlines(keepends=True)
    starts = [
        n
        for n, line in enumerate(lines)
        if line.decode().casefold().startswith((f"{key}:", f"{key} :", f'"{key}"'))
    ]
    if not starts:
        return lines, [], []
    end = starts[0] + 1
    while end < len(lines) and lines[end][:1] in (b" ", b"\t", b"-", b"\n", b"\r", b"#"):
        end += 1
    return lines[: starts[0]], lines[starts[0] : end], lines[end:]


@patchable
@pytest.mark.parametrize(("key", "value"), VALUES)
def test_setting_a_key_changes_that_keys_lines_only(name: str, key: str, value: Written) -> None:
    before = split(ODD[name])

    after = patched(before, key, value)

    assert (after.bom, after.body) == (before.bom, before.body)
    assert not before.opening or (after.opening, after.closing) == (before.opening, before.closing)
    ahead, old, behind = own_lines(ODD[name], key)
    kept = after.block.splitlines(keepends=True)
    assert kept[: len(ahead)] == ahead
    assert not behind or kept[-len(behind) :] == behind
    # blanks and comments that follow the key are nobody's, so they stay
    while len(old) > 1 and (not old[-1].strip() or old[-1].startswith(b"#")):
        assert old.pop() in kept


@patchable
def test_the_value_that_was_set_is_read_back_and_every_other_stays(name: str) -> None:
    before = split(ODD[name])
    known = read(before.block)

    found = read(patched(before, "description", "new: text").block)

    assert found.pop("description") == "new: text"
    known.pop("description", None)
    assert found == known


@patchable
def test_taking_out_a_key_that_was_added_gives_the_old_bytes(name: str) -> None:
    before = split(ODD[name])

    added = patched(before, "vaultmem", ["x", "y: z"])
    taken = patched(added, "vaultmem", None)

    assert added.join() != ODD[name]
    assert taken.block == before.block
    if before.opening:
        assert taken.join() == ODD[name]
    else:
        assert taken.join() == before.bom + taken.opening + taken.closing + before.body


@patchable
def test_setting_the_same_value_twice_is_setting_it_once(name: str) -> None:
    once = patched(split(ODD[name]), "tags", ["a", "b"])

    assert patched(once, "tags", ["a", "b"]) == once
    assert split(once.join()) == once


@patchable
def test_taking_out_a_key_that_is_not_there_changes_nothing(name: str) -> None:
    assert patched(split(ODD[name]), "nowhere", None).join() == ODD[name]


@not_patchable
@pytest.mark.parametrize(("key", "value"), [("title", "New"), ("vaultmem", "new"), ("agent", None)])
def test_what_cannot_be_changed_safely_is_refused_or_changed_in_that_key_alone(
    name: str, key: str, value: Written
) -> None:
    before = split(ODD[name])
    try:
        after = patched(before, key, value)
    except Refused as why:
        assert "cannot be changed safely" in str(why)
        return

    assert (after.bom, after.body) == (before.bom, before.body)
    known = {k: v for k, v in read(before.block).items() if k.casefold() != key}
    found = {k: v for k, v in read(after.block).items() if k.casefold() != key}
    assert found == known


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        # a key that is there keeps its place; its remark goes with its old value
        ("a: 1\nb: 2\nc: 3\n", "b", "x", "a: 1\nb: x\nc: 3\n"),
        ("a: 1\nb: 2 # why\nc: 3\n", "b", "x", "a: 1\nb: x\nc: 3\n"),
        ("a: 1\nb: 2\n# about c\nc: 3\n", "b", None, "a: 1\n# about c\nc: 3\n"),
        ("a: 1\n\nb: 2\n\nc: 3\n", "b", "x", "a: 1\n\nb: x\n\nc: 3\n"),
        # a new one comes last
        ("a: 1\n", "b", "x", "a: 1\nb: x\n"),
        ("", "b", "x", "b: x\n"),
        ("# only a remark\n", "b", "x", "# only a remark\nb: x\n"),
        ("a: 1\n# the end\n", "b", "x", "a: 1\n# the end\nb: x\n"),
        # lists in both styles, block texts, texts over several lines
        ("a:\n  - 1\n  - 2\nb: 2\n", "a", ["x"], "a:\n  - x\nb: 2\n"),
        ("a:\n- 1\n- 2\nb: 2\n", "a", None, "b: 2\n"),
        ("a: [1,\n  2]\nb: 2\n", "a", [], "a: []\nb: 2\n"),
        ("a: |\n  one\n\n  two\nb: 2\n", "a", "x", "a: x\nb: 2\n"),
        ("a: |\n  # no remark\n# a remark\nb: 2\n", "a", "x", "a: x\n# a remark\nb: 2\n"),
        ("a: it goes\n  on here\nb: 2\n", "a", "x", "a: x\nb: 2\n"),
        ("a: {b: 1,\n  c: 2}\nb: 2\n", "b", "x", "a: {b: 1,\n  c: 2}\nb: x\n"),
        ("a:\n  b: inner\nb: outer\n", "b", None, "a:\n  b: inner\n"),
        # the spelling of a key stays
        ("Title: 1\nb: 2\n", "title", "x", "Title: x\nb: 2\n"),
        ("'a b': 1\n", "a b", "x", "a b: x\n"),
        # the line ending of the note is used
        ("a: 1\r\nb: 2\r\n", "a", ["x", "z"], "a:\r\n  - x\r\n  - z\r\nb: 2\r\n"),
    ],
)
def test_a_key_is_set_as_a_person_would_do_it(
    before: str, key: str, value: Written, after: str
) -> None:
    end = "\r\n" if "\r\n" in before else "\n"
    note = f"---{end}{before}---{end}body".encode()

    assert patched(split(note), key, value).join() == f"---{end}{after}---{end}body".encode()


@pytest.mark.parametrize(
    ("note", "after"),
    [
        (b"", b"---\nid: x\n---\n"),
        (b"body", b"---\nid: x\n---\nbody"),
        (b"one\r\ntwo\r\n", b"---\r\nid: x\r\n---\r\none\r\ntwo\r\n"),
        (BOM + b"# Head\n", BOM + b"---\nid: x\n---\n# Head\n"),
    ],
)
def test_a_note_without_properties_gets_a_block(note: bytes, after: bytes) -> None:
    assert patched(split(note), "id", "x").join() == after


@pytest.mark.parametrize(
    ("note", "why"),
    [
        (b"---\na: [\n---\n", "while parsing"),
        (b"---\n- a\n---\n", "not a list of keys"),
        (b"---\n{a: 1}\n---\n", "not one key a line"),
        (b"---\na: b\n", "look like properties but are not"),
        (b"--- \na: b\n---\n", "look like properties but are not"),
        (b"\xff\xfea\0", "not UTF-8 text"),
        (b"nul \0 here", "not UTF-8 text"),
        ("---\na: one\u2028  two\nb: 1\n---\n".encode(), "stands twice"),
    ],
)
def test_a_refusal_says_what_to_mend(note: bytes, why: str) -> None:
    with pytest.raises(Refused, match=why) as refused:
        patched(split(note), "b", "x")

    assert str(refused.value).endswith("Mend them in an editor, then repeat.")


keys = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(st.lists(st.tuples(keys, texts), max_size=6), keys, texts)
def test_whatever_stands_there_one_key_changes_and_the_others_do_not(
    known: list[tuple[str, str]], key: str, value: str
) -> None:
    block = dict(known)
    note = composed({name: text or "x" for name, text in block.items()}, "the body\n")

    after = patched(split(note), key, value)

    assert after.body == b"the body\n"
    assert read(after.block) == {**{name: text or "x" for name, text in block.items()}, key: value}
    others = [
        line for line in split(note).block.split(b"\n") if not line.startswith(f"{key}:".encode())
    ]
    assert [
        line for line in after.block.split(b"\n") if not line.startswith(f"{key}:".encode())
    ] == others


# Writing values


@given(texts)
@example("")
@example(" ")
@example("\ufeff\u2028\u2029\x85\x7f\x9f")
@example("no")
@example("2026-11-30T02:14:07")
@example("[[a|b]]")
def test_a_string_comes_back_as_itself(text: str) -> None:
    assert read(f"key: {scalar(text)}\n".encode()) == {"key": text}
    assert read(f"key:\n  - {scalar(text)}\n".encode()) == {"key": [text]}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Rate limiting uses a token bucket", "Rate limiting uses a token bucket"),
        ("It's here", "It's here"),
        ("Über café, 日本語 и ещё", "Über café, 日本語 и ещё"),
        ("src/middleware/ratelimit.rs", "src/middleware/ratelimit.rs"),
        ("https://example.org/a?b", '"https://example.org/a?b"'),
        ("https://example.org/a", "https://example.org/a"),
        ("2026-11-30", "2026-11-30"),
        ("2026-11-30T02:14:07", "2026-11-30T02:14:07"),
        ("2026-11-30T02:14:07+07:00", '"2026-11-30T02:14:07+07:00"'),
        ("[[memory/global/a|A]]", '"[[memory/global/a|A]]"'),
        ("a: b", '"a: b"'),
        ("a:", '"a:"'),
        ("a #b", '"a #b"'),
        ("#tag", '"#tag"'),
        ("- a", '"- a"'),
        ("@me", '"@me"'),
        ("`x`", '"`x`"'),
        ("%x", '"%x"'),
        ("*x", '"*x"'),
        ("&x", '"&x"'),
        ("!x", '"!x"'),
        ("{{date}}", '"{{date}}"'),
        ("<% x %>", '"<% x %>"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("C:\\new", '"C:\\\\new"'),
        ("", '""'),
        (" a", '" a"'),
        ("a ", '"a "'),
        ("yes", '"yes"'),
        ("No", '"No"'),
        ("TRUE", '"TRUE"'),
        ("null", '"null"'),
        ("~", '"~"'),
        ("y", '"y"'),
        ("007", '"007"'),
        ("1.10", '"1.10"'),
        ("12:30", '"12:30"'),
        ("0x1f", '"0x1f"'),
        (".inf", '".inf"'),
        ("one\ntwo", '"one\\ntwo"'),
        ("tab\there", '"tab\\there"'),
        ("bell\x07", '"bell\\u0007"'),
        ("del\x7f", '"del\\u007f"'),
        ("nel\x85", '"nel\\u0085"'),
        ("ls\u2028", '"ls\\u2028"'),
        ("\ufeffbom", '"\\ufeffbom"'),
    ],
)
def test_a_value_is_written_as_obsidian_would(text: str, written: str) -> None:
    assert scalar(text) == written


def test_a_new_note_is_written_as_obsidian_would() -> None:
    keys: dict[str, Written] = {
        "id": "k7f3q9xa",
        "title": "Rate limiting: a bucket",
        "empty": "",
        "none": None,
        "nothing": [],
        "importance": 0.85,
        "whole": 1.0,
        "seen": 2,
        "pinned": True,
        "tags": ["api", "no"],
        "supersedes": ["[[memory/global/a|A]]"],
        "created": "2026-11-30T02:14:07",
    }

    assert composed(keys, "The body.\n\n\n") == (
        b"---\n"
        b"id: k7f3q9xa\n"
        b'title: "Rate limiting: a bucket"\n'
        b"importance: 0.85\n"
        b"whole: 1\n"
        b"seen: 2\n"
        b"pinned: true\n"
        b"tags:\n"
        b"  - api\n"
        b'  - "no"\n'
        b"supersedes:\n"
        b'  - "[[memory/global/a|A]]"\n'
        b"created: 2026-11-30T02:14:07\n"
        b"---\n"
        b"The body.\n"
    )


def test_a_new_note_without_a_body_ends_at_the_fence() -> None:
    assert composed({"title": "Only this"}, " \n") == b"---\ntitle: Only this\n---\n"


def test_a_new_note_is_valid_text_even_if_its_title_was_not() -> None:
    made = composed({"title": "half \udcff a letter"}, "half \ud83d a letter\n")

    assert read(split(made).block) == {"title": "half ? a letter"}
    assert split(made).body == b"half ? a letter\n"
