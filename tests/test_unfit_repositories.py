"""Repositories in which git cannot be used as asked: a clear error, and nothing changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import FakeModel, Opener
from test_committing import begun as begun  # the fixtures
from test_committing import git, shown, tabs, wanted
from test_committing import root as root
from test_committing import vault as vault

from vaultmem.memory import Memory, Wish, init_vault
from vaultmem.vault.clone import clone_of
from vaultmem.words.errors import (
    GitError,
    NoGit,
    NoRepository,
    NoRevision,
    NotFound,
    UnfitRepository,
    VaultmemError,
)

OPTION = "memory/global/--output=stolen.md"
ASKING: dict[str, Callable[[Memory], object]] = {
    "diff": lambda memory: memory.diff(),
    "check": lambda memory: memory.check_diff(),
    "history": lambda memory: memory.history("memory/global/index.md"),
    "show": lambda memory: memory.show_at("memory/global/index.md", "HEAD"),
    "revert": lambda memory: memory.revert("HEAD"),
    "review": lambda memory: memory.steps(),
    "drop": lambda memory: memory.drop_steps("", ["aaaa2222"]),
    "hook": lambda memory: memory.install_hook(),
    "setup": lambda memory: memory.set_up_git(),
}


def bytes_of(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def all_refuse(memory: Memory, root: Path, error: type[GitError], but: str = "") -> None:
    """Assert that every verb that asks git gives an error, and changes nothing."""
    before = bytes_of(root)
    for name, ask in ASKING.items():
        if name not in but.split():
            with pytest.raises(error) as said:
                ask(memory)
            assert str(said.value).count(".") >= 2, "it says what to do"
    assert bytes_of(root) == before


def test_a_machine_without_git(
    vault: Path, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted("each")
    memory = opener()
    monkeypatch.setenv("PATH", "/nowhere")
    all_refuse(memory, vault, NoGit)

    assert (vault / tabs(memory)).exists()
    assert memory.uncommitted == str(NoGit())


def test_a_vault_in_no_repository(vault: Path, opener: Opener) -> None:
    wanted("each")
    shutil.rmtree(vault / ".git")
    memory = opener()
    all_refuse(memory, vault, NoRepository)

    assert (vault / tabs(memory)).exists()
    assert memory.uncommitted == str(NoRepository(vault))


def test_a_repository_without_a_commit(vault: Path, opener: Opener) -> None:
    wanted("each")
    (vault / ".git/refs/heads/main").unlink()
    memory = opener()
    all_refuse(memory, vault, GitError, but="hook setup")

    assert (vault / tabs(memory)).exists()
    assert memory.uncommitted == str(UnfitRepository("unborn"))


def test_a_bare_repository(vault: Path, memory: Memory) -> None:
    git(vault, "config", "core.bare", "true")
    all_refuse(memory, vault, UnfitRepository)
    shutil.rmtree(vault / ".git")
    git(vault, "init", "-q", "--bare", "--template=", ".")
    all_refuse(memory, vault, NoRepository)


@pytest.mark.parametrize("state", ["rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD"])
def test_a_rebase_or_pick_under_way(vault: Path, opener: Opener, state: str) -> None:
    wanted("each")
    (vault / ".git" / state).mkdir()
    memory = opener()
    path = tabs(memory)

    assert (vault / path).exists()
    assert shown(vault, "%s") == "Begin"
    assert memory.uncommitted == str(UnfitRepository("merging"))
    with pytest.raises(UnfitRepository, match="Finish or abort"):
        memory.drop_steps("", [path])
    assert (vault / path).exists()


def test_a_submodule(vault: Path, tmp_path: Path) -> None:
    above = tmp_path / "above"
    git(tmp_path, "init", "-q", str(above))
    local = ("-c", "protocol.file.allow=always")
    git(above, *local, "submodule", "--quiet", "add", vault.as_uri(), "notes")
    (above / "notes/memory/global/own.md").write_text("A line.\n")
    wanted("each")
    memory = Memory.open(str(above / "notes"), agent="scout", person=True)
    with pytest.raises(UnfitRepository, match="submodule"):
        clone_of(above / "notes").refuse_unwritable()

    assert [step.change.path for step in memory.steps()] == ["memory/global/own.md"]
    memory.archive(["memory/global/own.md"])
    assert memory.uncommitted == str(UnfitRepository("submodule"))
    assert shown(above / "notes", "%s") == "Begin"
    memory.close()


def test_what_a_shallow_clone_lacks_is_named(vault: Path, tmp_path: Path, opener: Opener) -> None:
    wanted("each")
    memory = opener()
    tabs(memory)
    git(tmp_path, "clone", "-q", "--depth=1", vault.as_uri(), "shallow")
    clone = Memory.open(str(tmp_path / "shallow"), agent="scout", person=True)
    for ask in (
        lambda: clone.diff("HEAD~1..HEAD"),
        lambda: clone.steps("HEAD~1...HEAD"),
        lambda: clone.history("memory/global/index.md"),
    ):
        with pytest.raises(GitError, match="unshallow"):
            ask()
    clone.close()


def test_names_that_look_like_options_are_names(vault: Path, opener: Opener) -> None:
    wanted("each")
    (vault / OPTION).write_text("---\nid: aaaa2222\ntitle: Odd\n---\nA line.\n")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "Odd")
    memory = opener()
    memory.memorize(Wish(id="aaaa2222", hash=memory.get("aaaa2222")[1].hash, tags=("odd",)))

    assert [one.why for one in memory.history("aaaa2222")] == ["Update: Odd", "Odd"]
    assert memory.show_at(OPTION, "HEAD~1")[0] == OPTION
    (vault / OPTION).write_text("---\nid: aaaa2222\n---\nAnother.\n")
    memory.drop_steps("", [OPTION])
    assert "A line." in (vault / OPTION).read_text()
    assert not list(vault.rglob("stolen*")) and not Path("stolen.md").exists()


@pytest.mark.parametrize("path", ["../outside.md", "/etc/passwd", "memory/../../outside.md"])
def test_a_path_outside_is_nothing_that_git_knows(vault: Path, memory: Memory, path: str) -> None:
    (vault.parent / "outside.md").write_text("Not yours.\n")
    for ask in (
        lambda: memory.history(path),
        lambda: memory.show_at(path, "HEAD"),
        lambda: memory.revert(f"{path}@HEAD"),
        lambda: memory.drop_steps("", [path]),
    ):
        with pytest.raises(VaultmemError) as said:
            ask()
        assert isinstance(said.value, NotFound) or "inside the vault" in str(said.value)


@pytest.mark.parametrize("name", ["it's;$(touch x)`&é", "#1", "a b|c", "-dash"])
def test_a_branch_may_have_any_name_that_git_takes(vault: Path, memory: Memory, name: str) -> None:
    (vault / ".git/refs/heads" / name).write_text(git(vault, "rev-parse", "HEAD"))
    if name.startswith("-"):
        with pytest.raises(VaultmemError, match="no name of a commit"):
            memory.steps(name)
        name = f"refs/heads/{name}"
    if " " in name:
        with pytest.raises(NoRevision):
            memory.diff(f"{name}..HEAD")
        return

    assert memory.diff(f"{name}..HEAD") == memory.steps(f"{name}...HEAD") == []


def test_a_vault_below_the_top_of_a_repository(tmp_path: Path, model: FakeModel) -> None:
    wanted("each")
    top = tmp_path / "top"
    vault = init_vault(top / "notes").root
    git(top, "init", "-q", "--template=", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "Begin")
    memory = Memory.open(str(vault), agent="scout", person=True, model=model)
    path = tabs(memory)
    (top / "beside.md").write_text("Not a memory.\n")
    (top / "known.md").write_text("Known to git, and no memory either.\n")
    git(top, "add", "known.md")
    git(top, "commit", "-qm", "Beside", "known.md")
    (top / "known.md").unlink()
    git(top, "commit", "-qam", "Gone")
    with pytest.raises(NotFound):
        memory.history("../known.md")
    (vault / path).unlink()

    assert [step.change.path for step in memory.steps()] == [path]
    assert memory.drop_steps("", [path])[0].done == "brought back"
    assert git(top, "status", "--porcelain").strip() == "?? beside.md"
    memory.close()
