"""The inbox: which candidates lie there, and for how long they count."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import InboxFull
from vaultmem.words.facts import Facts
from vaultmem.words.times import parsed

WAITING = ("pending", "approved")
"""What a candidate's status may be: it waits, or a person has typed that it may go."""


def expired(parts: Parts, facts: Facts) -> bool:
    """Return whether a candidate has waited so long without being said again that it counts no
    more. It stays in the inbox until a person decides.
    """
    moments = [parsed(text, parts.vault.zone) for text in (facts.created, facts.updated)]
    known = [moment for moment in moments if moment]
    days = timedelta(days=parts.vault.config.inbox_days)
    return bool(known) and parts.clock() - max(known) > days


def waiting(snapshot: Snapshot, agent: str = "") -> Iterator[Facts]:
    """Yield the candidates that wait, of one agent or of all."""
    for path in snapshot.candidates:
        facts = snapshot.facts[path]
        if facts.status in WAITING and agent in ("", snapshot.layout.keeper(path)):
            yield facts


def refuse_full(parts: Parts) -> None:
    """Raise `InboxFull` if so many candidates of the caller wait that no more are taken."""
    agent, most = parts.caller.agent, parts.vault.config.inbox_most
    if sum(1 for _ in waiting(parts.sidecar.snapshot, agent)) >= most:
        raise InboxFull(most, agent)
