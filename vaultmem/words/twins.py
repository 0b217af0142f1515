"""Conflict copies that sync tools leave beside a note, known by their names."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

_SURE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<stem>.+) \(conflicted copy(?: .+? \d{12})?\)",  # Obsidian Sync
        r"(?P<stem>.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?",  # Syncthing
        # Dropbox
        r"(?P<stem>.+) \((?:.+ )?conflicted copy \d{4}-\d\d-\d\d(?: [^()]+| ?\(\d+\))?\)",
    )
)
_NUMBERED = re.compile(r"(?P<stem>.+) [2-9]")  # iCloud


def sure_original(path: str) -> str:
    """Return the note that a conflict copy is of by its name; empty if it is none."""
    return _original(path, _SURE) if "conflict" in path.lower() else ""


def possible_original(path: str) -> str:
    """Return the note that a file may be a copy of: `x.md` for `x 2.md`, as iCloud names them.

    People number notes in the same way, so the name alone proves nothing.
    """
    return _original(path, (_NUMBERED,)) if path[-5:-4] == " " else ""


def _original(path: str, patterns: Iterable[re.Pattern[str]]) -> str:
    folder, slash, name = path.rpartition("/")
    stem, ending = name[:-3], name[-3:]
    for pattern in patterns:
        if match := pattern.fullmatch(stem):
            return f"{folder}{slash}{match['stem']}{ending}"
    return ""


def copies(paths: Iterable[str], known: Container[str]) -> dict[str, str]:
    """Return those of some files that are conflict copies, each with its original beside it."""
    found = {path: sure_original(path) for path in paths}
    return {path: original for path, original in found.items() if original and original in known}
