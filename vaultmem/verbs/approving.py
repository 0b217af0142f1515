"""What a person approved leaves the inbox: a new memory into its scope, a change into its note.

A person approves by typing `status: approved` into a candidate or into a memory of an agent, by
moving a candidate's file into a scope folder, or by `review`. A file that was moved there is
approved by the move, whatever its status still says: only candidates have the key `seen`, so a
note that a person began there stays as it is, `pending` or `approved`. No tool writes that status,
moves a file, or calls this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault import files
from vaultmem.vault.repository import merging
from vaultmem.verbs import catalogues
from vaultmem.verbs.inbox import WAITING
from vaultmem.verbs.parts import Parts
from vaultmem.words.entry import Entry
from vaultmem.words.errors import ChangedOnDisk, Refused, VaultmemError
from vaultmem.words.facts import Facts
from vaultmem.words.frontmatter import Written, patched, split
from vaultmem.words.layout import Role
from vaultmem.words.life import Grade
from vaultmem.words.links import in_value, wikilink
from vaultmem.words.note import Note, digest
from vaultmem.words.scope import GLOBAL

SET: dict[str, Written] = {"status": "working", "source": "approved", "scope": None, "seen": None}
"""What approval writes; every other line stays as the person left it."""
CHANGEABLE = (
    *("title", "description", "type", "importance"),
    *("tags", "files", "valid_from", "valid_until"),
)


@dataclass(frozen=True)
class Approved:
    """A candidate that a person approved, and what became of it."""

    id: str
    title: str
    path: str
    """The memory that it is now, or that it changed."""
    origin: str
    """Where it lay."""
    scope: str = GLOBAL
    trash: str = ""
    """Of a change: where the candidate lies now."""
    before: str = ""
    """Of a change: where the text lies that it replaced."""
    hash: str = ""


def settle(parts: Parts) -> list[Approved]:
    """Let everything that a person approved in the vault take effect; nothing while git merges.

    What cannot is left where it is, and `doctor` says why.
    """
    snapshot = parts.sidecar.snapshot
    ready = [facts.path for facts in snapshot.facts.values() if _ready(facts)]
    if not ready or merging(parts.vault.root):
        return []
    done: list[Approved] = []
    with parts.vault.lock.vault("approve"):
        for path in ready:
            try:
                note = parts.vault.read(path)
                if _decided(parts, note):
                    done.append(approved(parts, note))
            except VaultmemError:
                continue
        announced(parts, [told(item) for item in done])
    return done


def _ready(facts: Facts) -> bool:
    """Return whether a note may be one that a person approved."""
    moved = facts.role == Role.MEMORY and facts.status in WAITING
    return moved or (facts.role == Role.CANDIDATE and facts.status == "approved")


def _decided(parts: Parts, note: Note) -> bool:
    """Return whether a person has approved a note by what it says and where it lies."""
    if parts.vault.layout.role(note.path) == Role.MEMORY:
        moved = bool(note.text("seen")) and note.status == "pending"
        return moved or (note.status == "approved" and note.grade(Grade.APPROVED) != Grade.APPROVED)
    return note.status == "approved"


def obstacle(parts: Parts, path: str) -> str:
    """Return why a candidate cannot be approved as it is, empty if it can. Nothing is changed."""
    try:
        note = parts.vault.read(path)
        _refuse_broken(note)
        if note.texts("changes"):
            _changed_note(parts, note)
        else:
            _settled(parts.vault.data(path))
            _refuse_twice(parts, note)
            parts.scope(note.text("scope"))
    except VaultmemError as error:
        return str(error)
    return ""


def approved(parts: Parts, note: Note) -> Approved:
    """Let one candidate take effect. The caller holds the vault's lock and announces it.

    Raises:
        ChangedOnDisk: the file is not the one that `note` was read from.
        Refused: it cannot be approved as it is; it was left where it is.
    """
    _refuse_broken(note)
    if parts.vault.layout.role(note.path) == Role.CANDIDATE and note.texts("changes"):
        return _applied(parts, note)
    data = parts.vault.data(note.path)
    if digest(data) != note.hash:
        raise ChangedOnDisk(note.path)
    settled = _settled(data)
    path, scope = note.path, parts.sidecar.snapshot.scope(note.path) or GLOBAL
    if parts.vault.layout.role(path) == Role.CANDIDATE:
        _refuse_twice(parts, note)
        scope = parts.scope(note.text("scope"))
        path = _place(parts, note, parts.vault.made_scope_folder(scope))
        files.move(parts.vault.root, note.path, path)
    written = parts.vault.replace(path, settled, seen=note.hash)
    return Approved(note.id or path, note.title, path, note.path, scope, hash=written)


def _refuse_broken(note: Note) -> None:
    if note.broken:
        raise Refused(
            f"The properties of {note.path} cannot be read, so it cannot be approved. Mend them "
            "in an editor; nothing of it is lost."
        )


def _refuse_twice(parts: Parts, note: Note) -> None:
    """Raise `Refused` if a memory has the candidate's id: it was approved before."""
    owner = parts.sidecar.snapshot.owners.get(note.id, note.path)
    if note.id and owner != note.path and parts.vault.layout.role(owner) == Role.MEMORY:
        raise Refused(
            f"{note.path} was approved before: {owner} has its id. Delete the candidate, or its "
            f"line `id: {note.id}` if it says something else."
        )


