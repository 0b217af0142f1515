"""The life of a memory: how strong it is, where its files went, and its retirement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs.parts import Parts

if TYPE_CHECKING:
    from vaultmem.verbs.living import Strength
    from vaultmem.verbs.related import Astray


class LifeVerbs:
    """What can be asked for of a memory's life."""

    _parts: Parts

    def strength(self, ref: str) -> Strength:
        """Return what the strength of a note is made of."""
        from vaultmem.verbs.living import strength

        return strength(self._parts, ref)

    def files(self, *, apply: bool = False) -> list[Astray]:
        """Return the files of this project's memories that moved or are gone; see `related`."""
        from vaultmem.verbs.related import related

        return related(self._parts, apply=apply)
