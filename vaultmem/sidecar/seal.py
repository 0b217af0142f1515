"""Which files of the keyword index are the ones we wrote: their sizes, times and digests.

Whoosh notices some damage late and some never. Its files are never changed once they are
written, so a file whose size and time are the same is the same; any other is hashed.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

_TOC = re.compile(r"_MAIN_(\d+)\.toc")


def sealed(folder: Path, generation: int, before: str = "") -> str:
    """Return what tells a folder's files from damaged ones; what `before` holds is not rehashed."""
    known = _files(before)
    found = {}
    for item in sorted(folder.iterdir()):
        if not item.name.endswith("LOCK"):
            found[item.name] = known.get(item.name) or _entry(item)
    return json.dumps({"generation": generation, "files": found})


def _entry(path: Path) -> list[str | int]:
    stat = path.stat()
    return [digest_of(path), stat.st_size, stat.st_mtime_ns]


def generation_in(seal: str) -> int:
    """Return the generation of the index that was sealed, -1 if that is no seal."""
    try:
        return int(json.loads(seal)["generation"])
    except (ValueError, KeyError, TypeError):
        return -1


def generation_of(folder: Path) -> int:
    """Return the generation of the index in a folder, told by the names of its files."""
    found = (_TOC.fullmatch(item.name) for item in folder.iterdir())
    return max((int(match[1]) for match in found if match), default=-1)


def intact(folder: Path, seal: str, *, thorough: bool = False) -> bool:
    """Return whether every file that was sealed is there, byte for byte.

    With `thorough` no file is believed by its time.
    """
    for name, (digest, size, time) in _files(seal).items():
        try:
            stat = (folder / name).stat()
            if stat.st_size != size:
                return False
            if (thorough or stat.st_mtime_ns != time) and digest_of(folder / name) != digest:
                return False
        except OSError:
            return False
    return True


def digest_of(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(seal: str) -> dict[str, list[str | int]]:
    try:
        found: dict[str, list[str | int]] = json.loads(seal)["files"]
    except (ValueError, KeyError, TypeError):
        return {}
    return found
