"""What waits for a person, and what stands beside it."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.approving import wanted
from vaultmem.verbs.candidates import seen_of
from vaultmem.verbs.choosing import Seen, found, visible
from vaultmem.verbs.inbox import expired, waiting
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.remember import answered
from vaultmem.words.errors import DiskFailed, NotFound, Refused, VaultmemError
from vaultmem.words.facts import Facts
from vaultmem.words.hit import Hit
from vaultmem.words.layout import Role
from vaultmem.words.life import counted_as, type_named
from vaultmem.words.links import in_value
from vaultmem.words.note import Note, digest
from vaultmem.words.question import Question

SHOWN = "review shown"
"""Under this name the ledger keeps which text of which candidate a person was shown."""
MOST_SHOWN = 500
NEAR = 3
_SYNTAX = re.compile(r'["“”„]|(?<!\w)-')


@dataclass(frozen=True)
class Waiting:
    """What waits for a person."""

    id: str
    path: str
    hash: str
    kind: str
    """`new`; `change`, of the note in `about`; or `contested`: a memory that disputes `about`."""
    agent: str
    type: str
    scope: str
    seen: int
    title: str
    quote: str = ""
    why: str = ""
    about: str = ""
    created: str = ""
    expired: bool = False


@dataclass(frozen=True)
class Queue:
    """What waits, the oldest first, and how many more do."""

    items: tuple[Waiting, ...]
    more: int = 0


@dataclass(frozen=True)
class Shown:
    """One that waits, whole, with the memories that are near it."""

    item: Waiting
    text: str
    near: tuple[Hit, ...] = ()
    difference: str = ""
    """Of a change: what it does to its note, as a unified diff."""


def queue(parts: Parts, agent: str = "", kind: str = "", limit: int = 50) -> Queue:
    """Return what waits for a person: candidates, changes of notes, and memories that dispute
    others. `agent` and `kind`, a type, narrow it; the expired are among it. 0 is no limit.
    """
    refuse_agents(parts)
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    candidates = fitting(parts, agent, kind)
    disputing = list(_disputing(parts, snapshot, agent, kind))
    kept = candidates[: limit or None]
    items = [*_told(parts, kept), *disputing[: max(limit - len(kept), 0) if limit else None]]
    return Queue(tuple(items), len(candidates) + len(disputing) - len(items))


def refuse_agents(parts: Parts) -> None:
    """Raise `Refused` if no person is at the door."""
    if not parts.caller.person:
        raise Refused("Only a person reviews. Ask the person to run `vaultmem review`.")


def fitting(parts: Parts, agent: str, kind: str) -> list[Facts]:
    """Return the candidates that fit and that the caller may see, oldest first."""
    snapshot = parts.sidecar.snapshot
    wanted_type = type_named(kind) if kind else ""
    found_ = [
        facts
        for facts in waiting(snapshot, agent)
        if wanted_type in ("", counted_as(facts.type))
        and visible(parts, snapshot, facts.path, parts.caller.scope)
    ]
    return sorted(found_, key=lambda facts: (facts.created, facts.path))


def _told(parts: Parts, candidates: Iterable[Facts]) -> Iterator[Waiting]:
    texts: dict[str, str] = {}
    for facts in candidates:
        try:
            note = parts.vault.read(facts.path)
        except NotFound:
            continue
        texts[note.path] = text_of(note)
        yield _waiting(parts, facts, note)
    _noted(parts, texts)


def _waiting(parts: Parts, facts: Facts, note: Note) -> Waiting:
    snapshot = parts.sidecar.snapshot
    links = note.texts("changes")
    link = in_value(links[0]) if links else None
    return Waiting(
        snapshot.called(facts.path),
        facts.path,
        note.hash,
        "change" if links else "new",
        snapshot.layout.keeper(facts.path),
        facts.type,
        snapshot.scope(facts.path) or "global",
        seen_of(note),
        facts.title,
        note.text("quote"),
        note.text("why"),
        (snapshot.names.resolve(link.target, facts.path) or link.target) if link else "",
        facts.created,
        expired(parts, facts),
    )


def _disputing(parts: Parts, snapshot: Snapshot, agent: str, kind: str) -> Iterator[Waiting]:
    wanted_type = type_named(kind) if kind else ""
    for path in sorted(snapshot.standing):
        stands = snapshot.standing[path]
        facts = snapshot.facts.get(stands.contested_by)
        if facts is None or facts.path == path or stands.lowered:
            continue
        if agent not in ("", facts.agent):
            continue
        fits = wanted_type in ("", counted_as(facts.type)) and facts.trusted is False
        if fits and visible(parts, snapshot, path, parts.caller.scope):
            scope = snapshot.scope(path) or "global"
            called = snapshot.called(facts.path)
            head = (called, facts.path, facts.hash, "contested", facts.agent, facts.type, scope)
            yield Waiting(*head, 1, facts.title, about=path, created=facts.created)


def show(parts: Parts, ref: str) -> Shown:
    """Return one that waits, with its whole text and what is near it."""
    refuse_agents(parts)
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    path = meant(parts, ref)
    note, facts = parts.vault.read(path), snapshot.facts[path]
    _noted(parts, {path: text_of(note)})
    item = _waiting(parts, facts, note)
    query = _SYNTAX.sub(" ", f"{facts.title}\n{note.body}")[:500].strip()
    near: list[Hit] = []
    if query:
        found_ = answered(parts, Question(query, limit=2 * NEAR, scope=item.scope))
        near = [hit for hit in found_.hits if hit.path != path and hit.label != "PENDING"]
    difference = _difference(parts, note, item.about) if item.kind == "change" else ""
    return Shown(item, note.body.strip(), tuple(near[:NEAR]), difference)


def _difference(parts: Parts, candidate: Note, path: str) -> str:
    """Return what a change does to its note, empty if that note is gone."""
    try:
        note = parts.vault.read(path)
    except VaultmemError:
        return ""
    keys = [f"+{key}: {value}" for key, value in wanted(candidate, note).items()]
    bodies = (note.body.splitlines(), candidate.body.splitlines())
    lines = difflib.unified_diff(*bodies, path, candidate.path, lineterm="")
    return "\n".join([*keys, *lines])


class _Candidates(Seen):
    """The candidates that a caller may see, told one by one."""

    def __contains__(self, path: object) -> bool:
        """Return whether it is a candidate, and the caller may see it."""
        known = self.snapshot.facts.get(path) if isinstance(path, str) else None
        return known is not None and known.role == Role.CANDIDATE and super().__contains__(path)


def _noted(parts: Parts, texts: Mapping[str, str]) -> None:
    """Remember which text of each candidate a person was shown."""
    with suppress(DiskFailed):
        known = {**json.loads(parts.ledger.fact(SHOWN) or "{}"), **texts}
        parts.ledger.note(SHOWN, json.dumps(dict(list(known.items())[-MOST_SHOWN:])))


def text_of(note: Note) -> str:
    """Return the hash of what a candidate says; how often it was said is no part of it."""
    return digest(f"{note.title}\n{note.texts('changes')}\n{note.body}".encode("utf-8", "replace"))


def refuse_unseen(parts: Parts, note: Note) -> None:
    """Raise `Refused` if a candidate says something else than a person was shown of it last."""
    shown = json.loads(parts.ledger.fact(SHOWN) or "{}").get(note.path)
    if shown not in (None, text_of(note)):
        raise Refused(
            f"{note.path} was changed after it was shown to you. Look at it again with `vaultmem "
            "review show`, then decide."
        )


def meant(parts: Parts, ref: str) -> str:
    """Return the path of what a person means, a candidate before any other note."""
    snapshot = parts.sidecar.snapshot
    try:
        return snapshot.find(ref, _Candidates(parts, snapshot))
    except NotFound:
        return found(parts, ref)
