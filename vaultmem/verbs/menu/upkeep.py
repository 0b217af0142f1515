"""Upkeep: indexes, scopes, and proof that all is well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.verbs import scopes, watching
from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts

if TYPE_CHECKING:
    from vaultmem.sidecar.refresh import Refreshed
    from vaultmem.sidecar.sidecar import Progress
    from vaultmem.sidecar.watch import Watch
    from vaultmem.vault.settings import Settings
    from vaultmem.verbs.damages.table import Finding
    from vaultmem.verbs.doctor import Report
    from vaultmem.verbs.repairing import Repaired


class UpkeepVerbs:
    """What keeps a vault in order."""

    _parts: Parts
    settings: Settings

    def refresh(
        self, progress: Progress | None = None, *, embed: bool = True, rebuild: bool = False
    ) -> Refreshed:
        """Make sidecar and catalogues equal to the notes; then embed what has no vector."""
        from vaultmem.verbs.freshen import freshen

        return freshen(self._parts, progress, embed=embed, rebuild=rebuild)

    def watch(
        self,
        told: Callable[[Refreshed], None] | None = None,
        troubled: Callable[[str], None] | None = None,
    ) -> Watch:
        """Return a watcher that keeps sidecar and catalogues fresh once it is started."""
        from vaultmem.sidecar.watch import Watch

        return Watch(self._parts.vault.root, lambda: self.refresh(embed=False), told, troubled)

    def keep_fresh(self) -> None:
        """Start a watcher that vouches for the sidecar and embeds what is new in the background."""
        from vaultmem.verbs.freshen import Embedding

        watcher = self.watch(Embedding(self._parts), partial(watching.note, self._parts))
        self._parts.sidecar.vouched = lambda: watcher.vouches
        self._parts.sidecar.hurried = watcher.hurry
        watcher.start()

    def doctor(self) -> Report:
        """Return a report on the whole: notes, catalogues, log, files, sidecar, state, git."""
        from vaultmem.verbs.doctor import doctor

        return doctor(self._parts, self.settings)

    @writes
    def repair(self, before: Sequence[Finding] = ()) -> Repaired:
        """Mend what takes no text of a person away; `before` is what was mended already.

        Raises:
            Refused: an agent asks. Busy, DiskFailed.
        """
        from vaultmem.verbs.repairing import repair

        return repair(self._parts, self.settings, before)

    def scopes(self) -> list[str]:
        """Return every scope of the vault that has a folder."""
        return sorted(set(self._parts.vault.scope_folders().values()))

    def bindings(self) -> dict[str, str]:
        """Return the folders of this machine that are bound to a scope."""
        return self._parts.ledger.bindings()

    def bind(self, folder: Path, name: str = "") -> str:
        """Bind a folder to a scope and return the scope it got."""
        return scopes.bind(folder, self._parts.ledger, name)

    def unbind(self, folder: Path) -> None:
        """Take back the binding of a folder."""
        scopes.unbind(folder, self._parts.ledger)
