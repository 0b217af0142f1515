"""The files of memories, followed through the history of real repositories."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import Clock, FakeModel
from test_repository import git

from vaultmem.memory import Caller, Memory, Wish
from vaultmem.vault import repository
from vaultmem.vault import settings as settings_of
from vaultmem.verbs import related
from vaultmem.words.errors import BadInput
from vaultmem.words.frontmatter import read, split

SCOPE = "github.com/acme/api"
TEXT = "".join(f"line {number} of the limiter\n" for number in range(30))
Asker = Callable[..., Memory]


class Project:
    """A repository in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "-q")

    def write(self, path: str, text: str = TEXT) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def move(self, path: str, to: str) -> None:
        (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
        git(self.folder, "mv", path, to)

    def commit(self, message: str = "x") -> str:
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", message)
        return repository.head(self.folder)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one commit that has `src/limit.py`."""
    made = Project(tmp_path / "project")
    made.write("src/limit.py")
    made.commit()
    return made


@pytest.fixture
def asker(root: Path, clock: Clock, model: FakeModel, project: Project) -> Asker:
    """Opens the vault's memory for somebody who works in a folder, by default the project's."""

    def make(
        folder: Path = project.folder, *, person: bool = True, scope: str | None = SCOPE
    ) -> Memory:
        caller = Caller("scout", "chat", "s1", scope, person, folder)
        return Memory(settings_of.load(root, root), caller, clock, model)

    return make


def kept(memory: Memory, *files: str, title: str = "Limits are in the limiter") -> Path:
    content = f"{title}: that is all that is known."
    done = memory.memorize(Wish(title=title, content=content, files=files))
    return memory.vault.root / done.path


def found(memory: Memory, *, apply: bool = False) -> list[tuple[str, str, str]]:
    return [(a.file, a.moved_to, a.gone_since) for a in memory.files(apply=apply)]


def names(note: Path) -> object:
    return read(split(note.read_bytes()).block)["files"]


# The commit


def test_a_memory_with_files_keeps_the_commit_of_its_day(asker: Asker, project: Project) -> None:
    note = kept(asker(), "src/limit.py")
    head = repository.head(project.folder)

    assert len(head) == 12
    told = note.read_text("utf-8").replace('"', "")
    assert f"files:\n  - src/limit.py\ncommit: {head}\nagent:" in told


def test_new_files_bring_a_new_commit(asker: Asker, project: Project) -> None:
    note = kept(asker(), "src/limit.py")
    project.write("src/other.py", "other\n")
    head = project.commit()
    memory = asker()
    _, seen = memory.get(note.relative_to(memory.vault.root).as_posix())
    memory.memorize(Wish(files=("src/other.py",), id=seen.id, hash=seen.hash))

    assert read(split(note.read_bytes()).block)["commit"] == head


def test_without_files_a_project_or_a_commit_none_is_kept(
    asker: Asker, tmp_path: Path, root: Path
) -> None:
    git(root, "init", "-q")
    (tmp_path / "plain").mkdir()
    empty = Project(tmp_path / "empty")
    folders = (tmp_path / "plain", empty.folder, root, root / "memory")
    notes = [kept(asker(), title="Nothing of files")]
    notes += [kept(asker(f), "a.py", title=f"Of the folder {f.name}") for f in folders]

    assert [note for note in notes if b"commit:" in note.read_bytes()] == []


# What moved


def test_a_file_that_is_there_is_not_listed(asker: Asker, project: Project) -> None:
    kept(asker(), "src/limit.py", "src", "src/", "./src/limit.py", "src/limit.py:12")
    kept(asker(), "https://example.org/a.py", str(project.folder / "src"), title="Odd names")
    kept(asker(project.folder / "src"), "limit.py", title="Named from a folder below")

    assert found(asker(project.folder / "src")) == []


def test_a_move_is_followed_and_nothing_changes_before_it_is_applied(
    asker: Asker, project: Project
) -> None:
    note = kept(asker(), "src/limit.py", "README")
    before = note.read_bytes()
    project.move("src/limit.py", "core/bucket.py")
    project.commit()

    assert found(asker()) == [("src/limit.py", "core/bucket.py", ""), ("README", "", "")]
    assert note.read_bytes() == before

    done = asker().files(apply=True)
    assert [item.written for item in done] == [True, False]
    assert note.read_bytes() == before.replace(b"src/limit.py", b"core/bucket.py")
    assert found(asker()) == [("README", "", "")]


def test_a_file_that_moved_changed_and_moved_again_is_followed(
    asker: Asker, project: Project
) -> None:
    kept(asker(), "src/limit.py")
    project.move("src/limit.py", "a.py")
    project.write("a.py", TEXT + "more\n")
    project.commit()
    project.move("a.py", "b.py")
    project.commit()
    project.write("src/limit.py", "another file of that name\n")
    project.commit()
    git(project.folder, "rm", "-q", "src/limit.py")
    project.move("b.py", "lib/c.py")
    last = project.commit()

    assert found(asker()) == [("src/limit.py", "", last)]
    git(project.folder, "reset", "-q", "--hard", "HEAD~2")
    assert found(asker()) == [("src/limit.py", "b.py", "")]


def test_a_move_in_a_branch_that_was_merged_is_followed(asker: Asker, project: Project) -> None:
    git(project.folder, "checkout", "-qb", "before")
    git(project.folder, "checkout", "-q", "main")
    project.write("src/late.py", TEXT.replace("line", "row"))
    project.commit()
    kept(asker(), "src/late.py")
    project.move("src/late.py", "src/new.py")
    project.commit()
    git(project.folder, "checkout", "-q", "before")
    project.write("other.py", "other\n")
    project.commit()
    git(project.folder, "merge", "-q", "--no-ff", "-m", "merge", "main")

    assert found(asker()) == [("src/late.py", "src/new.py", "")]


def test_lines_and_absolute_names_are_written_as_they_were(asker: Asker, project: Project) -> None:
    top = project.folder
    note = kept(asker(), "src/limit.py:12-20", f"{top}/src/limit.py")
    project.move("src/limit.py", "core/bucket.py")
    project.commit()
    asker().files(apply=True)

    assert names(note) == ["core/bucket.py:12-20", f"{top}/core/bucket.py"]


def test_two_files_that_became_one_are_named_once(asker: Asker, project: Project) -> None:
    project.write("twin.py", TEXT)
    project.commit()
    note = kept(asker(), "src/limit.py", "./src/limit.py", "twin.py")
    project.move("src/limit.py", "one.py")
    project.commit()
    asker().files(apply=True)

    assert names(note) == ["one.py", "twin.py"]


def test_what_left_before_the_memory_was_kept_is_not_followed(
    asker: Asker, project: Project
) -> None:
    project.move("src/limit.py", "new.py")
    project.commit()
    kept(asker(), "src/limit.py")

    assert found(asker()) == [("src/limit.py", "", "")]


@pytest.mark.parametrize("commit", [None, "0123456789ab", "--output=stolen", "HEAD"])
def test_without_a_commit_that_is_known_all_of_history_counts(
    asker: Asker, project: Project, commit: str | None
) -> None:
    note = kept(asker(), "src/limit.py")
    told = f"commit: {commit}\n" if commit else ""
    note.write_text(re.sub("commit: .*\n", told, note.read_text("utf-8")), "utf-8")
    project.move("src/limit.py", "new.py")
    project.commit()

    assert found(asker()) == [("src/limit.py", "new.py", "")]
    assert not (project.folder / "stolen").exists()


# What is gone


def test_a_file_that_was_removed_is_gone_since_a_commit(asker: Asker, project: Project) -> None:
    note = kept(asker(), "src/limit.py", "src")
    git(project.folder, "rm", "-q", "src/limit.py")
    gone = project.commit()
    before = note.read_bytes()

    rows = [("src/limit.py", "", gone), ("src", "", gone)]
    assert found(asker(), apply=True) == rows
    assert note.read_bytes() == before


def test_a_file_in_the_newest_commit_is_there_though_it_is_not_checked_out(
    asker: Asker, project: Project
) -> None:
    kept(asker(), "src/limit.py")
    (project.folder / "src/limit.py").unlink()

    assert found(asker()) == []


@pytest.mark.parametrize("how", ["no repository", "no git"])
def test_without_git_what_is_gone_is_known_all_the_same(
    asker: Asker, tmp_path: Path, how: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "plain" if how == "no repository" else project.folder
    folder.mkdir(exist_ok=True)
    (folder / "there.py").write_text("x", "utf-8")
    if how == "no git":
        monkeypatch.setenv("PATH", str(tmp_path))
    kept(asker(folder), "there.py", "gone.py")

    assert found(asker(folder)) == [("gone.py", "", "")]


def test_a_file_that_there_was_no_time_for_is_said_to_be_gone_and_not_followed(
    asker: Asker, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(asker(), "src/limit.py")
    project.move("src/limit.py", "new.py")
    project.commit()
    monkeypatch.setattr(related, "PATIENCE", timedelta(seconds=-1))

    assert [(a.moved_to, a.followed) for a in asker().files()] == [("", False)]


@pytest.mark.parametrize(
    "name", ["../../etc/nothing", "/nowhere/a.py", "*.py", ":(glob)**", "-x", "HEAD", "a" * 400]
)
def test_an_odd_name_is_gone_and_nothing_more(asker: Asker, name: str) -> None:
    kept(asker(), name)

    assert found(asker()) == [(name, "", "")]


def test_a_name_that_no_program_could_mean_is_left_alone(asker: Asker, root: Path) -> None:
    note = kept(asker(), "a.py")
    text = note.read_text("utf-8").replace("  - a.py", '  - "a\\0b"\n  - "c\\nd"')
    note.write_text(text, "utf-8")

    assert found(asker()) == []


# Whose, and by whom


def test_only_memories_of_the_projects_scope_are_looked_at(asker: Asker, project: Project) -> None:
    kept(asker(scope="github.com/acme/other"), "gone.py", title="Of another scope")
    kept(asker(scope=""), "gone.py", title="Of the global scope")
    memory = asker()
    archived = kept(memory, "gone.py", title="Put away long ago")
    archived.write_text(archived.read_text("utf-8").replace("working", "archived"), "utf-8")

    assert found(asker()) == []


@pytest.mark.parametrize("person", [True, False])
def test_what_a_person_approved_is_changed_for_a_person_alone(
    asker: Asker, project: Project, person: bool
) -> None:
    note = kept(asker(), "src/limit.py")
    text = note.read_text("utf-8").replace("source: agent_inferred", "source: approved")
    note.write_text(text, "utf-8")
    project.move("src/limit.py", "new.py")
    project.commit()

    (row,) = asker(person=person).files(apply=True)
    assert (row.moved_to, row.written, bool(row.refused)) == ("new.py", person, not person)
    assert names(note) == ["new.py" if person else "src/limit.py"]


def test_a_note_that_changes_meanwhile_is_left_as_it_is(
    asker: Asker, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = kept(asker(), "src/limit.py")
    project.move("src/limit.py", "new.py")
    project.commit()
    look = related.left

    def edited(*told: str) -> object:
        note.write_bytes(note.read_bytes() + b"One more line.\n")
        return look(*told)  # type: ignore[arg-type]

    monkeypatch.setattr(related, "left", edited)

    (row,) = asker().files(apply=True)
    assert "changed since it was read" in row.refused
    assert names(note) == ["src/limit.py"]


def test_a_caller_without_a_project_is_told_where_to_go(asker: Asker) -> None:
    with pytest.raises(BadInput, match="folder is no project's"):
        asker(scope=None).files()


def signed(folder: Path) -> None:
    """Give the newest commit a signature."""

    def run(*arguments: str, given: bytes = b"") -> bytes:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, input=given, check=True, capture_output=True).stdout

    commit = run("cat-file", "commit", "HEAD")
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n"
    made = run(
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--stdin",
        given=commit.replace(b"\n\n", b"\n" + signature + b"\n", 1),
    )
    run("update-ref", "HEAD", made.decode().strip())


def test_a_repository_runs_nothing_of_its_own(
    asker: Asker, project: Project, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", "utf-8")
    evil.chmod(0o755)
    kept(asker(), "src/limit.py", "gone.py")
    project.move("src/limit.py", "new.py")
    project.write(".gitattributes", "* filter=evil diff=evil\n")
    project.commit()
    signed(project.folder)
    for key in (
        *("core.fsmonitor", "core.pager", "pager.log", "gpg.program", "diff.external"),
        *("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.evil.command"),
        *("core.sshCommand", "core.askPass", "core.editor"),
    ):
        git(project.folder, "config", key, str(evil))
    git(project.folder, "config", "log.showSignature", "true")
    hooks = project.folder / ".git/hooks"
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_bytes(evil.read_bytes())
        os.chmod(hooks / name, 0o755)
    ran.unlink(missing_ok=True)

    assert found(asker()) == [("src/limit.py", "new.py", ""), ("gone.py", "", "")]
    assert not ran.exists()
