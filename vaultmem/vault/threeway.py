"""One text made of two that grew from a third, by git, in files that are gone afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path

from vaultmem.vault.git import run
from vaultmem.words.conflicts import both
from vaultmem.words.errors import GitFailed, VaultmemError
from vaultmem.words.merging import Merged, merged

_SIDES = ("ours", "base", "theirs")


def woven(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return what both sides made of a base, None where they contradict each other."""
    try:
        return _merged(base, ours, theirs, (0,))
    except GitFailed:
        return None


def marked(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return what both sides made of a base; where they clash, both between git's own markers.

    Raises:
        GitFailed: one of them is no text. NoGit.
    """
    return _merged(base, ours, theirs, range(128))


def weave(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Return what both sides made of a base, line by line; what is no text stands whole, twice."""
    alone = woven(base, ours, theirs)
    if alone is not None:
        return Merged(alone)
    try:
        return Merged(marked(base, ours, theirs), clean=False)
    except GitFailed:
        return Merged(both(ours, theirs), clean=False)


def drive(base: Path, ours: Path, theirs: Path) -> bool:
    """Write into one of three files what two sides made of a note; return whether that is clean.

    Whatever goes wrong, both sides are in the file afterwards.
    """
    sides = [file.read_bytes() for file in (base, ours, theirs)]
    try:
        done = merged(sides[0], sides[1], sides[2], weave)
    except (VaultmemError, ValueError, RecursionError):
        done = Merged(both(sides[1], sides[2]), clean=False)
    ours.write_bytes(done.data)
    return done.clean


def _merged(base: bytes, ours: bytes, theirs: bytes, fine: range | tuple[int, ...]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="vaultmem-") as folder:
        place = Path(folder)
        for name, data in zip(_SIDES, (ours, base, theirs), strict=True):
            (place / name).write_bytes(data)
        labels = [part for name in _SIDES for part in ("-L", name)]
        return run(place, "merge-file", "-p", "-q", *labels, *_SIDES, fine=fine)
