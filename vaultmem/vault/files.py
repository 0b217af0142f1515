"""The few ways in which the disk is touched. Every write to a vault goes through this module.

Each path is walked from the root one folder at a time without following a link, so no name,
link or race leads out of the vault. An `OSError` becomes `DiskFailed`, whose text says what
to do.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vaultmem.vault import exchange
from vaultmem.vault.place import Place, place
from vaultmem.vault.touched import about_to
from vaultmem.words.errors import (
    AlreadyThere,
    ChangedOnDisk,
    DiskFailed,
    NotFound,
    OutsideVault,
)

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_APPEND = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_FOLLOWED = os.utime not in os.supports_follow_symlinks
_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
TEMPORARY = ".vaultmem-"
"""How the name of every file in the making begins: hidden, so that Obsidian never sees it."""


@contextmanager
def _said(path: str) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise NotFound(f"file {path}") from None
    except FileExistsError:
        raise AlreadyThere(path) from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OutsideVault(path) from None
        raise DiskFailed(path, error) from error


def read(root: Path, path: str, limit: int | None = None) -> bytes:
    """Return the bytes of a regular file, at most `limit` of them.

    Raises:
        NotFound: there is none. OutsideVault: it is, or lies behind, a link. DiskFailed.
    """
    with _said(path), place(root, path) as spot:
        handle = _regular(os.open(spot.at(), _READ, dir_fd=spot.folder), path)
        with os.fdopen(handle, "rb") as file:
            return file.read() if limit is None else file.read(limit)


def tail(root: Path, path: str, length: int) -> bytes:
    """Return the last bytes of a file, none if there is no such file; raises as `read` does."""
    try:
        with _said(path), place(root, path) as spot:
            handle = _regular(os.open(spot.at(), _READ, dir_fd=spot.folder), path)
            with os.fdopen(handle, "rb") as file:
                file.seek(max(0, os.fstat(handle).st_size - length))
                return file.read()
    except NotFound:
        return b""


def _regular(handle: int, path: str) -> int:
    """Return the descriptor of a regular file; that of anything else is closed and refused."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OutsideVault(path)
    return handle


def exists(root: Path, path: str) -> bool:
    """Return whether anything has that name; raises `DiskFailed` where that cannot be told."""
    try:
        with place(root, path) as spot:
            return _taken(spot)
    except OutsideVault:
        return False
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return False
        raise DiskFailed(path, error) from error


