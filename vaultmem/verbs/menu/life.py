"""The life of a memory: how strong it is, where its files went, and its retirement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs.parts import Parts

if TYPE_CHECKING:
    from vaultmem.verbs.living import Strength


class LifeVerbs:
    """What can be asked for of a memory's life."""

    _parts: Parts

    def strength(self, ref: str) -> Strength:
        """Return what the strength of a note is made of."""
        from vaultmem.verbs.living import strength

        return strength(self._parts, ref)
