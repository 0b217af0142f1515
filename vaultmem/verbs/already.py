"""What the vault already says: looked for before anything is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vaultmem.sidecar.sidecar import Rebuilt
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.inbox import WAITING
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import VaultmemError
from vaultmem.words.facts import facts_of
from vaultmem.words.frontmatter import Value
from vaultmem.words.hit import Similar
from vaultmem.words.layout import Role
from vaultmem.words.near import TO_FOLD, TO_REFUSE, alike, differ, near, same_statement
from vaultmem.words.note import Note
from vaultmem.words.scope import GLOBAL
from vaultmem.words.sources import said
from vaultmem.words.standing import FOLDED

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed, Scored, Vectors

LOOKED_AT = 20
"""Least passages of either index that a new note is compared with, if there are so many."""
SHOWN = 3
OPENING = 300
"""Characters of a new note by whose words others are looked for."""
SAME_TITLE = 0.5
"""Least Jaccard of two titles under which the same text is the same statement."""


@dataclass(frozen=True)
class Known:
    """What the vault says of a statement that is new."""

    same: Similar | None = None
    """The note that says just this."""
    copies: tuple[Similar, ...] = ()
    """Notes that say nearly this, the nearest first."""
    similar: tuple[Similar, ...] = ()
    """Notes that come near it, the copies among them."""


def already(
    parts: Parts,
    scope: str,
    title: str,
    description: str,
    body: str,
    but: Set[str],
    role: Role = Role.MEMORY,
) -> Known:
    """Return what memories of a scope and the global one say of a statement, `but` some left out.

    With the role of candidates, those of that scope alone are looked at, whoever brought them.
    Without the model words alone tell, so a copy in other words may be missed.
    """
    given = (scope, title, description, body, but, role)
    try:
        return _already(parts, *given)
    except Rebuilt:
        return _already(parts, *given)


def _already(
    parts: Parts,
    scope: str,
    title: str,
    description: str,
    body: str,
    but: Set[str],
    role: Role,
) -> Known:
    snapshot = parts.sidecar.snapshot
    note = _imagined(title, description, body)
    text = said(note.title, note.body)
    found: dict[str, tuple[float, bool, Similar]] = {}
    for path, cosine in _nearest(parts, snapshot, scope, note, role).items():
        holder = _holder(snapshot, path)
        if not holder or not but.isdisjoint({path, holder}) or holder in found:
            continue
        try:
            other = parts.vault.read(path)
            same = _same(note, other)
            its = said(other.title, other.body)
            if not same and not near(text, its, cosine, TO_FOLD):
                continue
            shown = _shown(parts, snapshot, holder)
        except VaultmemError:
            continue
        if same:
            return Known(shown)
        copy = cosine is None or near(text, its, cosine, TO_REFUSE)
        found[holder] = (1.0 if cosine is None else cosine, copy, shown)
    nearest = sorted(found.values(), key=lambda item: (-item[0], item[2].path))
    copies = tuple(shown for _, copy, shown in nearest if copy)
    return Known(None, copies[:SHOWN], tuple(shown for *_, shown in nearest)[:SHOWN])


def _shown(parts: Parts, snapshot: Snapshot, path: str) -> Similar:
    note = parts.vault.read(path)
    return Similar(snapshot.called(path), note.hash, path, note.title, note.body.strip())


def _imagined(title: str, description: str, body: str) -> Note:
    """Return the note as it would be read."""
    properties: dict[str, Value] = {"title": title, "description": description}
    return Note("", "", properties, body.rstrip() + "\n")


def _same(one: Note, other: Note) -> bool:
    if not same_statement(one.body, other.body):
        return False
    titles = one.title, other.title
    return same_statement(*titles) or (alike(*titles) >= SAME_TITLE and not differ(*titles))


def _holder(snapshot: Snapshot, path: str) -> str:
    """Return the note that says this now: itself or its parent; empty if it is history."""
    standing = snapshot.stands(path)
    if standing.lowered:
        return standing.head if standing.lowered == FOLDED else ""
    facts = snapshot.facts[path]
    wanted = WAITING if facts.role == Role.CANDIDATE else ("working",)
    return path if facts.status in wanted and not facts.retracted else ""


def _nearest(
    parts: Parts, snapshot: Snapshot, scope: str, note: Note, role: Role
) -> dict[str, float | None]:
    """Return the notes of a role nearest to a new one by meaning and words, each with its cosine.

    The cosine is None where the model cannot read one of the two.
    """
    from vaultmem.sidecar.asking import asked

    vector = _vector(parts, note)
    terms = asked(f"{note.title}\n{note.body[:OPENING]}")

    def meant(allowed: Allowed | None) -> Sequence[Scored]:
        return [] if vector is None else parts.meaning.search(vector, allowed, 2 * LOOKED_AT)

    def spelt(allowed: Allowed | None) -> Sequence[Scored]:
        return parts.sidecar.keyword(terms, allowed).best(2 * LOOKED_AT)

    labels = [label for leg in (meant, spelt) for label in _in_scope(snapshot, scope, role, leg)]
    cosines = {} if vector is None else parts.meaning.scores(vector, labels)
    found: dict[str, float | None] = {}
    for label in labels:
        path = snapshot.chunks[label].path
        known = [c for c in (found.get(path), cosines.get(label)) if c is not None]
        found[path] = max(known, default=None)
    return found


def _in_scope(
    snapshot: Snapshot, scope: str, role: Role, leg: Callable[[Allowed | None], Sequence[Scored]]
) -> list[int]:
    """Return the passages that a search finds: of a scope's memories and of global ones, or of its
    candidates.

    It looks everywhere first, which is quick, and again there alone if others crowd them out.
    """
    from vaultmem.sidecar.seams import Allowed

    scopes = (scope,) if role == Role.CANDIDATE else (scope, GLOBAL)

    def belongs(label: int) -> bool:
        path = snapshot.chunks[label].path if label in snapshot.chunks else ""
        known = snapshot.facts.get(path)
        return known is not None and known.role == role and snapshot.scope(path) in scopes

    hits = leg(None)
    found = [hit.label for hit in hits if belongs(hit.label)]
    if len(found) >= LOOKED_AT or len(hits) < 2 * LOOKED_AT:
        return found
    key = ("already", scope, role)
    allowed = snapshot.memo.get(key)
    if allowed is None:
        allowed = snapshot.memo[key] = Allowed([n for n in snapshot.chunks if belongs(n)])
    return [hit.label for hit in leg(allowed)]


def _vector(parts: Parts, note: Note) -> Vectors | None:
    """Return the vector of a note's first passage, None if there is no model that can read it."""
    from vaultmem.sidecar.reading import cut, embedded
    from vaultmem.verbs.gathering import too_many

    facts = facts_of(note, Role.MEMORY)
    opening = [embedded(facts, note, passage) for passage, _ in cut(note, facts)[:1]]
    try:
        if parts.meaning.missing() and not too_many(parts):
            parts.meaning.embed()
        return parts.meaning.vectors(opening)[0]
    except VaultmemError:
        return None
