"""Turning ranked notes into hits whose text is read from the vault and fits the budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from vaultmem.sidecar.analysis import terms
from vaultmem.sidecar.chunks import sentences
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
LONGEST_SENTENCE = 75
"""Tokens of a sentence that has no end."""


def packed(
    parts: Parts, snapshot: Snapshot, rows: Sequence[Row], question: Question
) -> tuple[list[Hit], int]:
    """Return the hits that fit the budget, best first, and how many did not.

    Each gets its title and the sentence that matches best; then, best hit first, as much of its
    paragraph, its passage and (where that is asked for) its note as still fits.
    """
    left = question.budget_tokens or parts.vault.config.remember_tokens
    reader = reader_of(parts, question)
    found = [_hit(parts, snapshot, row, question, reader) for row in rows]
    hits = [item for item in found if item is not None]
    if sum(_head(hit) + tokens(whole or passage) for hit, passage, whole in hits) <= left:
        return [replace(hit, text=whole or passage) for hit, passage, whole in hits], 0
    asked = set(terms(" ".join(question.queries)))
    fitted: list[tuple[Hit, list[str]]] = []
    for hit, passage, whole in hits:
        texts = _widths(passage, whole, asked)
        cost = _head(hit) + tokens(texts[0])
        if cost <= left:
            left -= cost
            fitted.append((hit, texts))
    filled: list[Hit] = []
    for hit, texts in fitted:
        room = left + tokens(texts[0])
        text = next(text for text in reversed(texts) if tokens(text) <= room)
        left = room - tokens(text)
        filled.append(replace(hit, text=text))
    return filled, len(hits) - len(filled)


def _widths(passage: str, whole: str, asked: set[str]) -> list[str]:
    """Return the matched sentence, its paragraph, its passage, and the note if it is given."""
    paragraphs = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", passage) if part.strip()]
    said = [(part, line) for part in paragraphs for line in sentences(part)]
    if not said:
        return [passage, whole] if whole else [passage]
    paragraph, sentence = max(said, key=lambda pair: _matches(pair[1], asked))
    widths = [fitting(sentence, LONGEST_SENTENCE), paragraph, passage]
    return [*widths, whole] if whole else widths


def _matches(sentence: str, asked: set[str]) -> tuple[int, bool]:
    """Return how many of the terms asked for a sentence holds; a heading is none if it can help."""
    return len(asked & set(terms(sentence))), not sentence.startswith("#")


def _head(hit: Hit) -> int:
    """Return what a hit costs beside its text, in tokens."""
    named = (f"{n.id}{n.title}{n.relation}" for n in hit.neighbours)
    return tokens("".join((hit.title, hit.path, hit.label, hit.heading, *named))) + 20


def _hit(
    parts: Parts, snapshot: Snapshot, row: Row, question: Question, reader: str | None
) -> tuple[Hit, str, str] | None:
    """Return a hit, its passage and its whole text, both read from the vault; the whole only if
    it is asked for. None if the note is gone by now.
    """
    path, detail = row.path, question.detail
    facts = snapshot.facts[path]
    chunk = snapshot.chunks.get(row.label)
    entry = chunk if chunk and facts.role == Role.LOG else None
    if entry and detail == "full":  # the rest of the file may be of other scopes
        detail = "passage"
    span = (chunk.first, chunk.last) if chunk else None
    try:
        passage, lines = _text(parts, path, span, detail)
        whole, lines = _text(parts, path, None, detail) if detail == "full" else ("", lines)
    except VaultmemError:
        return None
    standing = snapshot.standing.get(path, Standing())
    if standing.contested_by and not visible(parts, snapshot, standing.contested_by, reader):
        standing = replace(standing, contested_by="")
    names = {p: snapshot.called(p) for p in (standing.by, standing.contested_by) if p}
    moment = entry.heading if entry else facts.created
    created = parsed(moment, parts.vault.zone)
    hit = Hit(
        id=snapshot.called(path),
        hash=facts.hash,
        path=path,
        title=facts.title,
        scope=(entry.scope if entry else snapshot.scope(path)) or GLOBAL,
        type=facts.type,
        status=facts.status,
        label=label(facts.grade, facts.status, standing, names, stale=facts.retracted),
        confidence=row.confidence,
        score=round(row.score, 4),
        heading="" if entry or not chunk else chunk.heading,
        lines=lines,
        text="",
        created=created.isoformat(timespec="seconds") if created else moment[:40],
        link=wikilink(path, facts.title),
        neighbours=tuple(_linked(parts, snapshot, path, reader)),
        stands_for=row.copies,
        why=tuple((name, round(value, 4)) for name, value in row.why) if question.explain else (),
    )
    return hit, passage, whole


def _text(
    parts: Parts, path: str, passage: tuple[int, int] | None, detail: str
) -> tuple[str, tuple[int, int]]:
    """Return the text of a passage's lines, or of the whole note; none if only titles are asked
    for; and which lines it is.
    """
    if detail == "titles":
        return "", passage or (1, 1)
    begin, body = parts.vault.lines(path)
    first, last = passage or (begin, begin + len(body) - 1)
    shown = body[max(first - begin, 0) : max(last - begin + 1, 0)]
    return "\n".join(shown).strip("\n")[:LONGEST_FULL], (first, last)


def _linked(parts: Parts, snapshot: Snapshot, path: str, reader: str | None) -> Iterator[Linked]:
    near = snapshot.neighbours(path)
    for neighbour in [n for n in near if visible(parts, snapshot, n.path, reader)][:NEIGHBOURS]:
        title = snapshot.facts[neighbour.path].title
        yield Linked(snapshot.called(neighbour.path), title, neighbour.kind)
