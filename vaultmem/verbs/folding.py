"""One note made of several: every distinct statement once, with its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from vaultmem.sidecar.chunks import sentences
from vaultmem.words.checks import first_sentence
from vaultmem.words.near import alike, differ, disputed, plain
from vaultmem.words.sources import (
    counted,
    definition,
    reference,
    said,
    uncounted,
    without_sources,
)

SAME = 0.8
"""Least Jaccard of two statements that are one; the newer one stands for both."""
OPPOSED = 0.5
"""Least Jaccard of two statements that dispute each other, in a number, a name or a denial."""
MOST_TAGS = 50
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_MARK = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


@dataclass(frozen=True)
class Source:
    """A note to be folded."""

    path: str
    link: str
    title: str
    body: str
    moment: str
    """When it became true, as a sortable text."""
    since: str = ""
    """The same, if the note itself says so."""
    type: str = "insight"
    importance: float = 0.6
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass
class _Statement:
    text: str
    sources: list[int]
    """Numbers of the notes that say it, the newest is 1."""
    against: list[_Statement] = field(default_factory=list)


@dataclass(frozen=True)
class Folded:
    """What a parent note says."""

    title: str
    description: str
    body: str
    type: str
    importance: float
    tags: tuple[str, ...]
    files: tuple[str, ...]
    since: str
    """When the newest of its sources became true, if they say so."""


def folded(sources: Sequence[Source], importance: float, title: str = "") -> Folded:
    """Return the note that stands for some: the newest first, contradictions side by side.

    Without a title of its own it has the one that is most like all of theirs.
    """
    newest = sorted(sources, key=lambda one: (one.moment, one.path), reverse=True)
    found = _distinct(newest)
    title = title or _title(newest)
    kinds = [one.type for one in newest]
    return Folded(
        title=title,
        description=first_sentence(found[0].text) if found else title,
        body="\n".join([*(line for one in found for line in _lines(one)), "", *_named(newest), ""]),
        type=max(kinds, key=kinds.count),
        importance=importance,
        tags=tuple(dict.fromkeys(tag for one in newest for tag in one.tags))[:MOST_TAGS],
        files=tuple(dict.fromkeys(file for one in newest for file in one.files)),
        since=max(one.since for one in newest),
    )


def statements(body: str) -> list[str]:
    """Return the statements of a body: sentences, items of lists, and code and tables whole."""
    return [statement for block in _blocks(body) for statement in _parts(block)]


def _blocks(body: str) -> Iterator[str]:
    """Yield what stands between blank lines; a code fence is one block whatever it holds."""
    lines: list[str] = []
    fence = ""
    for line in body.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and mark[1].startswith(fence) and not line.strip(f"{fence[0]} \t"):
                yield "\n".join(lines)
                lines, fence = [], ""
            continue
        if lines and (mark or not line.strip()):
            yield "\n".join(lines)
            lines = []
        if line.strip():
            lines.append(line)
            fence = mark[1] if mark else ""
    if lines:
        yield "\n".join(lines)


def _parts(block: str) -> Iterator[str]:
    lines = block.split("\n")
    if _FENCE.match(block) or all(line.lstrip().startswith("|") for line in lines):
        yield block
        return
    paragraph: list[str] = []
    for line in [*lines, ""]:
        item = _MARK.match(line)
        if item or line.startswith("#") or not line.strip():
            yield from sentences(" ".join(paragraph))
            paragraph = []
        if not line.startswith("#") and line.strip():
            paragraph.append(line[item.end() :] if item else line.strip(" \t>"))


def _distinct(newest: Sequence[Source]) -> list[_Statement]:
    """Return every distinct statement, each with its sources and what is said against it."""
    known: dict[str, _Statement] = {}
    found: list[_Statement] = []
    for number, source in enumerate(newest, 1):
        for text in statements(without_sources(source.body)) or [source.title]:
            key = plain(text) or text
            same = known.get(key) or next((one for one in found if _one(one.text, text)), None)
            if same is None:
                same = _Statement(text, [])
                _placed(found, same)
            known[key] = same
            same.sources += [] if number in same.sources else [number]
    return found


def _one(one: str, other: str) -> bool:
    return alike(one, other) >= SAME and not differ(one, other)


def _placed(found: list[_Statement], new: _Statement) -> None:
    """Put a statement under the newer one that it is against, else at the end."""
    for known in found:
        if alike(known.text, new.text) >= OPPOSED and disputed(known.text, new.text):
            known.against.append(new)
            return
    found.append(new)


def _lines(one: _Statement) -> Iterator[str]:
    head = "**Disputed:** " if one.against else ""
    yield from _item(f"{head}{one.text}", one.sources, "")
    for other in one.against:
        yield from _item(f"earlier: {other.text}", other.sources, "  ")


def _item(text: str, sources: Sequence[int], indent: str) -> Iterator[str]:
    """Yield the lines of one item of the list; code and tables stand below their sources."""
    if "\n" not in text:
        yield f"{indent}- {text}{reference(sources)}"
        return
    yield f"{indent}- so:{reference(sources)}"
    yield ""
    yield from (f"{indent}  {line}" for line in text.split("\n"))
    yield ""


def _named(newest: Sequence[Source]) -> Iterator[str]:
    """Yield the lines that say which note each mark stands for."""
    for number, one in enumerate(newest, 1):
        yield definition(number, one.link, one.moment[:10])


def _title(newest: Sequence[Source]) -> str:
    """Return the title that is most like all the others, and how many notes it stands for."""
    titles = [uncounted(one.title) for one in newest]
    others = [said(one.title, one.body) for one in newest]
    best = max(titles, key=lambda title: sum(alike(title, other) for other in (*titles, *others)))
    return counted(best, len(newest))
