"""What was erased for good, known again by marks that hold nothing of what it said."""

from __future__ import annotations

import hashlib

from vaultmem.words.note import Note
from vaultmem.words.origin import Origin, origin_of

RETURNED = "it was erased for good, and something has brought it back; it is not searched"


def marks_of(note: Note, *, named: bool = True) -> set[str]:
    """Return the marks by which a note is known when it comes back.

    That is its id; with no id, or one that is another note's and so not `named`, its path and
    its text.
    """
    told = f"id\0{note.id}" if note.id and named else f"text\0{note.path}\0{note.body.strip()}"
    return {_mark(told)}


def marks_of_import(origin: Origin, *, named: bool) -> set[str]:
    """Return the marks of an entry that was imported: what it says, and if it has a name where."""
    said = _mark(f"said\0{origin.format}\0{origin.digest}")
    return {said, _mark(f"at\0{origin.format}\0{origin.address}")} if named else {said}


def buried(note: Note, *, named: bool) -> set[str]:
    """Return all marks to keep of a note that is erased."""
    origin = origin_of(note.text("origin"))
    imported = marks_of_import(origin, named=True) if origin else set()
    return marks_of(note, named=named) | imported


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
