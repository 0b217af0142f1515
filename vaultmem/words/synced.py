"""Copies that sync tools make when two machines changed one note: told by their names."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAMED = (
    ("Syncthing", re.compile(r"(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?(\.md)", re.I)),
    (
        "Obsidian Sync, Dropbox or Nextcloud",
        re.compile(r"(.+?) ?\((?:[^()]*[ '’]s )?conflicted copy[^()]*\)(?: \d+)?(\.md)", re.I),
    ),
    ("Dropbox", re.compile(r"(.+?) ?\([^()]*case conflict[^()]*\)(?: \d+)?(\.md)", re.I)),
)
_NUMBERED = re.compile(r"(.+?)(?: ([2-9])| \((\d{1,2})\))(\.md)", re.I)
_ID = re.compile(rb"^id: *['\"]?([a-z0-9]{8})['\"]? *\r?$", re.M)


class Copy(NamedTuple):
    """What a file name says of a copy."""

    original: str
    """The path of the note that it would be a copy of."""
    maker: str
    certain: bool
    """Whether the name alone is proof; `Plan 2.md` may well be a note of its own."""


def copy_of(path: str) -> Copy | None:
    """Return what a path would be a conflict copy of, None if its name is that of no copy.

    It is one only if the original is there.
    """
    folder, slash, name = path.rpartition("/")
    for maker, pattern in _NAMED:
        match = pattern.fullmatch(name)
        if match:
            return Copy(f"{folder}{slash}{match[1]}{match[2]}", maker, certain=True)
    match = _NUMBERED.fullmatch(name)
    if match:
        return Copy(
            f"{folder}{slash}{match[1]}{match[4]}", "iCloud or a cloud drive", certain=False
        )
    return None


def same_note(one: bytes, other: bytes) -> bool:
    """Return whether two files with such names are one note: by their ids, or byte for byte."""
    ids = [_ID.search(data.partition(b"\n---")[0]) for data in (one, other)]
    if all(ids):
        return len({found[1] for found in ids if found}) == 1
    return one == other
