"""Letting go: into the trash and back, or for good."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from vaultmem.vault import files
from vaultmem.vault.repository import committed
from vaultmem.verbs.inbox import WAITING
from vaultmem.verbs.memorize import announced, writable
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.remember import answered
from vaultmem.words.entry import name
from vaultmem.words.errors import AlreadyThere, BadInput, DiskFailed, NotFound, VaultmemError
from vaultmem.words.frontmatter import patched, split
from vaultmem.words.layout import TRASH, Role, scope_of
from vaultmem.words.note import Note, digest, parse
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


@dataclass(frozen=True)
class Erased:
    """A note that is gone for good, and where its text may still be."""

    title: str
    path: str
    left: tuple[str, ...]


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


def restore(parts: Parts, ref: str) -> str:
    """Bring a note back from the trash to where it was, and return its path.

    Raises:
        NotFound: the trash holds no such note. AlreadyThere: its old name is taken.
    """
    vault = parts.vault
    parts.sidecar.refresh()
    with vault.lock.vault("restore"):
        trashed = _in_trash(parts, ref)
        data = vault.data(trashed)
        note = parse(trashed, data)
        path, scope = _home(parts, note)
        if vault.exists(path):
            raise AlreadyThere(path)
        parts.ledger.trashed(trashed, path)
        divided = split(data)
        candidate = vault.layout.role(path) == Role.CANDIDATE
        key = "rejected" if candidate else "scope"
        if divided.opening and note.text(key):
            vault.replace(trashed, patched(divided, key, None).join(), seen=digest(data))
        files.move(vault.root, trashed, path)
        parts.ledger.untrashed(trashed)
        announced(parts, scope, "restored", path, note.title)
    return path


def _home(parts: Parts, note: Note) -> tuple[str, str]:
    """Return where a note in the trash belongs: its path and its scope.

    That is where it came from, if that is known here and still of the scope that the note states;
    a candidate waits in the inbox again.
    """
    vault, said = parts.vault, note.text("scope")
    origin = parts.ledger.origin(note.path)
    waited = note.status in WAITING and bool(note.text("seen"))
    if waited or (origin and vault.layout.role(origin) == Role.CANDIDATE):
        inbox = vault.layout.inbox(name(note.text("agent") or "agent", "an agent"))
        known = origin and vault.layout.role(origin) == Role.CANDIDATE
        path = origin if origin and known else vault.free_path(inbox, note.title)
        return path, parts.scope(said)
    before = scope_of(origin, vault.scope_folders()) if origin else GLOBAL
    scope = parts.scope(said) if said else before
    folder = vault.made_scope_folder(scope)
    if origin and before == scope:
        return origin, scope
    return vault.free_path(folder, note.title), scope


def _in_trash(parts: Parts, ref: str) -> str:
    """Return the path of a note in the trash, by its id, path, file name or title."""
    folder = parts.vault.root / TRASH
    for item in sorted(folder.glob("*.md"), key=lambda p: p.stat().st_ctime_ns, reverse=True):
        path = f"{TRASH}/{item.name}"
        note = parts.vault.read(path)
        if ref.strip() in (note.id, path, item.name, item.stem, note.title):
            return path
    raise NotFound(f"note {ref!r} in the trash", f"Look into the folder {TRASH} of the vault.")


def erase(parts: Parts, ref: str) -> Erased:
    """Remove a note, in its place or in the trash, for good, and from every derived place.

    What cannot be reached is named in the answer: git's history, entries of the live log.
    """
    vault = parts.vault
    parts.sidecar.refresh()
    with vault.lock.vault("erase"):
        path = _erasable(parts, ref)
        note = vault.read(path)
        origin = parts.ledger.origin(path) or path
        left = _elsewhere(parts, origin, note.title)
        snapshot = parts.sidecar.snapshot
        mine = note.id and snapshot.owners.get(note.id, path) == path
        parts.ledger.unused([origin, *([note.id] if mine else [])])
        files.remove(vault.root, path, seen=note.hash)
        parts.ledger.untrashed(path)
        scope = snapshot.scope(path) if path in snapshot.facts else None
        parts.sidecar.refresh()
        parts.sidecar.purge()
        if scope is not None:
            announced(parts, scope, "erased", path, "a note")
    return Erased(note.title, path, tuple(left))


def _erasable(parts: Parts, ref: str) -> str:
    """Return the path of a note in its place or in the trash.

    Where there is none, an erasure may have been cut short, so the sidecar is purged all the same.
    """
    try:
        return writable(parts, ref)
    except NotFound:
        try:
            return _in_trash(parts, ref)
        except NotFound:
            parts.sidecar.purge()
            raise


def _elsewhere(parts: Parts, path: str, title: str) -> list[str]:
    """Return the places that may still hold the text of a note and that we never change."""
    found = []
    if committed(parts.vault.root, path) is not None:
        found.append(f"git history of {path}: see `git filter-repo --invert-paths --path {path}`")
    naming = (
        log for log in parts.log.months() if any(title in line for line in parts.log.lines(log))
    )
    return [*found, *(f"{log}: entries that name its title" for log in naming)]
