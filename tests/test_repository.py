"""What git says about a folder, without running anything that a repository asks for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from promises import promise

from vaultmem.vault import repository

URL = "git@github.com:Acme/API.git"


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    subprocess.run(
        ["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit and no remote."""
    folder = tmp_path / "project"
    (folder / "src/deep").mkdir(parents=True)
    (folder / "src/deep/a.md").write_bytes(b"committed \xc3\xa9\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return folder


@pytest.mark.parametrize(
    ("remotes", "scope"),
    [
        ({"origin": URL}, "github.com/acme/api"),
        (
            {"upstream": "https://github.com/acme/api", "origin": "https://github.com/me/api"},
            "github.com/me/api",
        ),
        ({"zeta": "https://example.org/z/z", "upstream": URL}, "github.com/acme/api"),
        ({"zeta": "https://example.org/z/z", "alpha": URL}, "github.com/acme/api"),
        ({"origin": "/srv/git/api.git", "upstream": URL}, "github.com/acme/api"),
        ({"origin": "../api"}, None),
        ({}, None),
    ],
)
def test_the_scope_is_that_of_origin_then_upstream_then_the_first(
    project: Path, remotes: dict[str, str], scope: str | None
) -> None:
    for name, url in remotes.items():
        git(project, "remote", "add", name, url)

    assert repository.remote_scope(project) == scope


def test_a_sub_folder_has_its_repositorys_scope_and_top(project: Path) -> None:
    git(project, "remote", "add", "origin", URL)

    assert repository.remote_scope(project / "src/deep") == "github.com/acme/api"
    assert repository.top(project / "src/deep") == project


def test_a_worktree_has_its_repositorys_scope_and_top(project: Path, tmp_path: Path) -> None:
    git(project, "remote", "add", "origin", URL)
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))

    assert repository.remote_scope(tmp_path / "tree/src") == "github.com/acme/api"
    assert repository.top(tmp_path / "tree/src") == project


def test_a_folder_outside_of_every_repository_has_none(tmp_path: Path) -> None:
    assert not repository.inside(tmp_path)
    assert repository.top(tmp_path) is None
    assert repository.remote_scope(tmp_path) is None
    assert repository.committed(tmp_path, "a.md") is None
    assert not repository.merging(tmp_path)


def test_a_broken_repository_is_none(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")

    assert repository.top(tmp_path) is None
    assert repository.remote_scope(tmp_path) is None
    assert repository.committed(tmp_path, "a.md") is None
    assert not repository.merging(tmp_path)


def test_without_git_on_the_path_there_is_no_scope_and_no_error(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project, "remote", "add", "origin", URL)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert repository.top(project) is None
    assert repository.remote_scope(project) is None
    assert repository.committed(project, "src/deep/a.md") is None


def test_what_a_git_hook_that_started_us_imposes_is_not_obeyed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "remote", "add", "origin", "https://example.org/wrong/one")
    git(project, "remote", "add", "origin", URL)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))

    assert repository.remote_scope(project) == "github.com/acme/api"
    assert repository.top(project) == project


def test_committed_bytes_are_those_of_the_last_commit(project: Path) -> None:
    (project / "src/deep/a.md").write_bytes(b"changed\n")

    assert repository.committed(project, "src/deep/a.md") == b"committed \xc3\xa9\n"
    assert repository.committed(project / "src", "deep/a.md") == b"committed \xc3\xa9\n"
    assert repository.committed(project, "src/deep/b.md") is None
    assert repository.committed(project, "src/deep") is None


@pytest.mark.parametrize(
    "name", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"]
)
def test_a_merge_or_rebase_under_way_is_seen_from_anywhere_inside(
    project: Path, tmp_path: Path, name: str
) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert not repository.merging(project / "src")

    (project / ".git" / name).write_text("x")
    assert repository.merging(project)
    assert repository.merging(project / "src")
    assert not repository.merging(tmp_path / "tree")

    (project / ".git/worktrees/tree" / name).write_text("x")
    assert repository.merging(tmp_path / "tree/src")


def test_a_real_conflict_is_a_merge_under_way(project: Path) -> None:
    git(project, "checkout", "-qb", "side")
    (project / "src/deep/a.md").write_bytes(b"side\n")
    git(project, "commit", "-qam", "side")
    git(project, "checkout", "-q", "-")
    (project / "src/deep/a.md").write_bytes(b"main\n")
    git(project, "commit", "-qam", "main")

    with pytest.raises(subprocess.CalledProcessError):
        git(project, "merge", "side")
    assert repository.merging(project)
    git(project, "merge", "--abort")
    assert not repository.merging(project)


# A repository somebody else made


def asked_everything(project: Path) -> None:
    repository.inside(project)
    repository.top(project)
    repository.remote_scope(project)
    repository.committed(project, "src/deep/a.md")
    repository.committed(project, "src/deep/missing.md")
    repository.merging(project)


@promise("data")
def test_nothing_that_a_repository_names_is_run(project: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "diff.external",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "gpg.program",
        "credential.helper",
        "pager.config",
        "pager.rev-parse",
        "pager.cat-file",
        "alias.rev-parse",
        "alias.cat-file",
        "alias.config",
        "uploadpack.packObjectsHook",
    ):
        git(project, "config", key, f"!{script}" if key.startswith("alias.") else str(script))
    git(project, "config", "core.hooksPath", str(tmp_path / "hooks"))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction"):
        (tmp_path / "hooks" / hook).write_bytes(script.read_bytes())
        (tmp_path / "hooks" / hook).chmod(0o755)
    (project / ".gitattributes").write_text("* filter=x diff=x\n")
    git(project, "remote", "add", "origin", "ext::sh -c script")

    asked_everything(project)

    assert repository.committed(project, "src/deep/a.md") == b"committed \xc3\xa9\n"
    assert not ran.exists()


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("ssh://example.invalid/x", "core.sshCommand"),
        ("{folder}/other", "remote.origin.uploadpack"),
        ("ext::{script}", "protocol.ext.allow"),
    ],
)
def test_a_missing_object_is_not_fetched_by_a_command_of_the_repository(
    project: Path, tmp_path: Path, url: str, key: str
) -> None:
    """A partial clone asks its remote for what is missing, by a program that its config names."""
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    git(project, "remote", "add", "origin", url.format(folder=tmp_path, script=script))
    git(project, "config", "core.repositoryFormatVersion", "1")
    git(project, "config", "extensions.partialClone", "origin")
    git(project, "config", "remote.origin.promisor", "true")
    git(project, "config", key, "always" if key.endswith("allow") else str(script))
    (tmp_path / "other").mkdir()
    for path in (project / ".git/objects").glob("??/*"):
        if b"committed" in _unpacked(path):
            path.unlink()

    assert repository.committed(project, "src/deep/a.md") is None
    asked_everything(project)

    assert not ran.exists()


def _unpacked(path: Path) -> bytes:
    import zlib

    return zlib.decompress(path.read_bytes())
