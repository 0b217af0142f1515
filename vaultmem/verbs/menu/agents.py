"""Agents that come over the network, and their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultmem.vault import serving
from vaultmem.vault.settings import Settings, person
from vaultmem.verbs.parts import Parts
from vaultmem.words.access import Badge
from vaultmem.words.serving import Serving

if TYPE_CHECKING:
    from vaultmem.vault.tokens import Bound


class AgentVerbs:
    """What can be asked for of agents and their tokens."""

    _parts: Parts
    settings: Settings

    def add_agent(
        self,
        agent: str,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        *,
        own_notes: bool = False,
        days: int = 0,
    ) -> tuple[str, Bound]:
        """Give an agent a token; return it, and what it is bound to."""
        from vaultmem.verbs.agents import add

        return add(self._parts, agent, reads, writes, own_notes=own_notes, days=days)

    def agents(self) -> list[Bound]:
        """Return every agent that has a token, by name."""
        return self._parts.tokens.all()

    def rotate_agent(self, agent: str) -> str:
        """Return a new token of an agent; the old one ends."""
        from vaultmem.verbs.agents import rotate

        return rotate(self._parts, agent)

    def revoke_agent(self, agent: str) -> None:
        """Take an agent's token away."""
        from vaultmem.verbs.agents import revoke

        revoke(self._parts, agent)

    def http_hosts(self) -> list[str]:
        """Return the further names by which the person lets a server be called."""
        return person().http_hosts.split(",")

    def badge(self, token: str) -> Badge | None:
        """Return who comes with a token, None if nobody does any more."""
        from vaultmem.verbs.agents import badge

        return badge(self._parts, token)

    def server(self) -> Serving | None:
        """Return the server on this machine that holds the vault for others, None without one."""
        return serving.found(self.settings)

    def announce(self, server: Serving) -> None:
        """Say that a server holds the vault for others."""
        serving.announce(self.settings, server)

    def withdraw(self, server: Serving, before: Serving | None = None) -> None:
        """Say that it does no more, but the one that did `before`."""
        serving.withdraw(self.settings, server, before)
