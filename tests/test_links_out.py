"""Links that lead out of the vault: symbolic ones, hard ones, and folders that become one."""

from __future__ import annotations

from pathlib import Path

import pytest
from promises import promise

from vaultmem.memory import Memory, Question, Wish
from vaultmem.vault import files, scan
from vaultmem.words.errors import NotFound

SECRET = "The quartz code of the safe is kept by the harbour master alone.\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the vault."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "safe.md").write_text(SECRET)
    return folder


@promise("inside")
@pytest.mark.parametrize("kind", ["file", "folder", "hard"])
def test_what_a_link_leads_to_is_not_found_and_the_doctor_names_the_link(
    memory: Memory, root: Path, outside: Path, kind: str
) -> None:
    place = root / "memory/global"
    if kind == "file":
        (place / "safe.md").symlink_to(outside / "safe.md")
    elif kind == "folder":
        (place / "safe.md").symlink_to(outside, target_is_directory=True)
    else:
        (place / "safe.md").hardlink_to(outside / "safe.md")

    assert memory.remember(Question("quartz code of the safe", include="all")).hits == ()
    with pytest.raises(NotFound):
        memory.get("memory/global/safe.md")
    with pytest.raises(NotFound):
        memory.forget(["safe"])
    told = {finding.path: finding.what for finding in memory.doctor().findings}
    assert "link" in told["memory/global/safe.md"]
    assert (outside / "safe.md").read_text() == SECRET


def test_two_names_of_one_file_within_the_vault_are_two_notes(root: Path) -> None:
    one = root / "memory/global/one.md"
    one.write_text("Roses are red.\n")
    (root / "memory/global/two.md").hardlink_to(one)
    (root / "memory/global/.vaultmem-0a0a0a0a.tmp").hardlink_to(one)

    assert {"memory/global/one.md", "memory/global/two.md"} <= scan.scan(root).notes.keys()


def test_a_line_appended_to_a_hard_link_does_not_reach_its_other_name(
    memory: Memory, root: Path, outside: Path
) -> None:
    memory.memorize(Wish(title="Indent with tabs", content="Tabs are used in every project."))
    log = next((root / "live-context").glob("*.md"))
    (outside / "log.md").hardlink_to(log)
    before = (outside / "log.md").read_bytes()

    memory.memorize(Wish(title="Deploy on Monday", content="Deploys happen on each Monday."))

    assert (outside / "log.md").read_bytes() == before
    assert b"Deploy on Monday" in log.read_bytes()
    assert log.read_bytes().startswith(before)


def test_a_folder_that_became_a_link_since_it_was_listed_is_not_entered(
    root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "memory/global/inner").mkdir()
    listed = scan.listed

    def late(top: Path, path: str):  # type: ignore[no-untyped-def]
        if path == "memory/global/inner":
            (root / path).rmdir()
            (root / path).symlink_to(outside, target_is_directory=True)
        return listed(top, path)

    monkeypatch.setattr(scan, "listed", late)
    found = scan.scan(root)

    assert not [path for path in found.notes if "safe" in path]
    assert "link" in found.skipped["memory/global/inner"]


def test_a_likely_copy_that_became_a_link_is_not_read(
    root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "Plan.md").write_text(SECRET)
    (root / "Plan 2.md").write_text("another\n")
    read: list[bytes] = []
    plain = files.read

    def late(top: Path, path: str, limit: int | None = None) -> bytes:
        if path == "Plan 2.md":
            (root / path).unlink()
            (root / path).symlink_to(outside / "safe.md")
        read.append(plain(top, path, limit))
        return read[-1]

    monkeypatch.setattr(files, "read", late)

    assert scan.scan(root).copies == {}
    assert read == []
