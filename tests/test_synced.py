"""Conflict copies of sync tools are known, named, and not read twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultmem.memory import Memory, Wish
from vaultmem.vault.scan import scan
from vaultmem.words.synced import copy_of

CERTAIN = [
    "Plan.sync-conflict-20261130-021407-ABCDEFG.md",
    "Plan.sync-conflict-20261130-021407.md",
    "Plan (Ann's conflicted copy 2026-11-30).md",
    "Plan (Ann's conflicted copy 2026-11-30) 2.md",
    "Plan (conflicted copy 2026-11-30 021407).md",
    "Plan (Conflicted copy ann-laptop 202611300214).md",
    "Plan (Case Conflict).md",
]


@pytest.mark.parametrize("name", CERTAIN)
def test_the_name_of_a_copy_says_what_it_is_a_copy_of(tmp_path: Path, name: str) -> None:
    copy = copy_of(f"a/{name}")
    assert copy is not None and copy.certain and copy.original == "a/Plan.md"
    (tmp_path / "a").mkdir()
    (tmp_path / f"a/{name}").write_text("two\n")
    assert f"a/{name}" in scan(tmp_path).notes
    (tmp_path / "a/Plan.md").write_text("one\n")
    found = scan(tmp_path)
    assert (found.copies, set(found.notes)) == ({f"a/{name}": "a/Plan.md"}, {"a/Plan.md"})


@pytest.mark.parametrize("name", ["Plan.md", "Plan-2.md", "Plan of conflicted copy.md", "2.md"])
def test_other_names_are_no_copies(name: str) -> None:
    assert copy_of(name) is None


@pytest.mark.parametrize("name", ["Plan 2.md", "Plan (1).md"])
@pytest.mark.parametrize(
    ("one", "two", "copied"),
    [
        ("---\nid: aaaa2222\n---\na\n", "---\nid: aaaa2222\n---\nb\n", True),
        ("---\nid: aaaa2222\n---\na\n", "---\nid: bbbb3333\n---\na\n", False),
        ("same\n", "same\n", True),
        ("part one\n", "part two\n", False),
    ],
)
def test_a_number_makes_a_copy_only_of_the_same_note(
    tmp_path: Path, name: str, one: str, two: str, copied: bool
) -> None:
    (tmp_path / "Plan.md").write_text(one)
    (tmp_path / name).write_text(two)

    assert (name in scan(tmp_path).copies) is copied


def test_the_doctor_names_the_pair_and_one_of_it_is_searched(root: Path, memory: Memory) -> None:
    done = memory.memorize(Wish(title="Use tabs", content="Indent with tabs everywhere."))
    copy = "memory/global/use-tabs (conflicted copy 2026-11-30).md"
    (root / copy).write_bytes((root / done.path).read_bytes())
    memory.refresh()

    assert memory.get(done.id)[0].path == done.path
    (found,) = [one for one in memory.doctor().findings if one.path == copy]
    assert done.path in found.what
