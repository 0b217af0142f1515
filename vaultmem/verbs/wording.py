"""The very words: what a question insists on with `"..."`, and what it rules out with `-word`."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
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
"""Notes read to look for a phrase."""


def narrowed(
    parts: Parts,
    snapshot: Snapshot,
    asked: Collection[Asked],
    allowed: Allowed,
    notices: list[str],
) -> Allowed:
    """Return what is left of the passages that may answer, whichever way the question is asked.

    Every phrase must stand in the note, and nothing ruled out may, be it in the body, the title,
    the description, a tag or an alias. A phrase that is nowhere insists on nothing, and one line
    says so.
    """
    from vaultmem.sidecar.seams import Allowed

    phrases = dict.fromkeys(phrase for one in asked for phrase in one.phrases)
    without = dict.fromkeys(word for one in asked for word in one.without)
    if not phrases and not without:
        return allowed
    hits = Hits(snapshot)
    passages: dict[str, list[int]] = {}
    for label in allowed.labels.tolist():
        passages.setdefault(hits.of(label), []).append(label)
    left = set(passages)
    for word in without:
        left -= _holding(parts, hits, word, passages, notices)
    for phrase in phrases:
        held = _holding(parts, hits, phrase, passages, notices)
        if held:
            left &= held
        else:
            notices.append(f'Nothing holds "{phrase}" word for word, so this is what comes near.')
    return Allowed([label for name in left for label in passages[name]])


def _holding(
    parts: Parts, hits: Hits, phrase: str, among: dict[str, list[int]], notices: list[str]
) -> set[str]:
    """Return the hits that hold a phrase; one Latin word is found by its stem."""
    names = _with_terms(parts, hits, phrase, among)
    if phrase.isascii() and phrase.isalpha():
        return names
    if len(names) > MOST_READ:
        notices.append(
            f'"{phrase}" was looked for in the first {MOST_READ:,} of {len(names):,} notes '
            "that hold its words; narrow the question by type, tag or date."
        )
    plain = _plain(phrase)
    chosen = sorted(names)[:MOST_READ]
    return {name for name in chosen if plain in _said(parts, hits, among[name])}


def _with_terms(parts: Parts, hits: Hits, phrase: str, among: dict[str, list[int]]) -> set[str]:
    """Return the hits that hold all terms of a phrase; one sign of a script without spaces is too
    short to be a term.
    """
    wanted = terms(phrase)
    left = set(among)
    if not wanted or (len(phrase) < 3 and not phrase.isascii()):
        return left
    chunks = hits.snapshot.chunks
    for term in wanted:
        labels = parts.sidecar.holding(term)
        left &= {hits.of(label) for label in labels if label in chunks}
    return left


def _said(parts: Parts, hits: Hits, labels: list[int]) -> str:
    """Return all that a hit says, in plain form."""
    chunk = hits.snapshot.chunks[labels[0]]
    facts = hits.snapshot.facts[chunk.path]
    try:
        begin, body = parts.vault.lines(chunk.path)
    except VaultmemError:
        return ""
    if hits.of(labels[0]) != chunk.path:
        body = body[max(chunk.first - begin, 0) : max(chunk.last - begin + 1, 0)]
    named: Iterable[str] = (facts.title, facts.description, *facts.tags, *facts.aliases)
    return _plain("\n".join(["\n".join(named), " ".join(body)]))


def _plain(text: str) -> str:
    """Return a text without what a reader does not see as a difference: case, width, spacing."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
