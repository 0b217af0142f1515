"""What should not be merged: a change that leaves something broken, or gives a secret away."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vaultmem.words.changes import Change, Side
from vaultmem.words.layout import Layout, Role
from vaultmem.words.links import in_value
from vaultmem.words.names import Names
from vaultmem.words.note import Note, parse
from vaultmem.words.secrets import secrets_in

_ID = re.compile(rb"\A\xef?\xbb?\xbf?---\r?\n(?:.*\n)*?id: *['\"]?([a-z0-9]{8})['\"]? *\r?$", re.M)
_OURS = (Role.MEMORY, Role.CANDIDATE)
_LOOSE = "related_to"
"""The one relation that may point to nothing: a mere link."""


@dataclass(frozen=True)
class Unfit:
    """One reason not to merge: where, and what is wrong."""

    path: str
    what: str


def unfit(
    before: Side,
    after: Side,
    found: list[Change],
    everything: Mapping[str, bytes],
    layout: Layout,
) -> list[Unfit]:
    """Return what speaks against a change, by path; `everything` are all notes after it."""
    notes = {path: parse(path, data) for path, data in after.files.items()}
    ours = {path: note for path, note in notes.items() if layout.role(path) in _OURS}
    told = [
        *_unreadable(notes, layout),
        *_secrets(before, after),
        *_skipped(ours, found, layout),
        *(Unfit(one.path, "a log entry was edited or removed") for one in _edited(found)),
        *_doubled(after, everything, layout),
        *_dangling(ours, before, everything, layout),
    ]
    return sorted(set(told), key=lambda one: (one.path, one.what))


def _edited(found: list[Change]) -> Iterator[Change]:
    return (one for one in found if one.kind == "log edited")


def _unreadable(notes: Mapping[str, Note], layout: Layout) -> Iterator[Unfit]:
    for path, note in notes.items():
        if layout.role(path) in (Role.OWN, Role.TEMPLATE):
            continue
        for oddity in note.oddities:
            if "properties" in oddity or "merge conflict" in oddity:
                yield Unfit(path, oddity)


def _secrets(before: Side, after: Side) -> Iterator[Unfit]:
    for path, data in after.files.items():
        known = secrets_in(before.files.get(path, b"").decode("utf-8", "replace"))
        for kind in secrets_in(data.decode("utf-8", "replace")):
            if kind not in known:
                yield Unfit(path, f"it holds what looks like a secret ({kind})")


def _skipped(ours: Mapping[str, Note], found: list[Change], layout: Layout) -> Iterator[Unfit]:
    """Yield each candidate that became a memory with nobody's approval."""
    for change in found:
        note = ours.get(change.path)
        if note is None or layout.role(change.path) != Role.MEMORY:
            continue
        landed = change.kind == "approved" and note.text("source") != "approved"
        if landed or note.status in ("pending", "approved"):
            yield Unfit(change.path, "it was a candidate, and no person approved it")


def _doubled(after: Side, everything: Mapping[str, bytes], layout: Layout) -> Iterator[Unfit]:
    paths = defaultdict(list)
    for path, data in everything.items():
        match = _ID.match(data[:4096])
        if match and layout.role(path) in _OURS:
            paths[match[1]].append(path)
    for note_id, holders in paths.items():
        if len(holders) > 1:
            for path in (path for path in holders if path in after.files):
                others = ", ".join(sorted(one for one in holders if one != path))
                yield Unfit(path, f"its id {note_id.decode()} is that of {others} too")


def _dangling(
    ours: Mapping[str, Note], before: Side, everything: Mapping[str, bytes], layout: Layout
) -> Iterator[Unfit]:
    names = Names(everything)
    gone = [path for path in before.files if path not in everything and path.endswith(".md")]
    stems = [path.removesuffix(".md").rpartition("/")[2].encode() for path in gone]
    held = dict(ours)
    for path, data in everything.items():
        touched = path not in held and layout.role(path) in _OURS
        if touched and any(stem in data for stem in stems):
            held[path] = parse(path, data)
    for path, note in held.items():
        for kind, text in note.relations:
            link = in_value(text)
            if kind != _LOOSE and link and names.resolve(link.target, path) is None:
                yield Unfit(path, f"it {kind} {text}, which is not there")
