"""Tables of contents: a pure function of the notes, between our markers alone."""

from __future__ import annotations

import random
from pathlib import Path

from vaultmem.memory import Memory, Wish
from vaultmem.words.catalogue import line, lines, listed
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.markers import filled
from vaultmem.words.standing import Standing


def memory_named(slug: str, **rest: object) -> Facts:
    title = slug.replace("-", " ").capitalize()
    return Facts(f"memory/global/{slug}.md", Role.MEMORY, title=title, **rest)  # type: ignore[arg-type]


def test_a_line_links_says_what_it_is_about_and_names_the_type() -> None:
    note = memory_named("prefers-tabs", description="Indent with tabs.", type="user_preference")

    assert line(note) == (
        "- [[memory/global/prefers-tabs|Prefers tabs]] — Indent with tabs. · user_preference"
    )


def test_pinned_notes_come_first_then_types_then_names_whatever_the_order_given() -> None:
    notes = [
        memory_named("b", type="decision"),
        memory_named("a", type="insight"),
        memory_named("z", type="insight", pinned=True),
        memory_named("a2", type="decision"),
    ]
    random.Random(3).shuffle(notes)

    assert [n.path[14:-3] for n in listed(notes, {})] == ["z", "a2", "b", "a"]


def test_what_no_longer_holds_is_left_out() -> None:
    notes = [
        memory_named("old"),
        memory_named("archived", status="archived"),
        memory_named("pending", status="pending"),
        memory_named("wrong", retracted=True),
        memory_named("current"),
    ]
    standing = {"memory/global/old.md": Standing("SUPERSEDED by", "memory/global/current.md")}

    assert [n.path for n in listed(notes, standing)] == ["memory/global/current.md"]


def test_a_long_catalogue_says_how_many_more_there_are() -> None:
    shown = lines([memory_named(f"n{i}") for i in range(5)], 3)

    assert len(shown) == 4
    assert shown[-1].startswith("- 2 more:")


def test_text_outside_of_the_markers_stays_and_so_does_the_line_ending() -> None:
    page = "mine\r\n<!-- vaultmem:catalogue -->\r\nold\r\n<!-- /vaultmem:catalogue -->\r\nalso mine"

    assert filled(page, "catalogue", ["- new"]) == (
        "mine\r\n<!-- vaultmem:catalogue -->\r\n- new\r\n<!-- /vaultmem:catalogue -->\r\nalso mine"
    )
    assert filled("no markers", "catalogue", ["- new"]) is None


def test_a_catalogue_without_markers_is_never_written(memory: Memory, root: Path) -> None:
    page = root / "memory/global/index.md"
    page.write_text('---\nscope: ""\n---\nmine alone\n', "utf-8")

    memory.memorize(Wish(title="A new fact", content="It is a fact indeed."))

    assert page.read_text("utf-8") == '---\nscope: ""\n---\nmine alone\n'


def test_a_refresh_lists_what_a_person_wrote_and_a_second_one_changes_nothing(
    memory: Memory, root: Path
) -> None:
    (root / "memory/global/By hand.md").write_text("I wrote this.\n", "utf-8")
    memory.refresh()
    page = root / "memory/global/index.md"
    first = page.read_bytes()

    memory.refresh()

    assert b"[[memory/global/By hand|By hand]]" in first
    assert page.read_bytes() == first


def test_nothing_is_written_while_git_is_merging(memory: Memory, root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git/MERGE_HEAD").write_text("0" * 40, "utf-8")
    before = (root / "memory/global/index.md").read_bytes()
    (root / "memory/global/By hand.md").write_text("I wrote this.\n", "utf-8")

    memory.refresh()

    assert (root / "memory/global/index.md").read_bytes() == before


def test_asking_writes_no_catalogue(memory: Memory, root: Path) -> None:
    from vaultmem.memory import Question

    before = (root / "memory/global/index.md").read_bytes()
    (root / "memory/global/By hand.md").write_text("I wrote this about otters.\n", "utf-8")

    assert memory.remember(Question("otters")).hits
    assert (root / "memory/global/index.md").read_bytes() == before
