"""What an agent wants the others to know, as said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Telling:
    """One thing to tell; kinds are those of `entry.KINDS`."""

    kind: str = "note"
    summary: str = ""
    because: str = ""
    to: str = ""
    ack: str = ""
    """Fingerprint of the entry that this one acknowledges."""
    detail: str = ""
    scope: str | None = None
