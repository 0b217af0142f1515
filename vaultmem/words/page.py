"""A compiled page: a part that is rewritten freely, and a timeline that only grows.

What is the timeline is told by its marker alone, and a section by its heading's own line; nothing
is guessed from what headings say.
"""

from __future__ import annotations

from vaultmem.words.errors import BadInput, NotFound
from vaultmem.words.links import outside_code

TIMELINE = "<!-- vaultmem:timeline -->"


def parted(body: str) -> tuple[str, str]:
    """Return the compiled part of a page, and its timeline from the marker on.

    Raises:
        BadInput: it has no marker, or more than one.
    """
    at = outside_code(body).split(TIMELINE)
    if len(at) != 2:
        raise BadInput(f"A page has the line {TIMELINE} once; this one has it {len(at) - 1} times.")
    start = len(at[0])
    return body[:start], body[start:]


def with_event(body: str, line: str) -> str:
    """Return the body of a page with a line behind its timeline; nothing else changes."""
    compiled, timeline = parted(body)
    newline = "\r\n" if "\r\n" in body else "\n"
    end = "" if timeline.endswith("\n") else newline
    return compiled + timeline + end + line + newline


def section_of(body: str, heading: str) -> tuple[int, int]:
    """Return where a section of the compiled part begins and ends, in characters.

    It begins with its heading's line and goes to the next heading of its level or above.

    Raises:
        NotFound: there is no such heading. BadInput: there are several.
    """
    compiled, _ = parted(body)
    wanted = heading.strip().lstrip("#").strip().casefold()
    heads = list(_heads(compiled))
    here = [head for head in heads if head[2].casefold() == wanted]
    if not here:
        listed = "; ".join(title for _, _, title in heads) or "none"
        raise NotFound(f"section {heading!r}", f"Its headings: {listed}.")
    if len(here) > 1:
        raise BadInput(f"{len(here)} sections are called {heading!r}. Rename one of them first.")
    start, level, _ = here[0]
    ends = (at for at, other, _ in heads if at > start and other <= level)
    return start, next(ends, len(compiled))


def with_section(body: str, heading: str, text: str) -> str:
    """Return the body with another text under a heading; every other byte is as it was."""
    start, end = section_of(body, heading)
    newline = "\r\n" if "\r\n" in body else "\n"
    line_end = body.index("\n", start) + 1 if "\n" in body[start:end] else end
    said = text.strip().replace("\r\n", "\n").replace("\n", newline)
    head = body[start:line_end]
    head += "" if head.endswith("\n") else newline
    return body[:start] + head + newline + said + newline * 2 + body[end:]


def _heads(text: str) -> list[tuple[int, int, str]]:
    """Return where each heading begins, its level and its words; none inside code."""
    found, at = [], 0
    for line in outside_code(text).splitlines(keepends=True):
        marks = len(line) - len(line.lstrip("#"))
        if 1 <= marks <= 6 and line[marks : marks + 1] in (" ", "\t"):
            written = text[at : at + len(line)]
            found.append((at, marks, written.strip("# \t\r\n")))
        at += len(line)
    return found
