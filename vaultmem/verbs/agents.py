"""Agents that come over the network: who gets a token, and what it is bound to."""

from __future__ import annotations

from collections.abc import Sequence

from vaultmem.vault.tokens import Bound
from vaultmem.verbs.parts import Parts
from vaultmem.words.access import EVERY, Badge, bound
from vaultmem.words.entry import name
from vaultmem.words.errors import BadInput

LONGEST_TOKEN = 200


def add(
    parts: Parts,
    agent: str,
    reads: Sequence[str],
    writes: Sequence[str],
    *,
    own_notes: bool,
    days: int,
) -> tuple[str, Bound]:
    """Give an agent a token that is bound to scopes; return it with what it is bound to.

    Raises:
        BadInput: the agent has one, or the name, a scope or the days cannot be used.
    """
    if not 0 <= days <= 36_500:
        raise BadInput("A token lasts 1 to 36,500 days; 0 stands for ever.")
    grant = bound(_scopes(parts, reads), _scopes(parts, writes), own_notes=own_notes)
    made = Bound(name(agent, "an agent"), grant, parts.clock(), days)
    return parts.tokens.add(made), made


def _scopes(parts: Parts, said: Sequence[str]) -> list[str]:
    return [text if text == EVERY else parts.scope(text) for text in said]


def rotate(parts: Parts, agent: str) -> str:
    """Return a new token of an agent; the old one ends. Raises `NotFound` if it has none."""
    return parts.tokens.rotate(name(agent, "an agent"), parts.clock())


def revoke(parts: Parts, agent: str) -> None:
    """Take an agent's token away; raises `NotFound` if it has none."""
    parts.tokens.revoke(name(agent, "an agent"))


def badge(parts: Parts, token: str) -> Badge | None:
    """Return who comes with a token, None if nobody does any more."""
    return parts.tokens.badge(token, parts.clock()) if 0 < len(token) <= LONGEST_TOKEN else None
