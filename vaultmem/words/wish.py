"""What a caller wants kept, as said."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wish:
    """What a caller wants kept. With `id` and `hash` it changes a note: None leaves a part be."""

    title: str | None = None
    content: str | None = None
    type: str | None = None
    importance: float | None = None
    source: str | None = None
    tags: tuple[str, ...] | None = None
    files: tuple[str, ...] | None = None
    description: str | None = None
    relates: tuple[str, ...] = field(default=())
    """Strings such as `supersedes: k7f3q9xa because the limit changed`."""
    id: str = ""
    hash: str = ""
    everywhere: bool = False
    """Keep it in the global scope although the caller is locked to another."""
    scope: str | None = None
    allow_similar: bool = False
    """Keep it although a note says nearly the same."""
    valid_from: str | None = None
    """When it became true, if that is not now: a date or a moment."""
    valid_until: str | None = None
    """Until when it holds; a bare date counts as a whole day."""
    review: bool = False
    """Let it wait in the inbox until a person approves it."""
    quote: str = ""
    """The words from which it is known; shown to the person who approves it."""
    why: str = ""
    """Why it is worth keeping, in a sentence."""
