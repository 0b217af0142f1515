"""An entry of another program as a note of ours: made harmless, its links rewritten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from posixpath import basename

from vaultmem.documents.imported import Imported
from vaultmem.verbs.parts import Parts
from vaultmem.words.checks import LONGEST_DESCRIPTION, LONGEST_TAG, first_sentence
from vaultmem.words.frontmatter import Written
from vaultmem.words.life import DEFAULT_IMPORTANCE
from vaultmem.words.links import Link, relinked, wikilink
from vaultmem.words.names import Names
from vaultmem.words.origin import Origin, as_written
from vaultmem.words.safe import defused
from vaultmem.words.times import local, parsed

LONGEST_TITLE = 200
MOST_TAGS = 50
MOST_RELATIONS = 100
"""What a note has room for in its properties; the links in its body stay."""
_HEADING = re.compile(r"\A\s*#{1,6}[ \t].*\n")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Links:
    """Where the entries of a source lie in the vault, by what they call each other."""

    def __init__(self, entries: Iterable[tuple[Imported, str]], titles: Mapping[str, str]) -> None:
        self._titles = titles
        self._files: dict[str, str] = {}
        self._called: dict[str, str] = {}
        for entry, path in entries:
            self._files.setdefault(entry.file, path)
            for said in (*entry.aliases, entry.title, entry.file):
                self._called.setdefault(said.casefold(), path)
        self._names = Names(self._files)

    def path(self, target: str, file: str) -> str | None:
        """Return the note that a link in a file of the source leads to, None if to none of it."""
        called = self._called.get(target.casefold())
        if called or not target:
            return called
        there = self._names.resolve(target, file)
        return self._files[there] if there else None

    def within(self, text: str, file: str) -> str:
        """Return a text of a file with its links to other entries as they lie now."""

        def now(link: Link) -> str | None:
            path = self.path(link.target, file)
            if path is None:
                return None
            shown = link.shown if not link.embed else ""
            written = wikilink(path, shown or self._titles[path], link.subpath)
            return f"!{written}" if link.embed else written

        return relinked(text, now)

    def to(self, path: str) -> str:
        """Return a link to a note."""
        return wikilink(path, self._titles[path])


def tidied(entry: Imported) -> Imported:
    """Return an entry with nothing in it that Obsidian would run or nobody can see."""
    text = defused(_CONTROLS.sub("", entry.text)).strip("\n")
    title = " ".join(_CONTROLS.sub("", entry.title).split())[:LONGEST_TITLE]
    about = defused(" ".join(_CONTROLS.sub("", entry.description).split()))
    tags = [re.sub(r"[\s#,]+", "-", tag).strip("-")[:LONGEST_TAG] for tag in entry.tags]
    return replace(
        entry,
        text=text,
        title=title or basename(entry.file).removesuffix(".md"),
        description=about[:LONGEST_DESCRIPTION],
        tags=tuple(dict.fromkeys(tag for tag in tags if tag))[:MOST_TAGS],
    )


def head(
    parts: Parts, origin: Origin, agent: str, entry: Imported, links: Links, path: str
) -> tuple[dict[str, Written], str]:
    """Return the properties and the body of the note of an entry."""
    body = links.within(entry.text, entry.file)
    about = entry.description or first_sentence(_HEADING.sub("", entry.text))
    about = " ".join(relinked(about, lambda link: link.shown or link.target).split())
    importance = DEFAULT_IMPORTANCE if entry.importance is None else entry.importance
    keys: dict[str, Written] = {
        "title": entry.title,
        "description": about,
        "type": entry.type,
        "status": "archived" if entry.archived else "working",
        "source": "imported",
        "importance": importance,
        "tags": list(entry.tags),
        "agent": agent,
        "created": _moment(parts, entry.created),
        "updated": _moment(parts, entry.updated),
        "origin": str(origin),
        "digest": as_written(entry.title, about, body),
    }
    related: dict[str, list[str]] = {}
    for kind, target in entry.relations[:MOST_RELATIONS]:
        there = links.path(target, entry.file)
        if there and there != path:
            known = related.setdefault(kind, [])
            known += [] if links.to(there) in known else [links.to(there)]
    return {**keys, **related}, body


def _moment(parts: Parts, said: str) -> str:
    """Return a moment of a source as a note holds it; the present one if it says none."""
    found = parsed(said, parts.vault.zone)
    return local(found, parts.vault.zone) if found else parts.now()
