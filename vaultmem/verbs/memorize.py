"""Keeping something: check it, write the note, then what points to it, then what is derived."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs import catalogues
from vaultmem.verbs.choosing import found
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.scopes import commit_of
from vaultmem.words.checks import checked, first_sentence, relates
from vaultmem.words.entry import ALPHABET, Entry
from vaultmem.words.errors import BadInput, ChangedOnDisk, Refused
from vaultmem.words.frontmatter import Written
from vaultmem.words.hit import Receipt
from vaultmem.words.layout import Role
from vaultmem.words.life import DEFAULT_IMPORTANCE, INFERRED_IMPORTANCE, Grade
from vaultmem.words.links import wikilink
from vaultmem.words.scope import GLOBAL
from vaultmem.words.wish import Wish


@dataclass(frozen=True)
class Relation:
    """A relation asked for, its target found."""

    kind: str
    link: str
    why: str


def memorize(parts: Parts, wish: Wish) -> Receipt:
    """Write a new note, or change the one named by `id` and `hash`, and return its receipt.

    Raises:
        BadInput: a part of the wish cannot be used; nothing was written.
        NotFound, Ambiguous: a relation, or the note to change, is not there or not the only one.
        ChangedOnDisk: the note to change is not the one of that hash.
        Refused: the note to change is a person's own, or approved and the caller an agent.
    """
    keys, body = checked(wish)
    if keys.get("files"):
        keys["commit"] = commit_of(parts.caller.folder, parts.vault.root)
    parts.sidecar.refresh()
    relations = tuple(_relation(parts, text) for text in wish.relates)
    with parts.vault.lock.vault("memorize"):
        if wish.id or wish.hash:
            return _changed(parts, wish, keys, body, relations)
        return _created(parts, wish, keys, body, relations)


def _created(
    parts: Parts,
    wish: Wish,
    keys: dict[str, Written],
    body: str | None,
    relations: tuple[Relation, ...],
) -> Receipt:
    if wish.title is None or body is None:
        raise BadInput("A memory needs a title and a content.")
    scope = wanted_scope(parts, wish)
    source = keys.setdefault("source", "agent_inferred")
    low = INFERRED_IMPORTANCE if source == "agent_inferred" else DEFAULT_IMPORTANCE
    keys.setdefault("importance", low)
    keys.setdefault("type", "insight")
    keys.setdefault("description", first_sentence(body))
    note_id = fresh_id(parts.sidecar.snapshot)
    stamp = {"agent": parts.caller.agent, "created": parts.now(), "updated": parts.now()}
    found = _ordered({**keys, "id": note_id, "status": "working", **stamp}, relations)
    folder = parts.vault.made_scope_folder(scope)
    text = _with_reasons(body, relations)
    path, written = parts.vault.new_note(folder, wish.title, found, text)
    announced(parts, scope, "memorized", path, wish.title)
    return Receipt(note_id, path, written, "working")


def _changed(
    parts: Parts,
    wish: Wish,
    keys: dict[str, Written],
    body: str | None,
    relations: tuple[Relation, ...],
) -> Receipt:
    if not (wish.id and wish.hash):
        raise BadInput("To change a note give both its `id` and the `hash` you last saw.")
    snapshot = parts.sidecar.snapshot
    path = writable(parts, wish.id)
    note = parts.vault.read(path)
    if note.hash != wish.hash:
        raise ChangedOnDisk(path)
    note_id = note.id if snapshot.called(path) == note.id and note.id else fresh_id(snapshot)
    if note_id != note.id:
        keys["id"] = note_id
    for kind, links in _by_kind(relations).items():
        keys[kind] = [*note.texts(kind), *(link for link in links if link not in note.texts(kind))]
    if body is not None and note.text("description") == first_sentence(note.body):
        keys.setdefault("description", first_sentence(body))
    keys["updated"] = parts.now()
    added = "\n\n".join(_reasons(relations))
    done = parts.vault.edit(path, keys, seen=wish.hash, body=body, added=added)
    scope = snapshot.scope(path) or GLOBAL
    announced(parts, scope, "updated", path, wish.title or note.title)
    return Receipt(note_id, path, done, note.status)


def writable(parts: Parts, ref: str) -> str:
    """Return the path of a memory that this caller may change.

    Raises:
        NotFound, Ambiguous: see `found`.
        Refused: it is no memory of ours, or it is approved and the caller is an agent.
    """
    snapshot = parts.sidecar.snapshot
    path = found(parts, ref)
    facts = snapshot.facts[path]
    if facts.role not in (Role.MEMORY, Role.CANDIDATE):
        raise Refused(f"{path} is not a memory, so vaultmem never changes it. Edit it yourself.")
    approved = facts.grade == Grade.APPROVED or facts.broken
    if approved and not parts.caller.person:
        raise Refused(
            f"{path} was approved by a person, so no agent may change or remove it. Ask the "
            "person, or memorize a new note that `conflicts` with it."
        )
    return path


def wanted_scope(parts: Parts, wish: Wish) -> str:
    """Return the scope that a new note goes to."""
    if wish.scope is not None:
        return parts.scope(wish.scope)
    return GLOBAL if wish.everywhere or parts.caller.scope is None else parts.caller.scope


def announced(parts: Parts, scope: str, verb: str, path: str, title: str) -> None:
    """Bring all that follows a changed note up to date: index, catalogue, live log."""
    layout, caller = parts.vault.layout, parts.caller
    folder = parts.vault.scope_folder(scope)
    parts.sidecar.refresh(only=[path] if folder is None else [path, f"{folder}/index.md"])
    pages = catalogues.write(parts.vault, parts.sidecar.snapshot, [scope])
    summary = f"{verb} {wikilink(path, title)}"
    told = parts.log.append(Entry("", caller.agent, caller.channel, "memory", scope, summary))
    parts.sidecar.refresh(only=[*pages, layout.log(told.time[:7]), layout.log_page])


def fresh_id(snapshot: Snapshot) -> str:
    """Return an id that no note of the vault has: 8 letters and digits, a letter first."""
    while True:
        letters = "".join(secrets.choice(ALPHABET) for _ in range(7))
        made = secrets.choice(ALPHABET[:24]) + letters
        if made not in snapshot.owners:
            return made


def _relation(parts: Parts, text: str) -> Relation:
    said = relates(text)
    snapshot = parts.sidecar.snapshot
    path = found(parts, said.ref)
    return Relation(said.kind, wikilink(path, snapshot.facts[path].title), said.why)


def _by_kind(relations: tuple[Relation, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for relation in relations:
        links = found.setdefault(relation.kind, [])
        links += [] if relation.link in links else [relation.link]
    return found


def _with_reasons(body: str, relations: tuple[Relation, ...]) -> str:
    return body.rstrip() + "".join(f"\n\n{reason}" for reason in _reasons(relations)) + "\n"


def _reasons(relations: tuple[Relation, ...]) -> list[str]:
    return [
        f"{relation.kind.replace('_', ' ').capitalize()} {relation.link} because {relation.why}"
        for relation in relations
        if relation.why
    ]


_ORDER = (
    "id",
    "title",
    "description",
    "type",
    "status",
    "source",
    "importance",
    "tags",
    "files",
    "commit",
    "agent",
    "created",
    "updated",
)


def _ordered(keys: Mapping[str, Written], relations: tuple[Relation, ...]) -> dict[str, Written]:
    return {**{key: keys.get(key) for key in _ORDER}, **_by_kind(relations)}
