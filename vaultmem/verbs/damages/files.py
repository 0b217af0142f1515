"""What is odd about the files of a vault: their kinds, their names, what is missing."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vaultmem.vault import files
from vaultmem.verbs.damages.table import Finding, found
from vaultmem.verbs.init import page, pages
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import VaultmemError
from vaultmem.words.slug import folded

_SKIPPED = (
    ("it is a link", "link"),
    ("it is a hard link", "hard link"),
    ("its name holds", "name"),
    ("its path is", "name"),
    ("the folder cannot be listed", "unlisted"),
)
"""How the reasons begin for which a file is not read, and of which kind they are."""
ATTRIBUTES = ".gitattributes"


class _Named(NamedTuple):
    """One name in the vault."""

    path: str
    folder: bool
    links: int


def of_files(parts: Parts) -> Iterator[Finding]:
    """Yield all that is odd about the files of a vault, none of which is opened."""
    scan = parts.vault.scan()
    for path, why in sorted(scan.skipped.items()):
        kind = next((kind for words, kind in _SKIPPED if why.startswith(words)), "irregular")
        yield found(kind, path, why)
    for path, original in sorted(scan.copies.items()):
        what = f"a sync tool made it, since two machines changed {original}; it is not searched"
        yield found("sync copy", path, what, original=original)
    named = list(_walked(parts.vault.root))
    yield from (finding for finding in _odd(named) if finding.path not in scan.skipped)
    yield from _clashes(named)
    yield from _missing(parts)


def _walked(root: Path) -> Iterator[_Named]:
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        base = Path(place).relative_to(root).as_posix()
        prefix = "" if base == "." else f"{base}/"
        yield from (_Named(prefix + name, True, 1) for name in folders)
        for name in sorted(names):
            yield _Named(prefix + name, False, _links(Path(place) / name))


def _links(file: Path) -> int:
    try:
        seen = file.lstat()
    except OSError:
        return 1
    return seen.st_nlink if stat.S_ISREG(seen.st_mode) else 1


def _odd(named: list[_Named]) -> Iterator[Finding]:
    for one in named:
        name = one.path.rpartition("/")[2]
        note = name.lower().endswith(".md") and not name.startswith(".")
        if not one.folder and name.startswith(files.TEMPORARY) and name.endswith(".tmp"):
            yield found("left over", one.path, "a crash left it behind")
        elif note and one.folder:
            yield found("folder", one.path, "it is a folder with the name of a note")
        elif note and one.links > 1:
            yield found("hard link", one.path, "it is a hard link: the file has another name too")


def _clashes(named: list[_Named]) -> Iterator[Finding]:
    """Yield names that are one on a disk that tells neither case nor composition apart."""
    known: dict[str, list[str]] = defaultdict(list)
    for one in named:
        known[folded(one.path)].append(one.path)
    for first, *others in known.values():
        for path in others:
            yield found("clash", path, f"some disks take it for {first}")


def _missing(parts: Parts) -> Iterator[Finding]:
    for path in pages(parts.vault.config):
        if not parts.vault.exists(path):
            yield found("missing", path, "it is missing")
    path = parts.vault.layout.at(ATTRIBUTES)
    lacking = lacking_attributes(parts)
    if lacking and parts.vault.exists(path):
        what = f"it lacks {len(lacking)} lines by which git merges our lists"
        yield found("attributes", path, what)


def lacking_attributes(parts: Parts) -> list[str]:
    """Return the lines that the vault's `.gitattributes` should have and has not."""
    path = parts.vault.layout.at(ATTRIBUTES)
    try:
        there = parts.vault.data(path).decode("utf-8", "replace").splitlines()
    except VaultmemError:
        return []
    wanted = page(parts.vault.config, ATTRIBUTES).decode().splitlines()
    known = {" ".join(line.split()) for line in there}
    return [line for line in wanted if not line.startswith("#") and line not in known]
