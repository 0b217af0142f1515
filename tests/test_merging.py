"""Notes of two machines are merged by what they say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import Opener
from test_committing import git
from test_committing import vault as vault  # the fixture

from vaultmem.vault.threeway import marked
from vaultmem.words.merging import Merged, merged

BASE = """---
id: aaaa2222
title: Tabs
importance: 0.5
tags:
  - a
  - b
updated: 2026-01-01T00:00:00
---
One.

Two.

Three.
"""


def of(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def both(ours: str, theirs: str, base: str = BASE) -> Merged:
    return merged(base.encode(), ours.encode(), theirs.encode(), marked)


def test_keys_and_text_that_one_side_changed_are_that_sides() -> None:
    ours = of(BASE, ("0.5", "0.9"), ("One.", "One!"))
    theirs = of(BASE, ("title: Tabs", "title: Use tabs"), ("Three.", "Three!"))
    done = both(ours, theirs)

    assert not done.conflict
    assert done.data.decode() == of(
        BASE, ("0.5", "0.9"), ("Tabs", "Use tabs"), ("One.", "One!"), ("Three.", "Three!")
    )


def test_lists_are_united_less_what_was_taken_out_and_the_later_change_counts() -> None:
    ours = of(BASE, ("  - a\n  - b\n", "  - b\n  - c\n"), ("01-01", "02-02"))
    theirs = of(BASE, ("  - b\n", "  - b\n  - d\n"), ("01-01", "03-03"))
    done = both(ours, theirs).data.decode()

    assert "tags:\n  - b\n  - c\n  - d\n" in done
    assert "updated: 2026-03-03" in done


def test_a_true_conflict_has_gits_markers_around_that_key_alone() -> None:
    ours = of(BASE, ("0.5", "0.9"), ("Tabs", "Use tabs"))
    theirs = of(BASE, ("0.5", "0.1"), ("  - b\n", "  - b\n  - d\n"))
    done = both(ours, theirs)
    text = done.data.decode()

    assert done.conflict
    assert "<<<<<<< ours\nimportance: 0.9\n=======\nimportance: 0.1\n>>>>>>> theirs\n" in text
    assert text.count("<<<<<<<") == 1 and "title: Use tabs" in text and "  - d\n" in text


def test_the_same_note_made_twice_is_one() -> None:
    other = of(BASE, ("aaaa2222", "bbbb3333"), ("01-01", "02-02"))

    done = both(BASE, other, "")
    assert not done.conflict
    assert done == both(other, BASE, "")
    assert b"id: aaaa2222" in done.data and b"2026-02-02" in done.data


def test_two_texts_under_one_name_are_both_there() -> None:
    done = both(BASE, of(BASE, ("aaaa2222", "bbbb3333"), ("Two.", "Zwei.")), "")

    assert done.conflict
    assert b"Two." in done.data and b"Zwei." in done.data


@pytest.mark.parametrize("broken", ["---\n: [\n---\nOne.\n", "no properties\n", "---\nopen\n"])
def test_what_has_no_readable_properties_is_merged_as_text(broken: str) -> None:
    assert both(broken, broken, "").data.decode() == broken
    assert "<<<<<<<" in both(broken, BASE, "").data.decode()


def test_the_drivers_merge_in_git_itself(vault: Path, opener: Opener) -> None:
    memory = opener()
    (vault / ".git/info").mkdir(exist_ok=True)
    (vault / ".git/info/attributes").write_text("*.png binary\n")
    memory.set_up_git()
    memory.set_up_git()
    attributes = (vault / ".git/info/attributes").read_text()
    assert attributes.startswith("*.png binary\n") and attributes.count("merge=vaultmem") == 3
    file = vault / "memory/global/tabs.md"
    file.write_text(BASE)
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "tabs")
    git(vault, "checkout", "-qb", "other")
    file.write_text(of(BASE, ("0.5", "0.9"), ("01-01", "02-02")))
    git(vault, "commit", "-qam", "theirs")
    git(vault, "checkout", "-q", "main")
    file.write_text(of(BASE, ("Tabs", "Use tabs"), ("01-01", "03-03")))
    git(vault, "commit", "-qam", "ours")
    git(vault, "merge", "-q", "other")

    assert file.read_text() == of(BASE, ("Tabs", "Use tabs"), ("0.5", "0.9"), ("01-01", "03-03"))
    subprocess.run(["git", "-C", str(vault), "diff", "--quiet", "HEAD"], check=True)
