"""What the message of a commit says of the memories in it: a subject, and trailers to search by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from vaultmem.words.changes import KINDS, Change
from vaultmem.words.layout import Role
from vaultmem.words.safe import shown

LONGEST = 72
_ONE = {
    "added": "Remember",
    "superseded": "Supersede",
    "consolidated": "Fold",
    "approved": "Approve",
    "changed": "Update",
    "retracted": "Retract",
    "moved": "Move",
    "renamed": "Rename",
    "forgotten": "Forget",
    "handed in": "Hand in",
    "rejected": "Reject",
    "logged": "Log",
    "log edited": "Mend the live log",
}
_LOG = ("logged", "log edited")
_FIRST = (Role.MEMORY, Role.CANDIDATE)
_MOST_TRAILERS = 100


def message(found: Sequence[Change], agent: str, channel: str, besides: Iterable[str] = ()) -> str:
    """Return the message of a commit that an agent makes of some changes.

    `besides` are the paths whose file holds more than those changes, told in trailers of their own.
    """
    scopes = sorted({change.scope or "global" for change in found})
    ids = [change.id for change in found if change.id and change.kind not in _LOG]
    trailers = [f"Agent: {agent}", f"Channel: {channel}"]
    trailers += [f"Scope: {_line(scope)}" for scope in scopes[:_MOST_TRAILERS]]
    trailers += [f"Memory: {note_id}" for note_id in dict.fromkeys(ids[:_MOST_TRAILERS])]
    trailers += [f"Includes-edits: {_line(path)}" for path in sorted(besides)]
    return f"{subject(found)}\n\n" + "\n".join(trailers) + "\n"


def subject(found: Sequence[Change]) -> str:
    """Return the effect of some changes in one line of at most 72 characters."""
    told = _telling(found)
    if not told:
        return "Bring the catalogues up to date"
    if len(told) == 1:
        return _cut(f"{_verb(told[0])}: {_line(_said(told[0]))}")
    counted = Counter(change.kind for change in told)
    if len(counted) == 1 and told[0].kind == "consolidated":
        return f"Fold near-copies into {len(told)} memories"
    named = [f"{_ONE[kind].lower()} {counted[kind]}" for kind in KINDS if kind in counted]
    text = ", ".join(named)
    return _cut(text[0].upper() + text[1:] + (" entries" if counted.keys() == {"logged"} else ""))


def _telling(found: Sequence[Change]) -> list[Change]:
    """Return the changes that a subject is about: memories, else other notes, else the log."""
    ranks = [0 if one.role in _FIRST else 2 if one.role == Role.LOG else 1 for one in found]
    return [one for one, rank in zip(found, ranks, strict=True) if rank == min(ranks)]


def _verb(change: Change) -> str:
    verb = _ONE[change.kind]
    if change.kind == "superseded":
        return f"{verb} {_line(change.others[0])[:24]}" if change.others else verb
    return f"{verb} {len(change.others)} memories" if change.kind == "consolidated" else verb


def _said(change: Change) -> str:
    """Return the title; of a log entry what it says, without when and who."""
    if change.kind not in _LOG:
        return change.title
    return change.title.split(" · ", 4)[-1].rpartition(" ^lc-")[0] or change.title


def _line(text: str) -> str:
    return " ".join(shown(text).split())


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3].rstrip() + "..."
