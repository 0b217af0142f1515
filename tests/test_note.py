"""Reading a note: nothing raises, nothing is lost, what is odd is named."""

from __future__ import annotations

import hashlib

import pytest
from hostile.notes import ODD
from hypothesis import example, given
from hypothesis import strategies as st

from vaultmem.words.life import Grade
from vaultmem.words.note import LARGEST, body_of, parse, too_large


@pytest.mark.parametrize("name", sorted(ODD))
def test_every_odd_note_can_be_read(name: str) -> None:
    note = parse(name, ODD[name])

    assert note.hash == hashlib.sha256(ODD[name]).hexdigest()
    assert note.title
    assert len(note.title) <= 500
    assert note.status in ("pending", "approved", "working", "archived")
    assert note.grade(Grade.IMPORTED) in Grade
    assert note.importance is None or 0 <= note.importance <= 1
    assert len(note.tags) <= 200
    assert all(" " not in tag for tag in note.tags)
    assert "\n" not in note.title
    assert note.body_line >= 1


@given(st.binary(max_size=400))
@example(b"---\ntitle: [a\n---\n")
@example(b"\xef\xbb\xbf")
@example(b"\xff\xfe")
def test_any_bytes_are_a_note(data: bytes) -> None:
    note = parse("folder/name.md", data)

    assert note.hash == hashlib.sha256(data).hexdigest()
    assert note.title
    assert isinstance(note.tags, tuple)
    assert isinstance(note.relations, tuple)


