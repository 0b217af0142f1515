"""Whatever a note says, in whatever markdown: it is read whole, and edits touch what they name."""

from __future__ import annotations

from pathlib import Path

import pytest
from growth import seconds
from hypothesis import given, settings
from hypothesis import strategies as st
from promises import promise

from vaultmem.documents.markdown import comments
from vaultmem.memory import Memory, Question
from vaultmem.sidecar.chunks import passages
from vaultmem.words.errors import Refused
from vaultmem.words.frontmatter import Written, patched, read, split
from vaultmem.words.links import in_text, outside_code
from vaultmem.words.note import parse
from vaultmem.words.safe import defused, shown
from vaultmem.words.worddiff import word_diff

from .markdown import BLOCKS, DOCUMENTS

KEYS = st.sampled_from(["title", "tags", "Title", "why", "seen", "\u043a\u043b\u044e\u0447", "a b"])
VALUES: st.SearchStrategy[Written] = st.one_of(
    st.none(), st.text(max_size=20), st.lists(st.text(max_size=8), max_size=3), st.booleans()
)


@given(DOCUMENTS)
@settings(max_examples=40)
def test_any_markdown_is_read_to_its_last_line(text: str) -> None:
    note = parse("a.md", text.encode())

    lines = note.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    covered = {n for p in passages(note.body, 1) for n in range(p.first, p.last + 1)}
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= covered
    assert len(outside_code(note.body)) == len(note.body)
    assert all(1 <= link.line <= len(lines) for link in in_text(note.body))
    assert defused(defused(note.body)) == defused(note.body)
    assert shown(shown(note.body)) == shown(note.body)


@given(BLOCKS, st.lists(st.tuples(KEYS, VALUES), max_size=6))
@settings(max_examples=40)
def test_a_row_of_edits_ends_as_a_mapping_would_and_leaves_the_body(
    body: str, edits: list[tuple[str, Written]]
) -> None:
    parts = split(b"---\nkept: 'as it is' # why\n---\n" + body.encode())
    for key, value in edits:
        before = read(parts.block)
        parts = patched(parts, key, value)
        found = {k.casefold(): v for k, v in read(parts.block).items()}
        if value is None:
            assert key.casefold() not in found
        others = {k.casefold(): v for k, v in before.items() if k.casefold() != key.casefold()}
        assert {k: v for k, v in found.items() if k != key.casefold()} == others
        assert parts.block.startswith(b"kept: 'as it is' # why\n")
        assert parts.body == body.encode()


@given(st.binary(max_size=200), KEYS, VALUES)
@settings(max_examples=60)
def test_any_bytes_are_edited_at_that_key_alone_or_refused(
    data: bytes, key: str, value: Written
) -> None:
    try:
        after = patched(split(data), key, value)
    except Refused:
        return

    assert after.join().endswith(split(data).body)
    assert split(after.join()) == after


@promise("alone")
def test_a_vault_of_any_bytes_answers_for_its_good_note(memory: Memory, root: Path) -> None:
    (root / "good.md").write_text("The tuba is in the attic.\n", encoding="utf-8")
    made: list[bytes] = []

    @given(st.binary(max_size=400))
    @settings(max_examples=40, database=None)
    def collect(data: bytes) -> None:
        made.append(data)

    collect()
    for number, data in enumerate(made):
        (root / f"any-{number}.md").write_bytes(data)
        (root / f"headed-{number}.md").write_bytes(b"---\n" + data + b"\n---\nBody.\n")
    memory.refresh()

    hits = memory.remember(Question("tuba attic")).hits
    assert [hit.path for hit in hits][:1] == ["good.md"]
    memory.doctor()
    for number, data in enumerate(made):
        assert (root / f"any-{number}.md").read_bytes() == data


@pytest.mark.parametrize("sign", ["a\n", "x y\n\n", "ab cd\n", "a ", "a. b. "])
def test_a_difference_is_told_in_time_that_grows_with_the_text(sign: str) -> None:
    text = sign * (6_000 // len(sign))

    def differ(text: str) -> float:
        return seconds(lambda: word_diff(f"{text}1", f"2{text[::-1]}"))

    assert differ(text * 8) < 20 * differ(text) + 0.05


@pytest.mark.parametrize("sign", [" ", "<!--", "<!-- ", "-->", "<!---->"])
def test_comments_are_found_in_time_that_grows_with_the_text(sign: str) -> None:
    text = sign * (10_000 // len(sign))

    assert seconds(lambda: comments(text * 4)) < 9 * seconds(lambda: comments(text)) + 0.01
