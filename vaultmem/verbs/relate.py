"""Relating two memories, taking a relation back, and walking from note to note."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import found, visible
from vaultmem.verbs.memorize import announced, memorize, writable
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.relations import without_reason
from vaultmem.words.errors import BadInput, NotFound
from vaultmem.words.frontmatter import Written
from vaultmem.words.hit import Receipt
from vaultmem.words.life import relation_named
from vaultmem.words.links import in_value
from vaultmem.words.note import Note
from vaultmem.words.scope import GLOBAL
from vaultmem.words.wish import Wish

DEEPEST = 6
MOST_SHOWN = 200


@dataclass(frozen=True)
class Edge:
    """One link from a note to another, as it reads from the first."""

    source: str
    kind: str
    target: str


@dataclass(frozen=True)
class Graph:
    """The notes around one: names and titles, and the links between them."""

    start: str
    titles: dict[str, str]
    edges: tuple[Edge, ...]
    more: int = 0
    """How many notes were left out."""


def relate(parts: Parts, ref: str, kind: str, other: str, why: str = "") -> Receipt:
    """Add a relation to the note that says it; raises as `memorize` does when it changes one."""
    parts.sidecar.refresh()
    path = writable(parts, ref)
    because = f" because {why}" if why.strip() else ""
    said = f"{relation_named(kind)}: {found(parts, other)}{because}"
    return memorize(parts, Wish(id=path, hash=parts.vault.read(path).hash, relates=(said,)))


def unrelate(parts: Parts, ref: str, kind: str, other: str) -> Receipt:
    """Take a relation out of the note that says it, with the paragraph that says why.

    `other` may be gone: then the text of its link is what is looked for.

    Raises:
        NotFound: the note has no such relation. Refused: see `writable`.
    """
    parts.sidecar.refresh()
    snapshot, kind = parts.sidecar.snapshot, relation_named(kind)
    path = writable(parts, ref)
    with parts.vault.lock.vault("unrelate"):
        note = parts.vault.read(path)
        gone = _links_to(parts, snapshot, note, kind, other)
        if not gone:
            raise NotFound(f"relation {kind} from {path} to {other!r}", "See `vaultmem graph`.")
        keys: dict[str, Written] = {
            kind: [text for text in note.texts(kind) if text not in gone] or None,
            "updated": parts.now(),
        }
        body = note.body
        for link in gone:
            body = without_reason(body, kind, link)
        changed = body if body != note.body else None
        seen = parts.vault.edit(path, keys, seen=note.hash, body=changed)
        announced(parts, snapshot.scope(path) or GLOBAL, "updated", path, note.title)
    return Receipt(snapshot.called(path), path, seen, note.status)


def _links_to(parts: Parts, snapshot: Snapshot, note: Note, kind: str, other: str) -> list[str]:
    """Return the texts of a note's links of one kind that lead to another note."""
    try:
        wanted = found(parts, other)
    except NotFound:
        wanted = ""
    said = other.strip().removeprefix("[[").removesuffix("]]").split("|")[0].removesuffix(".md")
    links = []
    for text in note.texts(kind):
        link = in_value(text)
        there = snapshot.names.resolve(link.target, note.path) if link else None
        if there == wanted if there else text == said or (link and link.target == said):
            links.append(text)
    return links


def graph(parts: Parts, ref: str, depth: int = 1) -> Graph:
    """Return the notes up to `depth` links away that this caller sees, relations both ways.

    Raises:
        NotFound, Ambiguous: see `found`. BadInput: the depth is not from 1 to 6.
    """
    if not 1 <= depth <= DEEPEST:
        raise BadInput(f"depth {depth} is not from 1 to {DEEPEST}.")
    parts.sidecar.refresh(trust=True)
    snapshot, scope = parts.sidecar.snapshot, parts.caller.scope
    start = found(parts, ref)
    reached, edges, more = {start: 0}, [], set()
    for path in _growing(reached):
        if reached[path] == depth:
            continue
        for neighbour in snapshot.links(path):
            if not visible(parts, snapshot, neighbour.path, scope):
                continue
            if neighbour.path not in reached:
                if len(reached) >= MOST_SHOWN:
                    more.add(neighbour.path)
                    continue
                reached[neighbour.path] = reached[path] + 1
            if reached[neighbour.path] > reached[path] or path < neighbour.path:
                edges.append(
                    Edge(snapshot.called(path), neighbour.kind, snapshot.called(neighbour.path))
                )
    titles = {snapshot.called(path): snapshot.facts[path].title for path in reached}
    return Graph(snapshot.called(start), titles, tuple(edges), len(more))


def _growing(reached: dict[str, int]) -> Iterable[str]:
    """Yield the paths reached, those added meanwhile too."""
    done: set[str] = set()
    while waiting := [path for path in reached if path not in done]:
        for path in waiting:
            done.add(path)
            yield path
