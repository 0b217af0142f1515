"""From which notes a question may be answered: chosen before anything is ranked."""

from __future__ import annotations

from datetime import datetime

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.life import type_named
from vaultmem.words.question import Question
from vaultmem.words.scope import clean, sees
from vaultmem.words.times import bounds, parsed


def visible(snapshot: Snapshot, path: str, reader: str | None) -> bool:
    """Return whether a reader locked to a scope (None: to none) may see a note at all."""
    scope = snapshot.scope(path)
    return reader is None or scope is None or sees(reader, scope)


def _reader(parts: Parts, question: Question) -> str | None:
    if question.scope is not None:
        return clean(question.scope)
    return parts.caller.scope


def chosen_notes(parts: Parts, snapshot: Snapshot, question: Question) -> set[str]:
    """Return the paths that the question may be answered from."""
    reader = _reader(parts, question)
    wanted = frozenset(type_named(name) for name in question.types)
    after = bounds(question.after, parts.vault.zone)[0] if question.after else None
    before = bounds(question.before, parts.vault.zone)[1] if question.before else None
    tags = {tag.lstrip("#").casefold() for tag in question.tags}
    files = set(question.files)
    filtered = bool(wanted or tags or files)
    found = set()
    for path, facts in snapshot.facts.items():
        if facts.role not in _ANSWERING or facts.status == "archived":
            continue
        if filtered and not _fits(facts, wanted, tags, files):
            continue
        if (after or before) and not _created_within(parts, facts, after, before):
            continue
        if facts.role == Role.LOG or visible(snapshot, path, reader):
            found.add(path)
    return found


_ANSWERING = (Role.MEMORY, Role.PROJECT, Role.DECISIONS, Role.LOG, Role.DETAIL, Role.OWN)


def _fits(facts: Facts, types: frozenset[str], tags: set[str], files: set[str]) -> bool:
    kind = facts.type.lower().replace("-", "_")
    return (
        (not types or kind in types)
        and (not tags or bool(tags & {tag.casefold() for tag in facts.tags}))
        and (not files or bool(files & set(facts.files)))
    )


def _created_within(
    parts: Parts, facts: Facts, after: datetime | None, before: datetime | None
) -> bool:
    created = parsed(facts.created, parts.vault.zone)
    if created is None:
        return False
    return (after is None or created >= after) and (before is None or created < before)


def chosen_passages(
    parts: Parts, snapshot: Snapshot, chosen: set[str], question: Question
) -> set[int]:
    """Return the passages that may answer; those of the log count by their entry's scope."""
    reader = _reader(parts, question)
    found = set()
    for path in chosen:
        for number in snapshot.by_label.get(path, ()):
            scope = snapshot.chunks[number].scope
            if scope is None or reader is None or sees(reader, scope):
                found.add(number)
    return found
