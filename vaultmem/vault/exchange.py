"""Giving a finished file the name of the one it replaces, unless somebody saves at that moment."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from vaultmem.vault.place import Place

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_EXCHANGE = 2
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def put(spot: Place, made: str, *, seen: str, new: str) -> bool:
    """Let the file `made` take the name of the one that hashes to `seen`; `new` is its own hash.

    Return whether it did: where two names can change places in one step, what somebody saved
    under that name since it was last looked at is seen by what comes out, and put back.
    """
    try:
        if spot.folder is None or not swap(spot.folder, made, spot.name):
            os.replace(spot.at(made), spot.at(), src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
            return True
    except OSError:
        _dropped(spot, made)
        raise
    done = _hash(spot, made) == seen
    if not done:
        swap(spot.folder, made, spot.name)
        if _hash(spot, made) != new:  # and they saved once more
            swap(spot.folder, made, spot.name)
    _dropped(spot, made)
    return done


def _dropped(spot: Place, name: str) -> None:
    with suppress(OSError):
        os.unlink(spot.at(name), dir_fd=spot.folder)


def _hash(spot: Place, name: str) -> str:
    """Return the hash of a file's bytes, empty if they cannot be read."""
    try:
        with os.fdopen(os.open(spot.at(name), _READ, dir_fd=spot.folder), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def swap(folder: int, one: str, other: str) -> bool:
    """Let two names of an open folder change places; return whether this system and disk can.

    Raises:
        OSError: they can, and it failed; nothing changed.
    """
    call = _renameat2()
    if call is None:
        return False
    import ctypes

    if call(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code))


@cache
def _renameat2() -> Callable[..., int] | None:
    """Return the call of Linux that can do it, None elsewhere."""
    try:
        import ctypes

        found = ctypes.CDLL(None, use_errno=True).renameat2
        found.argtypes = (*(ctypes.c_int, ctypes.c_char_p) * 2, ctypes.c_uint)
    except (AttributeError, ImportError, OSError, TypeError):
        return None
    known: Callable[..., int] = found
    return known