values = st.recursive(
    st.sampled_from(["x", "no", "1.5", "''", '"a b"', "~", "[[a]]", "2026-02-30", "#x"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.tuples(inner).map(lambda item: f"{{k: {item[0]}}}")
    ),
    max_leaves=5,
)
known = st.sampled_from(
    ["id", "title", "type", "status", "source", "importance", "tags", "created", "supersedes"]
)


@given(st.dictionaries(known, values, max_size=6))
def test_any_value_of_a_key_that_we_know_is_survived(block: dict[str, str]) -> None:
    lines = "".join(f"{key}: {value}\n" for key, value in block.items())
    note = parse("name.md", f"---\n{lines}---\nbody\n".encode())

    assert note.title
    assert note.body == "body\n"
    assert note.importance is None or 0 <= note.importance <= 1
    assert isinstance(note.texts("tags"), tuple)


@pytest.mark.parametrize(
    ("data", "oddity"),
    [
        (b"---\ntitle: x\n", "its properties have no closing ---"),
        (b"---\n- a\n---\n", "its properties cannot be read: it is not a list of keys"),
        (b"---\na: 1\na: 2\n---\n", "its properties cannot be read: the key 'a' stands twice"),
        (b"---\na: \xff\n---\n", "its properties cannot be read: it is not UTF-8"),
        (b"\xff\xfeh\0i\0", "it is UTF-16, not UTF-8, and was not read"),
        (b"\x89PNG\0", "it is not text and was not read"),
        (b"caf\xe9", "it is not UTF-8; some letters may be wrong"),
        (b"nul\0", "it holds NUL characters"),
        (b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "it holds the markers of a merge conflict"),
        (b"---\ntype: recipe\n---\n", "type 'recipe' is unknown and counts as insight"),
        (b"---\ncreated: 2026-02-30\n---\n", "created '2026-02-30' is no date"),
        (b"---\nimportance: very\n---\n", "importance 'very' is no number from 0 to 1"),
        (b"---\nimportance: 1.5\n---\n", "importance '1.5' is no number from 0 to 1"),
        (b"---\nid: Not One\n---\n", "id 'Not One' is no id of ours, so the note goes by its path"),
        (b"---\nsource: mother\n---\n", "source 'mother' is unknown"),
        (
            b"---\ntags: [" + b"t, " * 201 + b"]\n---\n",
            "it has 201 tags; 200 are used",
        ),
        (
            b"---\n" + b"a: b\n" * 14_000 + b"---\n",
            "its properties are over 64 KiB and were not read",
        ),
    ],
)
def test_what_is_odd_is_named(data: bytes, oddity: str) -> None:
    assert parse("name.md", data).oddities == (oddity,)


@pytest.mark.parametrize("date", [b'"{{date:YYYY-MM-DD}}"', b"<% tp.date.now() %>"])
def test_what_a_template_leaves_to_be_filled_in_is_not_odd(date: bytes) -> None:
    assert parse("Templates/day.md", b"---\ncreated: " + date + b"\n---\n").oddities == ()


@pytest.mark.parametrize(
    ("path", "data", "title"),
    [
        ("a/name.md", b"", "name"),
        ("a/v1.2 plan.md", b"text\n", "v1.2 plan"),
        ("name.md", b"text\n\n## The heading ##\n", "The heading"),
        ("name.md", b"# #\n# Real\n", "Real"),
        ("name.md", b"#tag\n# Head\r\n", "Head"),
        ("name.md", b"# C#\n", "C"),
        ("name.md", b"---\ntitle: From the key\n---\n# Head\n", "From the key"),
        ("name.md", b"---\nTITLE: From the key\n---\n", "From the key"),
        ("name.md", b'---\ntitle: ""\n---\n# Head\n', "Head"),
        ("name.md", b"---\ntitle: [a, b]\n---\n", "name"),
        ("name.md", b"---\ntitle: |\n  one\n  two\n---\n", "one two"),
        ("name.md", b"---\ntitle: " + b"x" * 900 + b"\n---\n", "x" * 500),
    ],
)
def test_the_title_is_the_key_or_the_first_heading_or_the_name(
    path: str, data: bytes, title: str
) -> None:
    assert parse(path, data).title == title


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"body", 1),
        (b"---\n---\nbody", 3),
        (b"---\na: b\n---\nbody", 4),
        (b"---\r\na: b\r\n---\r\nbody", 4),
        (b"\xef\xbb\xbf---\na: b\n---\nbody", 4),
    ],
)
def test_the_body_says_at_which_line_it_starts(data: bytes, line: int) -> None:
    note = parse("name.md", data)

    assert (note.body, note.body_line) == ("body", line)


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("[a, b]", ("a", "b")),
        ('"#a"', ("a",)),
        ("a", ("a",)),
        ("garden/roses", ("garden/roses",)),
        ("[two words, 日本, 2026]", ("日本", "2026")),
        ("{a: b}", ()),
        ("[[a]]", ()),
    ],
)
def test_tags_have_no_mark_and_no_blanks(written: str, tags: tuple[str, ...]) -> None:
    assert parse("name.md", f"---\ntags: {written}\n---\n".encode()).tags == tags


def test_a_heading_of_endless_marks_is_read_at_once() -> None:
    note = parse("name.md", b"# a" + b" #" * 9_000 + b"x\n")

    assert note.heading.startswith("a #")


def test_a_file_too_large_to_read_is_known_by_its_name() -> None:
    note = too_large("a/big.md", 3 * LARGEST)

    assert (note.title, note.hash, note.body) == ("big", "", "")
    assert note.oddities == ("it is 3 MiB, over the limit of 1 MiB, so only its name is known",)


@pytest.mark.parametrize(
    "data",
    [
        b"---\ntitle: A\n---\nbody\r\nmore",
        b"no properties\n",
        b"\xef\xbb\xbf---\na: 1\n---\n\xef\xbb\xbfbody",
        b"---\nunclosed\nbody",
        b"---\na: [\n---\nbroken\x00text",
        b"\xff\xfea\x00",
        b"---\na: 1\n---\n\xe9t\xe9",
        b"",
    ],
)
def test_the_body_alone_is_the_one_of_the_whole(data: bytes) -> None:
    note = parse("a.md", data)

    assert body_of(data) == (note.body_line, note.body)
