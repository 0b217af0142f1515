"""OpenClaw: `MEMORY.md`, `USER.md` and daily notes; what other parts of it report is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vaultmem.documents.entries import of_blocks, of_section, told_apart, whole
from vaultmem.documents.imported import File, Format, Found, Imported, LeftOut
from vaultmem.documents.markdown import Section, blocks, sections
from vaultmem.documents.plain import EMPTY
from vaultmem.words.scope import GLOBAL

_DAILY = re.compile(r"memory/\d{4}-\d\d-\d\d(?:-[^/]+)?\.md")
_REPORTS = re.compile(r"(?:light|rem|deep) sleep\b", re.IGNORECASE)
_INSTRUCTIONS = frozenset(
    f"{name}.md" for name in ("agents", "soul", "identity", "tools", "bootstrap", "heartbeat")
)
_DREAM = "it is a report of dreaming"
_OTHERS = "another program's memory was copied there; import it from where it lies"


def _is_it(files: tuple[File, ...]) -> bool:
    names = {file.path.casefold() for file in files}
    kept = {"memory.md", "user.md"} & names
    daily = any(_DAILY.fullmatch(name) for name in names)
    return bool((kept and daily) or names & {"dreams.md", "soul.md"})


def read(files: Iterable[File]) -> Found:
    """Return an entry of each bullet of the lists and of each section of the daily notes."""
    entries: list[Imported] = []
    left: list[LeftOut] = []
    for file in files:
        why = _no_memory(file.path.casefold())
        found = [] if why else list(_entries(file))
        entries += found
        left += _reports(file)
        if not found:
            left.append(LeftOut(file.path, why or EMPTY))
    return Found(tuple(entries), tuple(left))


def _no_memory(path: str) -> str:
    """Return why a file holds nothing to import, empty if it does."""
    if path in ("dreams.md", "memory/dreams.md") or path.startswith("memory/dreaming/"):
        return _DREAM
    if path.startswith("memory/imports/"):
        return _OTHERS
    if path in _INSTRUCTIONS:
        return "it tells the agent what to do; that is no memory"
    ours = path == "memory.md" or path.endswith("user.md") or path.startswith("memory/")
    return "" if ours else "it is no memory file"


def _entries(file: File) -> Iterator[Imported]:
    path = file.path.casefold()
    if path == "memory.md":
        yield from of_blocks(file, blocks(file.text))
    elif path == "user.md" or re.fullmatch(r"users/[^/]+/user\.md", path):
        for entry in of_blocks(file, blocks(file.text)):
            yield replace(entry, type="user_preference", scope=GLOBAL)
    elif _DAILY.fullmatch(path):
        told = (part for part in _told(file) if part.text.strip())
        yield from told_apart(of_section(file, part) for part in told)
    elif file.text.strip():
        yield whole(file)


def _told(file: File) -> Iterator[Section]:
    """Yield the sections of a daily note that are no report; its title is no section."""
    reported = False
    for section in sections(file.text, 2):
        reported = _REPORTS.match(section.heading) is not None and section.level == 2
        if not reported:
            yield replace(section, heading="") if section.level < 2 else section


def _reports(file: File) -> list[LeftOut]:
    if not _DAILY.fullmatch(file.path.casefold()):
        return []
    heads = [part.heading for part in sections(file.text, 2) if part.level == 2]
    return [
        LeftOut(f"{file.path} > {head}", _DREAM)
        for head in heads
        if _REPORTS.match(head) and _no_memory(file.path.casefold()) == ""
    ]


FORMAT = Format("openclaw", ("workspace",), _is_it, read)
