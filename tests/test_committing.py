"""What verbs change is committed as the person wants: that alone, whatever else is under way."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import Opener

from vaultmem.doors.cli.group import vaultmem
from vaultmem.memory import ImportWish, Memory, Telling, Wish, init_vault
from vaultmem.vault import commits
from vaultmem.vault import settings as settings_of
from vaultmem.vault.clone import clone_of
from vaultmem.words.errors import (
    BadInput,
    NoGit,
    NoRepository,
    NoRevision,
    NotYours,
    UnfitRepository,
)


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    done = subprocess.run(
        ["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True
    )
    return done.stdout.decode()


def wanted(commit: str, author: str = "person") -> None:
    file = settings_of.user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[git]\ncommit = "{commit}"\nauthor = "{author}"\n')


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of a new vault, made once, with one commit that holds all of it."""
    return begin(init_vault(tmp_path_factory.mktemp("begun") / "vault").root)


def begin(root: Path) -> Path:
    """Make a repository of a vault, with one commit that holds all of it."""
    git(root, "init", "-q", "--template=", "-b", "main")
    with (root / ".git/config").open("a") as config:
        config.write("[user]\nname = Ann\nemail = ann@example.org\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin")
    return root


@pytest.fixture
def root(begun: Path, tmp_path: Path) -> Path:
    """A new vault in git, with one commit that holds all of it."""
    root = shutil.copytree(begun, tmp_path / "vault")
    git(root, "update-index", "-q", "--refresh")
    return root


@pytest.fixture
def vault(root: Path) -> Path:
    """The same."""
    return root


def tabs(memory: Memory) -> str:
    return memory.memorize(Wish(title="Use tabs", content="Indent with tabs everywhere.")).path


def shown(vault: Path, form: str, *more: str) -> str:
    return git(vault, "log", "-1", f"--format={form}", *more).strip()


def test_nothing_is_committed_unless_the_person_wants_it(vault: Path, memory: Memory) -> None:
    tabs(memory)

    assert shown(vault, "%s") == "Begin"


def test_a_memory_is_one_commit_that_says_its_effect(vault: Path, opener: Opener) -> None:
    wanted("each")
    path = tabs(opener())

    assert shown(vault, "%s") == "Remember: Use tabs"
    said = git(vault, "log", "-1", "--format=%(trailers:only,unfold)")
    assert "Agent: scout\nChannel: chat\nScope: global\nMemory: " in said
    files = git(vault, "show", "--name-only", "--format=").split()
    assert path in files and "memory/global/index.md" in files
    assert git(vault, "status", "--porcelain") == ""


def test_the_author_is_the_agent_where_that_is_wanted(vault: Path, opener: Opener) -> None:
    wanted("each", author="agent")
    tabs(opener())

    assert shown(vault, "%an %ae, %cn") == "scout scout@vaultmem.invalid, Ann"


def test_what_a_person_has_under_way_stays_as_it_is(vault: Path, opener: Opener) -> None:
    wanted("each")
    (vault / "staged.md").write_text("one\n")
    git(vault, "add", "staged.md")
    (vault / "staged.md").write_text("two\n")
    (vault / "new.md").write_text("mine\n")
    path = tabs(opener())
    git(vault, "mv", path, "memory/global/other.md")
    before = git(vault, "status", "--porcelain")
    opener().memorize(Wish(title="Deploy on Mondays", content="Deploys happen on Mondays at 9."))

    assert git(vault, "status", "--porcelain") == before
    assert shown(vault, "%s") == "Remember: Deploy on Mondays"
    assert git(vault, "show", ":staged.md") == "one\n"


def test_an_edit_under_way_in_the_same_note_is_left_to_the_person(
    vault: Path, opener: Opener
) -> None:
    wanted("each")
    memory = opener()
    content = "First line.\n\nSecond line.\n\nThird line.\n\nLast line."
    path = memory.memorize(Wish(title="Lines of a poem", content=content)).path
    file = vault / path
    file.write_text(file.read_text().replace("Last line.", "Last line, as I would have it."))
    done = memory.get(path)[1]
    memory.memorize(Wish(id=done.id, hash=done.hash, tags=("poem",)))

    committed = git(vault, "show", f"HEAD:{path}")
    assert "poem" in committed and "as I would have it" not in committed
    assert "as I would have it" in file.read_text()


