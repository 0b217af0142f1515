"""Markdown from outside without what Obsidian would load or run of its HTML."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ACTIVE = re.compile(
    r"<(?=/?(?:script|iframe|object|embed|applet|meta|base|link|style|form|svg|math|video|audio"
    r"|frame|frameset|portal|template)\b|[a-z][^<>]{0,2000}\son[a-z]{1,30}\s*=)",
    re.IGNORECASE,
)
_REMOTE = re.compile(r"!(?=\[[^\]\n]{0,1000}\]\([ \t]*<?(?:[a-z]+:)?//)", re.IGNORECASE)
_IMAGE = re.compile(r"<(?=img\b[^<>]{0,2000}//)", re.IGNORECASE)
_EMBED = re.compile(r"!(?=\[\[)")


def tamed(text: str) -> str:
    """Return the text with such tags as text, and images of the web and embedded notes as links.

    Fenced code stays as it is.
    """
    lines, fence = [], ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            closed = found and found[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closed else fence
            lines.append(line)
        elif found:
            fence = found[1]
            lines.append(line)
        else:
            line = _IMAGE.sub("&lt;", _ACTIVE.sub("&lt;", line))
            lines.append(_EMBED.sub("", _REMOTE.sub("", line)))
    return "\n".join(lines)
