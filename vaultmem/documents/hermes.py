"""Hermes: `MEMORY.md` and `USER.md`, whose entries a section sign on a line of its own parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vaultmem.documents.entries import of_text
from vaultmem.documents.imported import File, Format, Found, LeftOut
from vaultmem.documents.plain import EMPTY
from vaultmem.words.scope import GLOBAL

SEPARATOR = "\n§\n"
_NAMES = ("MEMORY.md", "USER.md")


def _is_it(files: tuple[File, ...]) -> bool:
    ours = [file for file in files if file.path in _NAMES]
    return len(ours) == len(files) and any(SEPARATOR in file.text for file in ours)


def read(files: Iterable[File]) -> Found:
    """Return the entries of both files; what `USER.md` says is true everywhere."""
    entries, left = [], []
    for file in files:
        if file.path not in _NAMES:
            left.append(LeftOut(file.path, "it is not MEMORY.md or USER.md"))
            continue
        parts = [part.strip() for part in f"\n{file.text}\n".split(SEPARATOR)]
        found = [of_text(file, part) for part in parts if part]
        if file.path == "USER.md":
            found = [replace(one, type="user_preference", scope=GLOBAL) for one in found]
        entries += found
        left += [] if found else [LeftOut(file.path, EMPTY)]
    return Found(tuple(entries), tuple(left))


FORMAT = Format("hermes", ("memories",), _is_it, read)
