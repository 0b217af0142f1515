"""Generated text inside a person's note: it stands between two markers, the rest is theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable


def filled(text: str, name: str, lines: Iterable[str]) -> str | None:
    """Return the text with the lines between the markers of that name, None without markers.

    What stands outside of the markers stays byte for byte, and so does the note's line ending.
    A line cannot hold a comment, since that might be a marker.
    """
    match = re.search(
        rf"(<!-- vaultmem:{name} -->[ \t]*\r?\n)(.*?)(<!-- /vaultmem:{name} -->)", text, re.DOTALL
    )
    if not match:
        return None
    newline = "\r\n" if match.group(1).endswith("\r\n") else "\n"
    inside = "".join(line.replace("<!--", "< !--") + newline for line in lines)
    return text[: match.end(1)] + inside + text[match.start(3) :]


def block(name: str, lines: Iterable[str] = ()) -> str:
    """Return the markers of that name with the lines between them, ending in a newline."""
    inside = "".join(f"{line}\n" for line in lines)
    return f"<!-- vaultmem:{name} -->\n{inside}<!-- /vaultmem:{name} -->\n"
