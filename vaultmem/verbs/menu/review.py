"""Candidates, and the person who decides on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from vaultmem.verbs.parts import Parts
from vaultmem.words.retained import Fact, parse

if TYPE_CHECKING:
    from vaultmem.verbs.retain import Retained


class ReviewVerbs:
    """What can be asked for of candidates."""

    _parts: Parts

    def retain(self, facts: Iterable[Fact] | str) -> Retained:
        """Make candidates of what a session brought: facts, or a text that holds them."""
        from vaultmem.verbs.retain import retain

        return retain(self._parts, parse(facts) if isinstance(facts, str) else facts)
