"""What changed between two texts, word by word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
MOST = 4000
"""Lines, or words, of a changed stretch that are compared; a longer one is shown whole, as gone
and come."""
MOST_PAIRS = 20_000
"""Places at which the two may be laid side by side; what stands too often does not choose them."""
_AROUND = 8


class Piece(NamedTuple):
    """A stretch of text that stayed (` `), went (`-`) or came (`+`)."""

    sign: str
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """Return how one text became the other, in order; joined, the pieces give both again.

    Lines are compared first, and words only within those that changed.
    """
    pieces: list[Piece] = []
    for sign, was, now in _steps(_LINE.findall(before), _LINE.findall(after)):
        if sign == " ":
            pieces.append(Piece(" ", now))
        else:
            pieces += _words(was, now)
    return _joined(pieces)


def _words(before: str, after: str) -> list[Piece]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not old or not new or len(old) + len(new) > MOST:
        return [Piece(sign, text) for sign, text in (("-", before), ("+", after)) if text]
    found = []
    for sign, was, now in _steps(old, new):
        found += [Piece(" ", now)] if sign == " " else [Piece("-", was), Piece("+", now)]
    return [piece for piece in found if piece.text]


def _steps(old: list[str], new: list[str]) -> list[tuple[str, str, str]]:
    first = _shared(zip(old, new, strict=False))
    last = _shared(zip(old[first:][::-1], new[first:][::-1], strict=False))
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    steps = [
        (" ", "".join(old[:first]), "".join(new[:first])),
        *_compared(before, after),
        (" ", "".join(old[len(old) - last :]), "".join(new[len(new) - last :])),
    ]
    return [step for step in steps if step[1] or step[2]]


def _shared(pairs: Iterable[tuple[str, str]]) -> int:
    """Return how many pairs in a row, from the first on, are two of the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _compared(old: list[str], new: list[str]) -> list[tuple[str, str, str]]:
    if len(old) + len(new) > MOST:
        return [("~", "".join(old), "".join(new))]
    matcher = SequenceMatcher(_common(old, new).__contains__, old, new, autojunk=False)
    return [
        (" " if tag == "equal" else "~", "".join(old[a:b]), "".join(new[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
    ]


def _common(old: list[str], new: list[str]) -> set[str]:
    """Return what stands so often that trying each place for it would take too long."""
    times, again = Counter(old), Counter(new)
    pairs = {part: count * again[part] for part, count in times.items()}
    common, left = set(), sum(pairs.values())
    for part in sorted(pairs, key=lambda part: (-pairs[part], part)):
        if left <= MOST_PAIRS:
            break
        common.add(part)
        left -= pairs[part]
    return common


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with those of one sign that touch made one."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].sign == piece.sign:
            found[-1] = Piece(piece.sign, found[-1].text + piece.text)
        else:
            found.append(piece)
    return found


def shortened(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with what stayed cut to a few words beside what changed."""
    return [
        Piece(" ", _cut(piece.text, place > 0, place < len(pieces) - 1))
        if piece.sign == " "
        else piece
        for place, piece in enumerate(pieces)
    ]


def _cut(text: str, follows: bool, leads: bool) -> str:
    words = re.findall(r"\S+\s*|\s+", text)
    kept_first, kept_last = (_AROUND if follows else 0), (_AROUND if leads else 0)
    if len(words) <= kept_first + kept_last + 1:
        return text
    first, last = words[:kept_first], words[len(words) - kept_last :] if kept_last else []
    return "".join([*first, "... ", *last])
