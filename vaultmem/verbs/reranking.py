"""A second look: a model that reads question and note together orders the first hits anew."""

from __future__ import annotations

from collections.abc import Sequence

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.passages import text_of
from vaultmem.verbs.ranking import Candidate
from vaultmem.words.errors import VaultmemError

LOOKED_AT = 30
"""So many of the best are read again."""


def reranked(
    parts: Parts,
    snapshot: Snapshot,
    query: str,
    found: Sequence[tuple[float, Candidate]],
    notices: list[str],
) -> list[tuple[float, Candidate]]:
    """Return the candidates with the first 30 in the order of the reranker, if there is one.

    The relevances stay where they are, so that only the order changes; a reranker that fails
    changes nothing, and one line says so.
    """
    reranker = parts.reranker
    first, rest = list(found[:LOOKED_AT]), list(found[LOOKED_AT:])
    if reranker is None or len(first) < 2:
        return [*first, *rest]
    texts = [_text(parts, snapshot, candidate.label) for _, candidate in first]
    try:
        scores = reranker.scores(query, texts)
    except VaultmemError as error:
        notices.append(str(error))
        return [*first, *rest]
    order = sorted(range(len(first)), key=lambda i: (-scores[i], i))
    again = [(first[place][0], first[i][1]) for place, i in enumerate(order)]
    return [*again, *rest]


def _text(parts: Parts, snapshot: Snapshot, label: int) -> str:
    """Return the title and the text of a passage, the title alone of a note that is gone."""
    title = snapshot.facts[snapshot.chunks[label].path].title
    try:
        return f"{title}\n{text_of(parts, snapshot, label)}"
    except VaultmemError:
        return title
