"""Links that open a source where it was taken from, at the passage where that can be said."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from vaultmem.words.facts import Facts

KEY = "key:"
"""How the origin of a text begins that an agent stored under a key."""
_PAGE = re.compile(r"(?:^| > )Page (\d{1,6})(?: > |$)")
_MARKS = re.compile(r"[*_`|\\<>]+|^\s*(?:#+|>|[-*+]|\d+\.)\s+")
LONGEST_FRAGMENT = 8
"""Words of a passage that a link to its page names."""


def page_of(heading: str) -> int:
    """Return the page that a path of headings names, 0 if none."""
    found = _PAGE.search(heading)
    return int(found[1]) if found else 0


def opened(root: Path, facts: Facts, passage: str) -> str:
    """Return the link that opens a source at a passage, empty for a note that is none."""
    origin = facts.origin
    if not origin:
        return ""
    if facts.session:
        return origin  # it lies in the state folder, where nobody is to look
    if origin.startswith(KEY):
        return f"obsidian://open?path={quote(str(root / facts.path), safe='')}"
    if "://" in origin:
        words = _said(passage)
        return f"{origin}#:~:text={quote(words, safe='')}" if words else origin
    return "file://" + quote(origin)


def _said(passage: str) -> str:
    """Return the first words of a passage as the page shows them."""
    for line in passage.split("\n"):
        text = _MARKS.sub("", line).strip()
        if len(text.split()) >= 3 and not line.startswith(("```", "|")):
            return " ".join(text.split()[:LONGEST_FRAGMENT])
    return ""
