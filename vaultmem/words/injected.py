"""The mark around what a hook puts before an agent, so that it is known when it comes back."""

from __future__ import annotations

import re

_OPEN, _CLOSE = "<vaultmem>", "</vaultmem>"
_MARK = re.compile(r"<(/?)vaultmem>")
_MARKED = re.compile(r"<vaultmem>.*?(?:</vaultmem>|\Z)", re.DOTALL)


def marked(text: str) -> str:
    """Return a text within the mark, which nothing in it can close; nothing stays nothing."""
    inner = _MARK.sub(r"(\1vaultmem)", text.strip())
    return f"{_OPEN}\n{inner}\n{_CLOSE}" if inner else ""


def without_marked(text: str) -> str:
    """Return a text without what stands within the mark, closed or not."""
    return _MARKED.sub("", text)
