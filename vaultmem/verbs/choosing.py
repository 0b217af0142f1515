"""From which notes a question may be answered: chosen before anything is ranked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import Refused
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.life import type_named
from vaultmem.words.own import allowed_own
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL, sees
from vaultmem.words.times import bounds, parsed


def visible(parts: Parts, snapshot: Snapshot, path: str, reader: str | None) -> bool:
    """Return whether a reader in a scope (None: in none) may see a note at all.

    A person's own note is in no scope; the vault's settings say which of them agents may see.
    """
    scope = snapshot.scope(path)
    if scope is None:
        return parts.caller.person or allowed_own(path, parts.vault.config.own_notes)
    return reader is None or sees(reader, scope)


if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed

MOST_CHOICES = 64


@dataclass(frozen=True)
class Seen:
    """The paths that a caller may see, told one by one."""

    parts: Parts
    snapshot: Snapshot

    def __contains__(self, path: object) -> bool:
        """Return whether the caller may see a note at all."""
        return isinstance(path, str) and visible(
            self.parts, self.snapshot, path, self.parts.caller.scope
        )


def found(parts: Parts, ref: str) -> str:
    """Return the path of the note that a caller means, among those it may see.

    Raises:
        NotFound: there is none. Ambiguous: there are several; the message lists them.
    """
    snapshot = parts.sidecar.snapshot
    return snapshot.find(ref, Seen(parts, snapshot))


def reader_of(parts: Parts, question: Question) -> str | None:
    """Return the scope from which a question looks, None for all.

    Raises:
        Refused: the caller is locked to another scope.
    """
    locked = parts.caller.scope
    if question.scope is None:
        return locked
    wanted = parts.scope(question.scope)
    if locked is not None and not sees(locked, wanted):
        raise Refused(
            f"This session works in {locked or 'the global scope'} and sees nothing of {wanted}. "
            "Leave `scope` out."
        )
    return wanted


@dataclass(frozen=True)
class Choice:
    """From what a question may be answered."""

    paths: set[str]
    passages: Allowed


def choice(parts: Parts, snapshot: Snapshot, question: Question) -> Choice:
    """Return the notes and passages that a question may be answered from.

    It is worked out once for each snapshot, reader and set of filters.
    """
    from vaultmem.sidecar.seams import Allowed

    filters = (question.types, question.tags, question.files, question.after, question.before)
    key = ("choice", reader_of(parts, question), parts.caller.person, filters)
    known = snapshot.memo.get(key)
    if not isinstance(known, Choice):
        if len(snapshot.memo) >= MOST_CHOICES:
            snapshot.memo.clear()
        paths = chosen_notes(parts, snapshot, question)
        known = Choice(paths, Allowed(chosen_passages(parts, snapshot, paths, question)))
        snapshot.memo[key] = known
    return known


def chosen_notes(
    parts: Parts, snapshot: Snapshot, question: Question, *, archived: bool = False
) -> set[str]:
    """Return the paths that the question may be answered from."""
    reader = reader_of(parts, question)
    wanted = frozenset(type_named(name) for name in question.types)
    after, before = _bounds(parts, question)
    tags = {tag.lstrip("#").casefold() for tag in question.tags}
    files = set(question.files)
    filtered = bool(wanted or tags or files)
    found = set()
    for path, facts in snapshot.facts.items():
        if facts.role not in _ANSWERING or (facts.status == "archived" and not archived):
            continue
        if filtered and not _fits(facts, wanted, tags, files):
            continue
        if facts.role != Role.LOG and not _within(parts, facts.created, after, before):
            continue
        if facts.role == Role.LOG or _seen(parts, snapshot, path, reader):
            found.add(path)
    return found


def _seen(parts: Parts, snapshot: Snapshot, path: str, reader: str | None) -> bool:
    """Return whether a note is searched by this reader: of own notes, only those allowed are."""
    own = snapshot.facts[path].role == Role.OWN
    allowed = not own or allowed_own(path, parts.vault.config.own_notes)
    return allowed and visible(parts, snapshot, path, reader)


_ANSWERING = (Role.MEMORY, Role.PROJECT, Role.DECISIONS, Role.LOG, Role.DETAIL, Role.OWN)


def _fits(facts: Facts, types: frozenset[str], tags: set[str], files: set[str]) -> bool:
    kind = facts.type.lower().replace("-", "_")
    return (
        (not types or kind in types)
        and (not tags or bool(tags & {tag.casefold() for tag in facts.tags}))
        and (not files or bool(files & set(facts.files)))
    )


def _within(parts: Parts, moment: str, after: datetime | None, before: datetime | None) -> bool:
    if after is None and before is None:
        return True
    then = parsed(moment, parts.vault.zone)
    if then is None:
        return False
    return (after is None or then >= after) and (before is None or then < before)


def _bounds(parts: Parts, question: Question) -> tuple[datetime | None, datetime | None]:
    """Return the first moment asked for and the first one that is not any more."""
    zone = parts.vault.zone
    after = bounds(question.after, zone)[0] if question.after else None
    before = bounds(question.before, zone)[1] if question.before else None
    return after, before


def chosen_passages(
    parts: Parts, snapshot: Snapshot, chosen: set[str], question: Question
) -> set[int]:
    """Return the passages that may answer; those of the log count by their entry's own scope
    and time.
    """
    reader = reader_of(parts, question)
    after, before = _bounds(parts, question)
    found: set[int] = set()
    for path in chosen:
        labels = snapshot.by_label.get(path, ())
        if snapshot.facts[path].role != Role.LOG:
            found.update(labels)
            continue
        for number in labels:
            chunk = snapshot.chunks[number]
            seen = reader is None or sees(reader, chunk.scope or GLOBAL)
            if seen and _within(parts, chunk.heading, after, before):
                found.add(number)
    return found
