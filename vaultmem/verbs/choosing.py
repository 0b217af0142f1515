"""From which notes a question may be answered: chosen before anything is ranked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.inbox import expired
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.rights import readable
from vaultmem.words.errors import Refused
from vaultmem.words.facts import Facts
from vaultmem.words.layout import SEARCHED, Role
from vaultmem.words.life import counted_as, type_named
from vaultmem.words.own import allowed_own
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL, sees
from vaultmem.words.standing import FOLDED, Standing
from vaultmem.words.times import bounds, parsed

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed, Leg


def visible(parts: Parts, snapshot: Snapshot, path: str, reader: str | None) -> bool:
    """Return whether a reader in a scope (None: in none) may see a note at all.

    A person's own note is in no scope; the vault's settings say which of them agents may see.
    For the rest see `rights`.
    """
    if not readable(parts, snapshot, path):
        return False
    scope = snapshot.scope(path)
    if scope is None:
        return parts.caller.person or allowed_own(path, parts.vault.config.own_notes)
    return reader is None or sees(reader, scope)


MOST_CHOICES = 64
LEG = 100
"""Notes taken from each index for a question."""
SOURCES, TRUSTED = 10, 25
"""Notes taken beside them: of those that a parent stands for or that wait for a person, each; and
of those a person approved."""


@dataclass(frozen=True)
class Seen:
    """The paths that a caller may see, told one by one."""

    parts: Parts
    snapshot: Snapshot

    def __contains__(self, path: object) -> bool:
        """Return whether the caller may see a note at all."""
        reader = self.parts.caller.scope
        return isinstance(path, str) and visible(self.parts, self.snapshot, path, reader)


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
        Refused: the caller is locked to another scope, or its grant does not name it.
    """
    locked = parts.caller.scope
    if question.scope is None:
        return locked
    wanted = parts.scope(question.scope)
    said = question.scope or "the global scope"
    if not parts.caller.granted(wanted):
        raise Refused(f"This agent may not read {said}. Leave `scope` out.")
    if locked is not None and not sees(locked, wanted):
        here = locked or "the global scope"
        raise Refused(
            f"This session works in {here} and sees nothing of {said}. Leave `scope` out."
        )
    return wanted


@dataclass(frozen=True)
class Choice:
    """From what a question may be answered."""

    paths: set[str]
    passages: Allowed
    legs: tuple[Leg, ...]

    def within(self, left: Allowed) -> tuple[Leg, ...]:
        """Return the legs with what is left of their passages."""
        if left is self.passages:
            return self.legs
        return tuple(leg._replace(passages=leg.passages.within(left)) for leg in self.legs)


def choice(parts: Parts, snapshot: Snapshot, question: Question) -> Choice:
    """Return the notes and passages that a question may be answered from.

    It is worked out once for each snapshot, reader and set of filters.
    """
    from vaultmem.sidecar.seams import Allowed

    reader, caller = reader_of(parts, question), parts.caller
    waits = (caller.agent, parts.now()[:10]) if snapshot.candidates else ()
    key = ("choice", reader, caller.person, caller.grant, question.filters, waits)
    known = snapshot.memo.get(key)
    if not isinstance(known, Choice):
        if len(snapshot.memo) >= MOST_CHOICES:
            snapshot.memo.clear()
        paths = chosen_notes(parts, snapshot, question)
        passages = Allowed(chosen_passages(parts, snapshot, paths, question))
        standing = standing_as_of(parts, snapshot, question)
        known = Choice(paths, passages, _legs(snapshot, paths, passages, standing))
        snapshot.memo[key] = known
    return known


def _legs(
    snapshot: Snapshot, paths: set[str], passages: Allowed, standing: Mapping[str, Standing]
) -> tuple[Leg, ...]:
    """Return the legs of a choice: many notes that say the same must not crowd out the rest.

    What a parent says for its sources comes in small number, and so do candidates; and what a
    person approved has places of its own, however many notes of a lower grade answer.
    """
    from vaultmem.sidecar.seams import Allowed, Leg

    lowered = {path: stands for path, stands in standing.items() if stands.lowered}
    folded = {
        path
        for path in paths & lowered.keys()
        if lowered[path].lowered == FOLDED and lowered[path].by in paths
    }
    waiting = {path for path in snapshot.candidates if path in paths}
    apart = folded | waiting
    trusted = {p for p in paths - lowered.keys() if snapshot.facts[p].trusted}

    def of(chosen: set[str]) -> Allowed:
        known = [label for path in chosen for label in snapshot.by_label.get(path, ())]
        return Allowed(known).within(passages)

    legs = [Leg(of(paths - apart) if apart else passages, LEG)]
    legs += [Leg(of(group), SOURCES) for group in (folded, waiting) if group]
    if trusted and len(paths) - len(trusted) >= LEG // 2:
        legs.append(Leg(of(trusted), TRUSTED))
    return tuple(legs)


