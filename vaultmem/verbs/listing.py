"""Showing notes: one of them whole, or a list."""

from __future__ import annotations

from vaultmem.verbs.choosing import chosen_notes, found
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import NotFound
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.note import Note
from vaultmem.words.question import Question


def get(parts: Parts, ref: str) -> tuple[Facts, Note]:
    """Return a note and its facts, by id, path, title, alias or `[[wikilink]]`.

    Raises:
        NotFound: there is none that this caller may see. Ambiguous: there are several.
    """
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    path = found(parts, ref)
    log = snapshot.facts[path].role == Role.LOG
    if log and parts.caller.scope is not None and not parts.caller.person:
        raise NotFound(f"note {ref!r}")  # a file of the log holds many scopes
    return snapshot.facts[path], parts.vault.read(path)


def listing(parts: Parts, question: Question, status: str = "") -> list[tuple[str, str, Facts]]:
    """Return name, scope and facts of the memories that fit a question's filters, newest first."""
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    rows = [
        (snapshot.called(path), snapshot.scope(path) or "global", snapshot.facts[path])
        for path in chosen_notes(parts, snapshot, question, archived=status == "archived")
        if snapshot.facts[path].role == Role.MEMORY and status in ("", snapshot.facts[path].status)
    ]
    by_path = sorted(rows, key=lambda row: row[2].path)
    return sorted(by_path, key=lambda row: row[2].created, reverse=True)
