"""The files of the keyword index, read where they lie.

Whoosh would map each one into memory and copy it whole: 27 MB for 10,000 notes.
"""

from __future__ import annotations

from io import FileIO
from pathlib import Path
from typing import Any

from whoosh.filedb.filestore import FileStorage
from whoosh.filedb.structfile import StructFile


class Storage(FileStorage):  # type: ignore[misc]
    """The files in one folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), supports_mmap=False)

    def open_file(self, name: str, **more: Any) -> StructFile:
        """Return a file to read; called by Whoosh."""
        return StructFile(_File(self._fpath(name)), name=name, **more)


class _File(FileIO):
    """A file that closes itself: Whoosh forgets to where opening an index fails half-way."""

    def __del__(self) -> None:
        self.close()
