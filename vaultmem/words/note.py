"""A note: one markdown file, read without ever failing and without changing a byte."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from posixpath import basename

from vaultmem.words import frontmatter
from vaultmem.words.conflicts import MARKED, conflicted, first_side, left_over
from vaultmem.words.frontmatter import Value
from vaultmem.words.life import RELATIONS, SOURCES, Grade, known_type
from vaultmem.words.times import parsed

LARGEST = 1024 * 1024
MOST_TAGS = 200
STATUSES = ("pending", "approved", "working", "archived")

_HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)
_SEEMING = re.compile(
    r"(?:[ \t]*[\r\n])*+(?:-{3,}|\+{3})[ \t]*(?:\r\n|[\r\n])[^\W\d][\w -]*[ \t]*[:=](?:\s|$)"
)
"""How a body begins whose author meant properties, though no editor reads them as such."""
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202d\u202e\U000e0000-\U000e007f]")
_FLAG = re.compile(r"\U0001f3f4[\U000e0020-\U000e007f]+")
"""Flags such as that of Scotland are spelled in letters that cannot be seen."""
_PLACEHOLDER = re.compile(r"\{\{.*\}\}|<%.*%>")
"""What stands for a date in a person's template, for Obsidian or Templater to fill in."""
_DATES = ("created", "updated", "valid_from", "valid_until")


def digest(data: bytes) -> str:
    """Return the sha256 of a file's bytes, the hash that every edit must name."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Note:
    """One note as it stands in the vault. Missing properties have their defaults."""

    path: str
    hash: str
    properties: dict[str, Value] = field(hash=False)
    body: str
    body_line: int = 1
    """Line of the file at which the body starts, counted from 1."""
    oddities: tuple[str, ...] = ()
    """What is odd about the file, in words; the note is usable all the same."""
    broken: bool = False
    """Whether it has properties that could not be read, so that nobody knows what they say."""

    @cached_property
    def _keys(self) -> dict[str, Value]:
        return {key.casefold(): value for key, value in self.properties.items()}

    def text(self, key: str) -> str:
        """Return a property as one line of text, empty if it is missing or no text."""
        value = self._keys.get(key, "")
        return " ".join(value.split()) if isinstance(value, str) else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a property as a list of texts; a single text is a list of one."""
        value = self._keys.get(key, [])
        items = value if isinstance(value, list) else [value]
        return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())

    @property
    def id(self) -> str:
        """The note's id, empty if it has none and so goes by its path."""
        value = self.text("id")
        return value if re.fullmatch(r"[a-z0-9]{8}", value) else ""

    @cached_property
    def title(self) -> str:
        """The title: the property, else the first heading, else the file's name."""
        return (self.text("title") or self.heading or self.stem)[:500]

    @cached_property
    def heading(self) -> str:
        """The text of the first heading, empty without one."""
        found = (match.group(1).rstrip("# \t\r") for match in _HEADING.finditer(self.body[:20_000]))
        return next((text for line in found if (text := line.strip())), "")

    @property
    def stem(self) -> str:
        """The file's name without `.md`."""
        return basename(self.path).removesuffix(".md")

    @property
    def type(self) -> str:
        """The type as written; `insight` where it is missing."""
        return self.text("type") or "insight"

    @property
    def status(self) -> str:
        """`pending`, `approved`, `working` or `archived`; anything else counts as working."""
        value = self.text("status").lower()
        return value if value in STATUSES else "working"

    def grade(self, default: Grade) -> Grade:
        """Return the grade that `source` gives, `default` where it is missing or unknown."""
        return SOURCES.get(self.text("source"), default)

    @property
    def importance(self) -> float | None:
        """Importance from 0 to 1, None where it is missing or no such number."""
        try:
            value = float(self.text("importance") or "nan")
        except ValueError:
            return None
        return value if 0 <= value <= 1 else None

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Tags without `#`, at most 200."""
        found = (tag.lstrip("#").strip() for tag in self.texts("tags"))
        return tuple(tag for tag in found if tag and " " not in tag)[:MOST_TAGS]

    @property
    def pinned(self) -> bool:
        """Whether the person wants it at the top of its catalogue."""
        return self.text("pinned").lower() == "true"

    @cached_property
    def relations(self) -> tuple[tuple[str, str], ...]:
        """The typed relations as pairs of kind and link text, in the order of the kinds."""
        return tuple((kind, text) for kind in RELATIONS for text in self.texts(kind))


def parse(path: str, data: bytes) -> Note:
    """Return the note that some bytes are. Never raises: what is odd is named in `oddities`."""
    parts = frontmatter.split(data)
    odd: list[str] = []
    body, broken = _decoded(data if not parts.opening else parts.body, odd)
    plain = body.removeprefix("\ufeff")
    properties: dict[str, Value] = {}
    unread = parts.too_long
    if parts.too_long:
        odd.append("its properties are over 64 KiB and were not read")
    elif not parts.opening and not broken and re.match(r"\ufeff?---\r?\n", body):
        odd.append("its properties have no closing ---")
    elif not parts.opening and not broken and _SEEMING.match(plain):
        odd.append("its first lines look like properties but are not")
    elif parts.opening:
        try:
            properties, unread = _properties(parts.block)
        except frontmatter.Unreadable as error:
            odd.append(f"its properties cannot be read: {error}")
            unread = True
    if left_over(data):
        odd.append(MARKED)
    note = Note(path, digest(data), properties, plain, _first_line(parts))
    return replace(note, oddities=(*odd, *_unseen(note), *_odd_values(note)), broken=unread)


def _unseen(note: Note) -> list[str]:
    """Return whether a note holds what a terminal obeys, or what only a model reads."""
    text = f"{note.title}\n{note.body}"
    if text.isprintable() or not _UNSEEN.search(_FLAG.sub("", text)):
        return []
    return ["it holds characters that cannot be seen, which a terminal or a model may obey"]


def _properties(block: bytes) -> tuple[dict[str, Value], bool]:
    """Return what a block says, and whether its two sides of a merge are not one yet.

    Of a conflict the first side is read, so that the note keeps its id and its name.
    """
    torn = conflicted(block)
    return frontmatter.read(first_side(block) if torn else block), torn


def body_of(data: bytes) -> tuple[int, str]:
    """Return the number of the first line of a note's body, and the body, as `parse` gives them.

    Its properties are not read, which makes this quick.
    """
    parts = frontmatter.split(data)
    body, _ = _decoded(data if not parts.opening else parts.body, [])
    return _first_line(parts), body.removeprefix("\ufeff")


def _first_line(parts: frontmatter.Split) -> int:
    return 1 + (parts.opening + parts.block + parts.closing).count(b"\n")


def too_large(path: str, size: int) -> Note:
    """Return the note that stands for a file too large to read: found by its name alone."""
    why = f"it is {size / LARGEST:.0f} MiB, over the limit of 1 MiB, so only its name is known"
    return Note(path, "", {}, "", 1, (why,))


def _decoded(data: bytes, odd: list[str]) -> tuple[str, bool]:
    """Return the text of some bytes and whether they are no text at all."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        odd.append("it is UTF-16, not UTF-8, and was not read")
        return "", True
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        if "\0" in text and text.count("\0") + text.count("\ufffd") > len(text) // 10:
            odd.append("it is not text and was not read")
            return "", True
        odd.append("it is not UTF-8; some letters may be wrong")
    if "\0" in text:
        odd.append("it holds NUL characters")
    return text.replace("\0", " "), False


