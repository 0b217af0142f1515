"""What git calls to merge one note: three files in, the first of ours overwritten."""

from __future__ import annotations

from pathlib import Path

from vaultmem.vault.threeway import marked, overwritten
from vaultmem.words.merging import merged


def merge_files(base: Path, ours: Path, theirs: Path) -> bool:
    """Merge a note into the file of ours; return whether nobody has to decide anything.

    Raises:
        GitError, DiskFailed: then git takes the note as one in conflict.
    """
    done = merged(base.read_bytes(), ours.read_bytes(), theirs.read_bytes(), marked)
    overwritten(ours, done.data)
    return not done.conflict
