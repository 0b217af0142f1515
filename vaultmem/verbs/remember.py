"""Answering a question with the right notes, their source and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultmem.sidecar.sidecar import Rebuilt
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import chosen_notes, chosen_passages
from vaultmem.verbs.packing import Row, packed
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import Ambiguous, NotFound, NoVault, VaultmemError
from vaultmem.words.hit import Answer
from vaultmem.words.layout import Role
from vaultmem.words.life import Standing
from vaultmem.words.question import Question

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Scored

EMBED_FIRST = 64
"""Passages without a vector that a question waits for; with more it goes by keyword alone."""


def remember(parts: Parts, question: Question) -> Answer:
    """Return the notes that answer, best first, within the budget; an empty answer is an answer.

    A question from scope A sees A, the global scope and the person's own notes, never B.

    Raises:
        BadInput: the question cannot be used as given.
    """
    question.check()
    try:
        return _answered(parts, question)
    except Rebuilt:
        return _answered(parts, question)


def _answered(parts: Parts, question: Question) -> Answer:
    notices = _refreshed(parts)
    snapshot = parts.sidecar.snapshot
    chosen = chosen_notes(parts, snapshot, question)
    labels = chosen_passages(parts, snapshot, chosen, question)
    found = _ranked(parts, snapshot, question, labels, notices)
    exact = _exact(snapshot, question.query, chosen)
    first = [row for row in found if row[1] == exact]
    rest = [row for row in found if row[1] != exact]
    if exact and not first:
        first = [_named(snapshot, exact)]
    hits, dropped = packed(parts, snapshot, [*first, *rest][: question.limit], question)
    return Answer(tuple(hits), dropped, " ".join(notices))


def _refreshed(parts: Parts) -> list[str]:
    """Bring the sidecar up to date; a vault that has vanished is said, not believed."""
    try:
        done = parts.sidecar.refresh(trust=True)
    except NoVault as error:
        return [f"The vault has vanished, so this is from memory of it. {error}"]
    before = done.seen - done.new + done.gone
    if done.gone > 5 and done.gone > before / 5:
        return [f"{done.gone} of {before} notes are gone since the last look."]
    return []


def _ranked(
    parts: Parts,
    snapshot: Snapshot,
    question: Question,
    labels: set[int],
    notices: list[str],
) -> list[Row]:
    from vaultmem.sidecar.asking import asked
    from vaultmem.verbs.ranking import LEG, VECTOR_WEIGHT, best_passages, fused, tilt

    words = asked(question.query)
    keyword = parts.sidecar.keyword(words, labels, LEG)
    ceiling = parts.sidecar.ceiling(words)
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
    return sorted(rows, key=lambda row: (-row[0], row[1], row[2]))


def _unit(snapshot: Snapshot, label_: int) -> str:
    """Return what counts as one hit: a note, or one entry of the live log."""
    chunk = snapshot.chunks[label_]
    log = snapshot.facts[chunk.path].role in (Role.LOG, Role.DECISIONS)
    return f"{chunk.path}:{chunk.first}" if log else chunk.path


def _meant(parts: Parts, query: str, labels: set[int], notices: list[str]) -> Sequence[Scored]:
    """Return the vector leg's passages; without the model none, and one line that says so."""
    from vaultmem.verbs.ranking import LEG

    if not labels:
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
    except VaultmemError as error:
        notices.append(str(error))
        return []


def _exact(snapshot: Snapshot, query: str, chosen: set[str]) -> str:
    """Return the path of the note that the query names outright, empty if none."""
    try:
        path = snapshot.find(query)
    except (NotFound, Ambiguous):
        return ""
    return path if path in chosen else ""


def _named(snapshot: Snapshot, path: str) -> Row:
    labels = snapshot.by_label.get(path, [0])
    return (1.0, path, labels[0], "strong")
