"""What stands between notes: relations, goals, and the parents that sleep makes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts
from vaultmem.words.hit import Receipt
from vaultmem.words.sleeping import SleepWish

if TYPE_CHECKING:
    from vaultmem.verbs.goals import Goal
    from vaultmem.verbs.relate import Graph
    from vaultmem.verbs.sleep import Slept


class LinkVerbs:
    """What can be asked for of relations, goals and sleep."""

    _parts: Parts

    @writes
    def relate(self, ref: str, kind: str, other: str, why: str = "") -> Receipt:
        """Add a relation to the note that says it."""
        from vaultmem.verbs.relate import relate

        return relate(self._parts, ref, kind, other, why)

    @writes
    def unrelate(self, ref: str, kind: str, other: str) -> Receipt:
        """Take a relation out of the note that says it."""
        from vaultmem.verbs.relate import unrelate

        return unrelate(self._parts, ref, kind, other)

    @writes
    def retract(self, ref: str, why: str) -> Receipt:
        """Say in a memory why it is wrong; with an empty reason, that it holds again."""
        from vaultmem.verbs.retract import retract

        return retract(self._parts, ref, why)

    def graph(self, ref: str, depth: int = 1) -> Graph:
        """Return the notes around one, and the links between them."""
        from vaultmem.verbs.relate import graph

        return graph(self._parts, ref, depth)

    def goals(self) -> list[Goal]:
        """Return the goals with what each has gathered, the open ones first."""
        from vaultmem.verbs.goals import goals

        return goals(self._parts)

    @writes
    def consolidate(self, ref: str) -> Receipt:
        """Write the note that closes a goal, made of what achieved it."""
        from vaultmem.verbs.goals import consolidate

        return consolidate(self._parts, ref)

    @writes
    def reopen(self, ref: str) -> list[str]:
        """Take out what closes a goal; return the notes that closed it."""
        from vaultmem.verbs.goals import reopen

        return reopen(self._parts, ref)

    @writes
    def sleep(self, wish: SleepWish = SleepWish()) -> Slept:  # noqa: B008  # it is frozen
        """Fold near-copies into parents that link to their sources."""
        from vaultmem.verbs.sleep import sleep

        return sleep(self._parts, wish)

    @writes
    def undo_sleep(self, ref: str) -> list[str]:
        """Move a parent to the trash, so that its sources stand for themselves again."""
        from vaultmem.verbs.sleep import undo

        return undo(self._parts, ref)

    def sleep_daily(self) -> threading.Thread:
        """Sleep in the background if the last sleep was a day ago; a failure is only logged."""
        thread = threading.Thread(target=self._sleep_if_due, name="sleep", daemon=True)
        thread.start()
        return thread

    def _sleep_if_due(self) -> None:
        import logging

        from vaultmem.verbs.sleep import overdue

        try:
            if overdue(self._parts):
                done = self.sleep(SleepWish(again=False))
                logging.getLogger(__name__).info("slept: %d parents", len(done.parents))
        except Exception:
            logging.getLogger(__name__).exception("sleep failed; `vaultmem sleep` repeats it")
