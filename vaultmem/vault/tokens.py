"""The tokens of agents that come over the network, and what each is bound to.

A token is 256 random bits, so there is nothing to guess: one round of sha256 keeps a thief of the
ledger from using it, and a slow hash, made for passwords, would only slow every request down.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from vaultmem.vault.ledger import Ledger
from vaultmem.words.access import EVERY, Badge, Grant
from vaultmem.words.errors import BadInput, NotFound

_ADD = "INSERT INTO tokens (agent, hash, reads, writes, own, made, days) VALUES (?,?,?,?,?,?,?)"
_ALL = "SELECT hash, agent, reads, writes, own, made, days FROM tokens ORDER BY agent"


@dataclass(frozen=True)
class Bound:
    """An agent that has a token: what it is bound to, and when it ends."""

    agent: str
    grant: Grant
    made: datetime
    days: int = 0
    """How long it lasts; 0 for ever."""

    @property
    def ends(self) -> datetime | None:
        """When it ends, None if it does not."""
        return self.made + timedelta(days=self.days) if self.days else None

    def ended(self, now: datetime) -> bool:
        """Return whether it has ended."""
        return self.ends is not None and now >= self.ends


class Tokens:
    """The part of the ledger that is about tokens: one for each agent, kept as its hash."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def add(self, bound: Bound) -> str:
        """Give an agent a token and return it: nothing else will ever show it again.

        Raises:
            BadInput: the agent has one.
        """
        token = _fresh()
        with self._ledger.opened() as db:
            db.execute("BEGIN IMMEDIATE")
            if db.execute("SELECT 1 FROM tokens WHERE agent = ?", (bound.agent,)).fetchone():
                raise BadInput(
                    f"{bound.agent} has a token. `vaultmem agent rotate {bound.agent}` gives it a "
                    "new one; to bind it otherwise revoke it first."
                )
            grant = bound.grant
            what = (_written(grant.reads), _written(grant.writes), int(grant.own_notes))
            until = (bound.made.timestamp(), bound.days)
            db.execute(_ADD, (bound.agent, _hashed(token), *what, *until))
        return token

    def rotate(self, agent: str, now: datetime) -> str:
        """Return a new token of an agent, which lasts as long as the first did; the old one ends.

        Raises:
            NotFound: the agent has none.
        """
        token = _fresh()
        change = "UPDATE tokens SET hash = ?, made = ? WHERE agent = ?"
        with self._ledger.opened() as db:
            if not db.execute(change, (_hashed(token), now.timestamp(), agent)).rowcount:
                raise _unknown(agent)
        return token

    def revoke(self, agent: str) -> None:
        """Take an agent's token away; raises `NotFound` if it has none."""
        with self._ledger.opened() as db:
            if not db.execute("DELETE FROM tokens WHERE agent = ?", (agent,)).rowcount:
                raise _unknown(agent)

    def all(self) -> list[Bound]:
        """Return every agent that has a token, by name."""
        return [bound for _, bound in self._held()]

    def badge(self, token: str, now: datetime) -> Badge | None:
        """Return who comes with a token, None if nobody does any more.

        Each hash is compared, and in constant time, so that the time tells nothing.
        """
        said, found = _hashed(token), None
        for held, bound in self._held():
            if hmac.compare_digest(held, said):
                found = bound
        return None if found is None or found.ended(now) else Badge(found.agent, found.grant)

    def _held(self) -> list[tuple[bytes, Bound]]:
        with self._ledger.opened() as db:
            return [(bytes(held), _bound(*row)) for held, *row in db.execute(_ALL)]


def _fresh() -> str:
    return f"vm_{secrets.token_urlsafe(32)}"


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _bound(agent: str, reads: str, writes: str, own: int, made: float, days: int) -> Bound:
    grant = Grant(_read(reads), _read(writes), bool(own))
    return Bound(agent, grant, datetime.fromtimestamp(made).astimezone(), days)


def _written(scopes: frozenset[str] | None) -> str:
    return EVERY if scopes is None else "\n".join(sorted(scope or "global" for scope in scopes))


def _read(text: str) -> frozenset[str] | None:
    if text == EVERY:
        return None
    return frozenset("" if name == "global" else name for name in text.split("\n") if name)


def _unknown(agent: str) -> NotFound:
    return NotFound(f"token of {agent!r}", "Run `vaultmem agent list` to see who has one.")
