"""One thing that lies in a vault, and what is to become of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Seen = str
"""`note`: it is one. `skipped`: it is none, and `doctor` says why. `copy`: a sync tool's, which
`doctor` names. `ignored`: it is no concern of ours. `log`: a month of the live log. `mended`: one
that a merge left in disorder, which a refresh may put right."""


LONG_AGO = 1_000_000_000


@dataclass(frozen=True)
class Hostile:
    """A file, or something else that has a name, and what a vault makes of it."""

    row: str
    """What is odd about it, in words; several may have one row."""
    path: str
    """Where it lies in the vault."""
    put: bytes | Callable[[Path], object]
    """Its bytes, or what makes it at a path whose folder is there."""
    seen: Seen = "note"
    said: str = ""
    """Words of the line in which `doctor` names it, empty where there is nothing to say."""
    word: str = ""
    """A word of its body that finds it, empty where it has none."""
    about: str = ""
    """The path that `doctor` names, where that is another."""

    def lay(self, root: Path) -> None:
        """Put it into a vault."""
        path = root / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(self.put, bytes):
            path.write_bytes(self.put)
            os.utime(path, (LONG_AGO, LONG_AGO))  # what is young is read again at every look
        else:
            self.put(path)

    @property
    def place(self) -> str:
        return self.about or self.path
