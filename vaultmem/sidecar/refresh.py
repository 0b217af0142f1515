"""Making the sidecar equal to the vault: a pure function says what differs, a loop does it."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum

from vaultmem.sidecar.analysis import language_of, terms
from vaultmem.sidecar.chunks import Passage, passages
from vaultmem.sidecar.keyword import Doc
from vaultmem.sidecar.manifest import Chunk, Indexed, Read
from vaultmem.vault.scan import Stat
from vaultmem.vault.store import Vault
from vaultmem.words import entry as entries
from vaultmem.words.errors import NotFound, VaultmemError
from vaultmem.words.facts import Facts, facts_of
from vaultmem.words.layout import SEARCHED, Layout, Role
from vaultmem.words.note import LARGEST, Note, too_large
from vaultmem.words.own import allowed_own

Progress = Callable[[int, int, str], None]
"""Told how many of how many are done, and what is being done."""
YOUNG_NS = 2_000_000_000
"""A file changed within this time of a look at it may change again and look the same."""
WEIGHTS = {"title": 3, "aliases": 3, "tags": 2, "heading": 2, "body": 1}
TRIES = 5


class Kind(StrEnum):
    """How a file differs from what was indexed."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class Change:
    """One file that differs, or that may."""

    kind: Kind
    path: str
    stat: Stat | None = None


@dataclass
class Refreshed:
    """What a refresh did."""

    seen: int = 0
    new: int = 0
    changed: int = 0
    gone: int = 0
    rebuilt: str = ""
    """Why everything was read anew, empty if it was not."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """What the disk would not give, with the reason; what was known of it stays known."""
    waiting: list[str] = field(default_factory=list)
    """What somebody was writing at this very moment; the next refresh looks again."""
    paths: list[str] = field(default_factory=list)
    """Every path whose indexed text changed."""

    @property
    def shrunk(self) -> str:
        """One line where more than a fifth of all notes went at once, else empty."""
        before = self.seen - self.new + self.gone
        if self.gone > 5 and self.gone > before / 5:
            return f"{self.gone} of {before} notes are gone since the last look."
        return ""

    def __str__(self) -> str:
        why = f" (everything was read anew: {self.rebuilt})" if self.rebuilt else ""
        return f"{self.seen} notes: {self.new} new, {self.changed} changed, {self.gone} gone{why}"


def changes(
    on_disk: Mapping[str, Stat], indexed: Mapping[str, Indexed], pending: Set[str]
) -> Iterator[Change]:
    """Yield what differs, by path. A pending path differs whatever its times say."""
    for path in sorted(on_disk.keys() | indexed.keys() | pending):
        stat, known = on_disk.get(path), indexed.get(path)
        if stat is None:
            yield Change(Kind.GONE, path)
        elif known is None:
            yield Change(Kind.NEW, path, stat)
        elif path in pending or known.stat != stat or not known.settled:
            yield Change(Kind.CHANGED, path, stat)


def settled(stat: Stat, now_ns: int) -> bool:
    """Return whether a file is old enough that its times tell its text."""
    return stat.mtime_ns < now_ns - YOUNG_NS


def steady(vault: Vault, path: str, size: int) -> Note | None:
    """Return a note read between two equal looks at it, None while somebody is writing it.

    Obsidian and other editors write in place: a reader may meet half a note.
    """
    if size > LARGEST:
        return too_large(path, size)
    for _ in range(TRIES):
        before = (vault.root / path).stat()
        note = vault.read(path)
        after = (vault.root / path).stat()
        empty = not after.st_size and not settled(Stat(0, after.st_mtime_ns, 0), time.time_ns())
        if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size):
            return None if empty else note
        time.sleep(0.02)
    return None


def searchable(facts: Facts, own_notes: str) -> bool:
    """Return whether a note's text is searched at all."""
    if facts.role == Role.OWN:
        return allowed_own(facts.path, own_notes)
    return facts.role in SEARCHED


def indexed(
    note: Note, stat: Stat, layout: Layout, own_notes: str, label: int, now_ns: int
) -> tuple[Read, list[Doc]]:
    """Return what the manifest and the keyword index hold of a note; labels count from `label`.

    `now_ns` is a moment before the note was read.
    """
    facts = facts_of(note, layout.role(note.path))
    parts = cut(note, facts) if searchable(facts, own_notes) else []
    head = _head(facts) if parts else Counter()
    chunks, docs = [], []
    for number, (passage, scope) in enumerate(parts, label):
        text_hash = hashlib.sha256(embedded(facts, note, passage).encode("utf-8", "replace"))
        chunks.append(
            Chunk(
                number,
                note.path,
                passage.heading,
                passage.first,
                passage.last,
                scope,
                text_hash.hexdigest(),
            )
        )
        docs.append(Doc(number, note.path, head + _counted(passage, facts)))
    return Read(stat, settled(stat, now_ns), facts, tuple(chunks)), docs


