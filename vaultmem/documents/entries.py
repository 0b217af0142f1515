"""Entries made of files, sections and bullets, in the way that several formats share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vaultmem.documents.imported import File, Imported
from vaultmem.documents.markdown import Block, Section, comments, day_in, unbulleted
from vaultmem.words.checks import first_sentence
from vaultmem.words.life import known_type
from vaultmem.words.note import Note

LONGEST_TITLE = 120
_NAMELESS = re.compile(
    r"(?:long[- ]term )?memor(?:y|ies)|user|about the user|notes?|facts?|preferences?|general"
    r"|promoted from .*|\d{4}-\d\d-\d\d.*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`|^\[[ xX]\] ")
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")


def titled(text: str) -> str:
    """Return a title for a text that has none: its first sentence, without marks."""
    said = first_sentence(text).rstrip(".:")
    plain = _MARKS.sub("", _LINK.sub(r"\1", _WIKI.sub(r"\1", said)))
    return cut(" ".join(plain.split()))


def cut(title: str) -> str:
    """Return a title of a length that can be read."""
    if len(title) <= LONGEST_TITLE:
        return title
    part = title[: LONGEST_TITLE - 3]
    at = part.rfind(" ")
    return f"{part[:at] if at > LONGEST_TITLE // 2 else part}..."


def whole(file: File) -> Imported:
    """Return the entry that a file as a whole is."""
    note = file.note
    created = first(note, "created", "date", "created_at") or day_in(file.name) or file.modified
    aliases = [*note.texts("aliases"), *note.texts("permalink"), *note.texts("title")]
    importance = note.importance
    return Imported(
        file=file.path,
        title=" ".join(note.title.split()),
        text=file.text.strip("\n"),
        name="",
        description=note.text("description"),
        type=known_type(note.type) or "insight",
        tags=tags_of(note),
        importance=importance,
        created=created,
        updated=first(note, "updated", "modified", "updated_at") or created,
        archived=note.status == "archived",
        aliases=tuple(dict.fromkeys(aliases)),
    )


def first(note: Note, *keys: str) -> str:
    """Return the first of some properties that is there."""
    return next((said for key in keys if (said := note.text(key))), "")


def tags_of(note: Note) -> tuple[str, ...]:
    """Return the tags of a file, which may be written as a list or with commas."""
    listed = note.texts("tags")
    parted = [tag.strip().lstrip("#") for text in listed for tag in text.split(",")]
    return tuple(dict.fromkeys("-".join(tag.split()) for tag in parted if tag))


def of_section(file: File, section: Section) -> Imported:
    """Return the entry that a section is, dated by its heading, its file's name or its file."""
    day = day_in(section.heading) or day_in(file.name)
    heading = section.heading or (file.note.heading if file.note.heading != day else "")
    said = heading if heading and not _NAMELESS.fullmatch(heading) else titled(section.text)
    title = f"{said} ({day})" if day and day not in said else said
    moment = day or file.modified
    return Imported(file.path, title, section.text, section.heading, created=moment, updated=moment)


def of_text(file: File, text: str) -> Imported:
    """Return the entry that a text by itself is."""
    when = file.modified
    return Imported(file.path, titled(text), text, created=when, updated=when)


def of_block(file: File, block: Block, meta: dict[str, str]) -> Imported:
    """Return the entry that a bullet or a paragraph is; `meta` is what comments say of it."""
    said, text = comments(block.text)
    said = {**meta, **said}
    text = unbulleted(text.strip()).strip()
    context = block.headings[-1] if block.headings else ""
    sentence = titled(text)
    known = not context or _NAMELESS.fullmatch(context) or context.casefold() in sentence.casefold()
    day = day_in(said.get("observed", "")) or next(filter(None, map(day_in, block.headings)), "")
    importance = said.get("importance", "")
    moment = day or file.modified
    return Imported(
        file=file.path,
        title=sentence if known else cut(f"{context}: {sentence}"),
        text=text,
        tags=tuple("-".join(t.split()) for t in said.get("trigger", "").split(",") if t.strip()),
        importance=min(int(importance), 10) / 10 if importance.isdecimal() else None,
        created=moment,
        updated=moment,
        scope=said.get("project") or None,
        archived=said.get("status", "") == "superseded",
    )


def of_blocks(file: File, found: Iterable[Block]) -> Iterator[Imported]:
    """Yield the entries of a list; a comment that stands alone is about what follows it."""
    meta: dict[str, str] = {}
    for block in found:
        said, rest = comments(block.text)
        if said and not rest.strip():
            meta = said
        elif rest.strip(" \t\n-*+_"):
            yield of_block(file, block, meta)
            meta = {}


def told_apart(entries: Iterable[Imported]) -> Iterator[Imported]:
    """Yield entries, those of one file that have one name with a number behind it."""
    seen: Counter[str] = Counter()
    for entry in entries:
        seen[entry.address] += entry.name is not None
        count = seen[entry.address]
        yield replace(entry, name=f"{entry.name} {count}".strip()) if count > 1 else entry
