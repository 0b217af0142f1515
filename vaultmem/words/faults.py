"""What of the live log is not as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from vaultmem.words.entry import Entry, parse

_TORN = re.compile(r"-(?: (?:[12]|$)|$)")


@dataclass(frozen=True)
class Fault:
    """Something in the log that is not as it was written."""

    file: str
    line: int
    """0 where the entry is gone."""
    what: str
    harmless: bool = False
    """Whether it may well be so on purpose: an entry that a person typed."""


def fault(line: str, entry: Entry | None, present: Set[str]) -> str:
    """Return what is wrong with a line and the entry it is, empty if nothing is.

    `present` are the fingerprints that stand before it.
    """
    if entry is None:
        return "the line is torn" if _TORN.match(line) else ""
    if not entry.signed:
        return f"the entry of {entry.agent} was typed by hand or cut short (it is unsigned)"
    if not entry.genuine:
        return f"the entry of {entry.agent} was edited"
    return f"the entry of {entry.agent} stands twice" if entry.mark in present else ""


def removed(mark: str, agent: str | None) -> str:
    """Return the sentence that an entry is there no more."""
    return f"the entry {mark} of {agent} was removed" if agent else f"the entry {mark} was removed"


def signed_in(data: bytes) -> Iterator[Entry]:
    """Yield the entries of a file's bytes that carry a fingerprint, the last one first."""
    for line in reversed(data.decode("utf-8", "replace").split("\n")):
        if (entry := parse(line)) and entry.signed:
            yield entry
