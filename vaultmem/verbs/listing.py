"""Showing notes: one of them whole, or a list."""

from __future__ import annotations

from vaultmem.verbs.choosing import chosen_notes
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import NotFound
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.note import Note
from vaultmem.words.question import Question
from vaultmem.words.scope import sees


def get(parts: Parts, ref: str) -> tuple[Facts, Note]:
    """Return a note and its facts, by id, path, title, alias or `[[wikilink]]`.

    Raises:
        NotFound: there is none that this caller may see. Ambiguous: there are several.
    """
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    path = snapshot.find(ref)
    scope = snapshot.scope(path)
    if parts.caller.scope is not None and scope is not None and not sees(parts.caller.scope, scope):
        raise NotFound(f"note {ref!r}")
    return snapshot.facts[path], parts.vault.read(path)


def listing(parts: Parts, question: Question, status: str = "") -> list[tuple[str, str, Facts]]:
    """Return name, scope and facts of the memories that fit a question's filters, newest first."""
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    found = [
        (snapshot.called(path), snapshot.scope(path) or "global", snapshot.facts[path])
        for path in chosen_notes(parts, snapshot, question)
        if snapshot.facts[path].role == Role.MEMORY and status in ("", snapshot.facts[path].status)
    ]
    return sorted(found, key=lambda row: (_newest(row[2].created), row[2].path))


def _newest(created: str) -> tuple[int, ...]:
    """Return a key by which later dates come first."""
    return tuple(-ord(letter) for letter in created)
