"""The doctor: what it finds, what it calls harmless, and that it finds nothing in a new vault."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import FakeModel
from promises import promise

from vaultmem.memory import Memory, Question, Telling, Wish
from vaultmem.sidecar.embedder import ModelMissing
from vaultmem.sidecar.keyword import KeywordIndex
from vaultmem.sidecar.packed import checked
from vaultmem.sidecar.sidecar import Sidecar
from vaultmem.vault.store import Vault
from vaultmem.verbs.damages.table import Finding
from vaultmem.words.errors import DiskFailed
from vaultmem.words.note import Note

REBUILD = "Run `vaultmem refresh --rebuild`."


def write(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def findings(memory: Memory) -> dict[str, list[str]]:
    """Return what the doctor says of each place; what is harmful begins with an exclamation."""
    found: dict[str, list[str]] = {}
    for item in memory.doctor().findings:
        found.setdefault(item.path, []).append(("" if item.harmless else "! ") + item.what)
    return found


def test_a_new_vault_is_well(memory: Memory) -> None:
    memory.refresh()

    report = memory.doctor()

    assert report.findings == ()
    assert report.well
    assert report.model == "fake"


def test_a_vault_in_use_is_well_and_counted(memory: Memory) -> None:
    memory.memorize(Wish("The valve sticks", "It sticks when it is cold outside."))
    memory.tell(Telling(summary="The valve was replaced"))
    memory.refresh()

    report = memory.doctor()

    assert report.well
    assert report.passages == report.with_vectors
    assert report.notes == len(memory.vault.scan().notes)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("---\ntitle: [a\n---\nText.\n", "its properties cannot be read"),
        ("---\ntitle: a\n", "its properties have no closing ---"),
        ("---\ntype: poem\n---\nText.\n", "type 'poem' is unknown and counts as insight"),
        ("---\ncreated: soon\n---\nText.\n", "created 'soon' is no date"),
        ("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "it holds the markers of a merge conflict"),
    ],
)
def test_an_odd_note_is_named_and_harmless(
    memory: Memory, root: Path, text: str, what: str
) -> None:
    write(root, "memory/global/odd.md", text)
    memory.refresh()

    assert [said.startswith(what) for said in findings(memory)["memory/global/odd.md"]] == [True]
    assert memory.doctor().well


def test_a_template_may_be_odd(memory: Memory, root: Path) -> None:
    write(root, "templates/daily.md", "---\ncreated: {{date}}\n---\nText.\n")

    assert "templates/daily.md" not in findings(memory)


def test_a_name_that_is_not_read_is_named_with_the_reason(memory: Memory, root: Path) -> None:
    (root / "link.md").symlink_to("/etc/hostname")
    (root / "line\nbreak.md").write_text("Text.\n")

    found = findings(memory)

    assert found["link.md"] == ["it is a link, and links are not followed"]
    assert found["line\nbreak.md"] == ["its name holds characters that no other program can use"]


def test_a_copy_of_a_note_is_named_with_the_owner_of_its_id(memory: Memory, root: Path) -> None:
    text = "---\nid: k7f3q9xa\ntitle: A\n---\nText.\n"
    write(root, "memory/global/a.md", text)
    write(root, "memory/global/a copy.md", text)

    (finding,) = [f for f in memory.doctor().findings if not f.harmless]

    assert finding == Finding(
        "copied id",
        "memory/global/a copy.md",
        "it has the id of memory/global/a.md, so it goes by its path",
        "Run `vaultmem doctor --repair`, which gives it an id of its own, or delete it.",
        line=2,
    )


def test_a_relation_to_nothing_is_named_and_a_plain_link_is_not(memory: Memory, root: Path) -> None:
    text = '---\nsupersedes:\n  - "[[gone]]"\n---\nSee [[nowhere]].\n'
    write(root, "memory/global/a.md", text)
    write(root, "own.md", text)

    found = findings(memory)

    assert found["memory/global/a.md"] == ["! supersedes [[gone]], which is not there"]
    assert "own.md" not in found


def test_two_folders_of_one_scope_are_named(memory: Memory, root: Path) -> None:
    write(root, "memory/a/index.md", "---\nscope: pump\n---\n")
    write(root, "memory/b/index.md", "---\nscope: Pump\n---\n")

    found = findings(memory)

    assert found["memory/a"] == found["memory/b"] == ["! two folders are the scope pump"]


def test_an_edited_entry_of_the_log_is_named_by_its_line(memory: Memory, root: Path) -> None:
    memory.tell(Telling(summary="The valve was replaced"))
    log = root / "live-context/2026-11.md"
    lines = log.read_text().split("\n")
    number = next(i for i, line in enumerate(lines, 1) if "replaced" in line)
    log.write_text(log.read_text().replace("replaced", "mended"))

    (finding,) = [f for f in memory.doctor().findings if not f.harmless]
    assert finding.where == f"live-context/2026-11.md:{number}"
    assert finding.what == "the entry of scout was edited"


def test_a_note_that_the_disk_will_not_give_is_named(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.md", "The valve sticks.\n")
    memory.refresh()
    write(root, "b.md", "The pump hums.\n")
    real = Vault.read

    def read(self: Vault, path: str) -> Note:
        if path == "b.md":
            raise DiskFailed(path, OSError(5, "Input/output error"))
        return real(self, path)

    monkeypatch.setattr(Vault, "read", read)

    assert findings(memory)["b.md"] == [
        "! b.md could not be used. The disk reports an error. Check the disk, then repeat."
    ]


def test_a_note_that_is_being_written_is_not_called_damaged(memory: Memory, root: Path) -> None:
    write(root, "a.md", "")

    assert "a.md" not in findings(memory)


def test_many_notes_gone_at_once_are_said(memory: Memory, root: Path) -> None:
    for number in range(40):
        write(root, f"Notes/{number}.md", "Text.\n")
    memory.refresh()
    for number in range(40):
        (root / f"Notes/{number}.md").unlink()

    (said,) = findings(memory)["vault"]

    assert said.startswith("! 40 of ")
    assert "vault" not in findings(memory)


# The proof of the sidecar


@pytest.fixture
def indexed(memory: Memory, root: Path) -> Memory:
    for name in ("a", "b"):
        file = write(root, f"{name}.md", "The valve sticks.\n")
        os.utime(file, ns=(10**18, 10**18))
    memory.refresh()
    return memory


def test_an_edit_that_sets_its_time_back_is_seen(indexed: Memory, root: Path) -> None:
    with (root / "a.md").open("r+") as file:
        file.write("One valve")
    os.utime(root / "a.md", ns=(10**18, 10**18))

    assert indexed.remember(Question("one valve")).hits[0].path == "a.md"
    assert indexed.doctor().well


@promise("named")
@pytest.mark.parametrize(
    ("harm", "where", "what"),
    [
        (
            "UPDATE files SET facts = checked(replace(substr(facts, 9), hash, 'other')) "
            "WHERE path = 'a.md'",
            "a.md",
            "! its text is not the one that was indexed",
        ),
        ("DELETE FROM files WHERE path = 'a.md'", "a.md", "! it is not indexed"),
        ("DELETE FROM chunks WHERE path = 'a.md'", "keyword index", "! 1 passages differ"),
    ],
)
def test_a_manifest_that_does_not_agree_is_proven(
    indexed: Memory,
    monkeypatch: pytest.MonkeyPatch,
    harm: str,
    where: str,
    what: str,
) -> None:
    with sqlite3.connect(indexed.settings.sidecar / "manifest.db") as db:
        db.create_function("checked", 1, checked)
        db.execute(harm)
        db.execute("UPDATE meta SET value = value + 1 WHERE name = 'generation'")
    db.close()
    monkeypatch.setattr(Sidecar, "_differing", lambda *_: [])

    (said,) = findings(indexed)[where]

    assert said.startswith(what)


def test_a_keyword_file_changed_behind_its_time_is_proven(indexed: Memory) -> None:
    (file,) = (indexed.settings.sidecar / "keyword").glob("*.seg")
    before, data = file.stat(), file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    (finding,) = [f for f in indexed.doctor().findings if not f.harmless]
    assert finding.what == "its files are not the ones that were written"
    assert finding.mend == REBUILD

    indexed.refresh(rebuild=True)
    assert indexed.doctor().well


def test_a_keyword_index_that_cannot_be_read_is_a_finding_and_no_crash(
    indexed: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def labels(self: KeywordIndex) -> set[int]:
        raise EOFError

    monkeypatch.setattr(KeywordIndex, "labels", labels)

    assert findings(indexed)["keyword index"] == ["! it cannot be read (EOFError)"]


# The model


def test_passages_without_vectors_are_counted_and_harmless(memory: Memory, root: Path) -> None:
    memory.refresh()
    write(root, "a.md", "The valve sticks.\n")

    assert findings(memory)["vector index"] == ["1 passages have no vector yet"]
    assert memory.doctor().well


def test_notes_that_the_model_cannot_read_are_counted_and_empty_ones_are_not(
    memory: Memory, root: Path
) -> None:
    write(root, "a.md", "วาล์วของปั๊มน้ำรั่วเมื่ออากาศเย็นมาก\n")
    os.utime(write(root, "empty.md", ""), ns=(10**18, 10**18))
    memory.refresh()

    report = memory.doctor()

    assert report.unreadable == 1
    assert [f.what for f in report.findings] == [
        "1 notes are in a language that the model cannot read"
    ]
    assert report.well


def test_a_missing_model_is_said_and_harmless(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.refresh()

    def query(self: FakeModel, text: str) -> None:
        raise ModelMissing("it is gone")

    monkeypatch.setattr(FakeModel, "query", query)
    report = memory.doctor()

    assert report.model == ""
    assert report.findings[0].what.startswith("The embedding model cannot be used (it is gone)")
    assert report.well


# The rest


@pytest.mark.parametrize(
    "begin",
    [
        lambda git: (git / "MERGE_HEAD").write_text("x"),
        lambda git: (git / "rebase-merge").mkdir(),
    ],
    ids=["merge", "rebase"],
)
def test_a_merge_under_way_is_said(
    memory: Memory, root: Path, begin: Callable[[Path], object]
) -> None:
    (root / ".git").mkdir()
    begin(root / ".git")

    assert findings(memory)[".git"] == [
        "! git is in the middle of a merge or rebase; catalogues are not written"
    ]


def test_what_a_crash_left_behind_is_named(memory: Memory, root: Path) -> None:
    write(root, "memory/global/.vaultmem-0a1b2c3d.tmp", "half")

    assert findings(memory)["memory/global/.vaultmem-0a1b2c3d.tmp"] == ["a crash left it behind"]
