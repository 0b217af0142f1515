"""The most that one answer of a server may be, and the sentence that says what was left out."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from vaultmem.doors.answers import as_json
from vaultmem.words.hit import fitting

LONGEST = 60_000
"""Bytes of an answer."""
LONGEST_ERROR = 4_000
_ROOM = 400
"""Bytes for what is said of the rest."""
_CUTS = 50
"""Lists and texts that are shortened at most."""
_LESS = (
    "Ask for less at once: a smaller limit or budget_tokens, detail passage or titles, "
    "one source, heading, page or span of lines."
)


def within(text: str, most: int = LONGEST) -> str:
    """Return a text of at most so many bytes: a longer one is cut at a line or a word and says so.

    A text that is short enough is returned as it is.
    """
    size = _bytes(text)
    if size <= most:
        return text
    part = fitting(text, (most - _ROOM) // 4)
    return f"{part}\n\nLeft out: {size - _bytes(part):,} of {size:,} bytes. {_LESS}"


def error_within(text: str) -> str:
    """Return an error's sentence, its middle left out where a caller's own words made it long."""
    if _bytes(text) <= LONGEST_ERROR:
        return text
    return f"{fitting(text, LONGEST_ERROR // 8)} {text[-LONGEST_ERROR // 8 :]}"


def value_within(value: dict[str, Any], most: int = LONGEST) -> dict[str, Any]:
    """Return a value whose JSON has at most so many bytes.

    Of a longer one the ends of the longest lists and texts are left out; `left_out` names them
    and says how to get them.
    """
    if _bytes(as_json(value)) <= most:
        return value
    value = json.loads(as_json(value))
    missing: Counter[str] = Counter()
    for _ in range(_CUTS):
        over = _bytes(as_json(value)) - most + _ROOM
        if over <= 0:
            break
        value, name, count = _shorter(value, over)
        missing[name] += count
    named = [
        f"{count} of {name}" if count else f"the end of {name}" for name, count in missing.items()
    ]
    return {**value, "left_out": f"{', '.join(named)}. {_LESS}"}


def _shorter(node: Any, over: int, name: str = "") -> tuple[Any, str, int]:
    """Return a value less about so many bytes of what is longest in it, the name of that, and how
    many items went.
    """
    if isinstance(node, str):
        return fitting(node, max(_bytes(node) - over, 0) // 4), name, 0
    if isinstance(node, list) and len(node) > 1:
        kept = list(node)
        while len(kept) > 1 and over > 0:
            over -= _bytes(as_json(kept.pop())) + 1
        return kept, name, len(node) - len(kept)
    if isinstance(node, list) and node:
        part, name, count = _shorter(node[0], over, name)
        return [part], name, count
    if isinstance(node, dict) and node:
        longest = max(node, key=lambda key: _bytes(as_json(node[key])))
        part, name, count = _shorter(node[longest], over, longest)
        return {**node, longest: part}, name, count
    return node, name, 0


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
