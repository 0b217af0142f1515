"""Walking to a file one folder at a time, without following a link.

No name, link or race on the way leads out of the vault: each folder is opened from the one
before it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from vaultmem.words.errors import OutsideVault

_BY_FOLDER = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_ROOT = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_FOLDER = _ROOT | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True)
class Place:
    """One name in one opened folder."""

    folder: int | None
    base: Path
    name: str

    def at(self, name: str | None = None) -> str:
        """Return what to hand to a system call beside `dir_fd=self.folder`."""
        name = self.name if name is None else name
        return name if self.folder is not None else str(self.base / name)


def checked(path: str) -> str:
    """Return a vault-relative path that cannot leave the vault as text.

    Raises:
        OutsideVault: it is absolute, climbs, or holds what no path of ours holds.
    """
    parts = path.split("/")
    bad = any(part in ("", ".", "..") for part in parts)
    if bad or "\\" in path or any(ord(letter) < 32 for letter in path):
        raise OutsideVault(path)
    return path


@contextmanager
def place(root: Path, path: str, *, make: bool = False) -> Iterator[Place]:
    """Open the folder of a path, step by step, making missing folders if asked."""
    *folders, name = checked(path).split("/")
    if not _BY_FOLDER:  # no folder descriptors here: check each step instead
        yield Place(None, _stepped(root, folders, make=make), name)
        return
    with _opened(root, folders, path, make=make) as here:
        yield Place(here, root, name)


@contextmanager
def listed(root: Path, path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Give the entries of a folder that was itself listed, the root's if its path is empty.

    Raises:
        OutsideVault: it is, or lies behind, a link by now. OSError: it cannot be listed.
    """
    folders = path.split("/") if path else []
    if not _BY_FOLDER:
        with os.scandir(_stepped(root, folders, make=False)) as entries:
            yield entries
        return
    with _opened(root, folders, path, make=False) as here, os.scandir(here) as entries:
        yield entries


@contextmanager
def _opened(root: Path, folders: Iterable[str], path: str, *, make: bool) -> Iterator[int]:
    here = os.open(root, _ROOT)
    try:
        for folder in folders:
            there = _descended(here, folder, path, make=make)
            os.close(here)
            here = there
        yield here
    finally:
        os.close(here)


def _descended(here: int, folder: str, path: str, *, make: bool) -> int:
    made = make and _made(here, folder)
    try:
        there = os.open(folder, _FOLDER, dir_fd=here)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OutsideVault(path) from None
        raise
    if made:
        with suppress(OSError):  # some disks keep no modes
            os.fchmod(there, stat.S_IMODE(os.fstat(here).st_mode))
    return there


def _made(here: int, folder: str) -> bool:
    """Make a folder if it is missing, so that it is there after a power cut; return if it was."""
    try:
        os.mkdir(folder, stat.S_IMODE(os.fstat(here).st_mode), dir_fd=here)
    except FileExistsError:
        return False
    os.fsync(here)
    return True


def _stepped(root: Path, folders: list[str], *, make: bool) -> Path:
    here = root
    for folder in folders:
        here = here / folder
        if here.is_symlink():
            raise OutsideVault(str(here))
        if make:
            here.mkdir(exist_ok=True)
    return here


def make_root(root: Path) -> None:
    """Make the folder of a new vault; one that is there is fine."""
    root.mkdir(parents=True, exist_ok=True)


def remove_folder(folder: Path) -> None:
    """Remove an empty folder; raises `OSError` if it holds anything."""
    folder.rmdir()
