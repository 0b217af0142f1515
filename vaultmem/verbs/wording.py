"""The very words: what a question insists on with `"..."`, and what it rules out with `-word`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from vaultmem.sidecar.analysis import terms
from vaultmem.sidecar.asking import Asked
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.gathering import Hits
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import VaultmemError

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed

MOST_READ = 2000
"""Passages read to look for a phrase."""


def narrowed(
    parts: Parts, snapshot: Snapshot, asked: Asked, allowed: Allowed, notices: list[str]
) -> Allowed:
    """Return what is left of the passages that may answer.

    Every phrase must stand in the passage, or in its note's title or description; nothing ruled
    out may stand anywhere in the note. A phrase that is nowhere insists on nothing, and one line
    says so.
    """
    from vaultmem.sidecar.seams import Allowed

    left = {int(label) for label in allowed.labels}
    for phrase in asked.phrases:
        held = _holding(parts, snapshot, phrase, left, notices)
        if held:
            left = held
        else:
            notices.append(f'Nothing holds "{phrase}" word for word, so this is what comes near.')
    hits = Hits(snapshot)
    for word in asked.without:
        held = _holding(parts, snapshot, word, left, notices)
        left -= {label for one in held for label in hits.passages(one)}
    return Allowed(left)


def _holding(
    parts: Parts, snapshot: Snapshot, phrase: str, among: set[int], notices: list[str]
) -> set[int]:
    """Return the passages that hold a phrase; one of a single word is found by its stem."""
    labels = sorted(parts.sidecar.holding(terms(phrase)) & among)
    if len(phrase.split()) == 1 and phrase.isalpha():
        return set(labels)
    if len(labels) > MOST_READ:
        notices.append(
            f'"{phrase}" was looked for in the first {MOST_READ:,} of {len(labels):,} passages '
            "that hold its words; narrow the question by type, tag or date."
        )
    return _reading(parts, snapshot, _plain(phrase), labels[:MOST_READ])


def _reading(parts: Parts, snapshot: Snapshot, phrase: str, labels: Iterable[int]) -> set[int]:
    lines: dict[str, tuple[int, list[str]]] = {}
    found = set()
    for label in labels:
        chunk, facts = snapshot.chunks[label], snapshot.facts[snapshot.chunks[label].path]
        if chunk.path not in lines:
            lines[chunk.path] = _lines(parts, chunk.path)
        start, body = lines[chunk.path]
        text = " ".join(body[max(chunk.first - start, 0) : max(chunk.last - start + 1, 0)])
        if any(phrase in _plain(said) for said in (text, facts.title, facts.description)):
            found.add(label)
    return found


def _lines(parts: Parts, path: str) -> tuple[int, list[str]]:
    """Return the number of a body's first line, and the body; none of a note that is gone."""
    try:
        return parts.vault.lines(path)
    except VaultmemError:
        return 1, []


def _plain(text: str) -> str:
    """Return a text without what a reader does not see as a difference: case, width, spacing."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