def test_where_edits_cannot_be_told_apart_the_commit_says_so(vault: Path, opener: Opener) -> None:
    wanted("each")
    memory = opener()
    path = tabs(memory)
    file = vault / path
    file.write_text(file.read_text().replace("title: Use tabs", "title: Use hard tabs"))
    done = memory.get(path)[1]
    memory.memorize(Wish(id=done.id, hash=done.hash, title="Use real tabs"))

    assert f"Includes-edits: {path}" in shown(vault, "%b")


def test_what_is_imported_is_one_commit(
    vault: Path, opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "MOST_NAMED", 2)
    wanted("each")
    (tmp_path / "old").mkdir()
    (tmp_path / "old/tabs.md").write_text("# Use tabs\n\nIndent with tabs everywhere.\n")
    (tmp_path / "old/deploy.md").write_text("# Deploy on Mondays\n\nDeploys happen at nine.\n")
    (vault / "staged.md").write_text("one\n")
    git(vault, "add", "staged.md")
    opener().bring(ImportWish(str(tmp_path / "old"), "plain"))

    assert shown(vault, "%s") == "Remember 2"
    assert git(vault, "status", "--porcelain") == "A  staged.md\n"


def test_forgetting_takes_the_note_out(vault: Path, opener: Opener) -> None:
    wanted("each")
    memory = opener()
    path = tabs(memory)
    memory.forget([path])

    assert shown(vault, "%s") == "Forget: Use tabs"
    assert path not in git(vault, "ls-tree", "-r", "--name-only", "HEAD")
    assert git(vault, "status", "--porcelain") == ""


def test_a_session_is_committed_at_its_checkpoint_and_its_end(vault: Path, opener: Opener) -> None:
    wanted("session")
    memory = opener()
    tabs(memory)
    assert shown(vault, "%s") == "Begin"
    memory.tell(Telling("checkpoint", "Half way", detail="Task: a. Done: b."))
    assert shown(vault, "%s") == "Remember: Use tabs"
    memory.memorize(Wish(title="Deploy on Mondays", content="Deploys happen on Mondays at 9."))
    assert memory.commit_owed() == git(vault, "rev-parse", "HEAD").strip()
    assert shown(vault, "%s") == "Remember: Deploy on Mondays"
    assert memory.commit_owed() == ""


def test_the_hook_of_a_sessions_end_commits_what_another_process_left(
    vault: Path, opener: Opener
) -> None:
    wanted("session")
    tabs(opener())
    line = ["git", "commit", "--vault", str(vault)]
    first, second = (CliRunner().invoke(vaultmem, line).stdout for _ in range(2))

    assert first == f"Committed as {git(vault, 'rev-parse', 'HEAD')[:12]}.\n"
    assert second == "Nothing to commit.\n"
    assert shown(vault, "%s") == "Remember: Use tabs"


def test_what_hinders_the_commit_at_a_sessions_end_is_told_and_waits(
    vault: Path, opener: Opener
) -> None:
    wanted("session")
    memory = opener()
    tabs(memory)
    (vault / ".git/index.lock").touch()
    memory.end_session()
    assert memory.uncommitted == str(UnfitRepository("locked"))
    (vault / ".git/index.lock").unlink()
    opener(session="another").end_session()

    assert shown(vault, "%s") == "Remember: Use tabs"
    assert memory.uncommitted == ""


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("detached", "detached"),
        ("merging", "merging"),
        ("locked", "locked"),
        ("filtered", "filtered"),
        ("nested", "nested"),
    ],
)
def test_a_commit_that_cannot_be_made_waits_and_harms_nothing(
    vault: Path, opener: Opener, state: str, why: str
) -> None:
    wanted("each")
    if state == "detached":
        git(vault, "checkout", "-q", "--detach")
    elif state == "merging":
        (vault / ".git/MERGE_HEAD").write_text("0" * 40 + "\n")
    elif state == "locked":
        (vault / ".git/index.lock").touch()
    elif state == "filtered":
        (vault / ".git/info").mkdir()
        (vault / ".git/info/attributes").write_text("*.md filter=x\n")
    else:
        git(vault / "memory/global", "init", "-q")
    memory = opener()
    path = tabs(memory)

    assert (vault / path).exists()
    assert shown(vault, "%s") == "Begin"
    assert memory.uncommitted == str(UnfitRepository(why))
    with pytest.raises(UnfitRepository):
        memory.commit_owed()


