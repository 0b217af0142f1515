"""Taking in a source: what it says now, and the note that holds it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from vaultmem.documents import local
from vaultmem.documents.document import Document
from vaultmem.documents.extracting.extractor import Extractor
from vaultmem.documents.fetching import Known, fetch
from vaultmem.documents.web_address import is_web, web_address
from vaultmem.verbs.knowledge.places import Spot, by_origin, current, is_ours, mark_of
from vaultmem.verbs.memorize import logged
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.rights import refuse_writing
from vaultmem.words.access import FULL, File
from vaultmem.words.errors import ModelMissing, NotFound, Refused, Unreachable, VaultmemError
from vaultmem.words.frontmatter import Written
from vaultmem.words.layout import Role
from vaultmem.words.links import wikilink
from vaultmem.words.outside import FRESH_DAYS, Taken
from vaultmem.words.own import allowed_own
from vaultmem.words.secrets import refuse_secrets
from vaultmem.words.times import parsed

AT_ONCE = 256
"""Passages embedded while an agent waits; the others follow with the next questions."""


@dataclass(frozen=True)
class Came:
    """A document as it came, before it is taken apart; `data` is None if it is as it was."""

    name: str
    data: bytes | None
    content_type: str = ""
    charset: str = ""
    known: Known = field(default_factory=Known)


def take(parts: Parts, source: str, *, force: bool = False) -> Taken:
    """Take in one file or page, if it is new or has changed, so that it can be searched.

    Raises:
        BadInput, NotFound, Refused: it may not be read. Unreachable, Unreadable: it cannot be.
        SecretFound: it holds a credential.
    """
    with Extractor(parts.access.bounds) as extractor:
        done = taken(parts, source, extractor, by_origin(parts), force=force)
    indexed(parts, [done])
    embedded(parts, AT_ONCE)
    return done


def taken(
    parts: Parts,
    source: str,
    extractor: Extractor,
    known: Mapping[str, Sequence[Spot]],
    *,
    force: bool = False,
) -> Taken:
    """Take in a source with an extractor that is running; it is neither indexed nor embedded yet.

    `known` is what there is, by its origin.
    """
    origin = str(web_address(source)) if is_web(source) else _file(parts, source)
    spot = current(parts, known.get(origin, ()))
    if spot and is_web(origin) and not force and _is_fresh(spot):
        return Taken(spot.facts.title, origin, spot.path, "unchanged")
    try:
        came = _page(parts, origin, spot) if is_web(origin) else _opened(parts, origin)
    except (Unreachable, Refused) as error:
        if spot is None:
            raise
        note = f"This is the text of {spot.facts.fetched}. {error}"
        return Taken(spot.facts.title, origin, spot.path, "old", note)
    digest = hashlib.sha256(came.data).hexdigest() if came.data is not None else ""
    if spot and digest in ("", spot.note.text("digest")) and not force:
        return _still(spot, origin, came)
    assert came.data is not None
    document = extractor.document(came.data, came.name, came.content_type, came.charset)
    return written(parts, spot, origin, document, {"digest": digest, **_validators(came.known)})


def origin_of(parts: Parts, source: str) -> str:
    """Return the origin that a source would have; raises as `take` does."""
    return str(web_address(source)) if is_web(source) else _file(parts, source)


def _file(parts: Parts, source: str) -> str:
    """Return the path of a file that may be read; a bound agent is not told which others exist."""
    try:
        return _permitted(parts, source)
    except (NotFound, Refused):
        if parts.caller.person or parts.caller.grant == FULL:
            raise
        raise NotFound(f"source {source!r}", "Name a file that this agent may read.") from None


def _permitted(parts: Parts, source: str) -> str:
    """Return the path of a file that may be read; of the vault, only what is no note of it."""
    path = local.resolved(source, parts.access.folder)
    local.root_of(path, parts.access.roots)
    root = parts.vault.root
    if path.is_relative_to(root):
        inside = path.relative_to(root).as_posix()
        caller, own_notes = parts.caller, parts.vault.config.own_notes
        granted = caller.grant.own_notes and allowed_own(inside, own_notes)
        allowed = caller.person or granted
        if path.suffix.lower() == ".md" or not allowed:
            raise Refused(f"{inside} is a note of the vault. Ask for it with `remember`.")
    return str(path)


def _opened(parts: Parts, origin: str) -> Came:
    return Came(origin, local.read(Path(origin), parts.access.roots, parts.access.bounds.size))


def _page(parts: Parts, origin: str, spot: Spot | None) -> Came:
    access = parts.access
    note = spot.note if spot else None
    known = Known(note.text("etag"), note.text("modified")) if note else Known()
    got = fetch(
        origin,
        permission=access.permission,
        known=known,
        limits=access.limits,
        network=access.network,
    )
    data = None if got.unchanged else got.data
    return Came(got.address, data, got.content_type, got.charset, got.known)


def _is_fresh(spot: Spot) -> bool:
    when = parsed(spot.facts.fetched, spot.place.vault.zone)
    return bool(when) and spot.place.clock() - when < timedelta(days=FRESH_DAYS)  # type: ignore[operator]


def _validators(known: Known) -> dict[str, Written]:
    return {"etag": known.etag or None, "modified": known.modified or None}


def _still(spot: Spot, origin: str, came: Came) -> Taken:
    """Note when a page was asked for last; a file says so by itself."""
    note = spot.note
    if is_web(origin):
        keys = {"fetched": spot.place.now(), **_validators(came.known)}
        kept = {key: value for key, value in keys.items() if value}
        with spot.place.vault.lock.vault("knowledge"):
            spot.place.vault.edit(spot.path, kept, seen=note.hash)
    return Taken(note.title, origin, spot.path, "unchanged")


def written(
    parts: Parts, spot: Spot | None, origin: str, document: Document, more: dict[str, Written]
) -> Taken:
    """Write a document as a note, beside a version that a person has changed."""
    place = spot.place if spot else _home(parts)
    name = origin.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
    title = document.title or name or origin
    text = document.text.strip() + "\n"
    refuse_secrets(title, text)
    scope = place.sidecar.snapshot.scope(spot.path) if spot else parts.caller.scope
    if not more.get("session"):
        refuse_writing(place, File(Role.KNOWLEDGE, scope or ""))
    keys: dict[str, Written] = {
        "title": title,
        "type": "source",
        "source": "outside",
        "origin": origin,
        "kind": document.kind,
        "author": document.author or None,
        "date": document.date or None,
        "scope": scope or "global",
        "fetched": parts.now(),
        "written": mark_of(text),
        **more,
    }
    with place.vault.lock.vault("knowledge"):
        note = spot.note if spot else None
        if note and is_ours(note):
            path = note.path
            place.vault.edit(path, keys, seen=note.hash, body=text)
        else:
            kept = {key: value for key, value in keys.items() if value is not None}
            folder = place.vault.layout.at("knowledge")
            path, _ = place.vault.new_note(folder, _called(parts, title, scope), kept, text)
    said = f"A person changed {note.path}, so it was left." if note and path != note.path else ""
    return Taken(title, origin, path, "changed" if spot else "new", said)


def _called(parts: Parts, title: str, scope: str | None) -> str:
    """Return the name of a new note; that of a bound agent tells it of no other scope's note."""
    everywhere = parts.caller.person or parts.caller.grant == FULL
    return title if everywhere else f"{title} {scope or ''}".strip()


