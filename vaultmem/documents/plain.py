"""A folder of markdown that no program of these keeps: every file is an entry."""

from __future__ import annotations

from collections.abc import Iterable

from vaultmem.documents.entries import whole
from vaultmem.documents.imported import File, Format, Found, LeftOut

EMPTY = "it is empty"


def _is_it(files: tuple[File, ...]) -> bool:
    return bool(files)


def read(files: Iterable[File]) -> Found:
    """Return an entry of each file that says something."""
    entries, left = [], []
    for file in files:
        if file.text.strip():
            entries.append(whole(file))
        else:
            left.append(LeftOut(file.path, EMPTY))
    return Found(tuple(entries), tuple(left))


FORMAT = Format("plain", (), _is_it, read)
