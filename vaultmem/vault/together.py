"""Reading many files of one vault: each folder is walked to once, and no link is followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from posixpath import basename, dirname

from vaultmem.vault.place import Place, checked, place
from vaultmem.words.errors import VaultmemError

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_together(root: Path, paths: Iterable[str], most: int) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and bytes of regular files of at most so many bytes.

    What is not there, is no such file, or cannot be read is left out. Those of one folder should
    follow each other.
    """
    for folder, group in groupby(paths, key=dirname):
        names = [basename(path) for path in group]
        try:
            with place(root, f"{folder}/{names[0]}" if folder else names[0]) as spot:
                for name in names:
                    data = _read(spot, checked(name), most)
                    if data is not None:
                        yield (f"{folder}/{name}" if folder else name), data
        except (OSError, VaultmemError):
            continue


def _read(spot: Place, name: str, most: int) -> bytes | None:
    with suppress(OSError):
        handle = os.open(spot.at(name), _READ, dir_fd=spot.folder)
        try:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode) or state.st_size > most:
                return None
            parts = [os.read(handle, state.st_size + 1)]
            while parts[-1] and sum(map(len, parts)) <= most:
                parts.append(os.read(handle, 1 << 20))
            return b"".join(parts)
        finally:
            os.close(handle)
    return None