def test_what_waited_is_in_the_next_commit(vault: Path, opener: Opener) -> None:
    wanted("each")
    lock = vault / ".git/index.lock"
    lock.touch()
    memory = opener()
    path = tabs(memory)
    lock.unlink()
    memory.memorize(Wish(title="Deploy on Mondays", content="Deploys happen on Mondays at 9."))

    assert memory.uncommitted == ""
    assert path in git(vault, "ls-tree", "-r", "--name-only", "HEAD")
    assert shown(vault, "%s") == "Remember 2"


def test_a_folder_without_git_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(NoRepository, match="--git"):
        clone_of(tmp_path)


def test_a_machine_without_git_says_so(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(NoGit):
        clone_of(vault)


def test_unfit_repositories_are_named(vault: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    git(tmp_path, "init", "-q", str(fresh))
    with pytest.raises(UnfitRepository, match="no commit yet"):
        clone_of(fresh).refuse_unwritable()
    git(fresh, "config", "core.bare", "true")
    with pytest.raises(UnfitRepository, match="bare"):
        clone_of(fresh)
    git(vault, "config", "core.worktree", str(tmp_path))
    with pytest.raises(UnfitRepository, match=r"core\.worktree"):
        clone_of(vault)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_repository_of_another_user_is_opened_only_if_trusted(vault: Path) -> None:
    for item in (vault, vault / ".git"):
        os.chown(item, 12345, 12345)
    with pytest.raises(NotYours, match=r"safe\.directory"):
        clone_of(vault)
    git(Path.home(), "config", "--global", "--add", "safe.directory", str(vault))

    assert clone_of(vault).branch == "refs/heads/main"


@pytest.mark.parametrize("name", ["--output=/tmp/x", "-c", "", "a\nb"])
def test_what_looks_like_an_option_is_no_commit(vault: Path, name: str) -> None:
    with pytest.raises(BadInput):
        clone_of(vault).commit(name)


@pytest.mark.parametrize("name", ["nowhere", "$(touch x)", "HEAD~99", "a;b"])
def test_an_unknown_commit_is_named(vault: Path, name: str) -> None:
    with pytest.raises(NoRevision):
        clone_of(vault).commit(name)


def test_a_commit_that_was_cut_short_holds_nobody(vault: Path, opener: Opener) -> None:
    wanted("each")
    memory = opener()
    path = tabs(memory)
    git(vault, "read-tree", "HEAD~1")
    changed = git(vault, "diff", "--name-only", "HEAD~1", "HEAD").splitlines()
    lock = vault / ".git/index.lock"
    lock.write_bytes(clone_of(vault).mark + "".join(f"{one}\0" for one in changed).encode())
    memory.memorize(Wish(title="Deploy on Mondays", content="Deploys happen on Mondays at 9."))

    assert path in changed and not lock.exists()
    assert shown(vault, "%s") == "Remember: Deploy on Mondays"
    assert git(vault, "status", "--porcelain") == ""


def test_a_branch_may_be_called_oddly(vault: Path, opener: Opener) -> None:
    wanted("each")
    git(vault, "checkout", "-qb", "it's;$(odd)`&é")
    tabs(opener())

    assert shown(vault, "%s", "it's;$(odd)`&é") == "Remember: Use tabs"
