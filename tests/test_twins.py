"""Conflict copies of sync tools are known by their names, not searched, and named in pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultmem.memory import Memory, Question, Wish
from vaultmem.words.twins import copies, possible_original, sure_original


@pytest.mark.parametrize(
    "name",
    [
        "x (Conflicted copy MyMac 202611301015).md",
        "x (Conflicted copy).md",
        "x.sync-conflict-20261130-101500-ABCDEFG.md",
        "x.sync-conflict-20261130-101500.md",
        "x (Anna's conflicted copy 2026-11-30).md",
        "x (Anna Lee's conflicted copy 2026-11-30 (1)).md",
        "x (conflicted copy 2026-11-30 101500).md",
    ],
)
def test_a_conflict_copy_names_its_original(name: str) -> None:
    assert sure_original(name) == "x.md"
    assert sure_original(f"a (b)/{name}") == "a (b)/x.md"
    assert copies([name], {"x.md"}) == {name: "x.md"}
    assert copies([name], {"y.md"}) == {}


@pytest.mark.parametrize(
    "name",
    [
        "x.md",
        "Conflicted copy.md",
        "x (copy).md",
        "Notes on a conflicted copy.md",
        "x (1).md",
        "x.sync-conflict.md",
        "conflict (Conflicted copy)/x.md",
        "x 2.md",
    ],
)
def test_other_names_are_no_conflict_copies(name: str) -> None:
    assert sure_original(name) == ""


def test_a_number_may_mean_a_copy() -> None:
    assert possible_original("a/Trip 2.md") == "a/Trip.md"
    assert possible_original("Trip 12.md") == possible_original("Trip-2.md") == ""


def test_a_copy_is_neither_searched_nor_listed_but_named(memory: Memory, root: Path) -> None:
    done = memory.memorize(Wish(title="Use tabs", content="Indent with tabs everywhere."))
    file = root / done.path
    for end in (".sync-conflict-20261130-101500-ABCDEFG", " 2"):
        file.with_name(f"{file.stem}{end}.md").write_bytes(file.read_bytes() + b"Or so.\n")
    other = file.with_name("use-tabs 3.md")
    other.write_text("Another thing that tabs are for.")
    memory.refresh()

    assert {hit.path for hit in memory.remember(Question("tabs")).hits} == {
        done.path,
        "memory/global/use-tabs 3.md",
    }
    assert "conflict" not in (root / "memory/global/index.md").read_text()
    found = {f.path: f.what for f in memory.doctor().findings if "copy of" in f.what}
    assert len(found) == 2 and all(done.path in what for what in found.values())
