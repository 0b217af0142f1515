"""What a verb is handed: the parts of the house, and who is asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from vaultmem.sidecar.sidecar import Sidecar
from vaultmem.vault.ledger import Ledger
from vaultmem.vault.livelog import LiveLog
from vaultmem.vault.store import Vault
from vaultmem.words.times import Clock, local

if TYPE_CHECKING:
    from vaultmem.sidecar.meaning import Meaning


@dataclass(frozen=True)
class Caller:
    """Who is asking."""

    agent: str = "agent"
    channel: str = "cli"
    session: str = "cli"
    scope: str | None = None
    """The scope this caller is locked to; None locks nothing."""
    person: bool = False
    """Whether a person is at the door, who may change what is approved."""


@dataclass(frozen=True)
class Parts:
    """The parts of one vault's memory."""

    vault: Vault
    ledger: Ledger
    log: LiveLog
    sidecar: Sidecar
    clock: Clock
    caller: Caller
    make_meaning: Callable[[], Meaning]

    @cached_property
    def meaning(self) -> Meaning:
        """The vector leg, made at first need: it brings numpy with it."""
        return self.make_meaning()

    def now(self) -> str:
        """Return the present moment as a note holds it."""
        return local(self.clock(), self.vault.zone)
