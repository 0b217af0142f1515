"""What the indexes hold of one note: its passages, their terms, and the text a model reads."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vaultmem.sidecar.analysis import language_of, terms
from vaultmem.sidecar.chunks import Passage, passages
from vaultmem.sidecar.keyword import Doc
from vaultmem.sidecar.manifest import Chunk, Read
from vaultmem.vault.scan import Stat
from vaultmem.words import entry as entries
from vaultmem.words.facts import Facts, facts_of
from vaultmem.words.layout import SEARCHED, Layout, Role
from vaultmem.words.note import Note
from vaultmem.words.own import allowed_own
from vaultmem.words.sources import without_sources

ELSEWHERE = ("memory", "decision")
"""Kinds of log entries that are searched elsewhere: in the memory itself, and in `decisions.md`."""
YOUNG_NS = 2_000_000_000
"""A file changed within this time of a look at it may change again and look the same."""
WEIGHTS = {"title": 1, "aliases": 2, "tags": 2, "heading": 1, "body": 1}
"""How often a word counts in each field. With the title at 1, 2 and 3 SciFact's train queries give
the keyword leg nDCG@10 0.691, 0.689 and 0.685."""


def settled(stat: Stat, now_ns: int) -> bool:
    """Return whether a file is old enough that its times tell its text."""
    return stat.mtime_ns < now_ns - YOUNG_NS


def searchable(facts: Facts, own_notes: str) -> bool:
    """Return whether a note's text is searched at all."""
    if facts.role == Role.OWN:
        return allowed_own(facts.path, own_notes)
    return facts.role in SEARCHED


def indexed(
    note: Note,
    stat: Stat,
    layout: Layout,
    own_notes: str,
    label: int,
    now_ns: int,
    before: Sequence[Chunk] = (),
) -> tuple[Read, list[Doc]]:
    """Return what the manifest and the keyword index hold of a note; labels count from `label`.

    `now_ns` is a moment before the note was read. Of a log that only grew, the passages `before`
    keep their labels and are not indexed again.
    """
    facts = facts_of(note, layout.role(note.path))
    parts = cut(note, facts) if searchable(facts, own_notes) else []
    head = _head(facts) if parts else Counter()
    chunks = [
        _chunk(number, facts, note, passage, scope)
        for number, (passage, scope) in enumerate(parts, label)
    ]
    kept = len(before) if before and _grew(before, chunks) else 0
    chunks[:kept] = before[:kept]
    docs = [
        Doc(chunk.label, note.path, head + _counted(passage, facts), _hit_of(chunk, chunks, facts))
        for chunk, (passage, _) in zip(chunks[kept:], parts[kept:], strict=True)
    ]
    return Read(stat, settled(stat, now_ns), facts, tuple(chunks), kept), docs


def _hit_of(chunk: Chunk, chunks: Sequence[Chunk], facts: Facts) -> int:
    """Return the label of the first passage of what counts as one hit with this passage."""
    alone = facts.role in (Role.LOG, Role.DECISIONS)
    return (chunk if alone else chunks[0]).label


def _chunk(label: int, facts: Facts, note: Note, passage: Passage, scope: str | None) -> Chunk:
    text_hash = hash_of(embedded(facts, note, passage))
    return Chunk(label, note.path, passage.heading, passage.first, passage.last, scope, text_hash)


def hash_of(text: str) -> str:
    """Return the hash by which the vector of a text is kept."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _grew(before: Sequence[Chunk], now: Sequence[Chunk]) -> bool:
    """Return whether the passages now are those of before, and perhaps more behind them."""
    same = all(replace(new, label=old.label) == old for old, new in zip(before, now, strict=False))
    return len(before) <= len(now) and same


def cut(note: Note, facts: Facts) -> list[tuple[Passage, str | None]]:
    """Return a note's passages, each with its scope if it is not the note's own."""
    if facts.role == Role.LOG:
        return _log_passages(note)
    parent = any(kind == "consolidates" for kind, _ in facts.relations)
    body = without_sources(note.body) if parent else note.body
    found = passages(body, note.body_line)
    if not found and (note.properties or note.body.strip() == ""):
        found = [Passage("", 1, 1, "")] if facts.title or facts.description else []
    return [(passage, None) for passage in found]


def _log_passages(note: Note) -> list[tuple[Passage, str | None]]:
    """Return one passage an entry, its time as the heading.

    Those of a kind that stands in a file of its own are left out: they would be found twice.
    """
    found: list[tuple[Passage, str | None]] = []
    for number, line in enumerate(note.body.split("\n"), note.body_line):
        entry = entries.parse(line)
        if entry and entry.kind not in ELSEWHERE:
            found.append((Passage(entry.time, number, number, entry.summary), entry.scope))
    return found


def embedded(facts: Facts, note: Note, passage: Passage) -> str:
    """Return the text that the model reads of a passage: title, heading, text.

    A title taken from the file's name is left out, so that a rename costs no embedding. An entry
    of the live log is its summary alone.
    """
    if facts.role == Role.LOG:
        return passage.text
    named = facts.title if note.text("title") or note.heading else ""
    parts = (named, facts.description, passage.heading, passage.text)
    return "\n".join(part for part in parts if part)


def _head(facts: Facts) -> Counter[str]:
    """Return the weighted terms that every passage of a note carries."""
    if facts.role == Role.LOG:
        return Counter()
    found: Counter[str] = Counter()
    for field_name, text in (
        ("title", facts.title),
        ("aliases", " \n".join(facts.aliases)),
        ("tags", " \n".join(facts.tags)),
        ("body", facts.description),
    ):
        for term in terms(text):
            found[term] += WEIGHTS[field_name]
    return found


def _counted(passage: Passage, facts: Facts) -> Counter[str]:
    language = language_of(passage.text)
    found = Counter(terms(passage.text, language))
    for term in terms(passage.heading if facts.role != Role.LOG else ""):
        found[term] += WEIGHTS["heading"]
    return found
