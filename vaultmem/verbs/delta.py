"""What changed in the vault since a moment, as an agent wants to read it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import visible
from vaultmem.verbs.parts import Parts
from vaultmem.words.facts import Facts
from vaultmem.words.layout import SEARCHED, Role
from vaultmem.words.own import allowed_own
from vaultmem.words.times import bounds, offset, parsed

MOST = 200


@dataclass(frozen=True)
class Changed:
    """One note that is new or another since then."""

    when: str
    what: str
    """`new`, `changed`, or how it stands now: `superseded`, `consolidated`."""
    id: str
    title: str
    type: str
    scope: str
    path: str


@dataclass(frozen=True)
class Delta:
    """What changed since a moment, newest first, and how much more there is."""

    since: str
    notes: tuple[Changed, ...]
    more: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return it by the names of its fields."""
        return asdict(self)


def delta(parts: Parts, since: str) -> Delta:
    """Return the notes that the caller may see and that are new or changed since a moment.

    A memory tells by its own times, since a clone gives every file the time of the clone; a note
    that tells none, by its file's. What only the log says is read with `log`.

    Raises:
        BadInput: the moment cannot be read.
    """
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    start = parsed(since, parts.vault.zone) if "T" in since else None
    start = start or bounds(since, parts.vault.zone)[0]
    rows = [
        (when, path)
        for path, facts in snapshot.facts.items()
        if facts.role in SEARCHED - {Role.LOG}
        and (when := _moment(parts, facts)) is not None
        and when >= start
        and _seen(parts, snapshot, facts)
    ]
    rows.sort(key=lambda row: (-row[0].timestamp(), row[1]))
    notes = [_changed(parts, snapshot, when, path, start) for when, path in rows[:MOST]]
    zone = parts.vault.zone
    return Delta(offset(start, zone), tuple(notes), max(len(rows) - MOST, 0))


def _seen(parts: Parts, snapshot: Snapshot, facts: Facts) -> bool:
    if facts.role == Role.OWN and not allowed_own(facts.path, parts.vault.config.own_notes):
        return False
    return visible(parts, snapshot, facts.path, parts.caller.scope)


def _moment(parts: Parts, facts: Facts) -> datetime | None:
    """Return when a note was changed last, as it says itself, else as the disk does."""
    zone = parts.vault.zone
    said = [parsed(text, zone) for text in (facts.created, facts.updated, facts.fetched)]
    known = [moment for moment in said if moment]
    if known:
        return max(known)
    stat = parts.vault.stat(facts.path)
    return datetime.fromtimestamp(stat.mtime_ns / 1e9, zone) if stat else None


def _changed(
    parts: Parts, snapshot: Snapshot, when: datetime, path: str, start: datetime
) -> Changed:
    facts, zone = snapshot.facts[path], parts.vault.zone
    made = parsed(facts.created or facts.fetched, zone)
    what = snapshot.stands(path).lowered or ("new" if made and made >= start else "changed")
    scope = snapshot.scope(path)
    named = "own notes" if scope is None else scope or "global"
    called = snapshot.called(path)
    return Changed(offset(when, zone), str(what), called, facts.title, facts.type, named, path)
