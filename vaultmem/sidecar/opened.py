"""The files of the sidecar: opened when they are whole, thrown away when they are not."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.sidecar.database import Damaged, removed
from vaultmem.sidecar.manifest import SCHEMA, Indexed, Manifest
from vaultmem.sidecar.seal import generation_in, generation_of, intact
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault.store import Vault
from vaultmem.words.errors import DiskFailed

if TYPE_CHECKING:
    from vaultmem.sidecar.keyword import KeywordIndex

ANALYSIS = 7
"""Counts the changes of how text becomes terms and passages; another number means rebuild."""


class Opened:
    """The manifest and the keyword index of one sidecar, and what is known of them in memory.

    The vault's lock is taken before `_guard`, never inside of it. The lock is for writing files,
    the guard for what this process holds in memory, so readers never wait for a long refresh.
    """

    def __init__(self, folder: Path, vault: Vault) -> None:
        self._folder = folder
        self._vault = vault
        self._guard = threading.RLock()
        self._manifest: Manifest | None = None
        self._keyword: KeywordIndex | None = None
        self._snapshot: Snapshot | None = None
        self._files: tuple[int, dict[str, Indexed]] = (-1, {})
        self._why = ""
        """Why everything has to be read anew, empty if it has not."""

    @property
    def manifest(self) -> Manifest:
        """The open manifest; a damaged or foreign one is thrown away first."""
        manifest = self._manifest
        if manifest is None:
            with self._vault.lock.sidecar("open"), self._guard:
                manifest = self._manifest = self._manifest or self._opened()
        return manifest

    @property
    def _version(self) -> str:
        config = self._vault.config
        templates = self._vault.layout.templates
        return f"{SCHEMA}.{ANALYSIS}|{config.home}|{config.own_notes}|{templates}|{config.id}"

    def _opened(self) -> Manifest:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            manifest = Manifest(self._folder / "manifest.db")
            found = manifest.meta("version")
        except Damaged:
            self._wipe("its manifest was damaged")
            return self._opened()
        if found and not found.startswith(f"{SCHEMA}."):
            manifest.close()
            self._wipe("its version changed")
            return self._opened()
        if found != self._version:
            if found:
                ours = found.endswith(f"|{self._vault.config.id}")
                changed = "its settings or its version changed"
                self._why = changed if ours else "it was another vault's"
                manifest.clear()
            manifest.set_meta(version=self._version)
        return manifest

    def _wipe(self, why: str) -> None:
        """Throw away every file of the sidecar."""
        self._why = self._why or why
        self._let_go()
        for item in self._folder.iterdir():
            removed(item)

    def _let_go(self) -> None:
        """Close whatever is open."""
        for opened in (self._keyword, self._manifest):
            with suppress(Exception):  # a damaged index may not even close
                if opened is not None:
                    opened.close()
        self._keyword = self._manifest = self._snapshot = None
        self._files = (-1, {})

    def _index(self) -> KeywordIndex:
        """Return the open keyword index, made if there is none; damage raises."""
        from vaultmem.sidecar.keyword import KeywordIndex

        if self._keyword is None:
            self._keyword = KeywordIndex(self._folder / "keyword")
        return self._keyword

    def _sound(self, pending: bool) -> bool:
        """Return whether the keyword index is the one the manifest knows, byte for byte.

        A refresh that ended between its two commits left it one generation ahead. Nothing is
        opened here: Whoosh believes whatever stands in its files.
        """
        folder, known = self._folder / "keyword", self.manifest.meta("keyword")
        if not known or not folder.is_dir():
            return not known and not folder.exists()
        expected, found = generation_in(known), generation_of(folder)
        return intact(folder, known) if found == expected else pending and found == expected + 1

    def _forget_keyword(self, why: str) -> None:
        """Throw away the keyword index, and the memory that anything was indexed."""
        from vaultmem.sidecar.keyword import KeywordIndex

        self._why = self._why or why
        with suppress(Exception):  # a damaged index may not even close
            if self._keyword is not None:
                self._keyword.close()
        self._keyword = self._snapshot = None
        KeywordIndex.wipe(self._folder / "keyword")
        self.manifest.clear()

    def mend(self, error: Exception) -> None:
        """Throw away what an error shows to be damaged; one of the disk's is said instead."""
        if isinstance(error, OSError) and error.errno in DiskFailed.ADVICE:
            raise DiskFailed(self._folder, error) from error
        self._vault.check()
        with self._vault.lock.sidecar("mend"), self._guard:
            try:
                if not isinstance(error, Damaged):
                    self._forget_keyword("its keyword index was damaged")
                    return
            except Damaged:
                pass
            self._wipe("its manifest was damaged")

    def whole(self) -> bool:
        """Return whether every file of the keyword index is the one that was written."""
        return intact(self._folder / "keyword", self.manifest.meta("keyword"), thorough=True)

    def keyword_index(self) -> KeywordIndex:
        """Return the keyword index, for proofs."""
        return self._index()

    def rebuild(self) -> None:
        """Forget all that was indexed, so that the next refresh reads everything anew."""
        self._vault.check()
        with self._vault.lock.sidecar("rebuild"), self._guard:
            self._why = "you asked for it"
            try:
                self._forget_keyword(self._why)
            except Damaged:
                self._wipe(self._why)

    def close(self) -> None:
        """Let go of the files."""
        with self._guard:
            self._let_go()
