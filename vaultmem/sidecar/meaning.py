"""Search by meaning: which passages have vectors, and which lie near a question."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from vaultmem.sidecar.database import Damaged, removed
from vaultmem.sidecar.idle import give_back
from vaultmem.sidecar.manifest import Chunk, Manifest
from vaultmem.sidecar.reading import cut, embedded, hash_of
from vaultmem.sidecar.vectors import Row, VectorIndex
from vaultmem.vault.store import Vault
from vaultmem.words.errors import VaultmemError
from vaultmem.words.facts import Facts

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed, Embedder, Scored, Vectors
    from vaultmem.sidecar.sidecar import Progress, Sidecar

Item = TypeVar("Item")
NOT_LOADED = (-1, -1)
ROWS = 4096
"""Vectors read from the manifest at once."""
AT_ONCE = 256
"""Passages embedded between two writes: what a crash may cost."""
READ_AT_ONCE = 4096
"""Passages whose texts are read and put in order of length together: equal ones pad little."""


class Meaning:
    """The vector leg: embeds what is missing, searches what is there. Safe between threads."""

    def __init__(self, folder: Path, vault: Vault, sidecar: Sidecar, model: Embedder) -> None:
        self._folder = folder
        self._vault = vault
        self._sidecar = sidecar
        self._model = model
        self._lock = threading.RLock()
        self._manifest: Manifest | None = None
        self._state = NOT_LOADED
        self._looked: tuple[object, list[Chunk]] = (None, [])
        """What had no vector, and in which state that was."""
        self._index = VectorIndex(model.dimension)
        self._read: tuple[tuple[str, ...], list[Vectors | None]] = ((), [])
        """The texts that `vectors` was asked for last, and their vectors."""
        self._waiting: list[int] = []
        """The passages that had no vector when the index was last brought up to date."""

    @property
    def model(self) -> Embedder:
        """The model in use."""
        return self._model

    @property
    def at_once(self) -> int:
        """How many passages are embedded between two writes; few for a slow model."""
        return int(getattr(self._model, "at_once", AT_ONCE))

    def missing(self) -> int:
        """Return how many passages have no vector yet."""
        return len(self._missing())

    def _missing(self) -> list[Chunk]:
        """Return the passages without a vector, looked for once after every change."""
        manifest = self._sidecar.manifest
        known, found = (manifest, manifest.vector_state), self._looked
        if found[0] != known:
            model, loaded = self._model, manifest is self._manifest
            lacking = (
                self._lacking(manifest) if loaded else manifest.missing(model.name, model.dimension)
            )
            found = self._looked = known, lacking
        return found[1]

    def _lacking(self, manifest: Manifest) -> list[Chunk]:
        """Return the passages of which the loaded vectors hold nothing, by path."""
        chunks = self._sidecar.snapshot.chunks
        with self._lock:
            self._loaded(manifest)
        found = [chunks[label] for label in self._waiting if label in chunks]
        return sorted(found, key=lambda chunk: (chunk.path, chunk.label))

    def unreadable(self) -> int:
        """Return how many notes hold a passage that the model cannot read."""
        return self._sidecar.manifest.unreadable(self._model.name)

    def embed(self, limit: int | None = None, progress: Progress | None = None) -> int:
        """Embed what is missing, up to `limit` passages, and return how many stay missing.

        Raises:
            ModelMissing: the model is not there. Busy, DiskFailed.
        """
        try:
            return self._embed(limit, progress)
        except Damaged as error:
            self._sidecar.mend(error)
        self._sidecar.refresh()
        return self._embed(limit, progress)

    def _embed(self, limit: int | None, progress: Progress | None) -> int:
        found = self._missing()
        if not found:
            if self._graph_lost():
                self.save()
            return 0
        chosen = found if limit is None else found[:limit]
        done = 0
        for read in _groups(chosen, READ_AT_ONCE):
            texts = sorted(self._texts(read).items(), key=lambda item: len(item[1]))
            for group in _groups(texts, self.at_once):
                hashes, wanted = zip(*group, strict=True)
                vectors = self._model.passages(wanted)
                self._keep(dict(zip(hashes, vectors, strict=True)))
                done += len(group)
                if progress:
                    progress(done, len(chosen), "embedding")
        if chosen:
            self.save()
        return len(found) - len(chosen)

    def _texts(self, chunks: Sequence[Chunk]) -> dict[str, str]:
        """Return the text to embed of each passage, by its hash, read from the notes."""
        wanted = {chunk.text_hash for chunk in chunks}
        known = self._sidecar.snapshot.facts
        found = {}
        for path in dict.fromkeys(chunk.path for chunk in chunks if chunk.path in known):
            for text in self._embedded(known[path]):
                text_hash = hash_of(text)
                if text_hash in wanted:
                    found[text_hash] = text
        return found

    def _embedded(self, facts: Facts) -> list[str]:
        try:
            note = self._vault.read(facts.path)
        except VaultmemError:
            return []
        return [embedded(facts, note, passage) for passage, _ in cut(note, facts)]

    def vectors(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Return the unit vector of each text, None where the model cannot read it.

        They are kept, so that a note which is then written with such a text costs no embedding.

        Raises:
            ModelMissing: the model is not there. Busy, DiskFailed.
        """
        before, found = self._read
        if before != tuple(texts):
            found = self._model.passages(texts)
            self._keep(dict(zip(map(hash_of, texts), found, strict=True)))
            self._read = tuple(texts), found
        return found

    def _keep(self, vectors: Mapping[str, Vectors | None]) -> None:
        """Write down the vectors of some texts, by their hashes."""
        packed = {
            k: None if v is None else v.astype(np.float16).tobytes() for k, v in vectors.items()
        }
        with self._vault.lock.sidecar("embed"):
            self._sidecar.manifest.embed(self._model.name, packed, _today())

    def search(
        self, query: Vectors, allowed: Allowed | Collection[int] | None, limit: int
    ) -> list[Scored]:
        """Return the passages nearest to a question's vector, by cosine, best first."""
        manifest = self._sidecar.manifest
        with self._lock:
            self._loaded(manifest)
            return self._index.search(query, allowed, limit)

    def scores(self, query: Vectors, labels: Sequence[int]) -> dict[int, float]:
        """Return the cosine of given passages as the last search saw them, if they have one."""
        with self._lock:
            return self._index.scores(query, labels)

    def alike(self, labels: Sequence[int]) -> Callable[[int], Vectors]:
        """Return what tells the cosines of some passages with the one at a place among them, by
        the last search; a cosine is nan where one of the two has no vector.
        """
        with self._lock:
            return self._index.alike(labels)

    def known(self, labels: Sequence[int]) -> dict[int, Vectors | None]:
        """Return the vector of those of some passages that are embedded, None if unreadable."""
        groups = _groups(labels, ROWS)
        rows = (self._sidecar.manifest.vectors(self._model.name, group) for group in groups)
        return {
            label: None if data is None else np.frombuffer(data, np.float16).astype(np.float32)
            for group in rows
            for label, data in group
        }

    @property
    def labels(self) -> set[int]:
        """The label of every passage that has a vector."""
        manifest = self._sidecar.manifest
        with self._lock:
            self._loaded(manifest)
            return self._index.labels

    def _loaded(self, manifest: Manifest) -> None:
        """Take the vectors that the manifest holds now; in another manifest labels mean others."""
        known = self._index.dimension == self._model.dimension
        if manifest is not self._manifest or not known:
            self._index = VectorIndex(self._model.dimension)
            self._manifest, self._state = manifest, NOT_LOADED
            self._opened(manifest)
        state = manifest.vector_state
        if state != self._state:
            labels = manifest.labels()
            lacking = self._index.lacking(labels)
            groups = _groups(lacking, ROWS)
            rows = (self._vectors_of(manifest, group) for group in groups)
            self._index.update(labels, rows)
            self._waiting = self._index.lacking(labels) if lacking else []
            self._state = state
            if len(groups) > 1:
                give_back()

    def _vectors_of(self, manifest: Manifest, labels: Sequence[int]) -> list[Row]:
        """Return the vectors of some passages; a damaged one is forgotten, to be made anew."""
        rows = manifest.vectors(self._model.name, labels)
        bad = [label for label, data in rows if data is not None and not self._index.holds(data)]
        if not bad:
            return rows
        manifest.unembed(self._model.name, bad)
        return manifest.vectors(self._model.name, labels)

    def _opened(self, manifest: Manifest) -> None:
        """Load the graph that the manifest names; a file that is not the one written goes."""
        try:
            named = json.loads(manifest.meta("graph", "{}"))
            labels = frozenset(int(label) for label in named["labels"])
            path = self._folder / Path(str(named["file"])).name
            if named["model"] != self._model.name or not self._model.dimension:
                return
            if not self._index.open(path, str(named["digest"]), labels):
                removed(path)
        except (ValueError, KeyError, TypeError):
            return

    def _graph_lost(self) -> bool:
        """Return whether the manifest names a graph whose file is gone."""
        try:
            name = json.loads(self._sidecar.manifest.meta("graph", "{}")).get("file", "")
        except (ValueError, AttributeError):
            return True
        return bool(name) and not (self._folder / Path(str(name)).name).is_file()

    def save(self) -> None:
        """Write the graph anew if it lacks too much. Without one exact search serves."""
        manifest = self._sidecar.manifest
        with self._vault.lock.sidecar("vectors"):
            with self._lock:
                self._loaded(manifest)
                index = self._index
            if not index.stale():
                return
            path = self._folder / f"vectors-{'-'.join(map(str, manifest.vector_state))}.bin"
            try:
                graph = index.write(path)
            except (ImportError, OSError, RuntimeError):  # no hnswlib, or no room for its file
                return
            with self._lock:
                index.adopt(graph)
            named: dict[str, object] = {"file": path.name, "model": self._model.name}
            named |= {"digest": graph.digest, "labels": sorted(graph.labels)}
            manifest.set_meta(graph=json.dumps(named))
            for old in self._folder.glob("vectors-*"):
                if old.name != path.name:
                    removed(old)


def _groups(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    return [items[i : i + size] for i in range(0, len(items), size)]


def _today() -> int:
    return int(time.time() // 86_400)
