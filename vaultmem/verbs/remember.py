"""Answering a question with the right notes, their source and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultmem.sidecar.database import Damaged
from vaultmem.sidecar.sidecar import Rebuilt
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import choice
from vaultmem.verbs.packing import packed
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Row
from vaultmem.words.errors import Ambiguous, Busy, DiskFailed, NotFound, NoVault, VaultmemError
from vaultmem.words.facts import Facts
from vaultmem.words.hit import Answer
from vaultmem.words.layout import Role
from vaultmem.words.life import Grade, Standing
from vaultmem.words.question import Question

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed, Scored

EMBED_FIRST = 64
"""Passages without a vector that a question waits for; with more it goes by keyword alone."""


def remember(parts: Parts, question: Question) -> Answer:
    """Return the notes that answer, best first, within the budget; an empty answer is an answer.

    A question from scope A sees A, the global scope and the person's own notes, never B.

    Raises:
        BadInput: the question cannot be used as given.
        Refused: it asks for another scope than the one that the caller is locked to.
    """
    question.check()
    try:
        return _answered(parts, question)
    except Damaged as error:
        parts.sidecar.mend(error)
    except Rebuilt:
        pass
    return _answered(parts, question)


def _answered(parts: Parts, question: Question) -> Answer:
    notices = _refreshed(parts)
    snapshot = parts.sidecar.snapshot
    chosen = choice(parts, snapshot, question)
    labels = chosen.passages
    exact = _exact(snapshot, question.query, chosen.paths)
    addressed = bool(exact) and question.query.strip() in (snapshot.facts[exact].id, exact)
    found = [] if addressed else _ranked(parts, snapshot, question, labels, notices)
    first = [_named(snapshot, exact, found)] if exact else []
    rest = [row for row in found if row[1] != exact]
    hits, dropped = packed(parts, snapshot, [*first, *rest][: question.limit], question)
    return Answer(tuple(hits), dropped, " ".join(notices))


def _refreshed(parts: Parts) -> list[str]:
    """Bring the sidecar up to date; what keeps it from being so is said, not believed."""
    try:
        parts.sidecar.refresh(trust=True)
    except NoVault as error:
        return [f"The vault has vanished, so this is from memory of it. {error}"]
    except (Busy, DiskFailed) as error:
        return [f"This is from the last look at the vault. {error}"]
    shrunk = parts.sidecar.losses()
    return [shrunk] if shrunk else []


def _ranked(
    parts: Parts,
    snapshot: Snapshot,
    question: Question,
    labels: Allowed,
    notices: list[str],
) -> list[Row]:
    from vaultmem.sidecar.asking import asked
    from vaultmem.verbs.ranking import LEG, VECTOR_WEIGHT, best_passages, fused, ordered, tilt

    words = asked(question.query)
    keyword, ceiling = parts.sidecar.keyword(words, labels, LEG)
    vector = _meant(parts, question.query, labels, notices)
    evidence = fused(keyword, vector, ceiling, VECTOR_WEIGHT)
    unit = {e.label: _unit(snapshot, e.label) for e in evidence}
    rows: list[Row] = []
    for best in best_passages(evidence, unit):
        if not best.confidence:
            continue
        path = snapshot.chunks[best.label].path
        facts = snapshot.facts[path]
        standing = snapshot.standing.get(path, Standing())
        lowered = bool(standing.lowered)
        leaning = tilt(facts.grade, facts.status, facts.importance, lowered=lowered)
        rows.append((best.relevance * leaning, path, best.label, best.confidence))
    trusted = {p for _, p, _, _ in rows if _trusted(snapshot.facts[p])}
    lowered_by = {p: s.by for p, s in snapshot.standing.items() if s.lowered}
    return ordered(rows, trusted, lowered_by)


def _trusted(facts: Facts) -> bool:
    return facts.grade == Grade.APPROVED and facts.status == "working"


def _unit(snapshot: Snapshot, label_: int) -> str:
    """Return what counts as one hit: a note, or one entry of the live log."""
    chunk = snapshot.chunks[label_]
    log = snapshot.facts[chunk.path].role in (Role.LOG, Role.DECISIONS)
    return f"{chunk.path}:{chunk.first}" if log else chunk.path


def _meant(parts: Parts, query: str, labels: Allowed, notices: list[str]) -> Sequence[Scored]:
    """Return the vector leg's passages; without the model none, and one line that says so."""
    from vaultmem.verbs.ranking import LEG

    if not len(labels):
        return []
    try:
        waiting = parts.meaning.missing()
        if waiting > EMBED_FIRST:
            notices.append(
                f"{waiting} passages have no vector yet, so this went by keyword; "
                "`vaultmem refresh` makes them."
            )
            return []
        if waiting:
            parts.meaning.embed()
        vector = parts.meaning.model.query(query)
        return [] if vector is None else parts.meaning.search(vector, labels, LEG)
    except (Damaged, Rebuilt):
        raise
    except VaultmemError as error:
        notices.append(str(error))
        return []


def _exact(snapshot: Snapshot, query: str, chosen: set[str]) -> str:
    """Return the path of the note that the query names outright, empty if none.

    A file of the log is none: it holds entries of many scopes.
    """
    try:
        path = snapshot.find(query, chosen)
    except (NotFound, Ambiguous):
        return ""
    return "" if snapshot.facts[path].role == Role.LOG else path


def _named(snapshot: Snapshot, path: str, found: Sequence[Row]) -> Row:
    """Return the row of a note that was named: sure, at its best passage if words found one."""
    best = next((row for row in found if row[1] == path), None)
    labels = snapshot.by_label.get(path) or [0]
    return (1.0, path, best[2] if best else labels[0], "strong")
