"""One note made of two that grew from a third: properties key by key, the body as git would.

Nothing that either side says is lost: where both say something else of one thing, both stand in
the note between the markers of a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from vaultmem.words import frontmatter
from vaultmem.words.conflicts import both
from vaultmem.words.errors import Refused
from vaultmem.words.frontmatter import Split, Unreadable, Value, split
from vaultmem.words.life import SOURCES
from vaultmem.words.times import parsed

Weave = Callable[[bytes, bytes, bytes], "Merged"]
"""Makes one text of a base, ours and theirs, line by line."""
Properties = Mapping[str, Value]


@dataclass(frozen=True)
class Merged:
    """What both sides made of a base."""

    data: bytes
    clean: bool = True
    """Whether no conflict is left in it."""


class _Entangled(Exception):
    """The properties cannot be merged key by key."""


def merged(base: bytes, ours: bytes, theirs: bytes, weave: Weave) -> Merged:
    """Return the note that two sides made of a base, which is empty if both added it.

    Lists are united, less what one side took out. A property that one side changed is as that side
    has it; of `updated` the later counts, of `created` the earlier, of `seen` the greater. What
    both changed otherwise is a conflict. Lines of other properties stay as ours has them. Where the
    properties cannot be read the whole note is woven as text.
    """
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if not base.strip() and apart(ours, theirs):
        return Merged(both(ours, theirs, split(ours).newline), clean=False)
    sides = _alike(split(base), split(ours), split(theirs))
    try:
        head = _head(sides, _choice(ours, theirs) if not base.strip() else None)
    except (_Entangled, Unreadable):
        return weave(base, ours, theirs)
    body = _woven(sides, weave)
    return Merged(replace(head[0], body=body.data).join(), head[1] and body.clean)


def apart(ours: bytes, theirs: bytes) -> bool:
    """Return whether two notes of one path do not say the same."""
    one, other = _alike(Split(), split(ours), split(theirs))[1:]
    try:
        titles = {str(_folded(_read(side)).get("title", "")).casefold() for side in (one, other)}
    except (_Entangled, Unreadable):
        return True
    return len(titles) > 1 or one.body.strip() != other.body.strip()


def _alike(*sides: Split) -> tuple[Split, Split, Split]:
    """Return base, ours and theirs with one kind of line ends if their kinds differ."""
    base, ours, theirs = sides
    known = [side for side in sides if side.join()]
    if len({side.newline for side in known}) < 2:
        return base, ours, theirs
    kind = theirs.newline if ours.newline == base.newline and base.join() else ours.newline
    made = [split(side.join().replace(b"\r\n", b"\n").replace(b"\n", kind)) for side in sides]
    return made[0], made[1], made[2]


def _woven(sides: tuple[Split, Split, Split], weave: Weave) -> Merged:
    base, ours, theirs = (side.body for side in sides)
    if theirs in (ours, base):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if ours.strip() == theirs.strip():
        return Merged(max(ours, theirs))
    return weave(base, ours, theirs)


def _read(side: Split) -> dict[str, Value]:
    if side.too_long or (not side.opening and side.body.startswith(b"---")):
        raise _Entangled
    return frontmatter.read(side.block)


def _folded(properties: Properties) -> dict[str, Value]:
    return {key.casefold(): value for key, value in properties.items()}


def _base(side: Split) -> dict[str, Value]:
    """Return what the base says; one that is itself in conflict says nothing for sure."""
    try:
        return _folded(_read(side))
    except (_Entangled, Unreadable):
        return {}


def _head(sides: tuple[Split, Split, Split], chosen: int | None) -> tuple[Split, bool]:
    """Return ours with the properties of both, and whether they do not contradict each other.

    `chosen` is the side that counts wherever they do.
    """
    base, ours, theirs = sides
    known, mine, yours = _base(base), _read(ours), _read(theirs)
    if not mine and not yours and not (ours.opening or theirs.opening):
        return ours, True
    host, guest = _Lines(ours), _Lines(theirs)
    turned = host.others != guest.others and host.others == _others(base)
    if turned:  # theirs changed a comment or so, ours did not
        host, guest, mine, yours = guest, host, yours, mine
    elif host.others != guest.others and guest.others != _others(base):
        raise _Entangled
    blocks: dict[str, bytes | None] = {}
    expected, clean = dict(mine), True
    theirs_by = {key.casefold(): key for key in yours}
    names = {key.casefold(): key for key in [*yours, *mine]}
    host_values, guest_values = _folded(mine), _folded(yours)
    for folded, name in names.items():
        values = (known.get(folded), host_values.get(folded), guest_values.get(folded))
        picked = _picked(folded, *values, latest=_later(host_values, guest_values))
        if picked == _CONFLICT and chosen is not None:
            picked = values[1 + (chosen != turned)]
        if picked == _CONFLICT:
            clean = False
            one, other = host.of(name), guest.of(theirs_by.get(folded, name))
            one, other = (other, one) if turned else (one, other)
            blocks[name] = both(one, other, host.newline)
            continue
        if picked == values[1]:
            continue
        source = guest.of(theirs_by.get(folded, name)) if picked == values[2] else None
        blocks[name] = source if source is not None else _emitted(name, picked, host.newline)
        expected.pop(name, None)
        expected |= {} if picked is None else {name: picked}
    result = host.with_keys(blocks)
    if len(result.block) > frontmatter.LONGEST_BLOCK:
        raise _Entangled
    if clean and frontmatter.read(result.block) != expected:
        raise _Entangled
    return result, clean


_CONFLICT: Value = {"conflict": "of both sides"}


def _picked(
    key: str, base: Value | None, host: Value | None, guest: Value | None, *, latest: bool
) -> Value | None:
    """Return what a property becomes, None if it goes, `_CONFLICT` if nobody can tell."""
    if host == guest or guest == base:
        return host
    if host == base:
        return guest
    if _is_set(host) and _is_set(guest) and (isinstance(host, list) or isinstance(guest, list)):
        return _united(_texts(base), _texts(host), _texts(guest))
    if not isinstance(host, str) or not isinstance(guest, str):
        return _CONFLICT
    if key in _BY_ORDER:
        return _BY_ORDER[key](host, guest)
    if key == "commit":  # it says how far a note's files were followed, not what it says
        return host if latest else guest
    return _CONFLICT


def _is_set(value: Value | None) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return not isinstance(value, dict)


def _texts(value: Value | None) -> list[str]:
    items = value if isinstance(value, list) else [value] if value else []
    return [item for item in items if isinstance(item, str)]


def _united(base: list[str], host: list[str], guest: list[str]) -> Value | None:
    gone = (set(base) - set(host)) | (set(base) - set(guest))
    kept = [item for item in [*host, *guest] if item not in gone]
    return list(dict.fromkeys(kept)) or None


def _moment(text: str) -> tuple[float, str]:
    found = parsed(text)
    return found.timestamp() if found else 0.0, text


def _count(text: str) -> tuple[int, str]:
    return int(text) if text.isdecimal() else 0, text


_BY_ORDER: dict[str, Callable[[str, str], str]] = {
    "updated": lambda one, other: max(one, other, key=_moment),
    "created": lambda one, other: min(one, other, key=_moment),
    "seen": lambda one, other: max(one, other, key=_count),
    "id": min,
}


def _later(host: Properties, guest: Properties) -> bool:
    one, other = str(host.get("updated", "")), str(guest.get("updated", ""))
    return _moment(one) >= _moment(other)


def _choice(ours: bytes, theirs: bytes) -> int:
    """Return which of two notes that say the same counts: 0 for ours, 1 for theirs."""
    ranks = []
    for data in (ours, theirs):
        found = _folded(_read(split(data)))
        grade = SOURCES.get(str(found.get("source", "approved")), 0)
        ranks.append((grade, str(found.get("importance", "")), str(found.get("id", "")), data))
    return int(ranks[1] > ranks[0])


def _emitted(name: str, value: Value | None, newline: bytes) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, dict):
        raise _Entangled
    texts = value if isinstance(value, str) else _texts(value)
    return b"".join(frontmatter.emitted(name, texts, newline))


def _others(side: Split) -> list[bytes]:
    try:
        return _Lines(side).others
    except (_Entangled, Unreadable):
        return []


class _Lines:
    """The lines of a block, by the key that they belong to."""

    def __init__(self, side: Split) -> None:
        self._side = side
        self.newline = side.newline
        self._lines = side.block.splitlines(keepends=True)
        if self._lines and not self._lines[-1].endswith(b"\n"):
            raise _Entangled
        try:
            self._spans = frontmatter.spans(side.block) if _read(side) else {}
        except Refused:
            raise _Entangled from None

    def of(self, key: str) -> bytes:
        """Return the lines of a key, none if it is not there."""
        first, last = self._spans.get(key, (0, 0))
        return b"".join(self._lines[first:last])

    @property
    def others(self) -> list[bytes]:
        """The lines that belong to no key: comments and blanks."""
        taken = {at for first, last in self._spans.values() for at in range(first, last)}
        return [line for at, line in enumerate(self._lines) if at not in taken]

    def with_keys(self, blocks: Mapping[str, bytes | None]) -> Split:
        """Return the note with other lines for some keys; None takes one out, new ones go last."""
        starts = {first: (key, last) for key, (first, last) in self._spans.items()}
        block = b"".join([*self._kept(starts, blocks), *self._new(blocks)])
        if self._side.opening:
            return replace(self._side, block=block)
        fence = b"---" + self.newline
        return replace(self._side, opening=fence, block=block, closing=fence)

    def _kept(
        self, starts: Mapping[int, tuple[str, int]], blocks: Mapping[str, bytes | None]
    ) -> Iterator[bytes]:
        at = 0
        while at < len(self._lines):
            key, last = starts.get(at, ("", at + 1))
            yield (blocks[key] or b"") if key in blocks else b"".join(self._lines[at:last])
            at = last

    def _new(self, blocks: Mapping[str, bytes | None]) -> Iterable[bytes]:
        return [lines for key, lines in blocks.items() if key not in self._spans and lines]
