"""Everything hostile in one vault, and the logs one by one; `scripts/soak` tries each alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from promises import promise

from vaultmem.memory import Memory, Question

from .corpus import HOSTILE, LARGE, ROWS, TOGETHER
from .item import Hostile
from .notes import titled
from .trial import faults


def named(memory: Memory) -> dict[str, str]:
    """Return what the doctor says of each path."""
    return {finding.path: finding.what for finding in memory.doctor().findings}


def test_the_corpus_is_as_large_as_it_claims() -> None:
    assert len(HOSTILE) >= 250
    assert len(ROWS) >= 81


@promise("alone")
@promise("untouched")
def test_all_that_is_hostile_lies_in_one_vault_and_each_costs_itself_alone(
    memory: Memory, root: Path
) -> None:
    items = [item for item in TOGETHER if item.path not in LARGE]
    for item in items:
        item.lay(root)
    (root / "memory/global/plain.md").write_bytes(titled("Plain", "The tuba is in the attic.\n"))

    assert faults(memory, items) == []
    assert [hit.title for hit in memory.remember(Question("tuba attic")).hits][:1] == ["Plain"]


@pytest.mark.parametrize(
    "item", [i for i in HOSTILE if i.path.startswith("live")], ids=lambda i: i.row
)
@promise("logged")
def test_every_good_entry_of_a_bad_log_is_read(item: Hostile, memory: Memory, root: Path) -> None:
    if item.row.endswith("megabytes"):
        pytest.skip("it takes seconds")
    item.lay(root)

    assert faults(memory, [item]) == []
    read = [entry.summary for entry in memory.log.entries()]
    wanted = ["Rose 0.", "Rose 1.", "Rose 2."]
    assert [summary for summary in dict.fromkeys(read) if summary in wanted] == wanted


@pytest.mark.parametrize("year", [1901, 2107, 2300, 2446])
def test_a_time_that_no_clock_shows_costs_nothing(memory: Memory, root: Path, year: int) -> None:
    file = root / "memory/global/plain.md"
    file.write_bytes(titled("Plain", "The tuba is in the attic.\n"))
    at = (year - 1970) * 365 * 24 * 3600
    os.utime(file, (at, at))

    assert memory.remember(Question("tuba attic")).hits
    file.write_bytes(titled("Plain", "The oboe is in the attic.\n"))
    os.utime(file, (at, at))
    assert memory.remember(Question("oboe attic")).hits


def test_a_file_with_a_second_name_is_named_and_not_read(
    memory: Memory, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("The tuba is in the attic.\n", encoding="utf-8")
    (root / "memory/global/tuba.md").hardlink_to(tmp_path / "secret")

    assert memory.remember(Question("tuba attic")).hits == ()
    assert "it is a hard link" in named(memory)["memory/global/tuba.md"]


def test_a_note_that_lies_in_a_cloud_alone_is_named(memory: Memory, root: Path) -> None:
    (root / "Notes").mkdir()
    (root / "Notes/.plan.md.icloud").write_bytes(b"bplist00")
    (root / "Notes/.photo.jpg.icloud").write_bytes(b"bplist00")

    assert {path for path in named(memory) if path.startswith("Notes")} == {"Notes/plan.md"}


def test_names_that_are_one_to_another_system_are_named(memory: Memory, root: Path) -> None:
    for name in ("Note.md", "note.md", "caf\u00e9.md", "cafe\u0301.md", "notes.md"):
        (root / name).write_bytes(titled(name))

    assert {path for path, what in named(memory).items() if "some disks take it for" in what} == {
        "note.md",
        "caf\u00e9.md",
    }


def test_folders_deeper_than_a_path_may_be_are_named(memory: Memory, root: Path) -> None:
    (item,) = (item for item in HOSTILE if item.row == "folders without end")
    item.lay(root)

    memory.doctor()
    assert memory.remember(Question("thistle")).hits