def cut(note: Note, facts: Facts) -> list[tuple[Passage, str | None]]:
    """Return a note's passages, each with its scope if it is not the note's own."""
    if facts.role == Role.LOG:
        return _log_passages(note)
    found = passages(note.body, note.body_line)
    if not found and (note.properties or note.body.strip() == ""):
        found = [Passage("", 1, 1, "")] if facts.title or facts.description else []
    return [(passage, None) for passage in found]


def _log_passages(note: Note) -> list[tuple[Passage, str | None]]:
    """Return one passage an entry, its time as the heading; `memory` ones name notes we have."""
    found: list[tuple[Passage, str | None]] = []
    for number, line in enumerate(note.body.split("\n"), note.body_line):
        entry = entries.parse(line)
        if entry and entry.kind != "memory":
            found.append((Passage(entry.time, number, number, entry.summary), entry.scope))
    return found


def embedded(facts: Facts, note: Note, passage: Passage) -> str:
    """Return the text that the model reads of a passage: title, heading, text.

    A title taken from the file's name is left out, so that a rename costs no embedding. An entry
    of the live log is its summary alone.
    """
    if facts.role == Role.LOG:
        return passage.text
    named = facts.title if note.text("title") or note.heading else ""
    parts = (named, facts.description, passage.heading, passage.text)
    return "\n".join(part for part in parts if part)


def _head(facts: Facts) -> Counter[str]:
    """Return the weighted terms that every passage of a note carries."""
    if facts.role == Role.LOG:
        return Counter()
    found: Counter[str] = Counter()
    for field_name, text in (
        ("title", facts.title),
        ("aliases", " \n".join(facts.aliases)),
        ("tags", " \n".join(facts.tags)),
        ("body", facts.description),
    ):
        for term in terms(text):
            found[term] += WEIGHTS[field_name]
    return found


def _counted(passage: Passage, facts: Facts) -> Counter[str]:
    language = language_of(passage.text)
    found = Counter(terms(passage.text, language))
    for term in terms(passage.heading if facts.role != Role.LOG else ""):
        found[term] += WEIGHTS["heading"]
    return found


@dataclass
class Gathered:
    """What a refresh is about to write."""

    gone: list[str]
    label: int
    """The first label that is free after it."""
    reads: list[Read] = field(default_factory=list)
    docs: list[Doc] = field(default_factory=list)
    same: dict[str, tuple[Stat, bool]] = field(default_factory=dict)
    """New times of files whose text is the one that was indexed."""

    @property
    def paths(self) -> list[str]:
        """Every path whose indexed text changes."""
        return [*self.gone, *(read.facts.path for read in self.reads)]


def gather(
    vault: Vault,
    found: list[Change],
    known: Mapping[str, Indexed],
    pending: Set[str],
    label: int,
    result: Refreshed,
    progress: Progress | None = None,
) -> Gathered:
    """Read every file that differs and return what is to be written; `result` is filled in."""
    gone = [change.path for change in found if change.kind == Kind.GONE]
    gathered = Gathered(gone, label)
    for number, change in enumerate(found):
        if progress:
            progress(number, len(found), "reading")
        if change.kind != Kind.GONE:
            item = read_one(vault, change, gathered.label)
            before = None if change.path in pending else known.get(change.path)
            _sorted_in(gathered, change, item, before, result)
    result.gone = sum(path in known for path in gone)
    result.paths = gathered.paths
    return gathered


def _sorted_in(
    gathered: Gathered,
    change: Change,
    item: tuple[Read, list[Doc]] | str | None,
    before: Indexed | None,
    result: Refreshed,
) -> None:
    if item is None:
        result.waiting.append(change.path)
    elif isinstance(item, str):
        result.unreadable[change.path] = item
    elif before and before.hash and before.hash == item[0].facts.hash:
        if (before.stat, before.settled) != (item[0].stat, item[0].settled):
            gathered.same[change.path] = (item[0].stat, item[0].settled)
    else:
        read, docs = item
        gathered.reads.append(read)
        gathered.docs += docs
        gathered.label += len(read.chunks)
        result.new += change.kind == Kind.NEW
        result.changed += change.kind == Kind.CHANGED


def read_one(vault: Vault, change: Change, label: int) -> tuple[Read, list[Doc]] | str | None:
    """Return what a changed file holds now, None while it is being written, or what went wrong."""
    assert change.stat is not None
    now_ns = time.time_ns()
    try:
        note = steady(vault, change.path, change.stat.size)
        if note is None:
            return None
        layout, own_notes = vault.layout, vault.config.own_notes
        return indexed(note, change.stat, layout, own_notes, label, now_ns)
    except (FileNotFoundError, NotFound):
        return None
    except VaultmemError as error:
        return str(error)
    except Exception as error:  # whatever one file does to us costs that file alone
        return f"{change.path} could not be read ({type(error).__name__}: {error})."
