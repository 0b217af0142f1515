"""The life of a memory: how strong it is, where its files went, and its retirement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts

if TYPE_CHECKING:
    from vaultmem.verbs.archive import Retired
    from vaultmem.verbs.living import Strength
    from vaultmem.verbs.related import Astray


class LifeVerbs:
    """What can be asked for of a memory's life."""

    _parts: Parts

    def strength(self, ref: str) -> Strength:
        """Return what the strength of a note is made of."""
        from vaultmem.verbs.living import strength

        return strength(self._parts, ref)

    @writes
    def files(self, *, apply: bool = False) -> list[Astray]:
        """Return the files of this project's memories that moved or are gone; see `related`."""
        from vaultmem.verbs.related import related

        return related(self._parts, apply=apply)

    @writes
    def archive(self, refs: Sequence[str]) -> list[Retired]:
        """Put memories away: out of catalogue and search, and nowhere else."""
        from vaultmem.verbs.archive import archive

        return archive(self._parts, refs)

    @writes
    def unarchive(self, refs: Sequence[str]) -> list[Retired]:
        """Bring memories back that were put away."""
        from vaultmem.verbs.archive import unarchive

        return unarchive(self._parts, refs)

    @writes
    def cleanup(self, days: int = 180, *, apply: bool = False) -> list[Retired]:
        """Return the memories that a person may want to put away; with `apply` they are."""
        from vaultmem.verbs.archive import cleanup

        return cleanup(self._parts, days, apply=apply)
