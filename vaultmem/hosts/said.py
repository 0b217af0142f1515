"""What a host tells a hook on its stdin: which session, which folder, which words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vaultmem.hosts.reply import EVENTS, HOSTS, longest, reply

LONGEST = 4_000_000


@dataclass(frozen=True)
class Said:
    """One call of a hook, in our words; what the host does not tell is empty."""

    host: str
    event: str
    session: str = ""
    folder: Path | None = None
    source: str = ""
    """Why a session starts: startup, resume, clear, compact."""
    prompt: str = ""
    """The first prompt, where the host knows it as the session starts."""
    again: bool = False
    """Whether the agent goes on only because a hook asked it to, and is not asked again."""

    @property
    def longest(self) -> int:
        """How many characters the host takes of one text."""
        return longest(self.host)

    def reply(self, text: str) -> str:
        """Return what to print so that a text reaches the agent."""
        return "" if self.again else reply(self.host, self.event, text)


def said(host: str, event: str, text: str) -> Said:
    """Return what a host tells at an event, whichever way it writes the names.

    Raises:
        ValueError: there is no such host or event, or what it tells is no JSON object.
    """
    if host not in HOSTS or event not in EVENTS:
        raise ValueError(f"there is no hook {event!r} of {host!r}")
    told = json.loads(text[:LONGEST] or "{}")
    if not isinstance(told, dict):
        raise ValueError("a host tells a hook one JSON object")
    roots = told.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots else told.get("cwd")
    return Said(
        host,
        event,
        session=_first(told, "session_id", "sessionId", "conversation_id"),
        folder=Path(folder) if isinstance(folder, str) and folder else None,
        source=_first(told, "source"),
        prompt=_first(told, "initialPrompt", "initial_prompt"),
        again=told.get("stop_hook_active") is True,
    )


def _first(told: Mapping[str, object], *names: str) -> str:
    return next((v for name in names if isinstance(v := told.get(name), str) and v), "")
