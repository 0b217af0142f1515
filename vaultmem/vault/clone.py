"""The repository that a vault lies in, and whether it is in a state to be written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from vaultmem.vault.git import run
from vaultmem.vault.repository import merging
from vaultmem.words.errors import BadInput, NoRepository, NoRevision, UnfitRepository

_FULL = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True)
class Clone:
    """A repository with files, as it stood when it was looked at."""

    top: Path
    """Where its files begin."""
    git: Path
    """Where its own data lie."""
    prefix: str
    """The vault's folder in it, with a `/` behind; empty where they are the same."""
    head: str
    """The newest commit, empty if there is none."""
    branch: str
    """The full name of the branch that HEAD is on, empty if it is on none."""
    shallow: bool

    def commit(self, name: str) -> str:
        """Return the full name of the commit that some words mean.

        Raises:
            BadInput: it looks like an option. NoRevision: there is none of that name.
        """
        if name.startswith("-") or not name.strip() or "\0" in name or "\n" in name:
            raise BadInput(f"{name!r} is no name of a commit. Use a branch, a tag or its digits.")
        asking = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        found = run(self.top, *asking, fine=(0, 1, 128)).decode().strip()
        if not _FULL.fullmatch(found):
            raise self._without(name)
        return found

    def _without(self, name: str) -> NoRevision:
        """Return the error that there is no such commit, with the likeliest reason."""
        why = "shallow" if self.shallow else "" if self.head else "unborn"
        return NoRevision(name, UnfitRepository.ADVICE[why]) if why else NoRevision(name)

    def refuse_unwritable(self, *, first: bool = False) -> None:
        """Raise `UnfitRepository` unless a commit, or the `first`, can be added to a branch now."""
        if "/.git/modules/" in f"{self.git.as_posix()}/":
            raise UnfitRepository("submodule")
        if not self.branch:
            raise UnfitRepository("detached")
        if not self.head and not first:
            raise UnfitRepository("unborn")
        if merging(self.top):
            raise UnfitRepository("merging")
        if self.locked:
            raise UnfitRepository("locked")

    @property
    def mark(self) -> bytes:
        """What the lock of the index begins with while a commit of this vault holds it."""
        return b"vaultmem\0" + self.prefix.encode("utf-8", "surrogateescape") + b"\0"

    @property
    def locked(self) -> bool:
        """Whether the index is locked, other than by a commit of this vault that was cut short.

        Whoever holds the vault's lock knows that such a commit runs no more.
        """
        try:
            return not (self.git / "index.lock").read_bytes().startswith(self.mark)
        except FileNotFoundError:
            return False
        except OSError:
            return True


def clone_of(root: Path) -> Clone:
    """Return the repository that a vault lies in.

    Raises:
        NoRepository, NoGit, NotYours. UnfitRepository: it has no files, or has them elsewhere.
    """
    top = next((place for place in (root, *root.parents) if (place / ".git").exists()), None)
    if top is None:
        raise NoRepository(root)
    told = ("--is-bare-repository", "--is-shallow-repository", "--absolute-git-dir")
    asking = ("rev-parse", *told, "--show-toplevel", "HEAD^{commit}")
    lines = run(top, *asking, fine=(0, 128)).decode("utf-8", "surrogateescape").splitlines()
    if lines[:1] == ["true"]:
        raise UnfitRepository("bare")
    if len(lines) < 4:
        raise NoRepository(root)
    shallow, git, files, *newest = lines[1:]
    if Path(files).resolve() != top.resolve():
        raise UnfitRepository("elsewhere")
    within = root.resolve().relative_to(top.resolve()).as_posix()
    prefix = "" if within == "." else f"{within}/"
    head = newest[0] if newest and _FULL.fullmatch(newest[0]) else ""
    return Clone(top, Path(git), prefix, head, _branch(Path(git)), shallow == "true")


def _branch(git: Path) -> str:
    """Return the branch that HEAD is on, by its own file; it may have no commit yet."""
    try:
        text = (git / "HEAD").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    name = text.removeprefix("ref: ")
    return name if name.startswith("refs/heads/") and name != text else ""
