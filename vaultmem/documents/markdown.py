"""Markdown taken apart: sections by their headings, blocks by their bullets. Code stays whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vaultmem.words.links import outside_code

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_BULLET = re.compile(r"[-*+][ \t]+")
_NUMBER = re.compile(r"\d{1,9}[.)][ \t]+")
_COMMENT = re.compile(r"(?<![ \t])[ \t]*+<!--(.*?)-->", re.DOTALL)
_DAY = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)")


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, up to the next one that is cut at."""

    heading: str
    level: int
    """0 for what stands before the first heading."""
    text: str


@dataclass(frozen=True)
class Block:
    """A bullet with all that belongs to it, a numbered list, or a paragraph."""

    text: str
    headings: tuple[str, ...]
    """The headings it stands under, the outermost first."""


def sections(text: str, most: int) -> list[Section]:
    """Return a text cut at its headings of a level up to `most`; those deeper stay in the text."""
    found: list[tuple[str, int, list[str]]] = [("", 0, [])]
    for line, plain in _lines(text):
        match = _HEADING.match(plain)
        if match and len(match[1]) <= most:
            found.append((_heading(line), len(match[1]), []))
        else:
            found[-1][2].append(line)
    return [Section(head, level, "\n".join(lines).strip("\n")) for head, level, lines in found]


def blocks(text: str) -> list[Block]:
    """Return the blocks of a text in their order; no line but headings and blanks is lost.

    A paragraph that ends in a colon goes with the list below it, as indented lines go with their
    bullet and a code block with what stands above it.
    """
    found: list[tuple[list[str], tuple[str, ...]]] = []
    path: dict[int, str] = {}
    kind, gap = "", False
    for line, plain in _lines(text):
        match = _HEADING.match(plain)
        if match:
            path = {n: head for n, head in path.items() if n < len(match[1])}
            path[len(match[1])] = _heading(line)
            kind, gap = "", False
            continue
        if not line.strip():
            gap = True
            if kind:
                found[-1][0].append(line)
            continue
        begins = _kind(plain if plain.strip() else "```")
        led = bool(kind) and begins in ("bullet", "number") and _leads(found[-1][0])
        goes_on = kind and (
            begins == "inner"
            or (begins == "number" and kind == "number")
            or (kind == "led" and begins == "bullet")
            or (begins == "text" and not gap)
            or led
        )
        if goes_on:
            found[-1][0].append(line)
            kind = "led" if led and begins == "bullet" else kind if begins != "number" else begins
        else:
            kind = "text" if begins == "inner" else begins
            found.append(([line], tuple(path[n] for n in sorted(path))))
        gap = False
    return [Block("\n".join(lines).strip("\n"), heads) for lines, heads in found]


def _kind(line: str) -> str:
    if line.startswith((" ", "\t", "```", "~~~")):
        return "inner"
    if _BULLET.match(line):
        return "bullet"
    return "number" if _NUMBER.match(line) else "text"


def _leads(lines: list[str]) -> bool:
    said = [line for line in lines if line.strip()]
    return len(said) > 0 and not _BULLET.match(said[0]) and said[-1].rstrip("*_ ").endswith(":")


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line as it stands, and with its code blanked out."""
    yield from zip(text.split("\n"), outside_code(text).split("\n"), strict=True)


def _heading(line: str) -> str:
    match = _HEADING.match(line)
    return match[2] if match else line.lstrip("# \t")


def unbulleted(text: str) -> str:
    """Return a bullet's text without the mark and the indent of its lines."""
    first, *rest = text.split("\n")
    match = _BULLET.match(first)
    if not match:
        return text
    width = len(match[0].expandtabs(4))
    kept = [line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)[width:] for line in rest]
    inner = [space + line.lstrip(" \t") for space, line in zip(kept, rest, strict=True)]
    return "\n".join([first[match.end() :], *inner])


def comments(text: str) -> tuple[dict[str, str], str]:
    """Return what the comments of a text say as `key: value`, and the text without those.

    Comments that say something else, or stand in code, stay.
    """
    said: dict[str, str] = {}
    plain, pieces, at = outside_code(text), [], 0
    end = plain.rfind("-->") + len("-->")  # what opens behind it would be looked for in vain
    for match in _COMMENT.finditer(plain, 0, end):
        pairs = [part.partition(":") for part in match[1].split("|")]
        if all(key.strip().isidentifier() and sep for key, sep, _ in pairs):
            said |= {key.strip().lower(): value.strip() for key, _, value in pairs}
            pieces.append(text[at : match.start()])
            at = match.end()
    return said, "".join([*pieces, text[at:]])


def day_in(text: str) -> str:
    """Return the first day, such as `2026-11-30`, that a text names; empty without one."""
    match = _DAY.search(text)
    return match[1] if match else ""
