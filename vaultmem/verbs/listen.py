"""Hearing the other agents: what of the live log this session has not been given."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from vaultmem.vault.livelog import key_of
from vaultmem.verbs.parts import Parts
from vaultmem.words.entry import Entry
from vaultmem.words.errors import VaultmemError
from vaultmem.words.hit import fitting, tokens
from vaultmem.words.safe import shown
from vaultmem.words.waiting import Waiting, waiting

READ_TOKENS = 600
MOST_PAIRS = 5
"""Collisions that one answer names."""
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Heard:
    """Entries that a session was given, how many more are unread, and what to reconcile."""

    entries: tuple[Entry, ...] = ()
    more: int = 0
    reconcile: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to hear."""
        return bool(self.entries or self.more or self.reconcile)

    def lines(self) -> list[str]:
        """Return the entries, what to reconcile, and how many more are unread, a line each."""
        more = [f"{self.more} more are unread."] if self.more else []
        return [*(entry.line() for entry in self.entries), *self.reconcile, *more]


def read(parts: Parts, budget: int = READ_TOKENS) -> Heard:
    """Return the entries that this session was not given, within a budget of tokens.

    Questions to this agent come first, then what else is addressed to it, then the oldest. What
    is returned counts as given once `LiveLog.confirm` was called. One entry that is longer than
    any answer may be is shown in part.

    Raises:
        NoVault: it has vanished.
    """
    parts.vault.check()
    found = unread(parts)
    reconcile = collisions(parts)
    room = budget - sum(tokens(line + "\n") for line in reconcile) - tokens(f"{len(found)} more")
    count = fitting_entries(found, room)
    given = found[:count] if count else found[:1]
    parts.log.offer(parts.caller.reader, given)
    entries = given if count else [shortened(entry, room) for entry in given]
    return Heard(tuple(entries), len(found) - len(given), tuple(reconcile))


def fitting_entries(entries: Sequence[Entry], budget: int) -> int:
    """Return how many of some entries, from the first on, fit a budget of tokens as lines."""
    for count, entry in enumerate(entries):
        budget -= tokens(shown(entry.line()) + "\n")
        if budget < 0:
            return count
    return len(entries)


def shortened(entry: Entry, budget: int) -> Entry:
    """Return an entry of which no part is long, its summary cut to fit a budget of tokens."""
    named = ("time", "agent", "channel", "kind", "scope", "to")
    short = {name: shown(getattr(entry, name))[:_LONGEST_NAME] for name in named}
    bare = replace(entry, **short, summary="")
    return replace(bare, summary=fitting(shown(entry.summary), budget - tokens(bare.line()) - 2))


def recent(parts: Parts, count: int) -> list[Entry]:
    """Return the newest entries of the last two months that this caller may see, oldest first."""
    return _seen(parts, parts.log.lately())[-count:]


def unread(parts: Parts) -> list[Entry]:
    """Return the entries that this session was not given, those for this agent first."""
    caller = parts.caller

    def audible(entries: list[Entry]) -> list[tuple[str, Entry]]:
        found = [entry for entry in _seen(parts, entries) if entry.kind != "memory"]
        found.sort(key=lambda entry: _rank(entry, caller.agent))
        return [(key_of(entry), entry) for entry in found]

    keyed = parts.log.concluded(("audible", *_ears(parts)), audible)
    return parts.log.unread(caller.reader, keyed)


def _ears(parts: Parts) -> tuple[Hashable, ...]:
    """Return all of a caller that what it hears depends on."""
    caller = parts.caller
    return caller.agent, caller.scope, caller.person, caller.grant


def _seen(parts: Parts, entries: list[Entry]) -> list[Entry]:
    """Return those of some entries that this caller may see."""
    scopes = {scope for scope in {entry.scope for entry in entries} if parts.caller.hears(scope)}
    return [entry for entry in entries if entry.scope in scopes]


def _rank(entry: Entry, agent: str) -> int:
    if entry.to != agent:
        return 2
    return 0 if entry.kind == "question" else 1


def pending(parts: Parts) -> Waiting:
    """Return what of the last two months waits for this agent."""
    caller = parts.caller

    def wait(entries: list[Entry]) -> Waiting:
        return waiting(_seen(parts, entries), caller.agent)

    return parts.log.concluded(("waiting", *_ears(parts)), wait)


def collisions(parts: Parts) -> list[str]:
    """Return a line for each pair of entries that this agent has to reconcile, five at most."""
    pairs = pending(parts).together
    lines = [_collision(own, other) for own, other in pairs[:MOST_PAIRS]]
    rest = len(pairs) - len(lines)
    return [*lines, *([f"{rest} more pairs to reconcile."] if rest else [])]


def _collision(own: Entry, other: Entry) -> str:
    who = shown(other.agent)[:_LONGEST_NAME]
    return (
        f"Said within a minute of each other: reconcile your {own.mark} with {other.mark} of "
        f"{who}, then ack it."
    )


def notice(parts: Parts) -> str:
    """Return the line that ends an answer while something is unheard, empty if nothing is."""
    count, pairs = len(unread(parts)), len(pending(parts).together)
    said = [f"{count} unread log entries of others"] if count else []
    said += [f"{pairs} to reconcile"] if pairs else []
    return f"{', '.join(said)}: call log with kind read." if said else ""


def confirm(parts: Parts) -> None:
    """Remember that what was given to this session has arrived."""
    parts.log.confirm(parts.caller.reader)


def arrive(parts: Parts) -> None:
    """Take a tool call as the sign that the last answer arrived, and count it.

    An agent that has no identity file yet gets one. Where the disk refuses, the call goes on.
    """
    from vaultmem.verbs.tell import introduce

    parts.calls.count(parts.caller.reader)
    with suppress(VaultmemError):
        confirm(parts)
        introduce(parts)
