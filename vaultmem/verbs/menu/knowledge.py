"""Outside documents: searched, read, matched, stored, taken in and let go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts
from vaultmem.words.hit import Answer
from vaultmem.words.outside import Matches, Reading, Refusal, Source, Taken

if TYPE_CHECKING:
    from vaultmem.verbs.delta import Delta
    from vaultmem.verbs.knowledge.keeping import Progress
    from vaultmem.verbs.pages import Edited


class KnowledgeVerbs:
    """What can be asked for of outside documents."""

    _parts: Parts

    @writes
    def search(self, query: str, source: str = "", budget: int = 0, limit: int = 5) -> Answer:
        """Return the passages of outside documents that answer, best first."""
        from vaultmem.verbs.knowledge.asking import search

        return search(self._parts, query, source, budget, limit)

    @writes
    def read(
        self, source: str, heading: str = "", lines: str = "", page: int = 1, budget: int = 0
    ) -> Reading:
        """Return one page of a source, of a section or of some lines of it."""
        from vaultmem.verbs.knowledge.asking import read

        return read(self._parts, source, heading, lines, page, budget)

    @writes
    def match(self, pattern: str, source: str = "", context: int = 0, budget: int = 0) -> Matches:
        """Return the lines of documents that a regular expression is found in."""
        from vaultmem.verbs.knowledge.matching import match

        return match(self._parts, pattern, source, context, budget)

    @writes
    def store(self, key: str, content: str, *, keep: bool = False) -> Taken:
        """Store a text under a key, for this session or for its scope."""
        from vaultmem.verbs.knowledge.keeping import store

        return store(self._parts, key, content, keep=keep)

    @writes
    def unstore(self, key: str) -> Source:
        """Take away what was stored under a key."""
        from vaultmem.verbs.knowledge.keeping import delete

        return delete(self._parts, key)

    @writes
    def take_in(self, source: str, *, force: bool = False) -> Taken:
        """Take in one file or page."""
        from vaultmem.verbs.knowledge.keeping import index

        return index(self._parts, source, force=force)

    def is_folder(self, source: str) -> bool:
        """Return whether a source is a folder."""
        from vaultmem.verbs.knowledge.keeping import is_folder

        return is_folder(self._parts, source)

    @writes
    def take_in_folder(
        self, folder: str, progress: Progress | None = None, *, force: bool = False
    ) -> tuple[list[Taken], list[Refusal]]:
        """Take in every document of a folder."""
        from vaultmem.verbs.knowledge.keeping import index_folder

        return index_folder(self._parts, folder, progress, force=force)

    def sources(self) -> list[Source]:
        """Return all outside documents, by title."""
        from vaultmem.verbs.knowledge.keeping import listing

        return listing(self._parts)

    @writes
    def remove_source(self, ref: str) -> Source:
        """Take away an outside document."""
        from vaultmem.verbs.knowledge.keeping import remove

        return remove(self._parts, ref)

    @writes
    def add_event(self, ref: str, text: str, source: str = "") -> Edited:
        """Add a dated line to the timeline of a page."""
        from vaultmem.verbs.pages import add_event

        return add_event(self._parts, ref, text, source)

    @writes
    def edit_section(self, ref: str, heading: str, text: str, seen: str) -> Edited:
        """Write another text under a heading of a page; the rest stays byte for byte."""
        from vaultmem.verbs.pages import edit_section

        return edit_section(self._parts, ref, heading, text, seen)

    def delta(self, since: str) -> Delta:
        """Return what is new or changed since a moment, newest first."""
        from vaultmem.verbs.delta import delta

        return delta(self._parts, since)