def _settled(data: bytes) -> bytes:
    parts = split(data)
    for key, value in SET.items():
        parts = patched(parts, key, value)
    return parts.join()


def _place(parts: Parts, note: Note, folder: str) -> str:
    """Return a free path in a folder, with the file's own name if that is free."""
    own = f"{folder}/{note.stem}.md"
    plain = parts.vault.layout.role(own) == Role.MEMORY and not parts.vault.exists(own)
    return own if plain else parts.vault.free_path(folder, note.stem)


# A change of a note


def _changed_note(parts: Parts, candidate: Note) -> Note:
    """Return the note that a candidate changes.

    Raises:
        Refused: it is gone, or says something else than when the change was proposed.
    """
    link = in_value(candidate.texts("changes")[0])
    path = parts.sidecar.snapshot.names.resolve(link.target, candidate.path) if link else None
    if path is None or parts.vault.layout.role(path) != Role.MEMORY:
        raise Refused(
            f"The note that {candidate.path} changes is not there. Reject the candidate, or take "
            "its line `changes` out to make it a memory of its own."
        )
    note = parts.vault.read(path)
    base = candidate.text("base")
    if base and base != note.hash and (wanted(candidate, note) or rewords(candidate, note)):
        raise Refused(
            f"{path} changed since {candidate.path} was proposed. Compare them with `vaultmem "
            "review show`; if the candidate is still right, take out its line `base` and approve."
        )
    return note


def rewords(candidate: Note, note: Note) -> bool:
    """Return whether a candidate has another body than the note that it changes."""
    mine, theirs = (n.body.replace("\r\n", "\n").rstrip() for n in (candidate, note))
    return mine != theirs


def wanted(candidate: Note, note: Note) -> dict[str, Written]:
    """Return the properties that a candidate gives to a note that has them otherwise."""
    found: dict[str, Written] = {}
    for key in CHANGEABLE:
        listed = key in ("tags", "files")
        mine, theirs = ((list(n.texts(key)) if listed else n.text(key)) for n in (candidate, note))
        known = note.title if key == "title" else note.type if key == "type" else theirs
        if mine and mine != known:
            found[key] = mine
    for kind, link in candidate.relations:
        have = found.get(kind) or list(note.texts(kind))
        if isinstance(have, list) and link not in have:
            found[kind] = [*have, link]
    return found


def _applied(parts: Parts, candidate: Note) -> Approved:
    """Write what a candidate says into the note that it changes; both old texts go to the trash."""
    vault, note = parts.vault, _changed_note(parts, candidate)
    keys, before, written = wanted(candidate, note), "", note.hash
    if keys or rewords(candidate, note):
        before = vault.trash_path(note.path)
        parts.ledger.trashed(before, note.path)
        vault.create(before, vault.data(note.path))
        keys["updated"] = parts.now()
        body = candidate.body if rewords(candidate, note) else None
        written = vault.edit(note.path, keys, seen=note.hash, body=body)
    gone = trashed(parts, candidate)
    scope = parts.sidecar.snapshot.scope(note.path) or GLOBAL
    name = note.id or note.path
    return Approved(name, note.title, note.path, candidate.path, scope, gone, before, written)


def trashed(parts: Parts, note: Note, reason: str = "") -> str:
    """Move a note into the trash, with the reason where its properties allow it; return where."""
    vault = parts.vault
    to = vault.trash_path(note.path)
    parts.ledger.trashed(to, note.path)
    files.move(vault.root, note.path, to)
    if reason:
        try:
            vault.edit(to, {"rejected": reason}, seen=note.hash)
        except Refused:
            return to  # it is broken; the log has the reason
    return to


def told(item: Approved) -> tuple[str, str]:
    """Return in which scope the live log tells of an approval, and how."""
    what = "a change of " if item.trash else ""
    return item.scope, f"a person approved {what}{wikilink(item.path, item.title)}"


def announced(parts: Parts, entries: Sequence[tuple[str, str]]) -> None:
    """Bring all that follows up to date: index, catalogues, and a line in the log for each entry,
    which is a scope and a summary.
    """
    if not entries:
        return
    parts.sidecar.refresh()
    scopes = {scope for scope, _ in entries}
    stale = set(catalogues.write(parts.vault, parts.sidecar.snapshot, scopes))
    caller, layout = parts.caller, parts.vault.layout
    for scope, summary in entries:
        entry = Entry("", caller.agent, caller.channel, "memory", scope, summary)
        stale.add(layout.log(parts.log.append(entry).time[:7]))
    parts.sidecar.refresh(only=[*sorted(stale), layout.log_page])


def stuck(parts: Parts, snapshot: Snapshot) -> Iterator[tuple[str, str, bool]]:
    """Yield what of the inbox needs a person: its path, why, and whether all is well even so."""
    for path in snapshot.candidates:
        facts = snapshot.facts[path]
        if facts.broken:
            yield path, "its properties cannot be read, so it is not listed as what it is", True
        elif facts.status == "approved":
            why = obstacle(parts, path)
            yield path, why or "it is approved; the next `vaultmem refresh` moves it", not why
