"""What moves in from other programs' memories, and out to them."""

from __future__ import annotations

from vaultmem.verbs.parts import Parts
from vaultmem.words.moving import Brought, Exported, ExportWish, ImportWish


class MovingVerbs:
    """What can be asked for of other programs' memories."""

    _parts: Parts

    def bring(self, wish: ImportWish) -> Brought:
        """Make notes of what another program remembers; its files are only read."""
        from vaultmem.verbs.importing import bring

        return bring(self._parts, wish)

    def export(self, wish: ExportWish) -> Exported:
        """Write memories as files that another program reads."""
        from vaultmem.verbs.exporting import export

        return export(self._parts, wish)
