"""What crashes leave of a file that only grows by lines: torn, glued and empty ones."""

from __future__ import annotations

import re
from itertools import islice, pairwise

from vaultmem.words.entry import parse

_START = re.compile(r"- \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d) \*\*[^*]+\*\* · ")
_DECISION = re.compile(rf"{_START.pattern}decision · .+")
_CUT = re.compile(r"-(?: (?:\d{1,4}(?:-(?:\d{0,2}(?:-(?:\d{0,2}(?:T.*)?)?)?)?)?)?)?")
"""A line that is the beginning of an entry and no more."""
_MARK = re.compile(r" \^lc-[a-z2-9]{8}-[a-z2-9]{2}\s*")
"""How an entry ends."""
_LONGEST, _MARKS = 4000, 3
"""Characters in which an entry must end, and how many ends of it are tried: time stays bounded."""


def torn_decisions(lines: list[str]) -> list[int]:
    """Return the numbers of the lines of a decision log that were cut short."""
    return [
        number
        for number, line in enumerate(lines, 1)
        if _CUT.fullmatch(line.rstrip()) and not _DECISION.fullmatch(line.rstrip())
    ]


def nul_lines(lines: list[str]) -> list[int]:
    """Return the numbers of the lines that hold NUL characters, which a crash leaves."""
    return [number for number, line in enumerate(lines, 1) if "\0" in line]


def glued(lines: list[str]) -> list[int]:
    """Return the numbers of the lines on which an entry follows something else."""
    return [number for number, line in enumerate(lines, 1) if len(_pieces(line)) > 1]


def apart(text: str) -> str:
    """Return a log in which each entry begins a line, and the last line has its end.

    Nothing is taken out, and nothing but line ends is added.
    """
    lines = [piece for line in text.split("\n") for piece in _pieces(line)]
    return "\n".join(lines if not lines[-1] else [*lines, ""])


def _pieces(line: str) -> list[str]:
    """Return a line cut before and behind every whole entry in it, and before every decision."""
    if _genuine(line):
        return [line]  # whatever it quotes
    cuts, done = {0, len(line)}, 0
    for match in _START.finditer(line):
        start = match.start()
        end = _end(line, start) if start >= done else None
        if end is not None:
            cuts |= {start, end}
            done = end
    places = sorted(cuts)
    return [line[at:end] for at, end in pairwise(places)] or [line]


def _end(line: str, start: int) -> int | None:
    """Return where the entry or the decision ends that begins at a place, None if none does."""
    for mark in islice(_MARK.finditer(line, start, start + _LONGEST), _MARKS):
        if _genuine(line[start : mark.end()]):
            return mark.end()
    following = _START.search(line, start + 1)
    end = following.start() if following else len(line)
    return end if _DECISION.fullmatch(line[start:end].rstrip()) else None


def _genuine(text: str) -> bool:
    """Return whether a text is one entry that proves to be as it was written."""
    entry = parse(text)
    return entry is not None and entry.signed and entry.genuine
