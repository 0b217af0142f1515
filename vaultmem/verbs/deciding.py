"""The person decides: in with what waits, into another memory, or out, with the reason."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vaultmem.verbs.approving import Approved, announced, approved, told, trashed
from vaultmem.verbs.choosing import found
from vaultmem.verbs.inbox import expired
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.review import fitting, meant, refuse_agents, refuse_unseen
from vaultmem.words.entry import LONGEST
from vaultmem.words.errors import BadInput, Refused, VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.links import wikilink
from vaultmem.words.note import Note
from vaultmem.words.scope import GLOBAL

LAST = "review"
"""Under this name the ledger keeps the last act of a review, so that it can be taken back."""


@dataclass(frozen=True)
class Decided:
    """What a person's decision did, and what it could not be done to, with the reason."""

    done: tuple[Approved, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def _chosen(parts: Parts, refs: Sequence[str], agent: str, kind: str, *, all_: bool) -> list[str]:
    """Return the paths that a person named, or all that fit.

    Raises:
        BadInput: nothing was named.
    """
    if refs:
        return list(dict.fromkeys(meant(parts, ref) for ref in refs))
    if not (agent or kind or all_):
        raise BadInput("Name what you decide on, or choose by agent, by type, or all.")
    return [facts.path for facts in fitting(parts, agent, kind)]


def approve(
    parts: Parts, refs: Sequence[str] = (), agent: str = "", kind: str = "", *, all_: bool = False
) -> Decided:
    """Let candidates in: those named, or all that fit and have not expired.

    A memory that is named is approved where it stands, so that what it says of others counts. What
    cannot be approved as it is stays and is named with the reason.
    """
    refuse_agents(parts)
    parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    paths = _chosen(parts, refs, agent, kind, all_=all_)
    paths = [p for p in paths if refs or not expired(parts, snapshot.facts[p])]
    done: list[Approved] = []
    acts: list[dict[str, Any]] = []
    left: list[tuple[str, str]] = []
    with parts.vault.lock.vault("review"):
        for path in paths:
            try:
                note = parts.vault.read(path)
                item = _approved(parts, note)
            except VaultmemError as error:
                left.append((path, str(error)))
                continue
            done.append(item)
            had = {"source": note.text("source"), "seen": note.text("seen")}
            acts.append({**asdict(item), **had, "scope_said": note.text("scope")})
        _noted(parts, "approve", acts)
        announced(parts, [told(item) for item in done])
    return Decided(tuple(done), tuple(left))


def _approved(parts: Parts, note: Note) -> Approved:
    role = parts.vault.layout.role(note.path)
    if role == Role.CANDIDATE:
        refuse_unseen(parts, note)
        return approved(parts, note)
    if role != Role.MEMORY:
        raise Refused(f"{note.path} is no candidate and no memory, so there is nothing to approve.")
    keys = {"status": "working", "source": "approved"}
    written = parts.vault.edit(note.path, keys, seen=note.hash)
    scope = parts.sidecar.snapshot.scope(note.path) or GLOBAL
    return Approved(note.id or note.path, note.title, note.path, note.path, scope, hash=written)


def merge(parts: Parts, ref: str, into: str) -> Approved:
    """Add what a candidate says to a memory, under its title, and move it to the trash."""
    refuse_agents(parts)
    parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    path, target = meant(parts, ref), found(parts, into)
    if snapshot.facts[path].role != Role.CANDIDATE or snapshot.facts[target].role != Role.MEMORY:
        raise BadInput(f"Merge a candidate into a memory: {path} into {target} is none.")
    with parts.vault.lock.vault("review"):
        note, memory = parts.vault.read(path), parts.vault.read(target)
        size, written = len(parts.vault.data(target)), memory.hash
        if note.body.strip() not in memory.body:
            added = f"**{note.title}**: {note.body.strip()}"
            written = parts.vault.edit(target, {}, seen=memory.hash, added=added)
        gone = trashed(parts, note, f"merged into {wikilink(target, memory.title)}")
        scope = snapshot.scope(target) or GLOBAL
        name = snapshot.called(target)
        done = Approved(name, memory.title, target, path, scope, gone, hash=written)
        _noted(parts, "merge", [{**asdict(done), "size": size, "was": memory.hash}])
        said = f"a person merged {note.title} into {wikilink(target, memory.title)}"
        announced(parts, [(scope, said)])
    return done


def reject(
    parts: Parts,
    refs: Sequence[str] = (),
    because: str = "",
    agent: str = "",
    kind: str = "",
    *,
    all_: bool = False,
) -> Decided:
    """Move candidates, or memories that dispute others, to the trash, with the reason.

    Raises:
        BadInput: no reason is given, or nothing is named.
    """
    refuse_agents(parts)
    why = " ".join(because.split())[:300]
    if not why:
        raise BadInput("Say why it is rejected, so that the agent can learn from it.")
    parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    paths = _chosen(parts, refs, agent, kind, all_=all_)
    for path in paths:
        if snapshot.facts[path].role not in (Role.CANDIDATE, Role.MEMORY):
            raise Refused(f"{path} is no candidate and no memory, so it is not rejected.")
    done: list[Approved] = []
    with parts.vault.lock.vault("review"):
        for path in paths:
            note, scope = parts.vault.read(path), snapshot.scope(path) or GLOBAL
            to = trashed(parts, note, why)
            done.append(Approved(note.id or to, note.title, path, path, scope, to))
        _noted(parts, "reject", [asdict(item) for item in done])
        said = [(i.scope, f"a person rejected {i.title} because {why}"[:LONGEST]) for i in done]
        announced(parts, said)
    return Decided(tuple(done))


def _noted(parts: Parts, verb: str, items: list[dict[str, Any]]) -> None:
    """Remember the last act, by paths alone: the ledger holds no word of a note."""
    plain = [{key: value for key, value in item.items() if key != "title"} for item in items]
    if items:
        parts.ledger.note(LAST, json.dumps({"verb": verb, "items": plain}))
