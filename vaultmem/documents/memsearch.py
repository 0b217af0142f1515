"""Memsearch: one journal a day, in it sessions, in them what was noted at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vaultmem.documents.entries import cut, of_blocks, titled, told_apart
from vaultmem.documents.imported import File, Format, Found, Imported, LeftOut
from vaultmem.documents.markdown import blocks, sections
from vaultmem.documents.plain import EMPTY
from vaultmem.words.scope import GLOBAL

_JOURNAL = re.compile(r"(?:.*/)?(\d{4}-\d\d-\d\d)\.md")
_TIME = re.compile(r"\b(\d\d:\d\d)(?::\d\d)?\b")
_TURN = re.compile(r"<!--\s*session:(?:(?!-->).)*-->[ \t]*\n?", re.DOTALL)
_SESSION = re.compile(r"^## (?:Session|Memory Compact) \d\d:\d\d", re.MULTILINE)


def _is_it(files: tuple[File, ...]) -> bool:
    return any(
        _JOURNAL.fullmatch(file.path) and (_SESSION.search(file.text) or _TURN.search(file.text))
        for file in files
    )


def read(files: Iterable[File]) -> Found:
    """Return an entry of what was noted at each time, dated by it."""
    entries: list[Imported] = []
    left: list[LeftOut] = []
    for file in files:
        journal = _JOURNAL.fullmatch(file.path)
        if not journal and file.path not in ("PROJECT.md", "USER.md"):
            left.append(LeftOut(file.path, "it is no journal"))
            continue
        found = list(told_apart(_noted(file, journal[1]) if journal else _kept(file)))
        entries += found
        left += [] if found else [LeftOut(file.path, EMPTY)]
    return Found(tuple(entries), tuple(left))


def _kept(file: File) -> Iterator[Imported]:
    """Yield the entries of the files beside the journals."""
    for entry in of_blocks(file, blocks(file.text)):
        about = file.path == "USER.md"
        yield replace(entry, type="user_preference", scope=GLOBAL) if about else entry


def _noted(file: File, day: str) -> Iterator[Imported]:
    session = time = ""
    for section in sections(file.text, 3):
        if section.level < 3:
            session, time = section.heading if section.level == 2 else "", ""
        at = _TIME.search(section.heading)
        time = at[1] if at else time
        text = _TURN.sub("", section.text).strip()
        if not text:
            continue
        moment = f"{day}T{time}:00" if time else day
        named = section.level == 3 and not _TIME.fullmatch(section.heading)
        said = section.heading if named else titled(text)
        name = " > ".join(dict.fromkeys(part for part in (session, section.heading) if part))
        title = cut(f"{day} {time}: {said}" if time else f"{day}: {said}")
        yield Imported(file.path, title, text, name, created=moment, updated=moment)


FORMAT = Format("memsearch", (".memsearch/memory", "memory"), _is_it, read)
