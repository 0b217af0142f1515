"""Making everything derived equal to the notes: indexes, catalogues, vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs import catalogues
from vaultmem.verbs.approving import settle
from vaultmem.verbs.parts import UNREADABLE, Parts
from vaultmem.words.layout import Role

if TYPE_CHECKING:
    from vaultmem.sidecar.refresh import Refreshed
    from vaultmem.sidecar.sidecar import Progress


def freshen(parts: Parts, progress: Progress | None, *, embed: bool, rebuild: bool) -> Refreshed:
    """Refresh the sidecar, let what a person approved take effect, write the catalogues, tidy the
    log; then embed what has no vector.
    """
    if rebuild:
        parts.sidecar.rebuild()
    done = parts.sidecar.refresh(progress)
    settle(parts)
    decisions = sorted(parts.sidecar.snapshot.logs)
    decisions = [path for path in decisions if parts.vault.layout.role(path) == Role.DECISIONS]
    if parts.log.tidy(decisions) + catalogues.write(parts.vault, parts.sidecar.snapshot):
        parts.sidecar.refresh()
    if embed:
        parts.meaning.embed(None, progress)
        parts.ledger.note(UNREADABLE, str(parts.meaning.unreadable()))
    return done


class Embedding:
    """Embeds in the background what a question would not wait for, whoever saw it change."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._seen: int | None = None
        """The generation of the sidecar when it was looked at last."""

    def __call__(self, done: Refreshed) -> None:
        """Look for what has no vector, if a refresh, or another before it, changed anything."""
        from vaultmem.verbs.gathering import too_many

        now = self._parts.sidecar.manifest.generation
        moved, self._seen = self._seen not in (None, now), now
        if (done.paths or moved) and too_many(self._parts):
            self._parts.meaning.embed()
