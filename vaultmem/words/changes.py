"""What became of memories between two states of a vault: a difference in meaning, not lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from vaultmem.words.entry import Entry, parse
from vaultmem.words.layout import Layout, Role, scope_of
from vaultmem.words.links import in_value
from vaultmem.words.note import Note
from vaultmem.words.note import parse as note_of

KINDS = (
    *("added", "superseded", "consolidated", "approved", "changed", "retracted"),
    *("moved", "renamed", "forgotten", "handed in", "rejected", "logged", "log edited"),
)
_SHOWN = frozenset(
    {
        *(Role.MEMORY, Role.CANDIDATE, Role.PROJECT, Role.DECISIONS, Role.DETAIL),
        *(Role.IDENTITY, Role.CHECKPOINT, Role.KNOWLEDGE),
    }
)
_SILENT = frozenset({"updated", "hash"})


@dataclass(frozen=True)
class Field:
    """One property that is another now; empty where it is not there."""

    key: str
    before: str
    after: str


@dataclass(frozen=True)
class Change:
    """What became of one memory, or one entry of the live log."""

    kind: str
    """One of `KINDS`."""
    path: str
    """Where it is, or was last if it is gone."""
    title: str
    id: str = ""
    scope: str = ""
    agent: str = ""
    role: Role = Role.MEMORY
    was: str = ""
    """Where it was, if it is elsewhere now."""
    others: tuple[str, ...] = ()
    """The titles of the notes that it takes the place of."""
    fields: tuple[Field, ...] = ()
    before: str = ""
    """Its body before, where that differs."""
    after: str = ""
    """Its body now, where that differs."""


@dataclass(frozen=True)
class Side:
    """One state of a vault, as far as it differs from the other: notes by path."""

    files: Mapping[str, bytes]
    folders: Mapping[str, str]
    """Every scope folder, and its scope."""


def changes(before: Side, after: Side, layout: Layout) -> list[Change]:
    """Return what became of the memories and the live log, by scope, agent, kind and title."""
    old, new = _notes(before, layout), _notes(after, layout)
    pairs = _pairs(old, new)
    found = [_between(old[a], new[b], before, after, layout) for a, b in pairs]
    mated = {a for a, _ in pairs}, {b for _, b in pairs}
    found += [_gone(old[path], before, layout) for path in old.keys() - mated[0]]
    found += [_come(new[path], after, layout) for path in new.keys() - mated[1]]
    logs = {path for path in {*before.files, *after.files} if layout.role(path) == Role.LOG}
    for path in logs:
        found += _log(path, before.files.get(path, b""), after.files.get(path, b""))
    return sorted(
        (change for change in found if change),
        key=lambda one: (one.scope, one.agent, KINDS.index(one.kind), one.title, one.path),
    )


def _notes(side: Side, layout: Layout) -> dict[str, Note]:
    return {
        path: note_of(path, data)
        for path, data in side.files.items()
        if layout.role(path) in _SHOWN
    }


def _pairs(old: Mapping[str, Note], new: Mapping[str, Note]) -> list[tuple[str, str]]:
    """Return which note became which: by path, else by id, else by all that it says."""
    pairs = [(path, path) for path in old.keys() & new.keys()]
    for key in ("id", "hash"):
        left = {getattr(old[p], key): p for p in sorted(old.keys() - {a for a, _ in pairs})}
        right = {getattr(new[p], key): p for p in sorted(new.keys() - {b for _, b in pairs})}
        pairs += [(left[name], right[name]) for name in left.keys() & right.keys() if name]
    return pairs


def _scope(note: Note, side: Side, layout: Layout) -> str:
    if layout.role(note.path) in (Role.CANDIDATE, Role.KNOWLEDGE):
        return note.text("scope").removeprefix("global")
    return scope_of(note.path, dict(side.folders))


def _told(kind: str, note: Note, side: Side, layout: Layout) -> Change:
    role, scope = layout.role(note.path), _scope(note, side, layout)
    return Change(kind, note.path, note.title, note.id, scope, note.text("agent"), role)


def _come(note: Note, side: Side, layout: Layout) -> Change:
    kind = "added"
    others: tuple[str, ...] = ()
    if layout.role(note.path) == Role.CANDIDATE:
        kind = "handed in"
    for found, key in (("superseded", "supersedes"), ("consolidated", "consolidates")):
        if kind == "added" and note.texts(key):
            kind, others = found, _titles(note.texts(key))
    return replace(_told(kind, note, side, layout), others=others, after=note.body)


def _gone(note: Note, side: Side, layout: Layout) -> Change:
    kind = "rejected" if layout.role(note.path) == Role.CANDIDATE else "forgotten"
    return replace(_told(kind, note, side, layout), before=note.body)


def _titles(links: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_title(link) for link in links)


def _title(text: str) -> str:
    alias = re.fullmatch(r"\[\[[^\]|]*\|([^\]]*)\]\]", text)
    found = in_value(text)
    return alias[1] if alias else (found.target if found else text)


def _between(old: Note, new: Note, before: Side, after: Side, layout: Layout) -> Change | None:
    fields = tuple(_fields(old, new))
    was_scope, scope = _scope(old, before, layout), _scope(new, after, layout)
    moved, same = old.path != new.path, old.body == new.body
    keys = {field.key for field in fields}
    if not (fields or moved or not same):
        return None
    others: tuple[str, ...] = ()
    kind = "changed"
    added = [text for key in ("supersedes", "consolidates") for text in _added(old, new, key)]
    if layout.role(old.path) == Role.CANDIDATE and layout.role(new.path) != Role.CANDIDATE:
        kind = "approved"
    elif "retracted" in keys and new.text("retracted"):
        kind = "retracted"
    elif added:
        kind = "superseded" if _added(old, new, "supersedes") else "consolidated"
        others = _titles(tuple(added))
    elif moved:
        kind = "moved" if scope != was_scope else "renamed"
    return replace(
        _told(kind, new, after, layout),
        was=old.path if moved else "",
        others=others,
        fields=fields,
        before="" if same else old.body,
        after="" if same else new.body,
    )


def _added(old: Note, new: Note, key: str) -> list[str]:
    known = {_title(text) for text in old.texts(key)}
    return [text for text in new.texts(key) if _title(text) not in known]


def _fields(old: Note, new: Note) -> Iterator[Field]:
    for key in dict.fromkeys((*old.properties, *new.properties)):
        if key.casefold() not in _SILENT:
            was, now = _value(old, key), _value(new, key)
            if was != now:
                yield Field(key, was, now)


def _value(note: Note, key: str) -> str:
    value = note.properties.get(key, "")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _log(path: str, before: bytes, after: bytes) -> Iterator[Change]:
    """Yield each entry that came, and each that is no longer as it was."""
    was, now = _entries(before), _entries(after)
    marks = {entry.mark for entry in now.values() if entry.mark and entry.genuine}
    for line, entry in now.items():
        if line not in was and not (entry.mark and entry.mark in _marks(was)):
            yield _entry("logged", path, line, entry)
    for line, entry in was.items():
        if line not in now and entry.mark not in marks:
            yield _entry("log edited", path, line, entry)


def _entry(kind: str, path: str, line: str, entry: Entry) -> Change:
    return Change(kind, path, line, entry.mark, entry.scope, entry.agent, Role.LOG)


def _marks(entries: Mapping[str, Entry]) -> set[str]:
    return {entry.mark for entry in entries.values()}


def _entries(data: bytes) -> dict[str, Entry]:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return {line: entry for line in lines if (entry := parse(line))}
