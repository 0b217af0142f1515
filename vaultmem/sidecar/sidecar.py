"""The sidecar as one thing: open it, make it equal to the vault, search it, prove it.

Whatever is wrong with its files, it is thrown away and made anew from the notes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from vaultmem.sidecar.database import Damaged
from vaultmem.sidecar.idle import give_back
from vaultmem.sidecar.manifest import Indexed
from vaultmem.sidecar.newer import changed
from vaultmem.sidecar.opened import Opened
from vaultmem.sidecar.seal import sealed
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.sidecar.sweep import swept
from vaultmem.vault.repository import writing
from vaultmem.vault.store import Vault
from vaultmem.words.errors import VaultmemError

if TYPE_CHECKING:
    from vaultmem.sidecar.keyword import KeywordIndex
    from vaultmem.sidecar.refresh import Change, Gathered, Refreshed
    from vaultmem.sidecar.refresh import Progress as Progress
    from vaultmem.sidecar.seams import Allowed
    from vaultmem.sidecar.tally import Tally

Found = TypeVar("Found")
MOST_WAITED_FOR = 500
"""Changed files that a question reads itself before it answers, in less than a second."""


class Rebuilt(VaultmemError):
    """The indexes were made anew in the middle of a question, so labels mean other passages."""

    def __init__(self) -> None:
        super().__init__("The search index was damaged and has been made anew. Ask again.")


class Sidecar(Opened):
    """Both indexes and their manifest. Safe between threads and processes."""

    def __init__(self, folder: Path, vault: Vault) -> None:
        super().__init__(folder, vault)
        self._shrunk = ""
        self.vouched: Callable[[], bool] = lambda: False
        """Whether somebody knows that the sidecar is as new as the vault."""
        self.hurried: Callable[[], bool] = lambda: False
        """Has a watcher refresh at once; returns whether there is one that will."""
        self.moved: Callable[[Mapping[str, str]], None] = lambda _: None
        """Told which notes without an id lie elsewhere now, by the path that they left."""

    @property
    def snapshot(self) -> Snapshot:
        """What the sidecar knows now."""
        try:
            return self._read()
        except Damaged as error:
            self.mend(error)
        self.refresh()
        return self._read()

    def _read(self) -> Snapshot:
        manifest = self.manifest
        with self._guard:
            if self._snapshot is None or self._snapshot.generation != manifest.generation:
                generation, facts, found = manifest.moment()
                chunks = {chunk.label: chunk for chunk in found}
                self._snapshot = Snapshot(generation, facts, chunks, self._vault.layout)
                del found
                give_back()  # reading all at once takes twice what is kept
            return self._snapshot

    def refresh(
        self,
        progress: Progress | None = None,
        *,
        trust: bool = False,
        wait: bool = True,
        only: Collection[str] | None = None,
    ) -> Refreshed:
        """Make the sidecar equal to the vault and return what that took.

        With `trust`, nothing is looked at while a watcher vouches that nothing has changed, nor
        while git switches branches: half of one is no state to answer from. With `only`, these
        paths alone are looked at: what one has just written, one knows.

        Without `wait`, more than a question can wait for is left to the watcher where there is one:
        the snapshot stays as it was, and `behind` says how far.

        Raises:
            NoVault: the vault has vanished; nothing is forgotten then. Busy, DiskFailed.
        """
        for _ in range(2):
            try:
                return self._refreshed(progress, trust, wait, only)
            except Damaged as error:
                self.mend(error)
            except VaultmemError:
                raise
            except Exception as error:  # a damaged index raises any of seven kinds
                self.mend(error)
        return self._refreshed(progress, False, True, only)

    def _refreshed(
        self, progress: Progress | None, trust: bool, wait: bool, only: Collection[str] | None
    ) -> Refreshed:
        from vaultmem.sidecar.refresh import Refreshed, gather

        self._vault.check()
        with self._guard:
            if self._manifest is not None and not self._manifest.there:
                self._let_go()
        manifest = self.manifest
        with self._guard:
            if trust and self._snapshot is not None and self._believed():
                return Refreshed(seen=len(self._snapshot.facts))
            pending = manifest.pending()
            if self._sound(bool(pending)) and not pending:
                found, seen = self._differing(set(), only), len(self._files[1])
                if not found:
                    return Refreshed(seen=seen)
                if seen and not wait and len(found) > MOST_WAITED_FOR and self.hurried():
                    return Refreshed(seen=seen, behind=len(found))
        with self._vault.lock.sidecar("refresh"):
            with self._guard:
                manifest = self.manifest
                pending = manifest.pending()
                if not self._sound(bool(pending)):
                    self._forget_keyword("its keyword index was damaged")
                    pending, only = set(), None
                found = self._differing(pending, only)
                known = self._files[1]
            done = Refreshed()
            label = manifest.next_label()
            gathered = gather(
                self._vault, found, known, pending, label, done, manifest.chunks_of, progress
            )
            self._write(gathered, bool(pending), progress)
            done.seen = len(self._files[1])
            done.rebuilt, self._why = self._why, ""
            self._shrunk = done.shrunk or self._shrunk
            swept(self._folder, manifest)
            return done

    def _believed(self) -> bool:
        """Return whether a look can wait: nothing has changed, or git changes everything now."""
        return self.vouched() or writing(self._vault.root, time.time())

    def _differing(self, pending: set[str], only: Collection[str] | None) -> list[Change]:
        from vaultmem.sidecar.refresh import changes

        manifest = self.manifest
        generation = manifest.generation
        if self._files[0] != generation:
            self._files = (generation, manifest.files())
        known = self._files[1]
        if only is None or pending:
            return list(changes(self._vault.scan().notes, known, pending))
        looked = {path: stat for path in only if (stat := self._vault.stat(path))}
        return list(changes(looked, {path: known[path] for path in only if path in known}, set()))

    def _write(self, gathered: Gathered, pending: bool, progress: Progress | None) -> None:
        """Replace what both the keyword index and the manifest hold; the manifest comes last."""
        from vaultmem.sidecar.refresh import moves

        manifest, before, paths = self.manifest, self._snapshot, gathered.paths
        if gathered.same:
            manifest.restat(gathered.same)
        if paths:
            if progress:
                progress(len(paths), len(paths), "indexing")
            folder = self._folder / "keyword"
            with self._guard:
                keyword = self._index()
            seal = sealed(folder, keyword.generation, manifest.meta("keyword"))
            manifest.announce(paths, gathered.label, seal)
            if gathered.docs or pending or manifest.any_chunks(gathered.anew):
                keyword.replace(gathered.anew, gathered.docs)
                seal = sealed(folder, keyword.generation, seal)
            fresh = before is not None and before.generation == manifest.generation
            moved = moves(gathered, self._files[1])
            if moved:
                self.moved(moved)
            manifest.apply(gathered.gone, gathered.reads, seal)
            if before is not None and fresh:
                chunks = [chunk for read in gathered.reads for chunk in read.chunks]
                facts = [read.facts for read in gathered.reads]
                self._snapshot = changed(before, manifest.generation, gathered.gone, facts, chunks)
        gone = set(gathered.gone)
        files = {path: kept for path, kept in self._files[1].items() if path not in gone}
        files |= {r.facts.path: Indexed(r.stat, r.settled, r.facts.hash) for r in gathered.reads}
        for path, (stat, old_enough) in gathered.same.items():
            files[path] = Indexed(stat, old_enough, files[path].hash)
        self._files = (manifest.generation, files)

    def losses(self) -> str:
        """Return one line if the last refreshes lost more than a fifth of all notes; only once."""
        said, self._shrunk = self._shrunk, ""
        return said

    def keyword(
        self, query: list[str], allowed: Allowed | None, among: Allowed | None = None
    ) -> Tally:
        """Return what every note that is allowed scores for some terms, weighed `among` others.

        Raises:
            Rebuilt: the index was damaged and has been made anew; ask again with new labels.
        """
        return self._asked(lambda index: index.tally(query, allowed, among))

    def holding(self, term: str) -> set[int]:
        """Return the labels of the passages that hold a term; raises as `keyword` does."""
        return self._asked(lambda index: index.holding(term))

    def _asked(self, question: Callable[[KeywordIndex], Found]) -> Found:
        """Return what the keyword index answers; a damaged one is made anew."""
        with self._guard:
            try:
                return question(self._index())
            except Exception as error:  # a damaged index raises any of seven kinds
                damage = error
        self.mend(damage)
        self.refresh()
        raise Rebuilt

    def purge(self) -> None:
        """Leave no byte of what was forgotten in any file of the sidecar."""
        manifest = self.manifest
        with self._vault.lock.sidecar("erase"), self._guard:
            try:
                self._index().purge()
                generation = self._index().generation
                manifest.set_meta(keyword=sealed(self._folder / "keyword", generation))
            except Exception:  # a damaged index raises any of seven kinds
                self._forget_keyword("its keyword index was damaged")
            for path in self._folder.glob("vectors-*.bin"):
                path.unlink(missing_ok=True)
            manifest.purge()
