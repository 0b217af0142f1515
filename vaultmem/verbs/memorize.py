"""Keeping something: check it, write the note, then what points to it, then what is derived."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs import catalogues, rights
from vaultmem.verbs.already import already
from vaultmem.verbs.candidates import handed_in, waits
from vaultmem.verbs.choosing import found
from vaultmem.verbs.drafts import Draft, drafted, ordered
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.relations import (
    Relation,
    built_on,
    parents_importance,
    reasons,
    refuse_circle,
)
from vaultmem.words.access import File
from vaultmem.words.entry import ALPHABET, Entry
from vaultmem.words.errors import BadInput, ChangedOnDisk, Refused
from vaultmem.words.frontmatter import Written
from vaultmem.words.hit import NOT_KEPT, Receipt, Similar
from vaultmem.words.layout import Role
from vaultmem.words.life import DEFAULT_IMPORTANCE, INFERRED_IMPORTANCE, Grade
from vaultmem.words.links import wikilink
from vaultmem.words.note import Note
from vaultmem.words.scope import GLOBAL
from vaultmem.words.standing import TELLING
from vaultmem.words.wish import Wish


def memorize(parts: Parts, wish: Wish) -> Receipt:
    """Write a new note, or change the one named by `id` and `hash`, and return its receipt.

    What a memory of the scope or the global one says already is not written again: the receipt is
    that note's. What it says nearly is not written either, unless the wish relates to it or allows
    it: the receipt's status is `not kept` and `similar` shows what is there.

    Where a person is to decide, a candidate is written instead and the receipt's status is
    `pending`: as the wish or the vault's settings ask, or if an agent changes an approved note.

    Raises:
        BadInput: a part of the wish cannot be used; nothing was written.
        NotFound, Ambiguous: a relation, or the note to change, is not there or not the only one.
        ChangedOnDisk: the note to change is not the one of that hash.
        Refused: the note to change is a person's own, or too many candidates wait already.
    """
    draft = drafted(parts, wish)
    if wish.id or wish.hash:
        with parts.vault.lock.vault("memorize"):
            return _changed(parts, draft)
    if wish.title is None or draft.body is None:
        raise BadInput("A memory needs a title and a content.")
    scope = wanted_scope(parts, wish)
    looked = parts.sidecar.snapshot.generation
    said = _said(parts, draft, scope)
    with parts.vault.lock.vault("memorize"):
        moved = parts.sidecar.snapshot.generation != looked
        if moved and not isinstance(said, Receipt):
            said = _said(parts, draft, scope)  # others kept something too
        return said if isinstance(said, Receipt) else _created(parts, draft, scope, said)


def _created(parts: Parts, draft: Draft, scope: str, similar: tuple[Similar, ...]) -> Receipt:
    snapshot, title = parts.sidecar.snapshot, str(draft.keys["title"])
    source = draft.keys.get("source", "agent_inferred")
    low = INFERRED_IMPORTANCE if source == "agent_inferred" else DEFAULT_IMPORTANCE
    note_id = fresh_id(snapshot)
    keys: dict[str, Written] = {
        "description": draft.about,
        "source": source,
        "importance": parents_importance(snapshot, built_on(draft.relations)) or low,
        "type": "insight",
        **draft.keys,
        "id": note_id,
        "status": "working",
        "agent": parts.caller.agent,
        "created": parts.now(),
        "updated": parts.now(),
    }
    found = ordered(keys, draft.relations)
    if waits(parts, draft.wish):
        return handed_in(parts, found, draft.text(), scope, similar)
    folder = parts.vault.made_scope_folder(scope)
    path, written = parts.vault.new_note(folder, title, found, draft.text())
    announced(parts, scope, "memorized", path, title)
    return Receipt(note_id, path, written, "working", similar)


def _said(parts: Parts, draft: Draft, scope: str) -> Receipt | tuple[Similar, ...]:
    """Return the receipt of a wish that is not to be written, else what comes near it."""
    but = {one.path for one in draft.relations if one.kind in _ANSWERING}
    title = str(draft.keys["title"])
    known = already(parts, scope, title, draft.about, draft.text(), but)
    if known.same and _holds(parts.sidecar.snapshot, known.same.path, draft.relations):
        same, status = known.same, parts.sidecar.snapshot.facts[known.same.path].status
        return Receipt(same.id, same.path, same.hash, status, (), parts.ledger.see(same.id))
    copies = (known.same,) if known.same else known.copies
    if copies and not draft.wish.allow_similar:
        return Receipt("", "", "", NOT_KEPT, copies)
    return known.similar


def _holds(snapshot: Snapshot, path: str, relations: tuple[Relation, ...]) -> bool:
    """Return whether a note has all of some relations."""
    has = {
        (kind, snapshot.names.resolve(target, path))
        for kind, target in snapshot.facts[path].relations
    }
    return all((one.kind, one.path) in has for one in relations)


def _changed(parts: Parts, draft: Draft) -> Receipt:
    wish = draft.wish
    if not (wish.id and wish.hash):
        raise BadInput("To change a note give both its `id` and the `hash` you last saw.")
    snapshot = parts.sidecar.snapshot
    path = _ours(parts, wish.id)
    note = parts.vault.read(path)
    if note.hash != wish.hash:
        raise ChangedOnDisk(path)
    refuse_circle(snapshot, path, draft.relations)
    if snapshot.facts[path].role == Role.MEMORY and not note.broken:
        asked = wish.review or (waits(parts, wish) and not parts.caller.person)
        if asked or _protected(parts, path):
            return _proposed(parts, note, draft)
    writable(parts, path)
    note_id = note.id if snapshot.called(path) == note.id and note.id else fresh_id(snapshot)
    named: dict[str, Written] = {} if note_id == note.id else {"id": note_id}
    keys = {**draft.keys, **named, **draft.changing(note), "updated": parts.now()}
    added = "\n\n".join(reasons(draft.relations))
    done = parts.vault.edit(path, keys, seen=wish.hash, body=draft.body, added=added)
    scope = snapshot.scope(path) or GLOBAL
    announced(parts, scope, "updated", path, wish.title or note.title)
    return Receipt(note_id, path, done, note.status)


def _proposed(parts: Parts, note: Note, draft: Draft) -> Receipt:
    """Write a candidate that says how a note should read, and which note that is."""
    snapshot = parts.sidecar.snapshot
    head: dict[str, Written] = {
        "title": note.title,
        "type": note.type,
        "source": "agent_inferred",
        **draft.keys,
        "id": fresh_id(snapshot),
        "agent": parts.caller.agent,
        "changes": [wikilink(note.path, note.title)],
        "base": note.hash,
        "created": parts.now(),
        "updated": parts.now(),
    }
    scope = snapshot.scope(note.path) or GLOBAL
    return handed_in(parts, ordered(head, draft.relations), draft.text(note.body), scope)


def writable(parts: Parts, ref: str) -> str:
    """Return the path of a memory that this caller may change.

    Raises:
        NotFound, Ambiguous: see `found`.
        Refused: it is no memory of ours, or it is approved and the caller is an agent.
    """
    path = _ours(parts, ref)
    if _protected(parts, path):
        raise Refused(
            f"{path} was approved by a person, so no agent may change or remove it. Ask the "
            "person, or memorize a new note that `conflicts` with it."
        )
    return path


def _ours(parts: Parts, ref: str) -> str:
    """Return the path of a memory or a candidate; raises as `writable` does."""
    path, snapshot = found(parts, ref), parts.sidecar.snapshot
    if snapshot.facts[path].role not in (Role.MEMORY, Role.CANDIDATE):
        raise Refused(f"{path} is not a memory, so vaultmem never changes it. Edit it yourself.")
    rights.refuse_writing(parts, rights.file_of(snapshot, path))
    return path


def _protected(parts: Parts, path: str) -> bool:
    """Return whether a person stands behind a note, and an agent is asking."""
    facts = parts.sidecar.snapshot.facts[path]
    approved = facts.grade == Grade.APPROVED or facts.status == "approved" or facts.broken
    return approved and not parts.caller.person


def wanted_scope(parts: Parts, wish: Wish) -> str:
    """Return the scope that a new note goes to; raises `NotGranted`."""
    locked = GLOBAL if wish.everywhere else parts.caller.scope or GLOBAL
    scope = locked if wish.scope is None else parts.scope(wish.scope)
    rights.refuse_writing(parts, File(Role.MEMORY, scope), wish.scope)
    return scope


def announced(parts: Parts, scope: str, verb: str, path: str, title: str) -> None:
    """Bring all that follows a changed note up to date: index, catalogue, live log."""
    folder = parts.vault.scope_folder(scope)
    parts.sidecar.refresh(only=[path] if folder is None else [path, f"{folder}/index.md"])
    pages = catalogues.write(parts.vault, parts.sidecar.snapshot, [scope])
    entry = logged(parts, scope, f"{verb} {wikilink(path, title)}")
    layout = parts.vault.layout
    parts.sidecar.refresh(only=[*pages, layout.log(entry.time[:7]), layout.log_page])


def logged(parts: Parts, scope: str, summary: str) -> Entry:
    """Tell the live log what became of a memory."""
    caller = parts.caller
    return parts.log.append(Entry("", caller.agent, caller.channel, "memory", scope, summary))


def fresh_id(snapshot: Snapshot) -> str:
    """Return an id that no note of the vault has: 8 letters and digits, a letter first."""
    return next(fresh_ids(snapshot))


def fresh_ids(snapshot: Snapshot) -> Iterator[str]:
    """Yield ids that no note of the vault has, each once."""
    taken = set(snapshot.owners)
    while True:
        letters = "".join(secrets.choice(ALPHABET) for _ in range(7))
        made = secrets.choice(ALPHABET[:24]) + letters
        if made not in taken:
            taken.add(made)
            yield made


_ANSWERING = frozenset({*TELLING, "similar"})
"""The relations by which a new note says that it knows of one that is like it."""
