"""The markers that a merge leaves where two sides contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

MARKED = "it holds the markers of a merge conflict"
"""How such a note is described among its oddities."""
_OPENS, _BASE, _DIVIDES, _CLOSES = b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"


def conflicted(data: bytes) -> bool:
    """Return whether a text holds a conflict from its first marker to its last."""
    if _OPENS not in data:
        return False
    wanted, order = 0, (_OPENS, _DIVIDES, _CLOSES)
    for line in data.splitlines():
        if _is(line, order[wanted]):
            wanted += 1
            if wanted == len(order):
                return True
    return False


def left_over(data: bytes) -> bool:
    """Return whether any line is the first or the last marker of a conflict, be it half settled."""
    ends = (_OPENS + b" ", _CLOSES + b" ")
    return any(end in data for end in ends) and any(
        line.startswith(ends) for line in data.splitlines()
    )


def first_side(data: bytes) -> bytes:
    """Return a text as the first side of each conflict has it."""
    return b"".join(_first(data.splitlines(keepends=True)))


def both(ours: bytes, theirs: bytes, newline: bytes = b"\n") -> bytes:
    """Return two texts as the two sides of one conflict."""
    ends = [b"" if text.endswith(b"\n") or not text else newline for text in (ours, theirs)]
    opens, divides, closes = _OPENS + b" ours", _DIVIDES, _CLOSES + b" theirs"
    lines = (opens, newline, ours, ends[0], divides, newline, theirs, ends[1], closes, newline)
    return b"".join(lines)


def _first(lines: list[bytes]) -> Iterator[bytes]:
    side = 0
    for line in lines:
        if not side and _is(line, _OPENS):
            side = 1
        elif side == 1 and (_is(line, _DIVIDES) or _is(line, _BASE)):
            side = 2
        elif side == 2 and _is(line, _CLOSES):
            side = 0
        elif side < 2:
            yield line


def _is(line: bytes, marker: bytes) -> bool:
    plain = line.rstrip(b"\r\n")
    return plain == marker or plain.startswith(marker + b" ")
