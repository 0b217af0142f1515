"""Bringing back: out of the trash, or what was erased and came back by itself."""

from __future__ import annotations

from pathlib import Path

from vaultmem.vault import files
from vaultmem.verbs.inbox import WAITING
from vaultmem.verbs.memorize import announced
from vaultmem.verbs.parts import Parts
from vaultmem.words import graves
from vaultmem.words.entry import name
from vaultmem.words.errors import AlreadyThere, Ambiguous, NotFound
from vaultmem.words.frontmatter import patched, split
from vaultmem.words.layout import TRASH, Role, scope_of
from vaultmem.words.note import Note, digest, parse
from vaultmem.words.scope import GLOBAL


def restore(parts: Parts, ref: str) -> str:
    """Bring a note back from the trash to where it was, and return its path.

    A note that was erased, and that something has brought back since, is kept where it lies.

    Raises:
        NotFound: the trash holds no such note. AlreadyThere: its old name is taken.
    """
    vault = parts.vault
    with vault.lock.vault("restore"):
        try:
            return _kept(parts, returned(parts, ref))
        except NotFound:
            trashed = in_trash(parts, ref)
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


def in_trash(parts: Parts, ref: str) -> str:
    """Return the path of a note in the trash, by its id, path, file name or title."""
    folder = parts.vault.root / TRASH
    for item in sorted(folder.glob("*.md"), key=lambda p: p.stat().st_ctime_ns, reverse=True):
        path = f"{TRASH}/{item.name}"
        note = parts.vault.read(path)
        if ref.strip() in (note.id, path, item.name, item.stem, note.title):
            return path
    raise NotFound(f"note {ref!r} in the trash", f"Look into the folder {TRASH} of the vault.")


def returned(parts: Parts, ref: str) -> str:
    """Return the path of a note that was erased and came back, by its path, id, name or title.

    Raises:
        NotFound: there is none. Ambiguous: there are several.
    """
    ref, known = ref.strip(), []
    for path, why in parts.sidecar.refresh().unreadable.items():
        if why == graves.RETURNED:
            note = parts.vault.read(path)
            if ref in (path, path.removesuffix(".md"), Path(path).stem, note.id, note.title):
                known.append(path)
    if len(known) > 1:
        raise Ambiguous(ref, known)
    if not known:
        raise NotFound(f"note {ref!r}")
    return known[0]


def _kept(parts: Parts, path: str) -> str:
    """Take a note that was erased and came back for a note like any other again."""
    note = parts.vault.read(path)
    parts.ledger.unbury(graves.buried(note, named=True) | graves.buried(note, named=False))
    parts.sidecar.refresh()
    announced(parts, parts.sidecar.snapshot.scope(path) or GLOBAL, "restored", path, note.title)
    return path
