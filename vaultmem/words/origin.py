"""Where an imported note comes from: written in it, so that the same entry is known again."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_ORIGIN = re.compile(r"([a-z][a-z-]*):(.+)#([0-9a-f]{12})", re.DOTALL)
_TARGET = re.compile(r"\[\[[^\[\]|\r\n]*\|")


@dataclass(frozen=True)
class Origin:
    """An entry of another program's memory, as the property `origin` of a note names it."""

    format: str
    address: str
    """The file, `~` for the person's home, and what tells the entry from the file's others."""
    digest: str
    """Twelve letters that tell what the entry says."""

    def __str__(self) -> str:
        return f"{self.format}:{self.address}#{self.digest}"


def origin_of(text: str) -> Origin | None:
    """Return the origin that a property says, None if it says none."""
    match = _ORIGIN.fullmatch(text)
    return Origin(*match.groups()) if match else None


def as_written(title: str, description: str, body: str) -> str:
    """Return twelve letters that tell how a note reads; where its links lead counts for nothing,
    since Obsidian rewrites that.
    """
    plain = "\0".join((title, description, _TARGET.sub("[[|", body).strip()))
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:12]
