"""Letting go: into the trash and back, or for good."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from vaultmem.vault import files
from vaultmem.verbs.memorize import announced, writable
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.remember import answered
from vaultmem.words.errors import BadInput, DiskFailed, VaultmemError
from vaultmem.words.frontmatter import patched, split
from vaultmem.words.note import digest
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL


@dataclass(frozen=True)
class Listed:
    """A note that would go."""

    id: str
    title: str
    path: str


@dataclass(frozen=True)
class Forgotten:
    """A note that went, and what brings it back."""

    id: str
    title: str
    path: str
    trash: str

    @property
    def restore(self) -> str:
        """The command that brings it back."""
        return f"vaultmem restore {self.id}"


def matching(parts: Parts, question: Question) -> list[Listed]:
    """Return the memories that a query finds and this caller may forget. Nothing is changed."""
    found = []
    for hit in answered(parts, question).hits:
        try:
            path = writable(parts, hit.path)
        except VaultmemError:
            continue
        found.append(Listed(hit.id, hit.title, path))
    return found


def forget(parts: Parts, refs: Sequence[str]) -> list[Forgotten]:
    """Move memories into the trash, all of them or none if one cannot be moved.

    Raises:
        BadInput: none is named. NotFound, Ambiguous, Refused: see `writable`.
    """
    if not refs:
        raise BadInput("Name at least one memory to forget.")
    parts.sidecar.refresh()
    paths = list(dict.fromkeys(writable(parts, ref) for ref in refs))
    with parts.vault.lock.vault("forget"):
        return [_trashed(parts, path) for path in paths]


def _trashed(parts: Parts, path: str) -> Forgotten:
    vault, snapshot = parts.vault, parts.sidecar.snapshot
    facts, scope = snapshot.facts[path], snapshot.scope(path) or GLOBAL
    to = vault.trash_path(path)
    called = snapshot.called(path)
    parts.ledger.trashed(to, path)
    files.move(vault.root, path, to)
    with suppress(DiskFailed):  # the note is in the trash, and its uses harm nobody
        parts.ledger.unused([called])
    _labelled(parts, to, scope)
    announced(parts, scope, "forgot", path, facts.title)
    return Forgotten(called if called != path else to, facts.title, path, to)


def _labelled(parts: Parts, path: str, scope: str) -> None:
    """Say in the trashed note which scope it came from, where its properties allow it."""
    data = parts.vault.data(path)
    divided = split(data)
    if not divided.opening:
        return
    try:
        labelled = patched(divided, "scope", scope or "global").join()
    except VaultmemError:
        return
    parts.vault.replace(path, labelled, seen=digest(data))
