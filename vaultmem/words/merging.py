"""One note made of two that grew from a third: properties key by key, the body as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from vaultmem.words.errors import Refused
from vaultmem.words.frontmatter import Split, Unreadable, Value, patched, read, spans, split

Weave = Callable[[bytes, bytes, bytes], tuple[bytes, bool]]
"""Makes one text of base, ours and theirs, and says whether the two contradict each other."""
_LATER = ("updated",)
_EARLIER = ("created",)


@dataclass(frozen=True)
class Merged:
    """A merged note, and whether a person has to decide between the markers in it."""

    data: bytes
    conflict: bool


def merged(base: bytes, ours: bytes, theirs: bytes, weave: Weave) -> Merged:
    """Return what both sides made of a note; where both say other things, both between markers.

    A key that one side alone changed is that side's. Lists are united, less what either side took
    out; of two times of change the later counts, of two of creation the earlier. Two sides that
    made the same note each for themselves, word for word, make one, with the lesser id.
    """
    try:
        return _by_keys(split(base), split(ours), split(theirs), weave)
    except (Refused, Unreadable):
        return Merged(*weave(base, ours, theirs))


def _by_keys(base: Split, ours: Split, theirs: Split, weave: Weave) -> Merged:
    if not (ours.opening and theirs.opening):
        raise Unreadable("a side has no properties")
    was, mine, other = read(base.block), read(ours.block), read(theirs.block)
    twins = not base.join() and ours.body == theirs.body
    both = replace(ours)
    clashing = []
    for key in dict.fromkeys((*mine, *other)):
        values = (was.get(key), mine.get(key), other.get(key))
        if not _settled(key, *values, twins=twins):
            clashing.append(key)
            continue
        both = _with(both, theirs, key, _chosen(key, *values))
    if not clashing:
        body, conflict = _bodies(base, ours, theirs, weave)
        return Merged(replace(both, body=body).join(), conflict)
    sides = [_side(both, side, clashing) for side in (base, ours, theirs)]
    return Merged(*weave(*(side.join() for side in sides)))


def _bodies(base: Split, ours: Split, theirs: Split, weave: Weave) -> tuple[bytes, bool]:
    if ours.body == theirs.body or theirs.body == base.body:
        return ours.body, False
    return (
        (theirs.body, False) if ours.body == base.body else weave(base.body, ours.body, theirs.body)
    )


def _settled(
    key: str, was: Value | None, mine: Value | None, other: Value | None, *, twins: bool
) -> bool:
    """Return whether it is plain what a key is to be."""
    if mine == other or was in (mine, other) or twins or key in (*_LATER, *_EARLIER):
        return True
    return isinstance(mine, list) and isinstance(other, list)


def _chosen(key: str, was: Value | None, mine: Value | None, other: Value | None) -> Value | None:
    """Return what a settled key is to be."""
    if mine == other or other == was:
        return mine
    if mine == was:
        return other
    if isinstance(mine, list) and isinstance(other, list):
        return _united(was if isinstance(was, list) else [], mine, other)
    known = sorted(str(value) for value in (mine, other) if value is not None)
    return known[-1] if key in _LATER else known[0]


def _united(was: list[Value], mine: list[Value], other: list[Value]) -> list[Value]:
    kept = [item for item in mine if item in other or item not in was]
    return kept + [item for item in other if item not in mine and item not in was]


def _with(parts: Split, theirs: Split, key: str, value: Value | None) -> Split:
    """Return the parts with a key at its value, in the lines of the side that has it so."""
    if read(parts.block).get(key) == value:
        return parts
    if read(theirs.block).get(key) == value:
        return grafted(parts, theirs, key)
    if not isinstance(value, list):
        raise Unreadable(f"{key} cannot be merged")
    return patched(parts, key, [str(item) for item in value])


def grafted(parts: Split, other: Split, key: str) -> Split:
    """Return the parts with the lines that a key has in another note, without it if it has none.

    Raises:
        Refused, Unreadable: one of the two is not one key a line.
    """
    here = spans(parts.block) if parts.block.strip() else {}
    there = spans(other.block) if other.block.strip() else {}
    lines = parts.block.splitlines(keepends=True)
    taken = other.block.splitlines(keepends=True)
    first, last = here.get(key, (len(lines), len(lines)))
    added = taken[slice(*there[key])] if key in there else []
    return replace(parts, block=b"".join([*lines[:first], *added, *lines[last:]]))


def _side(both: Split, side: Split, clashing: list[str]) -> Split:
    """Return a side with all settled keys as they are to be, and its own of the others."""
    found = both
    for key in clashing:
        found = grafted(found, side, key)
    return replace(found, body=side.body)
