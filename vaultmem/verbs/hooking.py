"""What the memory says at the moments of a session at which a host calls a hook."""

from __future__ import annotations

from collections.abc import Callable

from vaultmem.verbs import brief as briefs
from vaultmem.verbs import checkpoints, listen
from vaultmem.verbs.parts import Parts
from vaultmem.words.hit import FRAME, tokens
from vaultmem.words.injected import marked
from vaultmem.words.safe import shown

ASK = (
    "Before this conversation is cut down or ends: log your checkpoint (kind checkpoint; in detail "
    "the task, what is done, what is next, what blocks), and keep what later sessions need and the "
    "vault does not hold, each with memorize and review true: decisions with their why, facts that "
    "were hard to find, fixes with their cause, what the user said they prefer."
)
_ENDED = "ended without a checkpoint"
"""Stands for a session where what an agent's sessions left is counted."""
_ROOM = 200
"""Characters that the mark and the frame take at most."""


def spoken(parts: Parts, event: str, source: str, about: str, longest: int) -> str:
    """Return what to put before the agent at a moment, within the mark; mostly nothing.

    At a session's start it is the brief, before a prompt what is unread of the log, after a tool
    call or a turn whether a checkpoint is due, before a compaction and at the end what to keep.
    What was said counts as heard once `confirm` was called.
    """
    said = _MOMENTS[event](parts, source, about, longest - _ROOM)
    return marked(_cut(said, longest - _ROOM))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."


def _start(parts: Parts, source: str, about: str, longest: int) -> str:
    if source == "compact":
        checkpoints.compacted(parts)
    budget = min(parts.vault.config.brief_tokens, longest // 4)
    due = "\n".join(part for part in (_left(parts), checkpoints.due(parts)) if part)
    brief = briefs.brief(parts, about, budget - tokens(due) - tokens(FRAME)).text()
    return "\n\n".join(part for part in (due, FRAME, brief) if part)


def _left(parts: Parts) -> str:
    """Return a line if this agent's last session ended amid its work; it is said once."""
    ended = (parts.caller.agent, _ENDED)
    if not parts.calls.since(ended)[0]:
        return ""
    parts.calls.done(ended)
    return "Your last session ended without a checkpoint: what it did last is not in yours."


def _prompt(parts: Parts, *_: object) -> str:
    heard = listen.read(parts)
    return "\n".join([FRAME, "", *map(shown, heard.lines())]) if heard else ""


def _due(parts: Parts, *_: object) -> str:
    return checkpoints.due(parts)


def _compact(parts: Parts, *_: object) -> str:
    checkpoints.compacted(parts)
    return ASK


def _stop(parts: Parts, *_: object) -> str:
    due = checkpoints.due(parts)
    return f"{due} {ASK}" if due else ""


def _end(parts: Parts, *_: object) -> str:
    """Say nothing, since nobody hears it; remember it for the next session if work was left."""
    calls, cut = parts.calls.since(parts.caller.reader)
    if calls or cut:
        parts.calls.count((parts.caller.agent, _ENDED))
    return ""


_MOMENTS: dict[str, Callable[..., str]] = {
    "session-start": _start,
    "prompt": _prompt,
    "tool": _due,
    "compact": _compact,
    "stop": _stop,
    "session-end": _end,
}
