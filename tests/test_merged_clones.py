"""Two clones of a vault are merged by git, with and without our driver; nothing is lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_committing import git

from vaultmem.memory import Memory, Question
from vaultmem.words.frontmatter import composed
from vaultmem.words.note import parse


def note(note_id: str, title: str, body: str, **keys: str) -> bytes:
    head = {"id": note_id, "title": title, "type": "insight", "created": "2026-11-01T10:00:00"}
    return composed({**head, "updated": "2026-11-01T10:00:00", "tags": ["a"], **keys}, body)


TABS = note("k7f3q9xa", "Use tabs", "Indent with tabs.\n\nEverywhere.")
AT = "memory/global/use-tabs.md"


@pytest.fixture
def vault(root: Path) -> Path:
    """A vault in git with one memory, on the branch `main`; `other` is a second branch of it."""
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Ann")
    git(root, "config", "user.email", "ann@example.org")
    write(root, AT, TABS)
    commit(root)
    git(root, "branch", "other")
    return root


def write(root: Path, path: str, data: bytes | None) -> None:
    if data is None:
        (root / path).unlink()
    else:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Change")


def merge(root: Path, ours: dict[str, bytes | None], theirs: dict[str, bytes | None]) -> bool:
    """Change each branch and merge; return whether git had nothing left to ask."""
    for branch, files in (("other", theirs), ("main", ours)):
        git(root, "checkout", "-q", branch)
        for path, data in files.items():
            write(root, path, data)
        commit(root)
    done = subprocess.run(
        ["git", "-C", str(root), "merge", "-q", "--no-edit", "other"],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def notes(root: Path) -> dict[str, str]:
    """Return the memories of the global scope: file name to body."""
    files = sorted((root / "memory/global").glob("*.md"))
    found = {file.name: parse(file.name, file.read_bytes()).body for file in files}
    return {name: body.strip() for name, body in found.items() if name != "index.md"}


def tags(root: Path, path: str = AT) -> list[str]:
    return sorted(parse(path, (root / path).read_bytes()).tags)


OURS = note("k7f3q9xa", "Use tabs", "Indent with tabs, always.\n\nEverywhere.", type="decision")
THEIRS = TABS.replace(b"  - a\n", b"  - a\n  - b\n").replace(b"Everywhere.", b"In all projects.")
THEIRS = THEIRS.replace(b"updated: 2026-11-01", b"updated: 2026-11-02")
BOTH = "Indent with tabs, always.\n\nIn all projects."


def test_git_merges_notes_by_the_driver_once_it_is_set_up(vault: Path, memory: Memory) -> None:
    assert memory.set_up_git()
    assert not memory.set_up_git()
    clean = merge(
        vault, {AT: OURS.replace(b"11-01T10:00:00\ntags", b"11-03T10:00:00\ntags")}, {AT: THEIRS}
    )

    assert clean
    assert notes(vault) == {"use-tabs.md": BOTH}
    assert tags(vault) == ["a", "b"]
    assert b"updated: 2026-11-03" in (vault / AT).read_bytes()
    assert git(vault, "status", "--porcelain") == ""


def test_what_was_set_up_can_be_taken_back(vault: Path, memory: Memory) -> None:
    file = vault / ".git/info/attributes"
    file.parent.mkdir(exist_ok=True)
    file.write_text("*.png binary")
    config = (vault / ".git/config").read_bytes()
    memory.set_up_git()
    asked = git(vault, "check-attr", "merge", AT, "memory/global/index.md", "live-context/1.md")
    assert [line.rsplit(" ", 1)[1] for line in asked.splitlines()] == ["vaultmem", "union", "union"]

    assert memory.set_up_git(undo=True)
    assert not memory.set_up_git(undo=True)
    assert file.read_text().strip() == "*.png binary"
    assert (vault / ".git/config").read_bytes() == config


def test_without_the_driver_resolve_settles_what_git_could_not(vault: Path, memory: Memory) -> None:
    ours = OURS.replace(b"updated: 2026-11-01", b"updated: 2026-11-03")
    assert not merge(vault, {AT: ours}, {AT: THEIRS})
    done = memory.resolve()

    assert done.merged == (AT,) and not done.left
    assert notes(vault) == {"use-tabs.md": BOTH}
    assert git(vault, "ls-files", "-u") == ""


def test_a_driver_that_does_not_start_loses_nothing(vault: Path, memory: Memory) -> None:
    memory.set_up_git()
    git(vault, "config", "merge.vaultmem.driver", "exit 1")
    assert not merge(vault, {AT: OURS}, {AT: THEIRS})
    assert memory.resolve().merged == (AT,)
    assert notes(vault) == {"use-tabs.md": BOTH}


def test_a_contradiction_is_left_to_a_person_and_named(vault: Path, memory: Memory) -> None:
    memory.set_up_git()
    ours, theirs = (TABS.replace(b"with tabs", b"with " + n) for n in (b"two", b"four"))
    assert not merge(vault, {AT: ours}, {AT: theirs})
    done = memory.resolve()

    assert [path for path, _ in done.left] == [AT]
    assert "with two" in notes(vault)["use-tabs.md"] and "with four" in notes(vault)["use-tabs.md"]
    assert AT in [finding.path for finding in memory.doctor().findings]
    (vault / AT).write_bytes(ours.replace(b"two", b"three"))
    assert "git add" in memory.resolve().left[0][1]


def test_two_notes_of_one_path_become_two_that_conflict(vault: Path, memory: Memory) -> None:
    path = "memory/global/deploys.md"
    ours = note("m2x8w4rt", "Deploys", "Deploys happen on Mondays.")
    theirs = note("g5h2c7vd", "Deploys", "Deploys happen on Fridays.")
    memory.set_up_git()
    assert not merge(vault, {path: ours}, {path: theirs})
    done = memory.resolve()

    second = "memory/global/deploys-2.md"
    assert done.split == ((path, second),) and not done.left
    assert notes(vault)["deploys.md"] == "Deploys happen on Fridays."
    assert notes(vault)["deploys-2.md"] == "Deploys happen on Mondays."
    assert "[[memory/global/deploys|Deploys]]" in (vault / second).read_text()
    commit(vault)
    memory.refresh()
    assert memory.doctor().well


MOVED = "memory/global/indenting.md"
CASES = {
    "changed here, taken out there": (
        {AT: OURS},
        {AT: None},
        {"use-tabs.md": "Indent with tabs, always.\n\nEverywhere."},
    ),
    "renamed here, changed there so that git cannot tell": (
        {
            AT: None,
            MOVED: note("k7f3q9xa", "A", "Indent with tabs.\n\nEverywhere.", agent="x" * 900),
        },
        {AT: THEIRS},
        {"indenting.md": "Indent with tabs.\n\nIn all projects."},
    ),
    "renamed to two names": (
        {AT: None, MOVED: TABS},
        {AT: None, "memory/global/tabs.md": THEIRS},
        {"tabs.md": "Indent with tabs.\n\nIn all projects."},
    ),
    "renamed onto a new note": (
        {AT: None, MOVED: TABS},
        {MOVED: note("g5h2c7vd", "Deploys", "Deploys happen on Fridays.")},
        {
            "indenting.md": "Deploys happen on Fridays.",
            "indenting-2.md": "Indent with tabs.\n\nEverywhere.",
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_no_statement_is_lost(vault: Path, memory: Memory, name: str) -> None:
    ours, theirs, wanted = CASES[name]
    if merge(vault, ours, theirs):
        pytest.fail("git settled it")
    done = memory.resolve()

    assert not done.left
    assert sorted(notes(vault).values()) == sorted(wanted.values())
    assert notes(vault).keys() == wanted.keys()
    assert git(vault, "ls-files", "-u") == ""


def test_two_machines_that_supersede_the_same_note_contest_each_other(
    vault: Path, memory: Memory
) -> None:
    head = {"supersedes": "[[memory/global/use-tabs|Use tabs]]"}
    spaces = note("a2b3c4d5", "Use spaces", "Indent with four spaces.", **head)
    both = note("e6f7g8h9", "Use what is there", "Indent as the file does.", **head)
    assert merge(
        vault, {"memory/global/use-spaces.md": spaces}, {"memory/global/as-it-is.md": both}
    )
    memory.refresh()

    labels = {hit.id: hit.label for hit in memory.remember(Question("how to indent")).hits}

    assert "CONTESTED by e6f7g8h9" in labels["a2b3c4d5"]
    assert "CONTESTED by a2b3c4d5" in labels["e6f7g8h9"]
    assert "SUPERSEDED" in labels["k7f3q9xa"]
    memory.relate("a2b3c4d5", "related_to", "e6f7g8h9")
    labels = {hit.id: hit.label for hit in memory.remember(Question("how to indent")).hits}
    assert "CONTESTED" not in labels["a2b3c4d5"] + labels["e6f7g8h9"]
