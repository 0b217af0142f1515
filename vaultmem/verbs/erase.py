"""Letting go for good: the note, what is derived from it, and word of where it may still be."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from vaultmem.vault import files
from vaultmem.vault.repository import committed
from vaultmem.verbs.choosing import found
from vaultmem.verbs.knowledge import places
from vaultmem.verbs.memorize import announced, writable
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.restore import in_trash, returned
from vaultmem.words import graves
from vaultmem.words.errors import NotFound, Refused, VaultmemError
from vaultmem.words.layout import TRASH, Role
from vaultmem.words.note import LARGEST, Note

TELLING = 20
"""Bytes of a line by which a text is known elsewhere; a shorter one may be anybody's."""
LOOKED_FOR = 5
"""Lines of a text that are looked for, the longest ones."""
SNAPSHOTS = "Obsidian's own snapshots (File recovery in its settings), if it had the note open"
_FOREIGN = (Role.KNOWLEDGE, Role.DETAIL)


@dataclass(frozen=True)
class Erased:
    """A note that is gone for good, and where its text may still be."""

    title: str
    path: str
    left: tuple[str, ...]
    """Places that we never change, or cannot reach, and what may be done about them."""
    also: tuple[str, ...] = ()
    """What sessions had stored that held the same text, and that went with it."""


def erase(parts: Parts, ref: str) -> Erased:
    """Remove a note, in its place or in the trash, for good, and from every derived place.

    A memory, a candidate, an outside document or the detail of a log entry. If something brings
    it back, it is not searched until a person has decided. What cannot be reached is named in the
    answer: git's history, other copies in the vault, notes that quote it, entries of the live log.

    Raises:
        NotFound, Ambiguous: see `found`. Refused: it is another kind of note.
    """
    parts.sidecar.refresh()
    with parts.vault.lock.vault("erase"):
        place, path = _erasable(parts, ref)
        vault, snapshot = place.vault, place.sidecar.snapshot
        note = vault.read(path)
        origin = parts.ledger.origin(path) or path
        left = [*_elsewhere(parts, origin, note)] if vault is parts.vault else []
        mine = bool(note.id) and snapshot.owners.get(note.id, path) == path
        parts.ledger.unused([origin, path, *([note.id] if mine else [])])
        scope = snapshot.scope(path) if path in snapshot.facts else None
        files.remove(vault.root, path, seen=note.hash)
        named = mine or not note.id
        parts.ledger.bury(graves.buried(replace(note, path=origin), named=named))
        also = tuple(_sessions(parts, _telling(note)))
        _purged(parts)
        if scope is not None and vault is parts.vault:
            announced(parts, scope, "erased", path, "a note")
    return Erased(note.title, path, tuple(left), also)


def _purged(parts: Parts) -> None:
    """Leave no byte of what is gone in any index, the shelf's among them."""
    for place in parts.with_shelf():
        place.sidecar.refresh()
        place.sidecar.purge()


def _erasable(parts: Parts, ref: str) -> tuple[Parts, str]:
    """Return a note to be erased, and the place that it lies in.

    Where there is none, an erasure may have been cut short, so the indexes are purged all the same.
    """
    for look in (_standing, _returned, _on_shelf):
        with suppress(NotFound):
            return look(parts, ref)
    try:
        return parts, in_trash(parts, ref)
    except NotFound:
        _purged(parts)
        raise


def _standing(parts: Parts, ref: str) -> tuple[Parts, str]:
    path, snapshot = found(parts, ref), parts.sidecar.snapshot
    if snapshot.facts[path].role not in _FOREIGN:
        return parts, writable(parts, ref)
    _refuse_agents(parts)
    return parts, path


def _refuse_agents(parts: Parts) -> None:
    if not parts.caller.person:
        raise Refused("Only a person erases a document. Ask the person.")


def _returned(parts: Parts, ref: str) -> tuple[Parts, str]:
    return parts, returned(parts, ref)


def _on_shelf(parts: Parts, ref: str) -> tuple[Parts, str]:
    spot = places.found(parts, ref)
    _refuse_agents(parts)
    return spot.place, spot.path


def _telling(note: Note) -> list[bytes]:
    """Return the lines by which a note's text is known elsewhere."""
    lines = {line.strip().encode("utf-8", "replace") for line in note.body.splitlines()}
    long = [line for line in lines if len(line) >= TELLING]
    return sorted(long, key=lambda line: (-len(line), line))[:LOOKED_FOR]


def _sessions(parts: Parts, lines: Sequence[bytes]) -> Iterator[str]:
    """Remove what sessions stored of a text, whoever they are, and yield under which key."""
    if not parts.has_shelf():
        return
    shelf = parts.shelf
    shelf.sidecar.refresh()
    for path, facts in shelf.sidecar.snapshot.facts.items():
        if facts.session and _holds(shelf.vault.root, path, lines):
            files.remove(shelf.vault.root, path, seen=facts.hash)
            yield facts.title


def _holds(root: Path, path: str, lines: Sequence[bytes]) -> bool:
    try:
        data = files.read(root, path, 16 * LARGEST)
    except VaultmemError:
        return False
    return any(line in data for line in lines)


def _elsewhere(parts: Parts, path: str, note: Note) -> Iterator[str]:
    """Yield the places that may still hold the text of a note and that we never change."""
    vault, lines = parts.vault, _telling(note)
    if committed(vault.root, path) is not None:
        yield f"git history of {path}: see `git filter-repo --invert-paths --path {path}`"
    for log in parts.log.months():
        if any(note.title in line for line in parts.log.lines(log)):
            yield f"{log}: entries that name its title"
    parents = _parents(parts, note.path)
    for other in sorted(_files(vault.root)):
        derived = other == note.path or vault.layout.role(other) == Role.CATALOGUE
        if not derived and (other in parents or _holds(vault.root, other, lines)):
            yield f"{other}: {'it was made of this note' if other in parents else _kind(other)}"
    if (vault.root / ".obsidian").is_dir():
        yield SNAPSHOTS


def _parents(parts: Parts, path: str) -> set[str]:
    """Return the notes that say for others what a note said too."""
    snapshot = parts.sidecar.snapshot
    return {
        other
        for other, facts in snapshot.facts.items()
        for kind, target in facts.relations
        if kind == "consolidates" and snapshot.names.resolve(target, other) == path
    }


def _files(root: Path) -> Iterator[str]:
    """Yield every file of a vault that is a person's or a sync tool's; git's are not."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            yield (Path(folder) / name).relative_to(root).as_posix()


def _kind(path: str) -> str:
    if path.startswith(".stversions/"):
        return "an older version that a sync tool keeps"
    if path.startswith(f"{TRASH}/"):
        return f"a copy in the trash; `vaultmem erase {path}`"
    return "it holds a line of it"
