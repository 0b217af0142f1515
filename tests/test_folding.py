"""Folding notes into one: every distinct statement once, with its sources, the newest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultmem.verbs.folding import Source, folded, statements
from vaultmem.words.sources import said


def source(name: str, body: str, moment: str = "2026-11-30", **rest: object) -> Source:
    return Source(f"{name}.md", f"[[{name}|{name.upper()}]]", f"Note {name}", body, moment, **rest)  # type: ignore[arg-type]


def test_each_statement_stands_once_with_all_its_sources() -> None:
    one = source("a", "The cache holds ten minutes. Clear it after a deploy.", "2026-11-28")
    other = source("b", "clear it after a deploy!\n\nRedis runs on the second host.", "2026-11-30")

    body = folded([one, other], 0.5).body

    assert body.splitlines() == [
        "- clear it after a deploy![^1][^2]",
        "- Redis runs on the second host.[^1]",
        "- The cache holds ten minutes.[^2]",
        "",
        "[^1]: [[b|B]], 2026-11-30",
        "[^2]: [[a|A]], 2026-11-28",
    ]


def test_what_disputes_another_stands_beside_it_the_newer_first() -> None:
    old = source("a", "The limit of the public API is 100 a minute.", "2026-11-01")
    new = source("b", "The limit of the public API is 200 a minute.", "2026-11-30")

    assert folded([old, new], 0.5).body.splitlines()[:2] == [
        "- **Disputed:** The limit of the public API is 200 a minute.[^1]",
        "  - earlier: The limit of the public API is 100 a minute.[^2]",
    ]


def test_what_only_says_more_disputes_nothing() -> None:
    one = source("a", "You may halt the system.", "2026-11-29")
    other = source("b", "You may halt the system while nobody else works on it.")

    assert "Disputed" not in folded([one, other], 0.6).body


def test_what_is_a_part_of_another_statement_disputes_nothing() -> None:
    old = source("a", "The handler stores the id and ignores one it has seen.", "2026-11-01")
    new = source(
        "b", "Orders came twice, so the handler stores the id and ignores one it has seen."
    )

    assert "Disputed" not in folded([old, new], 0.5).body


def test_code_and_tables_stay_whole() -> None:
    body = "Run it so:\n\n```sh\nmake all\n\nmake install\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"

    assert statements(body) == [
        "Run it so:",
        "```sh\nmake all\n\nmake install\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ]
    assert folded([source("a", body)], 0.5).body.splitlines()[:8] == [
        "- Run it so:[^1]",
        "- so:[^1]",
        "",
        "  ```sh",
        "  make all",
        "  ",
        "  make install",
        "  ```",
    ]


def test_a_wrapped_paragraph_is_sentences_and_items_are_statements() -> None:
    body = (
        "# Why\n\nIt is\nslow. So we\ncache it.\n\n"
        "- one item\n- [ ] another\n  that goes on\n1. third"
    )

    assert statements(body) == [
        "It is slow.",
        "So we cache it.",
        "one item",
        "another that goes on",
        "third",
    ]


def test_the_parent_is_named_by_what_its_sources_are_about_and_unites_their_tags() -> None:
    notes = [
        source("a", "Deploy with make.", tags=("ops",), files=("Makefile",), importance=0.4),
        source("b", "Deploy with make.", tags=("ops", "make"), type="process"),
        source("c", "Deploy with make.", type="process", since="2026-11-29"),
    ]

    found = folded(notes, 0.66)

    assert found.title.endswith("(3 notes)")
    assert (found.tags, found.files) == (("ops", "make"), ("Makefile",))
    assert (found.type, found.importance, found.since) == ("process", 0.66, "2026-11-29")
    assert found.description == "Deploy with make."


def test_a_parent_folded_again_says_its_statements_and_not_its_marks() -> None:
    parent = folded([source("a", "It is slow."), source("b", "It is slow.")], 0.5)

    assert said(parent.title, parent.body) == "Note b\n- It is slow."
    again = folded([source("p", parent.body), source("c", "It is slow.")], 0.5)
    assert again.body.splitlines()[0] == "- It is slow.[^1][^2]"


@given(st.text(max_size=400))
def test_no_word_of_any_text_is_lost(text: str) -> None:
    kept = " ".join(statements(text))
    headings = [line for line in text.replace("\r\n", "\n").split("\n") if line.startswith("#")]

    missing = [word for word in text.split() if word.isalnum() and word not in kept]

    assert [word for word in missing if not any(word in line for line in headings)] == []
