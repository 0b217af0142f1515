"""Generated text inside a person's note: it stands between two markers, the rest is theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable


def ends(name: str) -> tuple[str, str]:
    """Return the two markers of a name."""
    return f"<!-- vaultmem:{name} -->", f"<!-- /vaultmem:{name} -->"


def filled(text: str, name: str, lines: Iterable[str]) -> str | None:
    """Return the text with the lines between the markers of that name, None without markers.

    What stands outside of the markers stays byte for byte, and so does the note's line ending.
    A line cannot hold a comment, since that might be a marker.
    """
    begin, end = ends(name)
    inner = rf"(?:(?!{begin}).)*?"  # an opening marker that lost its end opens nothing
    match = re.search(rf"({begin}[ \t]*\r?\n)({inner})({end})", text, re.DOTALL)
    if not match:
        return None
    newline = "\r\n" if match.group(1).endswith("\r\n") else "\n"
    inside = "".join(line.replace("<!--", "< !--") + newline for line in lines)
    return text[: match.end(1)] + inside + text[match.start(3) :]


def block(name: str, lines: Iterable[str] = ()) -> str:
    """Return the markers of that name with the lines between them, ending in a newline."""
    inside = "".join(f"{line}\n" for line in lines)
    begin, end = ends(name)
    return f"{begin}\n{inside}{end}\n"


def placed(text: str, name: str, lines: Iterable[str]) -> str:
    """Return the text with the lines between the markers of that name, added below if missing.

    What stands outside of the markers stays byte for byte.
    """
    said = list(lines)
    found = filled(text, name, said)
    if found is not None:
        return found
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    added = block(name).replace("\n", newline)
    return text + gap + (filled(added, name, said) or added)
