"""Goals: what each has gathered, the note that closes one, and opening it again."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import found, visible
from vaultmem.verbs.folding import folded
from vaultmem.verbs.memorize import announced, writable
from vaultmem.verbs.parents import source_of, written
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.relate import unrelate
from vaultmem.verbs.relations import findings, parents_importance
from vaultmem.words.errors import BadInput
from vaultmem.words.hit import Receipt
from vaultmem.words.layout import Role
from vaultmem.words.life import counted_as
from vaultmem.words.links import wikilink
from vaultmem.words.scope import GLOBAL


@dataclass(frozen=True)
class Goal:
    """A goal, what was found on the way, and what closed it."""

    id: str
    path: str
    title: str
    scope: str
    closed_by: str = ""
    """Name of the note that closed it; empty while it is open."""
    waiting: str = ""
    """Name of a note that would close it, but is of a lower grade."""
    findings: tuple[tuple[str, str], ...] = ()
    """Name and title of each note that achieves it, oldest first."""


def goals(parts: Parts) -> list[Goal]:
    """Return the goals that this caller sees, the open ones first."""
    parts.sidecar.refresh(trust=True)
    snapshot, scope = parts.sidecar.snapshot, parts.caller.scope
    known = [
        _goal(snapshot, path)
        for path, facts in snapshot.facts.items()
        if facts.role == Role.MEMORY and counted_as(facts.type) == "goal"
        if facts.status == "working" and visible(parts, snapshot, path, scope)
    ]
    return sorted(known, key=lambda goal: (bool(goal.closed_by), goal.scope, goal.path))


def _goal(snapshot: Snapshot, path: str) -> Goal:
    standing = snapshot.stands(path)
    closing = {n.path for n in snapshot.links(path) if n.kind == "closed_by"}
    by, contested = standing.by, standing.contested_by
    return Goal(
        id=snapshot.called(path),
        path=path,
        title=snapshot.facts[path].title,
        scope=snapshot.scope(path) or GLOBAL,
        closed_by=snapshot.called(by) if by in closing else "",
        waiting=snapshot.called(contested) if contested in closing else "",
        findings=tuple(
            (snapshot.called(found), snapshot.facts[found].title)
            for found in findings(snapshot, path)
        ),
    )


def consolidate(parts: Parts, ref: str) -> Receipt:
    """Write the note that closes a goal: every distinct statement of what achieved it, once.

    Its grade is the lowest of its sources, so what has a higher grade is contested, not lowered.

    Raises:
        NotFound, Ambiguous: see `found`. BadInput: it is no goal, or nothing achieves it.
    """
    parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    goal = _named(parts, snapshot, ref)
    sources = [path for path in findings(snapshot, goal) if not snapshot.stands(path).lowered]
    if not sources:
        raise BadInput(
            f"Nothing achieves {goal} yet. Memorize what was found with `achieves: "
            f"{snapshot.called(goal)}`."
        )
    with parts.vault.lock.vault("consolidate"):
        notes = [parts.vault.read(path) for path in sources]
        importance = parents_importance(snapshot, [goal, *sources]) or 0.0
        title = f"{snapshot.facts[goal].title[:180]}: what was found"
        parent = folded([source_of(snapshot, note) for note in notes], importance, title)
        grade = min(snapshot.facts[path].grade for path in sources)
        scope = snapshot.scope(goal) or GLOBAL
        titles = {path: snapshot.facts[path].title for path in (goal, *sources)}
        links = {
            "closes": [wikilink(goal, titles[goal])],
            "consolidates": [wikilink(path, titles[path]) for path in sources],
        }
        note_id, path, seen = written(parts, scope, grade, parent, links)
        announced(parts, scope, "consolidated a goal in", path, parent.title)
    return Receipt(note_id, path, seen, "working")


def reopen(parts: Parts, ref: str) -> list[str]:
    """Take out what closes a goal; return the notes that closed it. They stay as memories."""
    parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    goal = _named(parts, snapshot, ref)
    closing = [n.path for n in snapshot.links(goal) if n.kind == "closed_by"]
    if not closing:
        raise BadInput(f"{goal} is open already: nothing closes it.")
    for path in [writable(parts, path) for path in closing]:
        consolidated = [t for kind, t in snapshot.facts[path].relations if kind == "consolidates"]
        unrelate(parts, path, "closes", goal)
        for target in consolidated:
            unrelate(parts, path, "consolidates", target)
    return closing


def _named(parts: Parts, snapshot: Snapshot, ref: str) -> str:
    path = found(parts, ref)
    if counted_as(snapshot.facts[path].type) != "goal":
        raise BadInput(f"{path} is no goal. `vaultmem goals` lists them.")
    return path
