"""Hearing the other agents: what of the live log this session has not been given."""

from __future__ import annotations

from vaultmem.verbs.parts import Parts
from vaultmem.words.entry import Entry
from vaultmem.words.hit import tokens
from vaultmem.words.scope import sees

READ_TOKENS = 600


def read(parts: Parts, budget: int = READ_TOKENS) -> tuple[list[Entry], int]:
    """Return the others' entries this session was not given, oldest first, within a budget of
    tokens, and how many stay unread. What is returned counts as given."""
    waiting = _unread(parts)
    shown: list[Entry] = []
    for entry in waiting:
        budget -= tokens(entry.line())
        if shown and budget < 0:
            break
        shown.append(entry)
    parts.log.give(parts.caller.session, shown)
    return shown, len(waiting) - len(shown)


def recent(parts: Parts, count: int) -> list[Entry]:
    """Return the newest entries of the last two months that this caller may see, oldest first."""
    reader = parts.caller.scope
    found = [e for e in parts.log.entries(2) if reader is None or sees(reader, e.scope)]
    return found[-count:]


def unread(parts: Parts) -> int:
    """Return how many entries of others this session has not been given."""
    return len(_unread(parts))


def _unread(parts: Parts) -> list[Entry]:
    reader = parts.caller.scope
    found = parts.log.unread(parts.caller.session, parts.caller.agent)
    return [entry for entry in found if reader is None or sees(reader, entry.scope)]
