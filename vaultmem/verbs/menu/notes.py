"""Notes: found, kept, shown and let go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts
from vaultmem.words.facts import Facts
from vaultmem.words.hit import Answer, Receipt
from vaultmem.words.note import Note
from vaultmem.words.question import Question
from vaultmem.words.wish import Wish

if TYPE_CHECKING:
    from vaultmem.verbs.erase import Erased
    from vaultmem.verbs.forget import Forgotten, Listed


class NoteVerbs:
    """What can be asked for of notes."""

    _parts: Parts

    def remember(self, question: Question) -> Answer:
        """Return the notes that answer a question, best first."""
        if question.include != "memory":
            from vaultmem.verbs.knowledge.asking import remember
        else:
            from vaultmem.verbs.remember import remember
        return remember(self._parts, question)

    @writes
    def memorize(self, wish: Wish) -> Receipt:
        """Write a new note, or change the one that the wish names."""
        from vaultmem.verbs.memorize import memorize

        return memorize(self._parts, wish)

    def get(self, ref: str) -> tuple[Facts, Note]:
        """Return a note and its facts, by id, path, title, alias or `[[wikilink]]`."""
        from vaultmem.verbs.listing import get

        return get(self._parts, ref)

    def source(self, ref: str) -> str:
        """Return the file of the note that `get` would return, as it is on disk."""
        return self._parts.vault.data(self.get(ref)[1].path).decode("utf-8", "replace")

    def listing(self, question: Question, *, status: str = "") -> list[tuple[str, str, Facts]]:
        """Return name, scope and facts of the memories that fit, newest first."""
        from vaultmem.verbs.listing import listing

        return listing(self._parts, question, status)

    def matching(self, question: Question) -> list[Listed]:
        """Return what `forget` would take for a query. Nothing is changed."""
        from vaultmem.verbs.forget import matching

        return matching(self._parts, question)

    @writes
    def forget(self, refs: Sequence[str]) -> list[Forgotten]:
        """Move memories into the trash."""
        from vaultmem.verbs.forget import forget

        return forget(self._parts, refs)

    @writes
    def restore(self, ref: str) -> str:
        """Bring a note back from the trash, or keep one that was erased and came back."""
        from vaultmem.verbs.restore import restore

        return restore(self._parts, ref)

    @writes
    def erase(self, ref: str) -> Erased:
        """Remove a note for good, from every derived place too."""
        from vaultmem.verbs.erase import erase

        return erase(self._parts, ref)
