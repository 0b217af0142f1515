"""Sources as a set: listed, stored under a key, taken from a folder, and let go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress

from vaultmem.documents import local
from vaultmem.documents.document import Document
from vaultmem.documents.extracting.extractor import Extractor
from vaultmem.documents.extracting.tamed import tamed
from vaultmem.documents.web_address import is_web
from vaultmem.vault import files
from vaultmem.verbs.knowledge.places import HINT, Spot, by_origin, found, refuse_changed, spots
from vaultmem.verbs.knowledge.taking import announced, embedded, indexed, take, taken, written
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.rights import file_of, refuse_writing
from vaultmem.words.errors import BadInput, NotFound, Refused, VaultmemError
from vaultmem.words.opening import KEY
from vaultmem.words.outside import Refusal, Source, Taken
from vaultmem.words.safe import defused

LONGEST_KEY = 100
LONGEST_STORED = 200_000
_ODD = re.compile(r"[\x00-\x1f\x7f]")
Progress = Callable[[int, int, str], None]


def index(parts: Parts, source: str, *, force: bool = False) -> Taken:
    """Take in one source; with `force` even if it is as it was."""
    done = take(parts, source, force=force)
    announced(parts, [done])
    return done


def index_folder(
    parts: Parts, folder: str, progress: Progress | None = None, *, force: bool = False
) -> tuple[list[Taken], list[Refusal]]:
    """Take in every document of a folder; return what became of each, and what was refused.

    Raises:
        NotFound, Refused: the folder is not there, or may not be read.
    """
    top = local.resolved(folder, parts.access.folder)
    local.root_of(top, parts.access.roots)
    paths = list(local.walked(top))
    done: list[Taken] = []
    refused: list[Refusal] = []
    known = by_origin(parts)
    with Extractor(parts.access.bounds) as extractor:
        for number, path in enumerate(paths):
            if progress:
                progress(number, len(paths), "taking in")
            try:
                done.append(taken(parts, str(path), extractor, known, force=force))
            except VaultmemError as error:
                refused.append(Refusal(str(path), str(error)))
    indexed(parts, [item for item in done if item.state in ("new", "changed")])
    embedded(parts)
    announced(parts, done)
    return done, refused


def is_folder(parts: Parts, source: str) -> bool:
    """Return whether a source is a folder of this machine."""
    if is_web(source):
        return False
    with suppress(VaultmemError):
        return local.resolved(source, parts.access.folder).is_dir()
    return False


def store(parts: Parts, key: str, content: str, *, keep: bool = False) -> Taken:
    """Store a text under a key: for this session, or with `keep` for its scope.

    Raises:
        BadInput: the key or the text cannot be used. SecretFound: it holds a credential.
        Refused, ChangedOnDisk: another text of that key is there, and a person changed it.
    """
    key = _key(key)
    if not content.strip() or len(content.encode("utf-8", "replace")) > LONGEST_STORED:
        raise BadInput(f"A text to store has 1 to {LONGEST_STORED:,} bytes.")
    document = Document("txt", defused(tamed(content)), key)
    place = parts if keep else parts.shelf
    place.sidecar.refresh(trust=keep)
    spot = _stored(place, key, for_session=not keep)
    if spot:
        refuse_changed(spot.note)
    session = None if keep else " ".join(parts.caller.reader)
    done = written(place, spot, KEY + key, document, {"session": session})
    indexed(parts, [done])
    embedded(parts, 64)
    if keep:
        announced(parts, [done])
    return done


def delete(parts: Parts, key: str) -> Source:
    """Take away the text of a key: this session's, else that of the scope."""
    key = _key(key)
    own = _stored(parts.shelf, key, for_session=True) if parts.has_shelf() else None
    spot = own or _stored(parts, key, for_session=False)
    if spot is None:
        raise NotFound(f"text stored under {key!r}", HINT)
    return _gone(parts, spot)


def _stored(place: Parts, key: str, *, for_session: bool) -> Spot | None:
    scope = place.caller.scope or ""
    for spot in spots(place):
        facts = spot.facts
        same = spot.place.vault is place.vault and facts.origin == KEY + key
        here = for_session or place.sidecar.snapshot.scope(spot.path) == scope
        if same and here and bool(facts.session) == for_session:
            return spot
    return None


def _key(key: str) -> str:
    key = key.strip()
    if not key or len(key) > LONGEST_KEY or _ODD.search(key):
        raise BadInput(f"A key is one line of 1 to {LONGEST_KEY} characters.")
    return key


def listing(parts: Parts) -> list[Source]:
    """Return all sources that the caller may see, by title."""
    rows = (source(spot) for spot in spots(parts))
    return sorted(rows, key=lambda row: (row.title.casefold(), row.path))


def source(spot: Spot) -> Source:
    """Return what is told of a source."""
    facts, snapshot = spot.facts, spot.place.sidecar.snapshot
    return Source(
        title=facts.title,
        origin=facts.origin,
        path=spot.path,
        scope=snapshot.scope(spot.path) or "global",
        fetched=facts.fetched,
        passages=len(snapshot.by_label.get(spot.path, ())),
        for_session=bool(facts.session),
    )


def remove(parts: Parts, ref: str) -> Source:
    """Take away a source: its note goes to the trash.

    Raises:
        NotFound, Ambiguous: none is named so, or several are.
        Refused: it was not taken in, but written by a person.
    """
    return _gone(parts, found(parts, ref))


def _gone(parts: Parts, spot: Spot) -> Source:
    told, note = source(spot), spot.note
    if not note.text("origin"):
        raise Refused(f"{spot.path} was written by a person. Delete it yourself if it should go.")
    if not told.for_session:
        refuse_writing(spot.place, file_of(spot.place.sidecar.snapshot, spot.path))
    vault = spot.place.vault
    with vault.lock.vault("knowledge"):
        if vault is parts.vault and not told.for_session:
            to = vault.trash_path(spot.path)
            parts.ledger.trashed(to, spot.path)
            files.move(vault.root, spot.path, to)
        else:
            files.remove(vault.root, spot.path, seen=note.hash)
    spot.place.sidecar.refresh()
    return told


def told(found: Iterable[Taken]) -> dict[str, int]:
    """Return how many documents became what."""
    counts = {"new": 0, "changed": 0, "unchanged": 0, "old": 0}
    for item in found:
        counts[item.state] += 1
    return counts
