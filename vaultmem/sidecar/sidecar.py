"""The sidecar as one thing: open it, make it equal to the vault, search it, prove it.

Whatever is wrong with its files, it is thrown away and made anew from the notes.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.sidecar.manifest import SCHEMA, Chunk, Indexed, Manifest, Read
from vaultmem.sidecar.snapshot import Snapshot, changed
from vaultmem.sidecar.sweep import swept
from vaultmem.vault.store import Vault
from vaultmem.words.errors import VaultmemError

if TYPE_CHECKING:
    from vaultmem.sidecar.keyword import Doc, KeywordIndex
    from vaultmem.sidecar.refresh import Change, Refreshed
    from vaultmem.sidecar.seams import Scored

Progress = Callable[[int, int, str], None]
ANALYSIS = 1
"""Counts the changes of how text becomes terms and passages; another number means rebuild."""


class Rebuilt(Exception):
    """The indexes were made anew in the middle of a question, so labels mean other passages."""


class Sidecar:
    """Both indexes and their manifest. Safe between threads and processes."""

    def __init__(self, folder: Path, vault: Vault) -> None:
        self._folder = folder
        self._vault = vault
        self._guard = threading.RLock()
        self._manifest: Manifest | None = None
        self._keyword: KeywordIndex | None = None
        self._snapshot: Snapshot | None = None
        self._files: tuple[int, dict[str, Indexed]] = (-1, {})
        self._why = ""
        self.vouched: Callable[[], bool] = lambda: False
        """Whether somebody knows that the sidecar is as new as the vault."""

    @property
    def manifest(self) -> Manifest:
        """The open manifest; a damaged or foreign one is thrown away first."""
        if self._manifest is None:
            with self._vault.lock.sidecar("open"), self._guard:
                self._manifest = self._manifest or self._opened()
        return self._manifest

    @property
    def _version(self) -> str:
        config = self._vault.config
        templates = self._vault.layout.templates
        return f"{SCHEMA}.{ANALYSIS}|{config.home}|{config.own_notes}|{templates}"

    def _opened(self) -> Manifest:
        path = self._folder / "manifest.db"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            manifest = Manifest(path)
            found = manifest.meta("version")
            if not found or found == self._version:
                manifest.set_meta(version=self._version)
                return manifest
            self._why = "its settings or its version changed"
            manifest.close()
        except (sqlite3.Error, ValueError):
            self._why = "its manifest was damaged"
        self._wipe()
        manifest = Manifest(path)
        manifest.set_meta(version=self._version)
        return manifest

    def _wipe(self) -> None:
        """Throw away every file of the sidecar."""
        for item in self._folder.iterdir():
            if item.is_dir() and not item.is_symlink():
                shutil.rmtree(item, ignore_errors=True)
            else:
                item.unlink(missing_ok=True)
        self._keyword = self._snapshot = None

    def _index(self) -> KeywordIndex:
        """Return the open keyword index, made if there is none; damage raises."""
        from vaultmem.sidecar.keyword import KeywordIndex

        if self._keyword is None:
            self._keyword = KeywordIndex(self._folder / "keyword")
        return self._keyword

    def _sound(self) -> bool:
        """Return whether the keyword index can be read and is the one the manifest knows."""
        manifest = self.manifest
        known, pending = manifest.meta("keyword"), manifest.pending()
        if not known:
            return not (self._folder / "keyword").exists() or bool(pending)
        try:
            return bool(pending) or str(self._index().generation) == known
        except Exception:  # a damaged index raises any of seven kinds
            return False

    def _forget_keyword(self) -> None:
        """Throw away the keyword index, and the memory that anything was indexed."""
        from vaultmem.sidecar.keyword import KeywordIndex

        self._why = self._why or "its keyword index was damaged"
        self._keyword = self._snapshot = None
        KeywordIndex.wipe(self._folder / "keyword")
        self.manifest.clear()

    @property
    def snapshot(self) -> Snapshot:
        """What the sidecar knows now."""
        manifest = self.manifest
        with self._guard:
            generation = manifest.generation
            if self._snapshot is None or self._snapshot.generation != generation:
                chunks = {chunk.label: chunk for chunk in manifest.chunks()}
                facts = manifest.facts()
                self._snapshot = Snapshot(generation, facts, chunks, self._vault.layout)
            return self._snapshot

    def refresh(self, progress: Progress | None = None, *, trust: bool = False) -> Refreshed:
        """Make the sidecar equal to the vault and return what that took.

        With `trust`, nothing is looked at while a watcher vouches that nothing has changed.

        Raises:
            NoVault: the vault has vanished; nothing is forgotten then. Busy, DiskFailed.
        """
        from vaultmem.sidecar.refresh import Refreshed

        self._vault.check()
        manifest = self.manifest
        with self._guard:
            if trust and self._snapshot is not None and self.vouched():
                return Refreshed(seen=len(self._snapshot.facts))
            if self._sound() and not self._differing() and not manifest.pending():
                return Refreshed(seen=len(self._files[1]))
        with self._vault.lock.sidecar("refresh"), self._guard:
            if not self._sound():
                self._forget_keyword()
            done = self._carried_out(self._differing(), progress)
            done.rebuilt, self._why = self._why, ""
            swept(self._folder, self.manifest)
            return done

    def _differing(self) -> list[Change]:
        from vaultmem.sidecar.refresh import changes

        manifest = self.manifest
        generation = manifest.generation
        if self._files[0] != generation:
            self._files = (generation, manifest.files())
        on_disk = self._vault.scan().notes
        return list(changes(on_disk, self._files[1], manifest.pending()))

    def _carried_out(self, found: list[Change], progress: Progress | None) -> Refreshed:
        from vaultmem.sidecar.refresh import Kind, Refreshed, read_one, settled

        manifest, result = self.manifest, Refreshed()
        label = manifest.next_label()
        gone = [change.path for change in found if change.kind == Kind.GONE]
        reads: list[Read] = []
        docs: list[Doc] = []
        same = {}
        pending = manifest.pending()
        for number, change in enumerate(found):
            if progress:
                progress(number, len(found), "reading")
            if change.kind == Kind.GONE:
                continue
            item = read_one(self._vault, change, label)
            if item is None:
                continue
            if isinstance(item, VaultmemError):
                result.unreadable[change.path] = str(item)
                continue
            read, made = item
            known = self._files[1].get(change.path)
            if (
                known
                and known.hash == read.facts.hash
                and read.facts.hash
                and change.path not in pending
            ):
                same[change.path] = (read.stat, settled(read.stat, time.time_ns()))
                continue
            reads.append(read)
            docs += made
            label += len(read.chunks)
            result.new += change.kind == Kind.NEW
            result.changed += change.kind == Kind.CHANGED
        result.gone = len(gone)
        result.paths = [*gone, *(read.facts.path for read in reads)]
        if same:
            manifest.restat(same)
        if result.paths or pending:
            self._indexed(gone, reads, docs, label, progress)
        self._files = (manifest.generation, manifest.files())
        result.seen = len(self._files[1])
        return result

    def _indexed(
        self,
        gone: list[str],
        reads: list[Read],
        docs: list[Doc],
        label: int,
        progress: Progress | None,
    ) -> None:
        """Replace what both the keyword index and the manifest hold; the manifest comes last."""
        paths = [*gone, *(read.facts.path for read in reads)]
        if progress:
            progress(len(paths), len(paths), "indexing")
        before, manifest = self._snapshot, self.manifest
        fresh = before is not None and before.generation == manifest.generation
        manifest.announce(paths)
        keyword = self._index()
        keyword.replace(paths, docs)
        manifest.apply(gone, reads, label, str(keyword.generation))
        if before is not None and fresh:
            chunks: list[Chunk] = [chunk for read in reads for chunk in read.chunks]
            facts = [read.facts for read in reads]
            self._snapshot = changed(before, manifest.generation, gone, facts, chunks)

    def keyword(
        self, query: list[str], allowed: Collection[int] | None, limit: int
    ) -> list[Scored]:
        """Return the passages that hold the terms, best first.

        Raises:
            Rebuilt: the index was damaged and has been made anew; ask again with new labels.
        """
        with self._guard:
            if not self.snapshot.chunks:
                return []
            try:
                return self._index().search(query, allowed, limit)
            except Exception:  # a damaged index raises any of seven kinds
                self._why = "its keyword index was damaged"
        self.rebuild()
        self.refresh()
        raise Rebuilt

    def ceiling(self, query: list[str]) -> float:
        """Return the highest score that a passage could reach for some terms."""
        with self._guard:
            return self._index().ceiling(query) if self.snapshot.chunks else 0.0

    def keyword_index(self) -> KeywordIndex:
        """Return the keyword index, for proofs."""
        return self._index()

    def rebuild(self) -> None:
        """Forget all that was indexed, so that the next refresh reads everything anew."""
        manifest = self.manifest
        with self._vault.lock.sidecar("rebuild"), self._guard:
            self._why = self._why or "you asked for it"
            manifest.set_meta(keyword="")
            self._forget_keyword()

    def purge(self) -> None:
        """Leave no byte of what was forgotten in any file of the sidecar."""
        with self._vault.lock.sidecar("erase"), self._guard:
            keyword = self._index()
            keyword.purge()
            self.manifest.set_meta(keyword=str(keyword.generation))
            for path in self._folder.glob("vectors-*.bin"):
                path.unlink(missing_ok=True)
            self.manifest.purge()

    def close(self) -> None:
        """Let go of the files."""
        with self._guard:
            if self._keyword is not None:
                self._keyword.close()
            if self._manifest is not None:
                self._manifest.close()
            self._keyword = self._manifest = self._snapshot = None