def _taken(spot: Place) -> bool:
    try:
        os.stat(spot.at(), dir_fd=spot.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def fingerprint(root: Path, path: str) -> str | None:
    """Return the sha256 of a file's bytes, None if there is no such file."""
    try:
        return hashlib.sha256(read(root, path)).hexdigest()
    except NotFound:
        return None


def create(root: Path, path: str, data: bytes) -> None:
    """Write a new file, whole and durable or not at all; its folders are made.

    Raises:
        AlreadyThere: something has that name. OutsideVault, DiskFailed.
    """
    about_to(root, path)
    with _said(path), place(root, path, make=True) as spot:
        temporary = _written(spot, data, _folder_mode(spot))
        try:
            _linked(spot, temporary, data)
        finally:
            _dropped(spot, temporary)
        _synced(spot)


def _linked(spot: Place, temporary: str, data: bytes) -> None:
    """Give the finished file its name, which fails if the name is taken."""
    try:
        os.link(
            spot.at(temporary),
            spot.at(),
            src_dir_fd=spot.folder,
            dst_dir_fd=spot.folder,
            follow_symlinks=False,
        )
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        handle = os.open(spot.at(), _NEW, _folder_mode(spot), dir_fd=spot.folder)
        _filled(spot, handle, spot.name, data)


def replace(root: Path, path: str, data: bytes, *, seen: str) -> None:
    """Replace a file whose bytes hash to `seen`, whole and durable or not at all.

    Raises:
        ChangedOnDisk: it is another file now. NotFound, OutsideVault, DiskFailed.
    """
    about_to(root, path)
    with _said(path), place(root, path) as spot:
        if fingerprint(root, path) != seen:
            raise ChangedOnDisk(path)
        mode = stat.S_IMODE(os.stat(spot.at(), dir_fd=spot.folder, follow_symlinks=False).st_mode)
        temporary = _written(spot, data, mode)
        try:
            if fingerprint(root, path) != seen:
                raise ChangedOnDisk(path)
        except BaseException:
            _dropped(spot, temporary)
            raise
        if not exchange.put(spot, temporary, seen=seen, new=hashlib.sha256(data).hexdigest()):
            raise ChangedOnDisk(path)
        _synced(spot)


def append_line(root: Path, path: str, line: str) -> None:
    """Append one line to a file with one write; the caller holds the lock.

    A last line without an end (a crash, an editor) is closed first. If anything fails, the file
    is cut back to its old length. Another name of the file, a hard link, keeps what it held.

    Raises:
        NotFound: there is no such file. OutsideVault, DiskFailed.
    """
    about_to(root, path)
    with _said(path), place(root, path) as spot:
        handle = _regular(os.open(spot.at(), _APPEND, dir_fd=spot.folder), path)
        try:
            now = os.fstat(handle)
            if now.st_nlink > 1:
                replace(root, path, read(root, path), seen=fingerprint(root, path) or "")
                append_line(root, path, line)
                return
            length = now.st_size
            torn = length > 0 and _last(handle) != b"\n"
            data = (b"\n" if torn else b"") + line.encode("utf-8", "replace") + b"\n"
            try:
                _all(handle, data)
                os.fsync(handle)
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(handle, length)
                raise
        finally:
            os.close(handle)


def _last(handle: int) -> bytes:
    os.lseek(handle, -1, os.SEEK_END)
    return os.read(handle, 1)


def remove(root: Path, path: str, *, seen: str) -> None:
    """Remove for good a file whose bytes hash to `seen`; raises `ChangedOnDisk` if they do not."""
    about_to(root, path)
    with _said(path), place(root, path) as spot:
        if fingerprint(root, path) != seen:
            raise ChangedOnDisk(path)
        os.unlink(spot.at(), dir_fd=spot.folder)
        _synced(spot)


def move(root: Path, path: str, to: str) -> None:
    """Move a file to a name that is free, in one step.

    Raises:
        AlreadyThere: the name is taken. NotFound, OutsideVault, DiskFailed.
    """
    about_to(root, path)
    about_to(root, to)
    with _said(path), place(root, path) as source, place(root, to, make=True) as target:
        os.stat(source.at(), dir_fd=source.folder, follow_symlinks=False)
        if _taken(target):
            raise AlreadyThere(to)
        os.rename(source.at(), target.at(), src_dir_fd=source.folder, dst_dir_fd=target.folder)
        _synced(target)
        _synced(source)


def make_folder(root: Path, path: str) -> None:
    """Make a folder and those above it; one that is there is fine."""
    with _said(path), place(root, f"{path}/x", make=True):
        pass


def touch_same(root: Path, path: str) -> None:
    """Set a file's times to what they are: a sign of life for a watcher, no change."""
    with _said(path), place(root, path) as spot:
        now = os.stat(spot.at(), dir_fd=spot.folder, follow_symlinks=False)
        if not stat.S_ISREG(now.st_mode):
            raise OutsideVault(path)
        times = (now.st_atime_ns, now.st_mtime_ns)
        os.utime(spot.at(), ns=times, dir_fd=spot.folder, follow_symlinks=_FOLLOWED)


def _folder_mode(spot: Place) -> int:
    """Return the mode of a new file: its folder's, without the right to enter."""
    folder = spot.folder if spot.folder is not None else spot.base
    return stat.S_IMODE(os.stat(folder).st_mode) & 0o666


def _written(spot: Place, data: bytes, mode: int) -> str:
    """Write a hidden file beside the target and return its name."""
    name = f"{TEMPORARY}{secrets.token_hex(4)}.tmp"
    handle = os.open(spot.at(name), _NEW, 0o600, dir_fd=spot.folder)
    _filled(spot, handle, name, data, mode)
    return name


def _filled(spot: Place, handle: int, name: str, data: bytes, mode: int | None = None) -> None:
    try:
        try:
            _all(handle, data)
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(handle, mode)
            os.fsync(handle)
        finally:
            os.close(handle)
    except BaseException:
        _dropped(spot, name)
        raise


def _all(handle: int, data: bytes) -> None:
    """Write all of it: normally in one call, in more where the first was cut short."""
    written = os.write(handle, data)
    while written < len(data):
        more = os.write(handle, data[written:])
        if more == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written += more


def _dropped(spot: Place, name: str) -> None:
    with suppress(OSError):
        os.unlink(spot.at(name), dir_fd=spot.folder)


def _synced(spot: Place) -> None:
    if spot.folder is not None:
        os.fsync(spot.folder)
