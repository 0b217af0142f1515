"""Candidates: what an agent hands in, kept in its inbox until a person decides."""

from __future__ import annotations

from collections.abc import Mapping

from vaultmem.verbs.already import already
from vaultmem.verbs.inbox import refuse_full
from vaultmem.verbs.parts import Parts
from vaultmem.words.frontmatter import Written
from vaultmem.words.hit import Receipt, Similar
from vaultmem.words.layout import Role
from vaultmem.words.note import Note
from vaultmem.words.wish import Wish


def waits(parts: Parts, wish: Wish) -> bool:
    """Return whether what a wish says is to wait for a person: as asked, or by the vault's rule."""
    inferred = wish.source in (None, "agent_inferred")
    return wish.review or (inferred and parts.vault.config.review == "inferred")


def handed_in(
    parts: Parts,
    keys: Mapping[str, Written],
    text: str,
    scope: str,
    similar: tuple[Similar, ...] = (),
) -> Receipt:
    """Write a candidate into the caller's inbox, unless one says nearly this: that one is raised.

    `keys` are those of the memory that it may become. The caller holds the vault's lock.

    Raises:
        InboxFull: as many candidates of the caller as the vault allows wait already.
    """
    title = str(keys["title"])
    changes = keys.get("changes") or []
    known = already(
        parts, scope, title, str(keys.get("description") or ""), text, set(), Role.CANDIDATE
    )
    for copy in (*([known.same] if known.same else []), *known.copies):
        note = parts.vault.read(copy.path)
        if list(note.texts("changes")) == changes and not note.broken:
            return _raised(parts, note, copy)
    refuse_full(parts)
    head = {**keys, "status": "pending", "scope": scope or "global", "seen": 1}
    folder = parts.vault.layout.inbox(parts.caller.agent)
    path, written = parts.vault.new_note(folder, title, head, text)
    parts.sidecar.refresh(only=[path])
    return Receipt(str(keys["id"]), path, written, "pending", similar)


def _raised(parts: Parts, note: Note, known: Similar) -> Receipt:
    """Count that a candidate was said again; one that a person has approved stays as it is."""
    seen = seen_of(note) + 1
    if note.status == "approved":
        return Receipt(known.id, note.path, note.hash, note.status, (), seen)
    keys: dict[str, Written] = {"seen": seen, "updated": parts.now()}
    written = parts.vault.edit(note.path, keys, seen=note.hash)
    parts.sidecar.refresh(only=[note.path])
    return Receipt(known.id, note.path, written, "pending", (), seen)


def seen_of(note: Note) -> int:
    """Return how often a candidate was said, at least once."""
    said = note.text("seen")
    return max(int(said), 1) if said.isdecimal() and len(said) < 7 else 1
