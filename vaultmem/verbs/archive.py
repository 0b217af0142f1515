"""Putting memories away and bringing them back, and finding those that a person may put away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs import catalogues
from vaultmem.verbs.choosing import chosen_notes
from vaultmem.verbs.living import Lives
from vaultmem.verbs.memorize import writable
from vaultmem.verbs.parts import Parts
from vaultmem.words.entry import Entry
from vaultmem.words.errors import BadInput, Refused
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.life import LEAST_STRENGTH, Grade, Life, counted_as
from vaultmem.words.links import wikilink
from vaultmem.words.note import Note
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL
from vaultmem.words.standing import Standing

OLD_DAYS = 180
WEAK = 2 * LEAST_STRENGTH
"""Strength at or below which a memory is near the floor."""


@dataclass(frozen=True)
class Retired:
    """A memory that was put away or brought back, or that may be put away."""

    id: str
    title: str
    path: str
    status: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """What decides whether a memory is one that a person may want to put away."""

    facts: Facts
    life: Life
    unchanged: float
    """Days since it was changed."""
    lowered: str = ""
    """What replaced it, such as `superseded by m2x8w4rt`; empty if nothing did."""
    lowered_for: float = 0.0
    """Days since the note that did so was changed."""
    lowers: bool = False
    """Whether one that it superseded or closed is not put away yet: the past goes first."""


def reasons(case: Case, days: float = OLD_DAYS) -> tuple[str, ...]:
    """Return why a person may want to put a memory away; none if it is to stay.

    It is to go if it was superseded or consolidated more than `days` ago, or if it has not changed
    for so long and is weak or was never used. What is pinned stays, what replaced another stays
    as long as that one, and what a person approved and open goals stay until they are superseded.
    """
    facts = case.facts
    kept = facts.grade == Grade.APPROVED or counted_as(facts.type) == "goal"
    if facts.status != "working" or facts.pinned or facts.broken or case.lowers:
        return ()
    if kept and not case.lowered:
        return ()
    past = bool(case.lowered) and case.lowered_for > days
    old = case.unchanged > days
    weak, unused = case.life.strength <= WEAK, case.life.use.count == 0
    if not (past or (old and (weak or unused))):
        return ()
    told = {
        f"{case.lowered} {case.lowered_for:.0f} days ago": past,
        f"weak, its strength is {case.life.strength:.2f}": weak,
        f"not changed for {case.unchanged:.0f} days": old,
        "never used": unused,
    }
    return tuple(reason for reason, holds in told.items() if holds)


def cleanup(parts: Parts, days: int = OLD_DAYS, *, apply: bool = False) -> list[Retired]:
    """Return the memories that a person may want to put away, oldest first, each with its reasons;
    with `apply` they are archived. Only those that this caller may change are among them.

    Raises:
        BadInput: `days` is below 1.
    """
    if days < 1:
        raise BadInput("days must be at least 1.")
    parts.sidecar.refresh()
    found = _faded(parts, parts.sidecar.snapshot, days)
    if not apply or not found:
        return found
    with parts.vault.lock.vault("cleanup"):
        done = _marked(parts, [item.path for item in found], "archived")
    return [replace(item, reasons=was.reasons) for item, was in zip(done, found, strict=True)]


def _faded(parts: Parts, snapshot: Snapshot, days: int) -> list[Retired]:
    lives = Lives(parts, snapshot)
    standing = snapshot.standing
    lowering = {
        stands.by
        for path, stands in standing.items()
        if stands.lowered and snapshot.facts[path].status != "archived"
    }
    found: list[tuple[float, Retired]] = []
    for path in sorted(chosen_notes(parts, snapshot, Question(""))):
        facts = snapshot.facts[path]
        if facts.role != Role.MEMORY or not (parts.caller.person or facts.grade < Grade.APPROVED):
            continue
        stands = standing.get(path, Standing())
        by = snapshot.facts.get(stands.by)
        case = Case(
            facts,
            lives.of(path),
            lives.unchanged(path),
            f"{stands.lowered.lower()} {snapshot.called(by.path)}" if by else "",
            lives.unchanged(by.path) if by else 0.0,
            path in lowering,
        )
        if why := reasons(case, days):
            item = Retired(snapshot.called(path), facts.title, path, facts.status, why)
            found.append((case.unchanged, item))
    return [item for _, item in sorted(found, key=lambda pair: -pair[0])]


def archive(parts: Parts, refs: Sequence[str]) -> list[Retired]:
    """Put memories away, all of them or none if one cannot be.

    They leave catalogue and search and stay where they are; of each its line of status changes.

    Raises:
        BadInput: none is named. NotFound, Ambiguous, Refused: see `writable`; or it is a candidate.
    """
    return _all_marked(parts, refs, "archived")


def unarchive(parts: Parts, refs: Sequence[str]) -> list[Retired]:
    """Bring memories back that were put away; the contrary of `archive`, and it raises as that."""
    return _all_marked(parts, refs, "working")


def _all_marked(parts: Parts, refs: Iterable[str], status: str) -> list[Retired]:
    named = list(refs)
    if not named:
        raise BadInput("Name at least one memory.")
    parts.sidecar.refresh()
    paths = list(dict.fromkeys(_markable(parts, ref) for ref in named))
    with parts.vault.lock.vault("archive"):
        return _marked(parts, paths, status)


def _markable(parts: Parts, ref: str) -> str:
    path = writable(parts, ref)
    facts = parts.sidecar.snapshot.facts[path]
    if facts.role != Role.MEMORY or facts.status not in ("working", "archived"):
        raise Refused(f"{path} waits for review, so it is neither archived nor brought back.")
    return path


def _marked(parts: Parts, paths: Sequence[str], status: str) -> list[Retired]:
    """Give some memories a status, and tell of those that had another."""
    snapshot = parts.sidecar.snapshot
    notes = [parts.vault.read(path) for path in paths]
    changed = [note for note in notes if note.status != status]
    for note in changed:
        parts.vault.edit(note.path, {"status": status}, seen=note.hash)
    if changed:
        _announced(parts, "archived" if status == "archived" else "brought back", changed)
    return [Retired(snapshot.called(note.path), note.title, note.path, status) for note in notes]


def _announced(parts: Parts, verb: str, notes: Sequence[Note]) -> None:
    """Bring all that follows some changed notes up to date, in one go for all of them."""
    layout, caller = parts.vault.layout, parts.caller
    scopes = {note.path: parts.sidecar.snapshot.scope(note.path) or GLOBAL for note in notes}
    parts.sidecar.refresh(only=list(scopes))
    stale = set(catalogues.write(parts.vault, parts.sidecar.snapshot, scopes.values()))
    for note in notes:
        summary = f"{verb} {wikilink(note.path, note.title)}"
        entry = Entry("", caller.agent, caller.channel, "memory", scopes[note.path], summary)
        stale.add(layout.log(parts.log.append(entry).time[:7]))
    parts.sidecar.refresh(only=[*sorted(stale), layout.log_page])