def _odd_values(note: Note) -> list[str]:
    """Return what is odd about the properties that we know."""
    odd = []
    if note.text("type") and not known_type(note.type):
        odd += _unknown_type(note)
    for key in _DATES:
        said = note.text(key)
        if said and parsed(said) is None and not _PLACEHOLDER.fullmatch(said):
            odd.append(f"{key} {said!r} is no date")
    if note.text("importance") and note.importance is None:
        odd.append(f"importance {note.text('importance')!r} is no number from 0 to 1")
    if note.text("id") and not note.id:
        odd.append(f"id {note.text('id')!r} is no id of ours, so the note goes by its path")
    if note.text("status") and note.text("status").lower() not in STATUSES:
        odd.append(f"status {note.text('status')!r} is unknown and counts as working")
    if note.text("source") and note.text("source") not in SOURCES:
        odd.append(f"source {note.text('source')!r} is unknown")
    if len(note.texts("tags")) > MOST_TAGS:
        odd.append(f"it has {len(note.texts('tags'))} tags; {MOST_TAGS} are used")
    return odd


def _unknown_type(note: Note) -> list[str]:
    from vaultmem.words.life import OTHER_TYPES

    known = note.type in (*OTHER_TYPES, "catalogue", "detail", "log")
    return [] if known else [f"type {note.type!r} is unknown and counts as insight"]
