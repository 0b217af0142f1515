"""Memories as files for other programs: pure, so that equal notes give equal bytes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from vaultmem.words.facts import Facts
from vaultmem.words.frontmatter import scalar
from vaultmem.words.links import Link, in_text, relinked
from vaultmem.words.slug import numbered

MOST_LINES = 199
MOST_BYTES = 24_900
LONGEST_LINE = 150
_TYPES = {"user_preference": "user", "documentation": "reference", "research": "reference"}


@dataclass(frozen=True)
class Leaving:
    """A note that is written for another program."""

    facts: Facts
    stem: str
    """Where it goes: its scope's folder and its name, without `.md`."""
    body: str
    links: Mapping[str, str]
    """Where its links lead in the vault, by what they say."""
    relations: tuple[tuple[str, str], ...] = ()
    """Its typed relations: the kind and the note."""


class Made(NamedTuple):
    """The files of an export, and how many notes its index has no room for."""

    files: dict[str, str]
    unlisted: int


def plain(notes: Sequence[Leaving]) -> Made:
    """Return a markdown file for each note, below a folder for its scope, with relative links."""
    paths = {note.facts.path: f"{note.stem}.md" for note in notes}
    titles = {note.facts.path: note.facts.title for note in notes}

    def linked(here: str, path: str, shown: str, subpath: str = "") -> str:
        to = quote(posixpath.relpath(paths[path], posixpath.dirname(here)))
        anchor = f"#{quote(subpath)}" if subpath else ""
        return f"[{(shown or titles[path]).translate(_IN_LINK)}]({to}{anchor})"

    found = {}
    for note in notes:
        here = paths[note.facts.path]
        text = _text(note, paths, lambda *to, here=here: linked(here, *to))
        head = "" if text.startswith("# ") else f"# {note.facts.title}\n\n"
        found[here] = f"{head}{text}\n"
    return Made(found, 0)


def claude_code(notes: Sequence[Leaving]) -> Made:
    """Return a topic file for each note, and an index with a line for each that has room."""
    names: dict[str, str] = {}
    taken = {"memory"}
    for note in notes:
        stem, number = note.stem.rpartition("/")[2], 1
        name = stem
        while name.casefold() in taken:
            number += 1
            name = numbered(stem, number)
        taken.add(name.casefold())
        names[note.facts.path] = name

    def linked(path: str, shown: str, subpath: str = "") -> str:
        del shown, subpath
        return f"[[{names[path]}]]"

    found = {}
    for note in notes:
        name, facts = names[note.facts.path], note.facts
        kind = _TYPES.get(facts.type, "project")
        head = (
            f"---\nname: {scalar(name)}\ndescription: {scalar(_about(facts) or facts.title)}\n"
            f"metadata:\n  type: {kind}\n---\n"
        )
        found[f"{name}.md"] = f"{head}\n{_text(note, names, linked)}\n"
    lines = _index([(note.facts, names[note.facts.path]) for note in notes])
    return Made({"MEMORY.md": "".join(lines), **found}, len(notes) - len(lines))


def _index(notes: Sequence[tuple[Facts, str]]) -> list[str]:
    """Return the lines that there is room for, of the weightiest notes, in the order given."""
    lines = {name: _line(facts, name) for facts, name in notes}
    ranked = sorted(notes, key=lambda one: (not one[0].pinned, -one[0].importance))
    kept: set[str] = set()
    size = 0
    for _, name in ranked:
        size += len(lines[name].encode())
        if len(kept) == MOST_LINES or size > MOST_BYTES:
            break
        kept.add(name)
    return [lines[name] for _, name in notes if name in kept]


def _line(facts: Facts, name: str) -> str:
    title = facts.title.translate(_IN_LINK)[:80]
    line = f"- [{title}]({quote(name)}.md) — {_about(facts)}"
    return f"{line[: LONGEST_LINE - 3].rstrip()}...\n" if len(line) > LONGEST_LINE else f"{line}\n"


def _about(facts: Facts) -> str:
    """Return a description in one line, its links as the words that they show."""
    return " ".join(relinked(facts.description, _words).split())


def _words(link: Link) -> str:
    return link.shown or link.target.rpartition("/")[2]


def _text(note: Leaving, gone: Mapping[str, str], linked: Callable[..., str]) -> str:
    """Return a body with its links rewritten and its typed relations below it.

    A link to a note that does not go along becomes the words that it shows.
    """

    def now(link: Link) -> str | None:
        path = note.links.get(link.target)
        if path is None:
            return None
        return linked(path, link.shown, link.subpath) if path in gone else _words(link)

    text = relinked(note.body, now).strip("\n")
    said = {note.links.get(link.target) for link in in_text(note.body)}
    lines = [
        f"- {kind.replace('_', ' ')}: {linked(path, '')}"
        for kind, path in note.relations
        if path in gone and not (kind == "related_to" and path in said)
    ]
    return "\n".join([text, "", *lines]) if lines else text


_IN_LINK = str.maketrans({"[": "(", "]": ")", "\n": " "})

FORMATS: dict[str, Callable[[Sequence[Leaving]], Made]] = {
    "claude-code": claude_code,
    "plain": plain,
}
