"""What of the live log waits for an agent: questions, entries to acknowledge, and collisions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from vaultmem.words.entry import Entry
from vaultmem.words.times import parsed

TOGETHER_SECONDS = 60
MOST_PAIRS = 100
CLAIMS = ("decision", "state", "handoff")
"""The kinds that can contradict each other."""
_QUIET = ("question", "answer", "ack", "checkpoint", "memory")
"""The kinds that nobody needs to acknowledge."""
_ACK = re.compile(r"\(to (lc-[a-z2-9]{8}-[a-z2-9]{2})\)")


@dataclass(frozen=True)
class Waiting:
    """What waits for one agent, each in the order of the log."""

    questions: tuple[Entry, ...] = ()
    """Questions to it that no entry answers."""
    to_ack: tuple[Entry, ...] = ()
    """Entries to it that it has not acknowledged."""
    together: tuple[tuple[Entry, Entry], ...] = ()
    """Its own entry and another agent's that it has not acknowledged, said within a minute."""


def acked(entry: Entry) -> str:
    """Return the fingerprint of the entry that this one acknowledges, empty if none."""
    found = _ACK.findall(entry.summary)
    return str(found[-1]) if found else ""


def acknowledging(text: str, mark: str) -> str:
    """Return a summary that says which entry it acknowledges."""
    return f"{text.strip() or 'read'} (to {mark})"


def waiting(entries: Iterable[Entry], agent: str) -> Waiting:
    """Return what waits for an agent. An answer settles a question, whoever gives it.

    What was typed by hand has no fingerprint to acknowledge, so it never waits.
    """
    known = list(entries)
    answered: set[str] = set()
    own: set[str] = set()
    for entry in known:
        if "(to lc-" in entry.summary and (mark := acked(entry)):
            answered |= {mark} if entry.kind == "answer" else set()
            own |= {mark} if entry.agent == agent else set()
    mine = [e for e in known if e.to == agent and e.agent != agent and e.signed]
    return Waiting(
        tuple(e for e in mine if e.kind == "question" and e.mark not in answered),
        tuple(e for e in mine if e.kind not in _QUIET and e.mark not in own),
        tuple(islice((p for p in _together(known, agent) if p[1].mark not in own), MOST_PAIRS)),
    )


def _together(entries: list[Entry], agent: str) -> Iterator[tuple[Entry, Entry]]:
    """Yield each claim of an agent with those of others in its scope, at most a minute away."""
    claims = [entry for entry in entries if entry.kind in CLAIMS and entry.signed]
    own = [entry for entry in claims if entry.agent == agent]
    scopes = {entry.scope.casefold() for entry in own}
    minutes: dict[tuple[str, int], list[tuple[float, Entry]]] = defaultdict(list)
    for entry in claims if own else ():
        scope = entry.scope.casefold()
        if entry.agent != agent and scope in scopes:
            moment = _seconds(entry)
            minutes[scope, int(moment // TOGETHER_SECONDS)].append((moment, entry))
    for entry in own:
        moment, scope = _seconds(entry), entry.scope.casefold()
        minute = int(moment // TOGETHER_SECONDS)
        for near in (minute - 1, minute, minute + 1):
            for other, said in minutes.get((scope, near), ()):
                if abs(other - moment) <= TOGETHER_SECONDS:
                    yield entry, said


def _seconds(entry: Entry) -> float:
    moment = parsed(entry.time)
    return moment.timestamp() if moment else 0.0
