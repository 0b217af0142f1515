"""What a hook prints, in the shape that each host expects of each event; nothing stays nothing."""

from __future__ import annotations

import json

EVENTS = ("session-start", "prompt", "tool", "compact", "stop", "session-end")
"""The moments at which a host may call, in our words."""

HOSTS = (
    "claude-code",
    "claude-desktop",
    "codex",
    "cursor",
    "gemini-cli",
    "hermes",
    "openclaw",
    "opencode",
    "vscode",
)
"""The hosts that are known, by the names that a person types."""

_NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "tool": "PostToolUse",
}
_GEMINI = {"prompt": "BeforeAgent", "tool": "AfterTool"}
_LONGEST = {"claude-code": 9_500, "codex": 9_500, "hermes": 9_500}
"""Characters of one text that a host takes whole; of 2,500 tokens at least that many."""
LONGEST = 20_000


def longest(host: str) -> int:
    """Return how many characters a host takes of one text."""
    return _LONGEST.get(host, LONGEST)


def reply(host: str, event: str, text: str) -> str:
    """Return what to print so that a text reaches the agent; nothing where it cannot."""
    if not text:
        return ""
    return _SHAPES.get(host, _plain)(event, text)


def _plain(_: str, text: str) -> str:
    return text


def _claude(event: str, text: str) -> str:
    if event == "compact":
        return text  # joins the prompt that the summary is written by
    return _codex(event, text)


def _codex(event: str, text: str) -> str:
    if event == "stop":
        return json.dumps({"decision": "block", "reason": text}, ensure_ascii=False)
    return _context(_NAMES.get(event, ""), text)


def _gemini(event: str, text: str) -> str:
    return _context(_GEMINI.get(event) or _NAMES.get(event, ""), text)


def _context(name: str, text: str) -> str:
    if not name:
        return ""
    said = {"hookEventName": name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": said}, ensure_ascii=False)


def _cursor(event: str, text: str) -> str:
    if event != "session-start":
        return ""
    return json.dumps({"additional_context": text}, ensure_ascii=False)


def _vscode(event: str, text: str) -> str:
    if event not in _NAMES:
        return ""
    said = {"hookEventName": _NAMES[event], "additionalContext": text}
    both = {"additionalContext": text, "hookSpecificOutput": said}
    return json.dumps(both, ensure_ascii=False)


_SHAPES = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini-cli": _gemini,
    "cursor": _cursor,
    "vscode": _vscode,
}
