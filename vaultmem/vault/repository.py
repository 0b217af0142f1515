"""What git says about a folder. Only commands that run nothing of the repository's are used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from vaultmem.vault.git import asked
from vaultmem.words.scope import from_remote

LONGEST_WRITING = 10.0
"""Seconds for which a lock of git's index tells that it is at work."""
MOST_RENAMES = 1000
"""Files of one commit that are compared to tell which became which."""


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints as text, None if it fails or is not installed."""
    printed = asked(folder, *arguments)
    return None if printed is None else printed.decode("utf-8", "replace")


def inside(folder: Path) -> bool:
    """Return whether a folder or one above it holds a `.git`; asks the disk, not git."""
    return any((place / ".git").exists() for place in (folder, *folder.parents))


def top(folder: Path) -> Path | None:
    """Return the folder that stands for the repository a folder lies in, None if in none.

    Of a worktree it is the folder of the repository that it belongs to.
    """
    if not inside(folder):
        return None
    found = _git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    if not found:
        return None
    common = Path(found.strip())
    return (common.parent if common.name == ".git" else common).resolve()


def remote_scope(folder: Path) -> str | None:
    """Return the scope of a repository's remote: `origin`, else `upstream`, else the first.

    None where the folder lies in no repository, or no remote names a host.
    """
    if not inside(folder):
        return None
    listed = _git(folder, "config", "--local", "--get-regexp", r"^remote\..*\.url$") or ""
    remotes: dict[str, str] = {}
    for line in listed.splitlines():
        key, _, url = line.partition(" ")
        remotes.setdefault(key.removeprefix("remote.").removesuffix(".url"), url)
    order = sorted(remotes, key=lambda name: (name != "origin", name != "upstream", name))
    return next((scope for name in order if (scope := from_remote(remotes[name]))), None)


def committed(root: Path, path: str) -> bytes | None:
    """Return a file's bytes as of HEAD, None where there is no such commit or file."""
    if not inside(root):
        return None
    text = _git(root, "cat-file", "blob", f"HEAD:./{path}")
    return None if text is None else text.encode("utf-8")


def worktree(folder: Path) -> Path | None:
    """Return the top of the files that a folder lies among, None if in no repository."""
    found = _git(folder, "rev-parse", "--show-toplevel") if inside(folder) else None
    return Path(found.rstrip("\n")) if found else None


def head(folder: Path) -> str:
    """Return the first 12 digits of the newest commit, empty where there is none."""
    found = _git(folder, "rev-parse", "--verify", "HEAD^{commit}") if inside(folder) else None
    return (found or "").strip()[:12]


def holds(top: Path, path: str) -> bool:
    """Return whether the newest commit has a file or folder at a path."""
    return _git(top, "cat-file", "-e", f"HEAD:{path}") is not None


@dataclass(frozen=True)
class Left:
    """How a file left its path."""

    commit: str
    """The first 12 digits of the commit that took it away."""
    to: str = ""
    """Where that commit put it; empty if nowhere."""


def left(top: Path, path: str, since: str = "") -> Left | None:
    """Return how a file left its path, the last time that it did; None if history has no word.

    Only what came after the commit `since` counts; one that the history lacks is as none.
    """
    known = re.fullmatch(r"[0-9a-f]{7,64}", since) and _git(top, "cat-file", "-e", since)
    span = "HEAD" if known is None else f"{since}..HEAD"
    removals = ("--full-history", "--no-renames", "--diff-filter=D", "--format=%H")
    found = _git(top, "log", "-1", *removals, "--no-color", span, "--", path)
    commit = (found or "").strip()
    if not commit:
        return None
    renames = ("-M", f"-l{MOST_RENAMES}", "--diff-filter=R", "--name-status", "-z")
    listed = _git(top, "diff-tree", "-r", "--no-commit-id", *renames, commit) or ""
    fields = listed.split("\0")
    moves = dict(zip(fields[1::3], fields[2::3], strict=False))
    return Left(commit[:12], moves.get(path, ""))


def merging(root: Path) -> bool:
    """Return whether the vault's repository is in the middle of a merge or rebase."""
    git = _data(root)
    return git is not None and any((git / name).exists() for name in _UNDER_WAY)


def writing(root: Path, now: float) -> bool:
    """Return whether git is writing the vault's files, as the lock of its index tells.

    `now` is in seconds; a lock that is older than `LONGEST_WRITING` proves nothing, since an editor
    for the commit's message, or a git that crashed, leaves one too.
    """
    git = _data(root)
    try:
        return git is not None and now - (git / "index.lock").stat().st_mtime < LONGEST_WRITING
    except OSError:
        return False


_UNDER_WAY = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")


def _data(root: Path) -> Path | None:
    """Return where the repository that a vault lies in keeps its own data, None if in none."""
    top = next((place for place in (root, *root.parents) if (place / ".git").exists()), None)
    return None if top is None else _folder_of(top / ".git")


def _folder_of(git: Path) -> Path:
    """Return the folder behind `.git`, which in a worktree is a file that names it."""
    try:
        text = git.read_text(encoding="utf-8") if git.is_file() else ""
    except (OSError, UnicodeDecodeError):
        text = ""
    return git.parent / text.removeprefix("gitdir:").strip() if text.startswith("gitdir:") else git
