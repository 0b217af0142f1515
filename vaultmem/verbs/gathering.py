"""What both legs bring for a question: each note once, with what either leg says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vaultmem.sidecar.asking import Asked
from vaultmem.sidecar.database import Damaged
from vaultmem.sidecar.sidecar import Rebuilt
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.ranking import Candidate
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed, Leg, Scored, Vectors

EMBED_FIRST = 64
"""Passages without a vector that a question waits for; with more it goes by keyword alone."""
CLOSE = 0.05
TELLING = 0.15
"""The passage that holds the words is shown, and not the nearest in meaning, if its cosine is this
close or its note holds this share of the words."""


_ENTRIES = frozenset({Role.LOG, Role.DECISIONS})


@dataclass(frozen=True)
class Hits:
    """What counts as one hit: a note, or one entry of a log."""

    snapshot: Snapshot

    def of(self, label: int) -> str:
        """Return the hit that a passage belongs to."""
        chunk = self.snapshot.chunks[label]
        if self.snapshot.facts[chunk.path].role not in _ENTRIES:
            return chunk.path
        return f"{chunk.path}:{chunk.first}"

    def passages(self, label: int) -> Sequence[int]:
        """Return all passages of the hit that one belongs to."""
        path = self.snapshot.chunks[label].path
        alone = self.snapshot.facts[path].role in _ENTRIES
        return [label] if alone else self.snapshot.by_label[path]


def gathered(
    parts: Parts,
    snapshot: Snapshot,
    asked: Asked,
    legs: Sequence[Leg],
    allowed: Allowed,
    among: Allowed,
    vector: Vectors | None,
) -> list[Candidate]:
    """Return the best notes by words and by meaning, each with both scores, in no order.

    `among` is all that the reader sees, by which words are weighed.
    """
    hits = Hits(snapshot)
    tally = parts.sidecar.keyword(asked.terms, allowed, among)
    words: dict[str, Scored] = {}
    near: dict[str, Scored] = {}
    for leg in legs:
        for hit in tally.best(leg.limit, leg.passages if len(legs) > 1 else None):
            words.setdefault(hits.of(hit.label), hit)
        if vector is not None:
            meant = parts.meaning.search(vector, leg.passages, 2 * leg.limit)
            near = _first_of_each(hits, meant, leg.limit) | near
    means = dict(near)
    if vector is not None:
        means |= _meant_too(parts, hits, vector, [h for k, h in words.items() if k not in near])
    only_meant = [hit.label for name, hit in means.items() if name not in words]
    said = tally.scores(only_meant)
    places = [{name: place for place, name in enumerate(leg, 1)} for leg in (words, near)]
    best = [hit.label for name, hit in words.items() if name in means]
    cosines = {} if vector is None else parts.meaning.scores(vector, best)
    found = []
    for name in {**words, **means}:
        word, mean = words.get(name), means.get(name)
        score = word.score if word else said.get(mean.label, 0.0) if mean else 0.0
        share = min(score / tally.ceiling, 1.0) if tally.ceiling else 0.0
        candidate = Candidate(
            hit=name,
            label=_shown(cosines, word, mean, share),
            words=score,
            share=share,
            cosine=mean.score if mean else None,
            ranks=(places[0].get(name, 0), places[1].get(name, 0)),
        )
        found.append(candidate)
    return found


def _first_of_each(hits: Hits, meant: Sequence[Scored], limit: int) -> dict[str, Scored]:
    """Return the best passage of each hit, at most `limit` hits."""
    found: dict[str, Scored] = {}
    for hit in meant:
        found.setdefault(hits.of(hit.label), hit)
    return dict(list(found.items())[:limit])


def _meant_too(
    parts: Parts, hits: Hits, vector: Vectors, words: Sequence[Scored]
) -> dict[str, Scored]:
    """Return the nearest passage of hits that only the keyword leg brought, if it has a vector."""
    from vaultmem.sidecar.seams import Scored

    of_each = {hits.of(hit.label): hits.passages(hit.label) for hit in words}
    labels = [label for passages in of_each.values() for label in passages]
    cosines = parts.meaning.scores(vector, labels)
    found = {}
    for name, passages in of_each.items():
        known = [Scored(label, cosines[label]) for label in passages if label in cosines]
        if known:
            found[name] = max(known, key=lambda hit: (hit.score, -hit.label))
    return found


def _shown(
    cosines: Mapping[int, float], word: Scored | None, mean: Scored | None, share: float
) -> int:
    """Return the passage that shows best why a note was found."""
    if word is None or mean is None:
        return word.label if word else mean.label if mean else 0
    close = cosines.get(word.label, -1.0) >= mean.score - CLOSE
    return word.label if close or share >= TELLING else mean.label


def too_many(parts: Parts) -> int:
    """Return how many passages have no vector, if they are more than a question waits for."""
    waiting = parts.meaning.missing()
    return waiting if waiting > min(EMBED_FIRST, parts.meaning.at_once) else 0


def question_vector(parts: Parts, text: str, notices: list[str]) -> Vectors | None:
    """Return the vector of a question; without the model None, and one line that says so."""
    try:
        if behind := too_many(parts):
            notices.append(
                f"{behind} passages have no vector yet, so this went by keyword; "
                "`vaultmem refresh` makes them."
            )
            return None
        if parts.meaning.missing():
            parts.meaning.embed()
        return parts.meaning.model.query(text)
    except (Damaged, Rebuilt):
        raise
    except VaultmemError as error:
        if str(error) not in notices:
            notices.append(str(error))
        return None
