"""Turning ranked notes into hits whose text is read from the vault and fits the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import reader_of, visible
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Row
from vaultmem.words.errors import VaultmemError
from vaultmem.words.hit import Hit, Linked, fitting, tokens
from vaultmem.words.layout import Role
from vaultmem.words.life import Standing, label
from vaultmem.words.links import wikilink
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL
from vaultmem.words.times import parsed

NEIGHBOURS = 5
LONGEST_FULL = 20_000


def packed(
    parts: Parts, snapshot: Snapshot, rows: Sequence[Row], question: Question
) -> tuple[list[Hit], int]:
    """Return the hits that fit the budget, best first, and how many did not."""
    budget = question.budget_tokens or parts.vault.config.remember_tokens
    reader = reader_of(parts, question)
    hits: list[Hit] = []
    dropped = 0
    for position, row in enumerate(rows):
        hit = _hit(parts, snapshot, row, question.detail, reader)
        if hit is None:
            continue
        left = budget - _head(hit)
        if left < 0:
            dropped += 1
            continue
        others = len(rows) - position - 1
        fair = max(left // 2, left // (others + 1)) if others else left
        text = fitting(hit.text, fair) if fair > 1 else ""
        budget = left - tokens(text)
        hits.append(replace(hit, text=text))
    return hits, dropped


def _head(hit: Hit) -> int:
    """Return what a hit costs beside its text, in tokens."""
    named = (f"{n.id}{n.title}{n.relation}" for n in hit.neighbours)
    return tokens("".join((hit.title, hit.path, hit.label, hit.heading, *named))) + 20


def _hit(parts: Parts, snapshot: Snapshot, row: Row, detail: str, reader: str | None) -> Hit | None:
    """Return a hit with its text read from the vault, None if the note is gone by now."""
    score, path, number, confidence = row
    facts = snapshot.facts[path]
    chunk = snapshot.chunks.get(number)
    entry = chunk if chunk and facts.role == Role.LOG else None
    if entry and detail == "full":  # the rest of the file may be of other scopes
        detail = "passage"
    try:
        text, lines = _text(parts, path, (chunk.first, chunk.last) if chunk else None, detail)
    except VaultmemError:
        return None
    standing = snapshot.standing.get(path, Standing())
    if standing.contested_by and not visible(parts, snapshot, standing.contested_by, reader):
        standing = replace(standing, contested_by="")
    names = {p: snapshot.called(p) for p in (standing.by, standing.contested_by) if p}
    moment = entry.heading if entry else facts.created
    created = parsed(moment, parts.vault.zone)
    return Hit(
        id=snapshot.called(path),
        hash=facts.hash,
        path=path,
        title=facts.title,
        scope=(entry.scope if entry else snapshot.scope(path)) or GLOBAL,
        type=facts.type,
        status=facts.status,
        label=label(facts.grade, facts.status, standing, names, stale=facts.retracted),
        confidence=confidence,
        score=round(score, 4),
        heading="" if entry or not chunk else chunk.heading,
        lines=lines,
        text=text,
        created=created.isoformat(timespec="seconds") if created else moment[:40],
        link=wikilink(path, facts.title),
        neighbours=tuple(_linked(parts, snapshot, path, reader)),
    )


def _text(
    parts: Parts, path: str, passage: tuple[int, int] | None, detail: str
) -> tuple[str, tuple[int, int]]:
    """Return the text of a passage's lines, of the whole note, or none, and which lines it is."""
    if detail == "titles":
        return "", passage or (1, 1)
    note = parts.vault.read(path)
    body = note.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    whole = (note.body_line, note.body_line + len(body) - 1)
    first, last = whole if detail == "full" or passage is None else passage
    shown = body[max(first - note.body_line, 0) : max(last - note.body_line + 1, 0)]
    return "\n".join(shown).strip("\n")[:LONGEST_FULL], (first, last)


def _linked(parts: Parts, snapshot: Snapshot, path: str, reader: str | None) -> Iterator[Linked]:
    near = snapshot.neighbours(path)
    for neighbour in [n for n in near if visible(parts, snapshot, n.path, reader)][:NEIGHBOURS]:
        title = snapshot.facts[neighbour.path].title
        yield Linked(snapshot.called(neighbour.path), title, neighbour.kind)
