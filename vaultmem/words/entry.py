"""One entry of the live log: a line of markdown that proves by its fingerprint to be unedited."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from vaultmem.words.errors import BadInput

KINDS = (
    "note",
    "handoff",
    "decision",
    "question",
    "answer",
    "ack",
    "state",
    "checkpoint",
    "memory",
)
LONGEST = 300
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
"""Base 32 without look-alikes: no l, o, 0 or 1."""

_LINE = re.compile(
    r"- (?P<time>\S+) \*\*(?P<agent>[^*]+)\*\* · (?P<channel>[^·]+) · (?P<kind>[a-z]+) · "
    r"(?P<scope>(?:[^·]|(?<! )·|·(?! ))+) · (?P<summary>.*?)(?: · to: (?P<to>[^\s·]+))?"
    r"(?: \^(?P<mark>lc-[a-z2-9]{8}-[a-z2-9]{2}))?"
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)")
_TARGET = re.compile(r"\[\[[^\[\]|]*(\|[^\[\]]*)?\]\]|\]\([^()]*\)")


@dataclass(frozen=True)
class Entry:
    """What one agent said to the others, in one line."""

    time: str
    """ISO 8601 with offset."""
    agent: str
    channel: str
    kind: str
    scope: str
    """Scope name, `""` for global."""
    summary: str
    to: str = ""
    mark: str = ""
    """Block id as it stands in the file, empty if it was typed by hand."""

    @property
    def signed(self) -> bool:
        """Whether the entry carries a fingerprint."""
        return bool(self.mark)

    @property
    def genuine(self) -> bool:
        """Whether the fingerprint fits what the entry says."""
        return self.mark == fingerprint(self, self.mark[-2:])

    def line(self) -> str:
        """Return the entry's line, without its newline."""
        to = f" · to: {self.to}" if self.to else ""
        mark = f" ^{self.mark}" if self.mark else ""
        return (
            f"- {self.time} **{self.agent}** · {self.channel} · {self.kind} · "
            f"{self.scope or 'global'} · {self.summary}{to}{mark}"
        )


def parse(line: str) -> Entry | None:
    """Return the entry that a line is, None if it is none."""
    match = _LINE.fullmatch(line.rstrip())
    if not match or not _TIME.fullmatch(match["time"]):
        return None
    scope = "" if match["scope"] == "global" else match["scope"]
    return Entry(
        match["time"],
        match["agent"],
        match["channel"],
        match["kind"],
        scope,
        match["summary"],
        match["to"] or "",
        match["mark"] or "",
    )


def token(data: str, length: int) -> str:
    """Return `length` letters of our alphabet that depend on every bit of some text."""
    number = int.from_bytes(hashlib.sha256(data.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[rest])
    return "".join(letters)


def fingerprint(entry: Entry, machine: str) -> str:
    """Return the block id of an entry: a hash of all it says, and the machine's mark.

    Link targets are left out, since Obsidian rewrites those when a note is renamed.
    """
    said = without_targets(entry.summary)
    parts = (entry.time, entry.agent, machine, entry.channel, entry.kind, entry.scope, entry.to)
    return f"lc-{token(chr(0).join((*parts, said)), 8)}-{machine}"


def without_targets(text: str) -> str:
    """Return text without what its links lead to: all that a rename changes in it."""
    return _TARGET.sub(lambda match: match.group(1) or "", text)


def signed(entry: Entry, machine: str) -> Entry:
    """Return the entry with its fingerprint, its summary fit for a line."""
    fit = replace(entry, summary=_fit(entry.summary))
    return replace(fit, mark=fingerprint(fit, machine))


def _fit(text: str) -> str:
    """Return text without what would be read as another part of a line, or as its end."""
    valid = " ".join(text.encode("utf-8", "replace").decode().split("\n")).strip()
    return re.sub(r"·(?= to: )", "-", re.sub(r"\^(?=lc-)", "", valid))


def name(text: str, what: str) -> str:
    """Return an agent's or channel's name as it stands in a line: letters, digits, `-`, `_`, `.`.

    Raises:
        BadInput: nothing is left of it.
    """
    plain = re.sub(r"[^\w.-]+", "-", text.strip().lower()).strip("-.")[:60]
    if not plain:
        raise BadInput(f"{text!r} is no name for {what}. Use letters, digits and dashes.")
    return plain


def summary(text: str) -> str:
    """Return a summary fit for a line.

    Raises:
        BadInput: it is empty, longer than 300 characters, or more than one line.
    """
    plain = text.strip()
    if not plain:
        raise BadInput("A log entry needs a summary: one line that says what happened.")
    if len(plain.splitlines()) > 1:
        raise BadInput("A summary is one line. Put the rest into `detail`.")
    if len(plain) > LONGEST:
        raise BadInput(
            f"A summary has at most {LONGEST} characters; this has {len(plain)}. "
            "Put the rest into `detail`."
        )
    return _fit(plain)


def kind_named(text: str) -> str:
    """Return a kind that a caller may use, or raise `BadInput` listing them."""
    if text not in KINDS or text == "memory":
        raise BadInput(f"There is no kind {text!r}. Use one of: {', '.join(KINDS[:-1])}.")
    return text
