"""Where sources lie: in the vault and on the shelf, and which of them a caller sees."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from vaultmem.vault import files
from vaultmem.verbs.choosing import visible
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import Ambiguous, ChangedOnDisk, NotFound
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.note import Note
from vaultmem.words.opening import KEY
from vaultmem.words.outside import SESSION_HOURS
from vaultmem.words.times import parsed

HINT = "Run `vaultmem knowledge list` to see what there is."


@dataclass(frozen=True)
class Spot:
    """One source and the place that it lies in."""

    place: Parts
    path: str

    @property
    def facts(self) -> Facts:
        """What is known of it."""
        return self.place.sidecar.snapshot.facts[self.path]

    @property
    def note(self) -> Note:
        """The note as it stands."""
        return self.place.vault.read(self.path)


def places(parts: Parts) -> list[Parts]:
    """Return the vault and, if anything was ever put on it, the shelf; both as new as the disk."""
    found = parts.with_shelf()
    for place in found:
        place.sidecar.refresh(trust=place is parts)
    if len(found) > 1:
        _swept(found[1])
    return found


def _swept(shelf: Parts) -> None:
    """Remove what was stored for sessions so long ago that it is gone."""
    span = timedelta(hours=SESSION_HOURS)
    gone = [
        facts
        for facts in shelf.sidecar.snapshot.facts.values()
        if facts.session
        and (made := parsed(facts.fetched, shelf.vault.zone))
        and shelf.clock() - made > span
    ]
    if gone:
        with shelf.vault.lock.vault("sweep"):
            for facts in gone:
                files.remove(shelf.vault.root, facts.path, seen=facts.hash)
        shelf.sidecar.refresh()


def spots(parts: Parts) -> Iterator[Spot]:
    """Yield every source that the caller may see."""
    for place in places(parts):
        snapshot = place.sidecar.snapshot
        known = [path for path, facts in snapshot.facts.items() if facts.role == Role.KNOWLEDGE]
        for path in known:
            if visible(place, snapshot, path, parts.caller.scope):
                yield Spot(place, path)


def by_origin(parts: Parts) -> dict[str, list[Spot]]:
    """Return every source that the caller may see, by where it was taken from."""
    found: dict[str, list[Spot]] = defaultdict(list)
    for spot in spots(parts):
        found[spot.facts.origin].append(spot)
    return found


def of_origin(parts: Parts, origin: str) -> Spot | None:
    """Return the source that was taken from an origin, None if there is none; see `current`."""
    return current(parts, by_origin(parts).get(origin, ()))


def current(parts: Parts, found: Sequence[Spot]) -> Spot | None:
    """Return the one of some sources of one origin that is brought up to date: that of the
    caller's scope first, of a person's version and ours beside it ours.
    """
    scope = parts.caller.scope or ""
    ours = [spot for spot in found if is_ours(spot.note)]
    return min(
        ours or found,
        key=lambda spot: (spot.place.sidecar.snapshot.scope(spot.path) != scope, spot.path),
        default=None,
    )


def found(parts: Parts, ref: str) -> Spot:
    """Return the source that a caller means: by origin, key, path, or title.

    Raises:
        NotFound: there is none. Ambiguous: there are several.
    """
    ref = ref.strip()
    for names in (_exactly, _loosely):
        known = [spot for spot in spots(parts) if ref.casefold() in names(spot.facts)]
        known = [spot for spot in known if spot.facts.session] or known
        if len(known) == 1:
            return known[0]
        if known:
            raise Ambiguous(ref, [spot.path for spot in known])
    raise NotFound(f"source {ref!r}", HINT)


def _exactly(facts: Facts) -> set[str]:
    return {facts.path.casefold(), facts.origin.casefold(), facts.origin.casefold()[len(KEY) :]}


def _loosely(facts: Facts) -> set[str]:
    return {facts.title.casefold(), facts.origin.rsplit("/", 1)[-1].casefold()}


def mark_of(text: str) -> str:
    """Return the mark of a text as we wrote it, by which a person's change of it is told."""
    plain = text.replace("\r\n", "\n").strip()
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:16]


def is_ours(note: Note) -> bool:
    """Return whether a note holds the text that we wrote, and not a person's."""
    return not note.broken and note.text("written") == mark_of(note.body)


def refuse_changed(note: Note) -> None:
    """Raise `ChangedOnDisk` if a person has changed the text of a source, or wrote it."""
    if not is_ours(note):
        raise ChangedOnDisk(note.path)
