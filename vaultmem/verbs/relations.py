"""Relations between memories: found as a caller said them, and as a note holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import found
from vaultmem.verbs.parts import Parts
from vaultmem.words.checks import relates
from vaultmem.words.errors import BadInput
from vaultmem.words.layout import Role
from vaultmem.words.life import INVERSE
from vaultmem.words.links import wikilink
from vaultmem.words.standing import LOWERING

PARENT = 1.1
"""A parent's importance over that of its weightiest source."""


@dataclass(frozen=True)
class Relation:
    """A relation asked for, its target found."""

    kind: str
    path: str
    link: str
    why: str = ""


def relation(parts: Parts, text: str) -> Relation:
    """Return the relation that a text such as `supersedes: k7f3q9xa because WHY` means.

    Raises:
        BadInput: it means none. NotFound, Ambiguous: its target is not there, or not the only one.
    """
    said = relates(text)
    path = found(parts, said.ref)
    return _to(parts.sidecar.snapshot, said.kind, path, said.why)


def _to(snapshot: Snapshot, kind: str, path: str, why: str = "") -> Relation:
    return Relation(kind, path, wikilink(path, snapshot.facts[path].title), why)


def with_findings(parts: Parts, relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """Return relations in which a note that closes a goal also consolidates what achieved it."""
    snapshot = parts.sidecar.snapshot
    named = {(one.kind, one.path) for one in relations}
    goals = [one.path for one in relations if one.kind == "closes"]
    gathered = [path for goal in goals for path in findings(snapshot, goal)]
    added = [p for p in dict.fromkeys(gathered) if ("consolidates", p) not in named]
    return (*relations, *(_to(snapshot, "consolidates", path) for path in added))


def knowing(parts: Parts, relations: Sequence[Relation], itself: str) -> tuple[Relation, ...]:
    """Return relations in which a note that supersedes another links to what did so before it."""
    snapshot = parts.sidecar.snapshot
    named = {itself, *(one.path for one in relations)}
    heirs = [
        neighbour.path
        for one in relations
        if one.kind == "supersedes"
        for neighbour in snapshot.links(one.path)
        if neighbour.kind == INVERSE["supersedes"]
        and snapshot.facts[neighbour.path].role == Role.MEMORY
        and snapshot.scope(neighbour.path) == snapshot.scope(one.path)
    ]
    added = [path for path in dict.fromkeys(heirs) if path not in named]
    return (*relations, *(_to(snapshot, "related_to", path) for path in added))


def findings(snapshot: Snapshot, goal: str) -> list[str]:
    """Return the notes of a goal's scope that achieve it and are in use, oldest first."""
    scope = snapshot.scope(goal)
    paths = [
        neighbour.path
        for neighbour in snapshot.links(goal)
        if neighbour.kind == "achieved_by"
        and snapshot.scope(neighbour.path) == scope
        and snapshot.facts[neighbour.path].role == Role.MEMORY
        and snapshot.facts[neighbour.path].status == "working"
    ]
    return sorted(paths, key=lambda path: (snapshot.facts[path].moment, path))


def parents_importance(snapshot: Snapshot, sources: Iterable[str]) -> float | None:
    """Return the importance of a note built on others, 1.1 times their highest; None without."""
    highest = max((snapshot.facts[path].importance for path in sources), default=None)
    return None if highest is None else round(min(1.0, PARENT * highest), 4)


def built_on(relations: Iterable[Relation]) -> list[str]:
    """Return the notes that a note with these relations is built on."""
    return [one.path for one in relations if one.kind in ("consolidates", "closes")]


def refuse_circle(snapshot: Snapshot, source: str, relations: Iterable[Relation]) -> None:
    """Raise `BadInput` if a note would replace itself by way of others."""
    for one in relations:
        if one.kind in LOWERING and source in _replaced_by(snapshot, one.path):
            raise BadInput(
                f"{one.path} already stands above {source}, so {one.kind} would make a circle. "
                "Take out the older relation first: `vaultmem unrelate`."
            )


def _replaced_by(snapshot: Snapshot, start: str) -> set[str]:
    """Return a note and all that it replaces, directly or by way of others."""
    seen, waiting = {start}, [start]
    while waiting:
        path = waiting.pop()
        for kind, target in snapshot.facts[path].relations:
            there = snapshot.names.resolve(target, path) if kind in LOWERING else None
            if there and there not in seen:
                seen.add(there)
                waiting.append(there)
    return seen


def by_kind(relations: Iterable[Relation]) -> dict[str, list[str]]:
    """Return the links of each kind as a note holds them."""
    links: dict[str, list[str]] = {}
    for one in relations:
        known = links.setdefault(one.kind, [])
        known += [] if one.link in known else [one.link]
    return links


def reasons(relations: Iterable[Relation]) -> list[str]:
    """Return the paragraphs that say why, as a note's body holds them."""
    return [f"{_opening(one.kind, one.link)}{one.why}" for one in relations if one.why]


def _opening(kind: str, link: str) -> str:
    return f"{kind.replace('_', ' ').capitalize()} {link} because "


def without_reason(body: str, kind: str, link: str) -> str:
    """Return a body without the paragraph that says why it has a relation."""
    blocks = body.split("\n\n")
    kept = [block for block in blocks if not block.lstrip("\n").startswith(_opening(kind, link))]
    return body if len(kept) == len(blocks) else "\n\n".join(kept)
