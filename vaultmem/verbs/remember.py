"""Answering a question with the right notes, their source and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vaultmem.sidecar.database import Damaged
from vaultmem.sidecar.sidecar import Rebuilt
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import Choice, choice, standing_as_of
from vaultmem.verbs.copies import behind_parents, collapsed
from vaultmem.verbs.inbox import WAITING
from vaultmem.verbs.living import Lives, count_uses
from vaultmem.verbs.packing import packed
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Candidate, Row, fused, joined, ordered, tilt
from vaultmem.words.errors import Ambiguous, Busy, DiskFailed, NotFound, NoVault
from vaultmem.words.hit import Answer
from vaultmem.words.layout import Role
from vaultmem.words.question import CONFIDENCES, Question
from vaultmem.words.standing import Standing


def remember(parts: Parts, question: Question) -> Answer:
    """Return the notes that answer, best first, and count them as used; see `answered`."""
    answer = answered(parts, question)
    count_uses(parts, answer.hits)
    return answer


def answered(parts: Parts, question: Question) -> Answer:
    """Return the notes that answer, best first, within the budget; an empty answer is an answer.

    A question from scope A sees A, the global scope and the person's own notes, never B.

    Raises:
        BadInput: the question cannot be used as given.
        Refused: it asks for another scope than the one that the caller is locked to.
    """
    question.check()
    try:
        return _hits(parts, question)
    except Damaged as error:
        parts.sidecar.mend(error)
    except Rebuilt:
        pass
    return _hits(parts, question)


def _hits(parts: Parts, question: Question) -> Answer:
    notices = _refreshed(parts)
    snapshot = parts.sidecar.snapshot
    chosen = choice(parts, snapshot, question)
    exact = _exact(snapshot, question.query, chosen.paths)
    addressed = bool(exact) and not question.also and _addresses(snapshot, question.query, exact)
    found = [] if addressed else ranked(parts, snapshot, question, chosen, notices, exact)
    rows = [_named(snapshot, exact)] if addressed else _within(found, exact, question.limit)
    best = collapsed(parts, snapshot, rows, question.limit)
    hits, dropped = packed(parts, snapshot, best, question)
    return Answer(tuple(hits), dropped, " ".join(notices))


def _refreshed(parts: Parts) -> list[str]:
    """Bring the sidecar up to date; what keeps it from being so is said, not believed."""
    try:
        behind = parts.sidecar.refresh(trust=True, wait=False).behind
    except NoVault as error:
        return [f"The vault has vanished, so this is from memory of it. {error}"]
    except (Busy, DiskFailed) as error:
        return [f"This is from the last look at the vault. {error}"]
    if behind:
        return [f"Up to {behind} notes changed and are being read; this is from before. Ask again."]
    shrunk = parts.sidecar.losses()
    return [shrunk] if shrunk and parts.caller.told_all else []


def ranked(
    parts: Parts,
    snapshot: Snapshot,
    question: Question,
    chosen: Choice,
    notices: list[str],
    exact: str = "",
) -> list[Row]:
    """Return every note that answers with the confidence asked for, best first.

    The note that the question names, `exact`, counts as its best and sure answer.
    """
    from vaultmem.sidecar.asking import taken_apart
    from vaultmem.verbs.gathering import gathered, question_vector
    from vaultmem.verbs.reranking import reranked
    from vaultmem.verbs.wording import narrowed

    if not len(chosen.passages):
        return [_named(snapshot, exact)] if exact else []
    everything = choice(parts, snapshot, Question(question.query, scope=question.scope)).passages
    asked = [taken_apart(query) for query in question.queries]
    left = narrowed(parts, snapshot, asked, chosen.passages, notices)
    legs = chosen.within(left)
    answers = []
    for one in asked:
        vector = question_vector(parts, one.text, notices)
        answers.append(fused(gathered(parts, snapshot, one, legs, left, everything, vector)))
    standing = standing_as_of(parts, snapshot, question)
    best = joined(answers) if len(answers) > 1 else answers[0]
    best = reranked(parts, snapshot, question.query, best, notices)
    enough = CONFIDENCES[CONFIDENCES.index(question.min_confidence) :]
    lives = Lives(parts, snapshot)
    rows = [
        _row(snapshot, lives, candidate, relevance, confidence, standing, question)
        for relevance, candidate in best
        if (confidence := candidate.confidence) in enough
    ]
    rows = behind_parents(rows, standing)
    if exact:
        first = _named(snapshot, exact, rows)
        rows = [first, *(row for row in rows if row.path != exact)]
    trusted = {row.path for row in rows if snapshot.facts[row.path].trusted}
    lowered_by = {path: stands.by for path, stands in standing.items() if stands.lowered}
    waiting = {row.path for row in rows if snapshot.facts[row.path].status in WAITING}
    return ordered(rows, trusted, lowered_by, waiting)


def _row(
    snapshot: Snapshot,
    lives: Lives,
    candidate: Candidate,
    relevance: float,
    confidence: str,
    standing: dict[str, Standing],
    question: Question,
) -> Row:
    chunk = snapshot.chunks[candidate.label]
    path, facts = chunk.path, snapshot.facts[chunk.path]
    entry = chunk.heading if facts.role == Role.LOG else ""
    alive = lives.of(path, since=entry).strength
    lowered = path in standing and bool(standing[path].lowered)
    leaning = tilt(facts.grade, facts.status, alive, lowered=lowered)
    score = relevance * leaning
    why = _why(candidate, relevance, alive, leaning) if question.explain else ()
    return Row(score, path, candidate.label, confidence, why, 1, relevance, candidate.evidence)


def _why(
    candidate: Candidate, relevance: float, alive: float, leaning: float
) -> tuple[tuple[str, float], ...]:
    """Return what made a score, by name."""
    return (
        ("keyword_rank", float(candidate.ranks[0])),
        ("keyword_score", candidate.words),
        ("keyword_share", candidate.share),
        ("vector_rank", float(candidate.ranks[1])),
        *([] if candidate.cosine is None else [("cosine", candidate.cosine)]),
        ("evidence", candidate.evidence),
        ("relevance", relevance),
        ("strength", alive),
        ("tilt", leaning),
    )


def _exact(snapshot: Snapshot, query: str, chosen: set[str]) -> str:
    """Return the path of the note that the query names outright, empty if none.

    A file of the log is none: it holds entries of many scopes.
    """
    try:
        path = snapshot.find(query, chosen)
    except (NotFound, Ambiguous):
        return ""
    return "" if snapshot.facts[path].role == Role.LOG else path


def _within(rows: list[Row], path: str, limit: int) -> list[Row]:
    """Return the rows with the note that was named among the first `limit`, last if need be."""
    place = next((i for i, row in enumerate(rows) if row.path == path), 0)
    if place < limit:
        return rows
    return [*rows[: limit - 1], rows[place], *rows[limit - 1 : place], *rows[place + 1 :]]


def _addresses(snapshot: Snapshot, query: str, path: str) -> bool:
    """Return whether a question is a note's id, path or link and nothing but that."""
    said = query.strip()
    return said in (snapshot.facts[path].id, path) or said.startswith("[[")


def _named(snapshot: Snapshot, path: str, found: Sequence[Row] = ()) -> Row:
    """Return the row of a note that was named: sure, at its best passage if words found one."""
    best = next((row for row in found if row.path == path), None)
    if best:
        return replace(best, score=1.0, confidence="strong")
    labels = snapshot.by_label.get(path) or [0]
    return Row(1.0, path, labels[0], "strong")
