"""Whether the system would watch one more folder: it has limits of its own, and hides them."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_REMOVED_ITSELF = 0x400
_SETTINGS = {
    errno.ENOSPC: ("max_user_watches", "folders"),
    errno.EMFILE: ("max_user_instances", "programs that watch"),
}


def refused(root: Path) -> str:
    """Return why one more folder would not be watched, empty if it would be or cannot be told."""
    try:
        system = ctypes.CDLL(None, use_errno=True)
        handle = system.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, AttributeError, TypeError):  # no Linux, so no such limits
        return ""
    if handle < 0:
        return reason(ctypes.get_errno())
    try:
        watch = system.inotify_add_watch(handle, os.fsencode(root), _REMOVED_ITSELF)
        return reason(ctypes.get_errno()) if watch < 0 else ""
    finally:
        os.close(handle)


def reason(number: int) -> str:
    """Return which setting of the system an error names, empty if none."""
    if number not in _SETTINGS:
        return ""
    name, of_what = _SETTINGS[number]
    return f"the system allows no more {of_what} (raise fs.inotify.{name} with sysctl)"