def _home(parts: Parts) -> Parts:
    """Return the place that new documents go to."""
    if parts.vault.config.knowledge == "copy":
        return parts
    shelf = parts.shelf
    shelf.sidecar.refresh()
    return shelf


def indexed(parts: Parts, found: Iterable[Taken]) -> None:
    """Bring what was taken in into the indexes, wherever it lies."""
    paths = [item.path for item in found]
    for place in parts.with_shelf() if paths else ():
        place.sidecar.refresh(only=paths)


def embedded(parts: Parts, most: int | None = None) -> None:
    """Embed what is new; without a model, documents are found by keyword."""
    for place in parts.with_shelf():
        try:
            place.meaning.embed(most)
        except ModelMissing:
            return


def announced(parts: Parts, found: list[Taken]) -> None:
    """Tell the live log which documents of the vault are new or another."""
    changed = [t for t in found if t.state in ("new", "changed") and parts.vault.exists(t.path)]
    if not changed:
        return
    link = wikilink(changed[0].path, changed[0].title)
    more = f" and {len(changed) - 1} more documents" if len(changed) > 1 else ""
    try:
        entry = logged(parts, parts.caller.scope or "", f"took in {link}{more}")
    except VaultmemError:
        return  # the documents are there, and the log tells of them only as a courtesy
    layout = parts.vault.layout
    parts.sidecar.refresh(only=[layout.log(entry.time[:7]), layout.log_page])
