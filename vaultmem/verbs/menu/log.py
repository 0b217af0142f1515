"""The live log and the start of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs import brief as briefs
from vaultmem.verbs import checkpoints, listen
from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts
from vaultmem.words.briefing import Brief
from vaultmem.words.entry import Entry
from vaultmem.words.faults import Fault
from vaultmem.words.telling import Telling

if TYPE_CHECKING:
    from vaultmem.verbs.tell import Told


class LogVerbs:
    """What can be asked for of the live log, and of a session's start."""

    _parts: Parts

    def brief(self, about: str = "", budget: int = 0) -> Brief:
        """Return what an agent reads at the start of a session."""
        return briefs.brief(self._parts, about, budget)

    def index(self) -> str:
        """Return the root catalogue, as far as this caller sees the vault."""
        return briefs.index(self._parts)

    def identity(self, agent: str) -> str:
        """Return who an agent is."""
        return briefs.identity(self._parts, agent)

    @writes
    def tell(self, telling: Telling) -> Told:
        """Append an entry to the live log."""
        from vaultmem.verbs.tell import tell

        return tell(self._parts, telling)

    def read_log(self, budget: int = listen.READ_TOKENS) -> listen.Heard:
        """Return entries that this session was not given, and what it has to reconcile."""
        return listen.read(self._parts, budget)

    def unread(self) -> int:
        """Return how many entries this session has not been given."""
        return len(listen.unread(self._parts))

    def notice(self) -> str:
        """Return the line that ends an answer while something is unheard, empty if nothing is."""
        return listen.notice(self._parts)

    def confirm(self) -> None:
        """Remember that what was given to this session has arrived."""
        listen.confirm(self._parts)

    def arrive(self) -> None:
        """Take a tool call of this session as the sign that its last answer arrived."""
        listen.arrive(self._parts)

    def checkpoint(self) -> str:
        """Return the text of this agent's checkpoint, empty if there is none."""
        return checkpoints.checkpoint(self._parts)

    def checkpoint_due(self) -> str:
        """Return the line that says why this session should write a checkpoint, else nothing."""
        return checkpoints.due(self._parts)

    def compacted(self) -> None:
        """Note that this session's conversation was cut down."""
        checkpoints.compacted(self._parts)

    def spoken(self, event: str, source: str = "", about: str = "", longest: int = 9500) -> str:
        """Return what to put before the agent at a moment of its session; mostly nothing."""
        from vaultmem.verbs.hooking import spoken

        return spoken(self._parts, event, source, about, longest)

    def recent(self, count: int = 50) -> list[Entry]:
        """Return the newest log entries that this caller may see, oldest first."""
        return listen.recent(self._parts, count)

    def verify_log(self) -> list[Fault]:
        """Return every log entry that is not as it was written."""
        return self._parts.log.verify()

    @writes
    def introduce(self) -> str:
        """Make sure that this agent has an identity file; return its path."""
        from vaultmem.verbs.tell import introduce

        return introduce(self._parts)
