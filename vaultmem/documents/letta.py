"""Letta: a folder of files with a description each, some of them below `system/`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from vaultmem.documents.entries import first, whole
from vaultmem.documents.imported import File, Format, Found, Imported, LeftOut
from vaultmem.documents.plain import EMPTY

_LINKS = re.compile(r"\s*(?:#.*|(?:[-*+]\s+)?(?:\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)).{0,200})?\s*")
_KEYS = frozenset({"name", "description", "read_only", "limit"})


def _is_it(files: tuple[File, ...]) -> bool:
    described = [file for file in files if file.note.text("description")]
    plain = [file for file in described if set(file.note.properties) <= _KEYS]
    blocks = any(file.path.startswith("system/") for file in plain)
    roots = any(file.folder and file.name == "MEMORY.md" for file in files)
    return bool(plain) and (blocks or roots)


def read(files: Iterable[File]) -> Found:
    """Return an entry of each file; pages that only list others are left out, and skills."""
    entries: list[Imported] = []
    left: list[LeftOut] = []
    for file in files:
        why = _no_memory(file)
        if why:
            left.append(LeftOut(file.path, why))
        else:
            entries.append(_entry(file))
    return Found(tuple(entries), tuple(left))


def _no_memory(file: File) -> str:
    if not file.text.strip():
        return EMPTY
    if f"/{file.path}".find("/skills/") >= 0:
        return "it is a skill"
    if file.name == "MEMORY.md" and all(map(_LINKS.fullmatch, file.text.split("\n"))):
        return "it is the index of the other files"
    return ""


def _entry(file: File) -> Imported:
    entry = whole(file)
    path = file.path.removesuffix(".md")
    named = first(file.note, "name") or (file.folder if file.name == "MEMORY.md" else "")
    human = file.path == "system/human.md"
    return replace(
        entry,
        title=named or entry.title,
        type="user_preference" if human else entry.type,
        aliases=tuple(dict.fromkeys((*entry.aliases, path, *([named] if named else [])))),
    )


FORMAT = Format("letta", ("memory",), _is_it, read)
