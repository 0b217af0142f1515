"""Answers of the live log and of a session's start, as short markdown."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vaultmem.words.safe import shown

if TYPE_CHECKING:
    from vaultmem.memory import Brief, Heard, Told


def brief(found: Brief) -> str:
    """Return a brief's parts under their names."""
    return shown(found.text())


def brief_value(found: Brief) -> dict[str, Any]:
    """Return a brief as the contract of the doors names its fields."""
    value = asdict(found)
    if not found.note:
        del value["note"]
    return value


def heard(found: Heard, *, nothing: str = "Nothing unread.") -> str:
    """Return log entries, what to reconcile, and how many more are unread."""
    return shown("\n".join(found.lines() or [nothing]))


def heard_value(found: Heard) -> dict[str, Any]:
    """Return what was heard as the contract of the doors names its fields."""
    entries = [asdict(entry) for entry in found.entries]
    reconcile = {"reconcile": list(found.reconcile)} if found.reconcile else {}
    return {"entries": entries, "more": found.more, **reconcile}


def told(done: Told) -> str:
    """Return an entry as it was appended."""
    where = f"\nKept in {done.path}" if done.path else ""
    return shown(f"{done.entry.line()}{where}")
