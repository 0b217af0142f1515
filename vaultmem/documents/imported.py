"""What another program's memory is made of, in our words: its files, and the entries in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from vaultmem.words.note import Note

LONGEST_NAME = 200


@dataclass(frozen=True)
class File:
    """One markdown file of a source, read once."""

    path: str
    """Below the source, with `/`."""
    note: Note
    text: str
    """All that it says below its properties, each line ended by `\\n`."""
    modified: str = ""
    """When it was written last, with an offset."""

    @property
    def folder(self) -> str:
        """The folder that it lies in, empty for the source itself."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name without folders."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class LeftOut:
    """What of a source is no memory or cannot be one, and why."""

    file: str
    why: str


@dataclass(frozen=True)
class Imported:
    """One entry of a source, as the note that it may become."""

    file: str
    title: str
    text: str
    name: str | None = None
    """What tells it from the other entries of its file: empty where it is the whole file, None
    where only its text does."""
    description: str = ""
    type: str = "insight"
    tags: tuple[str, ...] = ()
    importance: float | None = None
    created: str = ""
    updated: str = ""
    scope: str | None = None
    """The scope that it says it is true for; None where it says nothing."""
    archived: bool = False
    """Whether its own program holds it to be out of date."""
    aliases: tuple[str, ...] = ()
    """Names beside the file's by which other entries link to it."""
    relations: tuple[tuple[str, str], ...] = ()
    """Kinds of relations and what they name, as a link does."""

    @property
    def address(self) -> str:
        """Where it stands in its source."""
        return f"{self.file} > {self.name[:LONGEST_NAME]}" if self.name else self.file

    @property
    def digest(self) -> str:
        """Twelve letters that tell what it says."""
        said = "\0".join((self.title, self.description, self.text.strip()))
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:12]


@dataclass(frozen=True)
class Found:
    """All that a format sees in a source."""

    entries: tuple[Imported, ...] = ()
    left: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Format:
    """How one program keeps its memory."""

    name: str
    inner: tuple[str, ...]
    """Where its memory lies in the folder that a person may name instead."""
    is_it: Callable[[tuple[File, ...]], bool]
    """Whether files bear its marks."""
    read: Callable[[Iterable[File]], Found]
