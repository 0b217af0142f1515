"""Candidates, and the person who decides on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts

if TYPE_CHECKING:
    from vaultmem.verbs.approving import Approved
    from vaultmem.verbs.deciding import Decided
    from vaultmem.verbs.retain import Retained
    from vaultmem.verbs.reverting import Reverted
    from vaultmem.verbs.review import Queue, Shown
    from vaultmem.verbs.review_git import Step
    from vaultmem.verbs.undoing import Undone
    from vaultmem.words.retained import Fact


class ReviewVerbs:
    """What can be asked for of candidates."""

    _parts: Parts

    @writes
    def retain(self, facts: Iterable[Fact] | str) -> Retained:
        """Make candidates of what a session brought: facts, or a text that holds them."""
        from vaultmem.verbs.retain import retain
        from vaultmem.words.retained import parse

        return retain(self._parts, parse(facts) if isinstance(facts, str) else facts)

    def queue(self, agent: str = "", kind: str = "", limit: int = 50) -> Queue:
        """Return what waits for a person, the oldest first."""
        from vaultmem.verbs.review import queue

        return queue(self._parts, agent, kind, limit)

    def waiting(self, ref: str) -> Shown:
        """Return one that waits, whole, with the memories near it."""
        from vaultmem.verbs.review import show

        return show(self._parts, ref)

    @writes
    def approve(
        self,
        refs: Sequence[str] = (),
        agent: str = "",
        kind: str = "",
        *,
        all_: bool = False,
    ) -> Decided:
        """Let candidates in, those named or all that fit."""
        from vaultmem.verbs.deciding import approve

        return approve(self._parts, refs, agent, kind, all_=all_)

    @writes
    def merge(self, ref: str, into: str) -> Approved:
        """Add what a candidate says to a memory."""
        from vaultmem.verbs.deciding import merge

        return merge(self._parts, ref, into)

    @writes
    def reject(
        self,
        refs: Sequence[str] = (),
        because: str = "",
        agent: str = "",
        kind: str = "",
        *,
        all_: bool = False,
    ) -> Decided:
        """Move candidates to the trash, those named or all that fit, with the reason."""
        from vaultmem.verbs.deciding import reject

        return reject(self._parts, refs, because, agent, kind, all_=all_)

    @writes
    def undo_review(self) -> Undone:
        """Take back the last act of a review."""
        from vaultmem.verbs.undoing import undo

        return undo(self._parts)

    def steps(self, branch: str = "") -> list[Step]:
        """Return what a branch, or the work that is not committed, changes in memories."""
        from vaultmem.verbs.review_git import steps

        return steps(self._parts, branch)

    def keep_steps(self, branch: str, refs: Sequence[str]) -> list[Step]:
        """Remember that changes in git are good as they are."""
        from vaultmem.verbs.review_git import keep

        return keep(self._parts, branch, refs)

    @writes
    def drop_steps(self, branch: str, refs: Sequence[str], seen: str = "") -> list[Reverted]:
        """Take changes in git back in the files; `seen` is the fingerprint of the one shown."""
        from vaultmem.verbs.review_git import drop

        return drop(self._parts, branch, refs, seen)
