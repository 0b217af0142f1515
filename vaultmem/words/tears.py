"""What crashes leave of a file that only grows by lines: torn, glued and empty ones."""

from __future__ import annotations

import re

from vaultmem.words.entry import parse

_START = re.compile(r"- \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d) \*\*[^*]+\*\* · ")
_DECISION = re.compile(rf"{_START.pattern}decision · .+")
_CUT = re.compile(r"-(?: (?:\d{1,4}(?:-(?:\d{0,2}(?:-(?:\d{0,2}(?:T.*)?)?)?)?)?)?)?")
"""A line that is the beginning of an entry and no more."""


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
    """Return a line cut before every whole entry in it but a first."""
    entry = parse(line)
    if entry and entry.signed and entry.genuine:
        return [line]  # whatever it quotes
    cuts = [match.start() for match in _START.finditer(line) if _whole(line[match.start() :])]
    cuts = [0, *(at for at in cuts if at)]
    return [line[at:end] for at, end in zip(cuts, [*cuts[1:], len(line)], strict=True)]


def _whole(rest: str) -> bool:
    """Return whether a text begins with an entry that proves to be one, or with a decision."""
    ends = [match.start() for match in _START.finditer(rest)][1:]
    for end in [*ends, len(rest)]:
        entry = parse(rest[:end])
        if (entry and entry.signed and entry.genuine) or _DECISION.fullmatch(rest[:end].rstrip()):
            return True
    return False
