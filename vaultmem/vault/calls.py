"""How many tool calls a session has made since its last checkpoint: one byte a call.

The count may lose a little in a crash, so nothing waits for the disk.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from vaultmem.vault.readers import Reader
from vaultmem.words.entry import token

UNUSED_SECONDS = 60 * 86_400
_ADD = os.O_WRONLY | os.O_APPEND
COMPACTED = b"c"


class Calls:
    """A folder with one small file a session. A disk that refuses is no reason to refuse a call."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def count(self, reader: Reader, kind: bytes = b".") -> None:
        """Count a call, or with `COMPACTED` note that the conversation was cut down."""
        path = self._path(reader)
        with suppress(OSError):
            if not path.exists():
                self._sweep()
            handle = os.open(path, _ADD | os.O_CREAT, 0o600)
            try:
                os.write(handle, kind)
            finally:
                os.close(handle)

    def since(self, reader: Reader) -> tuple[int, bool]:
        """Return how many calls were made since the last checkpoint, and whether a compaction."""
        try:
            made = self._path(reader).read_bytes()
        except OSError:
            return 0, False
        return made.count(b"."), COMPACTED in made

    def done(self, reader: Reader) -> None:
        """Begin to count anew: a checkpoint was made."""
        with suppress(OSError):
            os.truncate(self._path(reader), 0)

    def _path(self, reader: Reader) -> Path:
        return self._folder / token("\0".join(reader), 16)

    def _sweep(self) -> None:
        """Make the folder, and drop the counts of sessions that ended long ago."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        oldest = time.time() - UNUSED_SECONDS
        for path in self._folder.iterdir():
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
