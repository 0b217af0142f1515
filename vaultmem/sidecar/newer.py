"""The snapshot after a refresh, made of the one before: what is the same is taken over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vaultmem.sidecar.manifest import Chunk
from vaultmem.sidecar.snapshot import Snapshot, stated, tells
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role


def changed(
    before: Snapshot,
    generation: int,
    gone: Iterable[str],
    facts: Iterable[Facts],
    chunks: Iterable[Chunk],
) -> Snapshot:
    """Return the snapshot after a refresh: some files forgotten, some new or changed."""
    fresh, new = list(facts), list(chunks)
    stale = {*gone, *(item.path for item in fresh)}
    kept = dict(before.facts)
    for path in stale:
        kept.pop(path, None)
    kept.update((item.path, item) for item in fresh)
    ordered = {path: kept[path] for path in sorted(kept)}
    labels = dict(before.chunks)
    for label in (label for path in stale for label in before.by_label.get(path, ())):
        del labels[label]
    labels.update((chunk.label, chunk) for chunk in new)
    after = Snapshot(generation, ordered, labels, before.layout)
    _carry(before, after, stale, fresh, new)
    return after


def _carry(
    before: Snapshot,
    after: Snapshot,
    stale: set[str],
    fresh: Sequence[Facts],
    chunks: Sequence[Chunk],
) -> None:
    """Take over what was worked out before and is the same but for a few notes."""
    known, found = before.__dict__, after.__dict__
    by_label = dict(before.by_label)
    for path in stale:
        by_label.pop(path, None)
    for chunk in chunks:
        by_label.setdefault(chunk.path, []).append(chunk.label)
    found["by_label"] = by_label
    if "tellers" in known:
        found["tellers"] = (known["tellers"] - stale) | {f.path for f in fresh if tells(f)}
    scopes = [
        {
            path: stated(facts[path])
            for path in stale
            if path in facts and stated(facts[path]) is not None
        }
        for facts in (before.facts, after.facts)
    ]
    if "by_scope" in known and scopes[0] == scopes[1]:
        found |= {name: known[name] for name in ("folders", "inherited") if name in known}
        by_scope = {
            scope: [facts for facts in own if facts.path not in stale]
            for scope, own in known["by_scope"].items()
        }
        for item in fresh:
            if item.role == Role.MEMORY:
                by_scope.setdefault(after.scope(item.path) or "", []).append(item)
        found["by_scope"] = by_scope
