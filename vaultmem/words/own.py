"""Which of the person's other notes agents may find."""

from __future__ import annotations

import re
from functools import lru_cache


def allowed_own(path: str, setting: str) -> bool:
    """Return whether `own_notes` lets agents find a note: `all`, `none`, or a glob."""
    if setting in ("all", "none"):
        return setting == "all"
    return bool(_pattern(setting).fullmatch(path))


@lru_cache(maxsize=8)
def _pattern(glob: str) -> re.Pattern[str]:
    """Return a glob as a pattern: `*` within a folder, `**` across folders."""
    translated = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(translated.get(piece, re.escape(piece)) for piece in pieces))
