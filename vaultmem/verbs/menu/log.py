"""The live log and the start of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.vault.livelog import Fault
from vaultmem.verbs import brief as briefs
from vaultmem.verbs import listen
from vaultmem.verbs.parts import Parts
from vaultmem.words.entry import Entry
from vaultmem.words.telling import Telling

if TYPE_CHECKING:
    from vaultmem.verbs.tell import Told


class LogVerbs:
    """What can be asked for of the live log, and of a session's start."""

    _parts: Parts

    def brief(self, about: str = "", budget: int = 0) -> briefs.Brief:
        """Return what an agent reads at the start of a session."""
        return briefs.brief(self._parts, about, budget)

    def tell(self, telling: Telling) -> Told:
        """Append an entry to the live log."""
        from vaultmem.verbs.tell import tell

        return tell(self._parts, telling)

    def read_log(self, budget: int = listen.READ_TOKENS) -> tuple[list[Entry], int]:
        """Return unread entries of others, and how many more there are."""
        return listen.read(self._parts, budget)

    def unread(self) -> int:
        """Return how many entries of others this session has not been given."""
        return listen.unread(self._parts)

    def recent(self, count: int = 50) -> list[Entry]:
        """Return the newest log entries that this caller may see, oldest first."""
        return listen.recent(self._parts, count)

    def verify_log(self) -> list[Fault]:
        """Return every log entry that is not as it was written."""
        return self._parts.log.verify()

    def introduce(self) -> str:
        """Make sure that this agent has an identity file; return its path."""
        from vaultmem.verbs.tell import introduce

        return introduce(self._parts)
