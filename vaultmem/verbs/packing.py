"""Turning ranked notes into hits whose text is read from the vault and fits the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import visible
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import VaultmemError
from vaultmem.words.hit import Hit, Linked, fitting, tokens
from vaultmem.words.life import Standing, label
from vaultmem.words.links import wikilink
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL
from vaultmem.words.times import parsed

NEIGHBOURS = 5
LONGEST_FULL = 20_000

Row = tuple[float, str, int, str]
"""Score, path, label of the best passage (0 if it has none), confidence."""


def packed(
    parts: Parts, snapshot: Snapshot, rows: Sequence[Row], question: Question
) -> tuple[list[Hit], int]:
    """Return the hits that fit the budget, best first, and how many did not."""
    budget = question.budget_tokens or parts.vault.config.remember_tokens
    hits: list[Hit] = []
    dropped = 0
    for position, row in enumerate(rows):
        hit = _hit(parts, snapshot, row, question.detail)
        if hit is None:
            continue
        head = tokens(hit.title + hit.path + hit.label) + 20
        room = (budget - head) // 2 if position < len(rows) - 1 else budget - head
        fair = max(room, (budget - head) // (len(rows) - position))
        if budget < head:
            dropped += 1
            continue
        text = fitting(hit.text, fair)
        budget -= head + tokens(text)
        hits.append(replace(hit, text=text))
    return hits, dropped


def _hit(parts: Parts, snapshot: Snapshot, row: Row, detail: str) -> Hit | None:
    """Return a hit with its text read from the vault, None if the note is gone by now."""
    score, path, number, confidence = row
    facts = snapshot.facts[path]
    chunk = snapshot.chunks.get(number)
    try:
        text, lines = _text(parts, path, (chunk.first, chunk.last) if chunk else (1, 1), detail)
    except VaultmemError:
        return None
    standing = snapshot.standing.get(path, Standing())
    names = {p: snapshot.called(p) for p in (standing.by, standing.contested_by) if p}
    created = parsed(facts.created, parts.vault.zone)
    return Hit(
        id=snapshot.called(path),
        hash=facts.hash,
        path=path,
        title=facts.title,
        scope=(chunk.scope if chunk and chunk.scope is not None else snapshot.scope(path))
        or GLOBAL,
        type=facts.type,
        status=facts.status,
        label=label(facts.grade, facts.status, standing, names, stale=facts.retracted),
        confidence=confidence,
        score=round(score, 4),
        heading=chunk.heading if chunk else "",
        lines=lines,
        text=text,
        created=created.isoformat(timespec="seconds") if created else facts.created[:40],
        link=wikilink(path, facts.title),
        neighbours=tuple(_linked(snapshot, path, parts.caller.scope)),
    )


def _text(
    parts: Parts, path: str, lines: tuple[int, int], detail: str
) -> tuple[str, tuple[int, int]]:
    """Return the text of some lines of a note, of all of it, or none, and which lines it is."""
    if detail == "titles":
        return "", lines
    note = parts.vault.read(path)
    body = note.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if detail == "full":
        full = "\n".join(body).strip("\n")
        return full[:LONGEST_FULL], (note.body_line, note.body_line + len(body) - 1)
    first, last = lines[0] - note.body_line, lines[1] - note.body_line
    return "\n".join(body[max(first, 0) : last + 1]).strip("\n")[:LONGEST_FULL], lines


def _linked(snapshot: Snapshot, path: str, reader: str | None) -> Iterator[Linked]:
    seen = [n for n in snapshot.neighbours(path) if visible(snapshot, n.path, reader)]
    for neighbour in seen[:NEIGHBOURS]:
        title = snapshot.facts[neighbour.path].title
        yield Linked(snapshot.called(neighbour.path), title, neighbour.kind)
