"""What a sidecar holds, in a form in which two of them can be compared."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vaultmem.sidecar.manifest import Chunk
from vaultmem.sidecar.seal import digest_of
from vaultmem.sidecar.sidecar import Sidecar

if TYPE_CHECKING:
    from vaultmem.sidecar.meaning import Meaning

Place = tuple[str, int, int]
"""A passage without its label: path, first line, and which of those that begin there."""


def export(sidecar: Sidecar, meaning: Meaning | None = None) -> dict[str, Any]:
    """Return all that a sidecar knows, without what depends on the order in which it learned it.

    Two sidecars of one vault are right only if these are equal: `files` (facts by path),
    `passages` (by place), `words` (weight by term and place), `vectors` (bytes by text hash,
    `None` for a text that the model cannot read).
    """
    snapshot = sidecar.snapshot
    places = _places(snapshot.chunks.values())
    named = {places[label]: chunk for label, chunk in snapshot.chunks.items()}
    found: dict[str, Any] = {
        "files": {path: asdict(facts) for path, facts in snapshot.facts.items()},
        "passages": {
            place: (chunk.last, chunk.heading, chunk.scope, chunk.text_hash)
            for place, chunk in named.items()
        },
        "words": _words(sidecar, places),
    }
    if meaning is not None:
        found["vectors"] = sidecar.manifest.embedded(meaning.model.name)
    return found


def keyword_labels(sidecar: Sidecar) -> set[int]:
    """Return the label of every passage that the keyword index holds; damage raises."""
    if not sidecar.manifest.meta("keyword"):
        return set()
    return sidecar.keyword_index().labels()


def graph_whole(sidecar: Sidecar, folder: Path) -> bool:
    """Return whether the graph that the manifest names, if any, is the file that was written."""
    try:
        named = json.loads(sidecar.manifest.meta("graph", "{}"))
        path = folder / Path(str(named["file"])).name if named else None
        return path is None or digest_of(path) == named["digest"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _places(chunks: Iterable[Chunk]) -> dict[int, Place]:
    """Return the place of each label; of passages that begin on one line, in their own order."""
    counted: dict[tuple[str, int], int] = defaultdict(int)
    found = {}
    for chunk in sorted(chunks, key=lambda chunk: chunk.label):
        number = counted[chunk.path, chunk.first]
        counted[chunk.path, chunk.first] += 1
        found[chunk.label] = (chunk.path, chunk.first, number)
    return found


def _words(sidecar: Sidecar, places: dict[int, Place]) -> dict[str, dict[Any, float]]:
    """Return weights by term and place; a passage that the manifest does not know keeps its label.

    Labels of such strays are negative, so that they are equal to none.
    """
    if not sidecar.manifest.meta("keyword"):
        return {}
    index = sidecar.keyword_index()
    return {
        term: {places.get(label, -label): weight for label, weight in rows}
        for term, rows in index.postings()
    }
