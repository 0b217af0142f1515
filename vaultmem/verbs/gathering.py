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

if TYPE_CHECKING:
    from vaultmem.sidecar.seams import Allowed, Leg, Scored, Vectors

EMBED_FIRST = 64
"""Passages without a vector that a question waits for; with more it goes by keyword alone."""
CLOSE = 0.05
TELLING = 0.15
"""The passage that holds the words is shown, and not the nearest in meaning, if its cosine is this
close or its note holds this share of the words."""


@dataclass(frozen=True)
class Hits:
    """What counts as one hit: a note, or one entry of a log."""

    snapshot: Snapshot

    def of(self, label: int) -> str:
        """Return the hit that a passage belongs to."""
        chunk = self.snapshot.chunks[label]
        entry = chunk.path in self.snapshot.logs
        return f"{chunk.path}:{chunk.first}" if entry else chunk.path

    def passages(self, hit: str, label: int) -> Sequence[int]:
        """Return all passages of a hit, one of which is known."""
        return self.snapshot.by_label.get(hit) or [label]


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
    of_each = {name: hits.passages(name, hit.label) for name, hit in words.items()}
    cosines: Mapping[int, float] = {}
    if vector is not None:
        labels = [label for passages in of_each.values() for label in passages]
        cosines = parts.meaning.scores(vector, labels)
    means = _nearest({k: v for k, v in of_each.items() if k not in near}, cosines) | near
    only_meant = [hit.label for name, hit in means.items() if name not in words]
    said = tally.scores(only_meant)
    places = [{name: place for place, name in enumerate(leg, 1)} for leg in (words, near)]
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
        if len(found) == limit:
            break
    return found


def _nearest(
    of_each: Mapping[str, Sequence[int]], cosines: Mapping[int, float]
) -> dict[str, Scored]:
    """Return the nearest passage of each hit, of its passages that have a vector."""
    from vaultmem.sidecar.seams import Scored

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
            count = f"{behind}" if parts.caller.told_all else "Some"
            notices.append(
                f"{count} passages have no vector yet, so this went by keyword; "
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
