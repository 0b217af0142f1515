"""How a note names its sources: footnotes that hold a link and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vaultmem.words.near import LONGEST

_COUNTED = re.compile(r" \(\d+ notes\)$")
_REFERENCE = re.compile(r"\[\^\d{1,4}\]")
_DEFINITION = re.compile(r"^\[\^\d{1,4}\]: \[\[[^\[\]\n]*+\]\][^\[\]\n]*$", re.MULTILINE)


def reference(numbers: Iterable[int]) -> str:
    """Return the marks that stand behind a statement."""
    return "".join(f"[^{number}]" for number in numbers)


def definition(number: int, link: str, moment: str) -> str:
    """Return the line that says what a mark stands for."""
    return f"[^{number}]: {link}{f', {moment}' if moment else ''}"


def without_sources(body: str) -> str:
    """Return a body without marks and what they stand for; every line keeps its number."""
    return _REFERENCE.sub("", _DEFINITION.sub("", body)) if "[^" in body else body


def counted(title: str, count: int) -> str:
    """Return the title of a note that stands for several."""
    return f"{uncounted(title)[:180].rstrip()} ({count} notes)"


def uncounted(title: str) -> str:
    """Return a title without the number of notes that it stands for."""
    return _COUNTED.sub("", title)


def said(title: str, body: str) -> str:
    """Return what a note says, to be compared: no mark, no source, at most 20,000 characters."""
    return f"{uncounted(title)}\n{without_sources(body[:LONGEST]).strip()}"
