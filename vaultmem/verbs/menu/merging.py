"""Two clones of one vault become one again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs.parts import Parts

if TYPE_CHECKING:
    from vaultmem.verbs.unmerged import Resolved


class MergeVerbs:
    """What a vault in git needs where two clones of it are merged."""

    _parts: Parts

    def set_up_git(self, *, undo: bool = False) -> bool:
        """Let git merge notes property by property on this clone; return whether that was new."""
        from vaultmem.vault import drivers
        from vaultmem.vault.clone import clone_of

        clone = clone_of(self._parts.vault.root)
        if undo:
            return drivers.take_back(clone)
        return drivers.set_up(clone, self._parts.vault.layout)

    def resolve(self) -> Resolved:
        """Settle what git left unmerged, as far as nobody contradicts; the rest keeps markers."""
        from vaultmem.verbs.unmerged import resolve

        return resolve(self._parts)
