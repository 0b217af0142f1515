"""What a server that runs found out about watching the vault, for others to tell."""

from __future__ import annotations

from contextlib import suppress

from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import DiskFailed


def note(parts: Parts, trouble: str) -> None:
    """Keep why this copy of the vault cannot be watched, nothing once it can."""
    with suppress(DiskFailed):
        parts.ledger.note(_name(parts), trouble)


def trouble(parts: Parts) -> str:
    """Return why the server that ran last could not watch this copy, empty if it could."""
    return parts.ledger.fact(_name(parts))


def _name(parts: Parts) -> str:
    return f"watching {parts.vault.root}"
