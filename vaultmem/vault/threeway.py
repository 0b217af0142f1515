"""One text made of two that grew from a third, by git, in files that are gone afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path

from vaultmem.vault.git import run
from vaultmem.words.errors import DiskFailed, GitFailed

_SIDES = ("ours", "base", "theirs")


def woven(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return what both sides made of a base, None where they contradict each other."""
    try:
        return _merged(base, ours, theirs, (0,))
    except GitFailed:
        return None


def marked(base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, bool]:
    """Return what both sides made of a base, and whether they clash: then git's markers are in it.

    Raises:
        GitFailed: one of them is no text. NoGit.
    """
    data = _merged(base, ours, theirs, range(128))
    return data, data != woven(base, ours, theirs)


def _merged(base: bytes, ours: bytes, theirs: bytes, fine: range | tuple[int, ...]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="vaultmem-") as folder:
        place = Path(folder)
        for name, data in zip(_SIDES, (ours, base, theirs), strict=True):
            (place / name).write_bytes(data)
        labels = [part for name in _SIDES for part in ("-L", name)]
        return run(place, "merge-file", "-p", "-q", *labels, *_SIDES, fine=fine)


def overwritten(path: Path, data: bytes) -> None:
    """Put a merged text where git looks for it: in a temporary file of its own."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise DiskFailed(path, error) from error
