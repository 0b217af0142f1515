"""Looking at every visible note of a vault without opening one, but for likely copies."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vaultmem.vault import files
from vaultmem.vault.place import listed
from vaultmem.words.errors import DiskFailed, OutsideVault, VaultmemError
from vaultmem.words.synced import copy_of, same_note

_LINK = "it is a link, and links are not followed"
_HARD_LINK = "it is a hard link, and another name of the file lies outside of the vault's notes"
_IN_CLOUD = "it is in iCloud and not on this disk; download it there"
_LARGEST = 2**63 - 1
_LONGEST = 3000
_UNUSABLE = re.compile(r"[\x00-\x1f\\\ud800-\udfff]")


class Stat(NamedTuple):
    """What tells one state of a file from another."""

    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int = 0
    """Moves with each change, also where a program sets the other time back."""


@dataclass
class Scan:
    """What one look at the vault found."""

    notes: dict[str, Stat] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    """Visible names that are not read, with the reason."""
    copies: dict[str, str] = field(default_factory=dict)
    """Conflict copies that sync tools made, which are not read either: copy to original."""


@dataclass
class _Look:
    """A look at a vault that is under way."""

    found: Scan = field(default_factory=Scan)
    folders: list[str] = field(default_factory=lambda: [""])
    linked: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Notes that have more than one name: their inode, and how many names it has."""
    names: Counter[int] = field(default_factory=Counter)
    """How many names of such an inode lie in the vault; of files in the making, of every one."""


def scan(root: Path) -> Scan:
    """Return every visible `.md` file below a root, links and hidden names left out.

    A hard link is left out if another name of the same file lies outside of the vault. No folder
    is entered that is a link, even if it has become one since it was listed.

    Raises:
        DiskFailed: the root cannot be listed. A folder inside that cannot be is skipped.
    """
    look = _Look()
    found = look.found
    while look.folders:
        _entered(root, look.folders.pop(), look)
    for path, (inode, count) in look.linked.items():
        if look.names[inode] < count:
            found.skipped[path] = _HARD_LINK
            del found.notes[path]
    for path in list(found.notes):
        original = _original(root, path, found.notes)
        if original:
            found.copies[path] = original
    for path in found.copies:
        del found.notes[path]
    return found


def _entered(root: Path, folder: str, look: _Look) -> None:
    try:
        with listed(root, folder) as entries:
            for entry in entries:
                _looked(entry, f"{folder}/{entry.name}" if folder else entry.name, look)
    except OutsideVault:
        look.found.skipped[folder] = _LINK
    except OSError as error:
        if not folder:
            raise DiskFailed(root, error) from error
        look.found.skipped[folder] = f"the folder cannot be listed ({error.strerror})"


def _original(root: Path, path: str, notes: Mapping[str, Stat]) -> str:
    """Return the note of which another is a sync tool's conflict copy, empty if of none."""
    if not (path[-4] in ")23456789" or ".sync-conflict-" in path):
        return ""
    copy = copy_of(path)
    if copy is None or copy.original not in notes:
        return ""
    try:
        sure = copy.certain or same_note(_head(root, path), _head(root, copy.original))
    except VaultmemError:
        return ""
    return copy.original if sure else ""


def _head(root: Path, path: str) -> bytes:
    return files.read(root, path, 64 * 1024)


def stat_of(root: Path, path: str) -> Stat | None:
    """Return the state of one regular file, None if there is none."""
    try:
        found = (root / path).lstat()
    except OSError:
        return None
    regular = stat.S_ISREG(found.st_mode)
    return _state(found) if regular else None


def _state(found: os.stat_result) -> Stat:
    """Return a file's state in numbers that SQLite can hold, whatever the disk says."""
    mtime = max(-_LARGEST, min(found.st_mtime_ns, _LARGEST))
    return Stat(found.st_size, mtime, found.st_ino & _LARGEST, found.st_ctime_ns)


def _looked(entry: os.DirEntry[str], path: str, look: _Look) -> None:
    name = entry.name
    if name.startswith("."):
        if name.startswith(files.TEMPORARY):
            look.names[entry.inode()] += 1
        if name.endswith(".md.icloud"):
            elsewhere = f"{path[: -len(name)]}{name[1 : -len('.icloud')]}"
            look.found.skipped[elsewhere] = _IN_CLOUD
        return
    note = name[-3:].lower() == ".md"
    if entry.is_symlink():
        if note or entry.is_dir():
            look.found.skipped[path] = _LINK
    elif entry.is_dir(follow_symlinks=False):
        look.folders.append(path)
    elif note:
        _noted(entry, path, look)


def _noted(entry: os.DirEntry[str], path: str, look: _Look) -> None:
    if _UNUSABLE.search(path):
        look.found.skipped[path] = "its name holds characters that no other program can use"
        return
    if len(path) > _LONGEST:
        look.found.skipped[path] = "its path is longer than other programs can open"
        return
    if not entry.is_file(follow_symlinks=False):
        look.found.skipped[path] = "it is no regular file"
        return
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return  # gone since it was listed
    look.found.notes[path] = _state(state)
    if state.st_nlink > 1:
        look.linked[path] = (state.st_ino, state.st_nlink)
        look.names[state.st_ino] += 1
