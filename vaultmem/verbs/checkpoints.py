"""When a session should say where it is: after a few tool calls, or once its talk was cut down."""

from __future__ import annotations

from vaultmem.vault.calls import COMPACTED
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import NotFound
from vaultmem.words.frontmatter import split

DUE_CALLS = 8
"""Tool calls after which a checkpoint is due."""


def checkpoint(parts: Parts) -> str:
    """Return the text of this agent's checkpoint, empty if there is none."""
    try:
        data = parts.vault.data(parts.vault.layout.checkpoint(parts.caller.agent))
    except NotFound:
        return ""
    return split(data).body.decode("utf-8", "replace").strip()


def due(parts: Parts) -> str:
    """Return one line if this session has worked long without a checkpoint, else nothing."""
    calls, cut = parts.calls.since(parts.caller.reader)
    if not cut and calls < DUE_CALLS:
        return ""
    why = "The conversation was compacted" if cut else f"{calls} tool calls were made"
    return f"{why} since the last checkpoint: call log with kind checkpoint."


def compacted(parts: Parts) -> None:
    """Note that this session's conversation was cut down: a checkpoint is due."""
    parts.calls.count(parts.caller.reader, COMPACTED)