def chosen_notes(
    parts: Parts, snapshot: Snapshot, question: Question, *, archived: bool = False
) -> set[str]:
    """Return the paths that the question may be answered from."""
    reader = reader_of(parts, question)
    fits = _filter(question)
    within = _span(parts, question)
    found = set()
    for path, facts in snapshot.facts.items():
        if facts.role not in _ANSWERING or not _of_status(facts, question, archived):
            continue
        if facts.role == Role.CANDIDATE and expired(parts, facts):
            continue
        if fits is not None and not fits(facts):
            continue
        if facts.role == Role.LOG or (within(facts) and _seen(parts, snapshot, path, reader)):
            found.add(path)
    return found


def _of_status(facts: Facts, question: Question, archived: bool) -> bool:
    if question.statuses:
        return facts.status in question.statuses
    return archived or facts.status != "archived"


def _seen(parts: Parts, snapshot: Snapshot, path: str, reader: str | None) -> bool:
    """Return whether a note is searched by this reader: of own notes, only those allowed are."""
    own = snapshot.facts[path].role == Role.OWN
    allowed = not own or allowed_own(path, parts.vault.config.own_notes)
    return allowed and visible(parts, snapshot, path, reader)


_ANSWERING = frozenset(SEARCHED - {Role.KNOWLEDGE})


def _filter(question: Question) -> Callable[[Facts], bool] | None:
    """Return the test of types, tags, files and authors, None if the question names none."""
    wanted = frozenset(type_named(name) for name in question.types)
    tags = {tag.lstrip("#").casefold() for tag in question.tags}
    files = set(question.files)
    agents = {name.casefold() for name in question.agents}
    if not (wanted or tags or files or agents):
        return None

    def fits(facts: Facts) -> bool:
        kind = counted_as(facts.type)
        return (
            (not wanted or kind in wanted)
            and (not tags or bool(tags & {tag.casefold() for tag in facts.tags}))
            and (not files or bool(files & set(facts.files)))
            and (not agents or facts.agent.casefold() in agents)
        )

    return fits


def holds_at(facts: Facts, moment: datetime, zone: tzinfo) -> bool:
    """Return whether a note is still true at a moment; its last day counts as a whole."""
    until = parsed(facts.valid_until, zone)
    if until is None:
        return True
    day = timedelta(days=len(facts.valid_until.strip()) == 10)
    return moment - day <= until  # not the other way round: a day after 9999-12-31 is none


@dataclass(frozen=True)
class Span:
    """The time that a question asks for: from one moment, before another, and true at a third."""

    after: datetime | None
    before: datetime | None
    as_of: datetime | None
    zone: tzinfo

    def __call__(self, facts: Facts) -> bool:
        """Return whether a note became true within it and, if so asked, was true at its day."""
        if not self.holds(facts.moment):
            return False
        return self.as_of is None or holds_at(facts, self.as_of, self.zone)

    def holds(self, moment: str) -> bool:
        """Return whether a moment lies in it; one that cannot be read lies in no span."""
        if self.after is None and self.before is None and self.as_of is None:
            return True
        then = parsed(moment, self.zone)
        if then is None:
            return False
        late = self.before is not None and then >= self.before
        unborn = self.as_of is not None and then >= self.as_of
        return not late and not unborn and (self.after is None or then >= self.after)


def _span(parts: Parts, question: Question) -> Span:
    """Return the span of a question; a bare date means the whole day in the vault's zone.

    Raises:
        BadInput: a date cannot be read.
    """
    zone = parts.vault.zone
    after = bounds(question.after, zone)[0] if question.after else None
    before = bounds(question.before, zone)[1] if question.before else None
    as_of = bounds(question.as_of, zone)[1] if question.as_of else None
    return Span(after, before, as_of, zone)


def standing_as_of(parts: Parts, snapshot: Snapshot, question: Question) -> dict[str, Standing]:
    """Return how notes stand; what was not yet true on the day asked for lowers nobody."""
    if not question.as_of:
        return snapshot.standing
    holds = _span(parts, question).holds
    return {
        path: standing
        for path, standing in snapshot.standing.items()
        if not standing.by or holds(snapshot.facts[standing.by].moment)
    }


def chosen_passages(
    parts: Parts, snapshot: Snapshot, chosen: set[str], question: Question
) -> set[int]:
    """Return the passages that may answer; those of the log count by their entry's own scope
    and time.
    """
    reader = reader_of(parts, question)
    within = _span(parts, question)
    found: set[int] = set()
    for path in chosen:
        labels = snapshot.by_label.get(path, ())
        if snapshot.facts[path].role != Role.LOG:
            found.update(labels)
            continue
        for number in labels:
            chunk = snapshot.chunks[number]
            scope = chunk.scope or GLOBAL
            seen = parts.caller.granted(scope) and (reader is None or sees(reader, scope))
            if seen and within.holds(chunk.heading):
                found.add(number)
    return found
