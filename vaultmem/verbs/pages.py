"""Compiled pages: events are added to their timeline, and sections rewritten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vaultmem.verbs.choosing import found
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.rights import file_of, refuse_writing
from vaultmem.words.errors import BadInput, ChangedOnDisk, Refused
from vaultmem.words.frontmatter import split
from vaultmem.words.note import Note, digest
from vaultmem.words.page import with_event, with_section
from vaultmem.words.safe import defused
from vaultmem.words.secrets import refuse_secrets
from vaultmem.words.times import offset

LONGEST_EVENT = 500
LONGEST_SECTION = 20_000


@dataclass(frozen=True)
class Edited:
    """A page that was changed, and the hash that its next change must name."""

    path: str
    hash: str
    line: str = ""


def add_event(parts: Parts, ref: str, text: str, source: str = "") -> Edited:
    """Add a dated line to the timeline of a page.

    Raises:
        NotFound, Ambiguous: see `found`. Refused: it is no page. BadInput: the event is no line.
    """
    said = " ".join(defused(text).split())
    where = " ".join(defused(source).split())
    if not said or len(said) > LONGEST_EVENT or len(where) > LONGEST_EVENT:
        raise BadInput(f"An event is one line of 1 to {LONGEST_EVENT} characters.")
    moment = offset(parts.clock(), parts.vault.zone)
    line = f"- {moment} **{parts.caller.agent}** · {said}" + (f" · {where}" if where else "")
    line = line.replace("<!--", "< !--")
    return _edited(parts, ref, "", lambda body: with_event(body, line), line)


def edit_section(parts: Parts, ref: str, heading: str, text: str, seen: str) -> Edited:
    """Write another text under a heading of a page's compiled part; the rest stays as it is.

    Raises:
        ChangedOnDisk: the page's hash is not `seen`. Else as `add_event`.
    """
    if not text.strip() or len(text) > LONGEST_SECTION:
        raise BadInput(f"A section has 1 to {LONGEST_SECTION:,} characters.")
    if not seen:
        raise BadInput("Name the `hash` of the page that you read.")
    text = defused(text).replace("<!-- vaultmem:", "< !-- vaultmem:")
    return _edited(parts, ref, seen, lambda body: with_section(body, heading, text), text)


def _edited(parts: Parts, ref: str, seen: str, change: Callable[[str], str], text: str) -> Edited:
    refuse_secrets(text)
    parts.sidecar.refresh(trust=True)
    path = found(parts, ref)
    with parts.vault.lock.vault("page"):
        note = parts.vault.read(path)
        _refuse_other(parts, note)
        if seen and note.hash != seen:
            raise ChangedOnDisk(path)
        data = parts.vault.data(path)
        divided = split(data)
        body = divided.body if divided.opening else data
        head = data[: len(data) - len(body)]
        new = head + change(body.decode("utf-8")).encode("utf-8")
        written = parts.vault.replace(path, new, seen=digest(data))
        parts.sidecar.refresh(only=[path])
    return Edited(path, written, text)


def _refuse_other(parts: Parts, note: Note) -> None:
    refuse_writing(parts, file_of(parts.sidecar.snapshot, note.path))
    if note.type != "page" or note.broken:
        raise Refused(f"{note.path} is no page: its properties do not say `type: page`.")
    try:
        parts.vault.data(note.path).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{note.path} is not UTF-8, so it is left as it is.") from None
