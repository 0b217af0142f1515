"""Turning ranked notes into hits whose text is read from the vault and fits the budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vaultmem.sidecar.analysis import terms
from vaultmem.sidecar.chunks import sentences
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import holds_at, reader_of, standing_as_of, visible
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.passages import text_of
from vaultmem.verbs.ranking import Row
from vaultmem.words.errors import VaultmemError
from vaultmem.words.facts import Facts
from vaultmem.words.hit import Hit, Linked, fitting, tokens
from vaultmem.words.layout import Role
from vaultmem.words.links import wikilink
from vaultmem.words.opening import opened, page_of
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL
from vaultmem.words.standing import Standing, label
from vaultmem.words.times import parsed

NEIGHBOURS = 5
LONGEST_FULL = 20_000
LONGEST_SENTENCE = 75
"""Tokens of a sentence that has no end."""
LEAST_SENTENCE = 8


def packed(
    parts: Parts, snapshot: Snapshot, rows: Sequence[Row], question: Question
) -> tuple[list[Hit], int]:
    """Return the hits that fit the budget, best first, and how many did not.

    Each gets its title and the sentence that matches best; then, best hit first, as much of its
    paragraph, its passage and (where that is asked for) its note as still fits.
    """
    left = question.budget_tokens or parts.vault.config.remember_tokens
    reader = reader_of(parts, question)
    standing = standing_as_of(parts, snapshot, question)
    found = [_hit(parts, snapshot, row, question, reader, standing) for row in rows]
    drafts = [item for item in found if item is not None]
    if sum(_head(item.hit) + tokens(item.widest) for item in drafts) <= left:
        return [item.filled(item.widest) for item in drafts], 0
    asked = set(terms(" ".join(question.queries)))
    fitted: list[tuple[Draft, list[str]]] = []
    for item in drafts:
        widths = _widths(item, asked)
        room = left - _head(item.hit)
        if tokens(widths[0]) > room >= LEAST_SENTENCE:
            widths[0] = fitting(widths[0], room)
        if tokens(widths[0]) > room:
            break  # a worse hit must not stand where a better one did not fit
        left = room - tokens(widths[0])
        fitted.append((item, widths))
    hits: list[Hit] = []
    for item, widths in fitted:
        room = left + tokens(widths[0])
        text = next((text for text in reversed(widths) if tokens(text) <= room), widths[0])
        left = room - tokens(text)
        hits.append(item.filled(text))
    return hits, len(drafts) - len(hits)


@dataclass(frozen=True)
class Draft:
    """A hit whose text is not chosen yet."""

    hit: Hit
    passage: str
    whole: str
    """All of the note, if that was asked for."""
    lines: tuple[int, int]
    """Which lines the whole is; the hit names those of the passage."""

    @property
    def widest(self) -> str:
        """The most that was asked for."""
        return self.whole or self.passage

    def filled(self, text: str) -> Hit:
        """Return the hit with a text, and the lines that this text is from."""
        lines = self.lines if self.whole and text == self.whole else self.hit.lines
        return replace(self.hit, text=text, lines=lines)


def _widths(item: Draft, asked: set[str]) -> list[str]:
    """Return the matched sentence, its paragraph, its passage, and the note if it is given."""
    paragraphs = [p.strip("\n") for p in re.split(r"\n[ \t]*\n", item.passage) if p.strip()]
    said = [(part, line) for part in paragraphs for line in sentences(part)]
    if not said:
        return [item.passage, item.widest]
    paragraph, sentence = max(said, key=lambda pair: _matches(pair[1], asked))
    return [fitting(sentence, LONGEST_SENTENCE), paragraph, item.passage, item.widest]


def _matches(sentence: str, asked: set[str]) -> tuple[int, bool]:
    """Return how many of the terms asked for a sentence holds; a heading is none if it can help."""
    return len(asked & set(terms(sentence))), not sentence.startswith("#")


def _head(hit: Hit) -> int:
    """Return what a hit costs beside its text, in tokens."""
    named = (f"{n.id}{n.title}{n.relation}" for n in hit.neighbours)
    return tokens("".join((hit.title, hit.path, hit.label, hit.heading, *named))) + 20


def _hit(
    parts: Parts,
    snapshot: Snapshot,
    row: Row,
    question: Question,
    reader: str | None,
    standings: Mapping[str, Standing],
) -> Draft | None:
    """Return a hit with what there is to show of it, None if the note is gone by now."""
    path = row.path
    facts = snapshot.facts[path]
    chunk = snapshot.chunks.get(row.label)
    entry = chunk if chunk and facts.role == Role.LOG else None
    try:
        passage, whole, lines = _texts(parts, snapshot, row, question.detail, bool(entry))
    except VaultmemError:
        return None
    standing = standings.get(path, Standing())
    if standing.contested_by and not visible(parts, snapshot, standing.contested_by, reader):
        standing = replace(standing, contested_by="")
    named = (standing.by, standing.head, standing.contested_by)
    names = {p: snapshot.called(p) for p in named if p}
    moment = entry.heading if entry else facts.created
    created = parsed(moment, parts.vault.zone)
    stale = facts.retracted or (not question.as_of and _expired(parts, facts))
    hit = Hit(
        id=snapshot.called(path),
        hash=facts.hash,
        path=path,
        title=facts.title,
        scope=(entry.scope if entry else snapshot.scope(path)) or GLOBAL,
        type=facts.type,
        status=facts.status,
        label=label(facts.grade, facts.status, standing, names, stale=stale),
        confidence=row.confidence,
        score=round(row.score, 4),
        heading="" if entry or not chunk else chunk.heading,
        lines=(chunk.first, chunk.last) if chunk else lines,
        text="",
        created=created.isoformat(timespec="seconds") if created else moment[:40],
        link=opened(parts.vault.root, facts, passage) or wikilink(path, facts.title),
        origin=facts.origin,
        fetched=facts.fetched,
        page=page_of(chunk.heading if chunk else ""),
        neighbours=tuple(_linked(parts, snapshot, path, reader)),
        stands_for=row.copies,
        why=tuple((name, round(value, 4)) for name, value in row.why) if question.explain else (),
    )
    return Draft(hit, passage, whole, lines)


def _expired(parts: Parts, facts: Facts) -> bool:
    """Return whether a note says that it is true no more."""
    return bool(facts.valid_until) and not holds_at(facts, parts.clock(), parts.vault.zone)


def _texts(
    parts: Parts, snapshot: Snapshot, row: Row, detail: str, entry: bool
) -> tuple[str, str, tuple[int, int]]:
    """Return the passage, the whole note if it is asked for, and which lines the whole is.

    Of a log only the entry is ever given: the rest of the file may be of other scopes.
    """
    if detail == "titles":
        return "", "", (1, 1)
    known = row.label in snapshot.chunks
    passage = text_of(parts, snapshot, row.label) if known else ""
    if known and (detail != "full" or entry):
        return passage, "", (1, 1)
    begin, body = parts.vault.lines(row.path)
    whole = "\n".join(body).strip("\n")
    if len(whole) > LONGEST_FULL:
        whole = f"{whole[:LONGEST_FULL]} …"
    return passage or whole, whole, (begin, begin + len(body) - 1)


def _linked(parts: Parts, snapshot: Snapshot, path: str, reader: str | None) -> Iterator[Linked]:
    near = snapshot.neighbours(path)
    for neighbour in [n for n in near if visible(parts, snapshot, n.path, reader)][:NEIGHBOURS]:
        title = snapshot.facts[neighbour.path].title
        yield Linked(snapshot.called(neighbour.path), title, neighbour.kind)
