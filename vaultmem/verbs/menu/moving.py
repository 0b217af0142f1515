"""What moves in from other programs' memories, and out to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts
from vaultmem.words.moving import Brought, Exported, ExportWish, ImportWish

if TYPE_CHECKING:
    from vaultmem.sidecar.sidecar import Progress


class MovingVerbs:
    """What can be asked for of other programs' memories."""

    _parts: Parts

    @writes
    def bring(self, wish: ImportWish, progress: Progress | None = None) -> Brought:
        """Make notes of what another program remembers; its files are only read."""
        from vaultmem.verbs.importing import bring

        return bring(self._parts, wish, progress)

    def export(self, wish: ExportWish) -> Exported:
        """Write memories as files that another program reads."""
        from vaultmem.verbs.exporting import export

        return export(self._parts, wish)
