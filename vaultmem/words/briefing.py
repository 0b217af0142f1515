"""A brief, and how its parts are fitted into a budget of tokens. Sizes are bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vaultmem.words.hit import fitting
from vaultmem.words.safe import shown

LEAST = 160
"""Bytes below which a part of the brief is left out rather than cut."""
SMALLEST_BUDGET = 10
NOTHING = "The vault has nothing to say yet."
_AROUND = 128
"""Bytes that a server says around a brief: its frame, and that something is unread."""
_CUT = 200
"""Bytes for the line that names what was cut."""
_SHORTEST_CUT = 24


@dataclass(frozen=True)
class Part:
    """One part of a brief."""

    name: str
    text: str


@dataclass(frozen=True)
class Brief:
    """The parts in order, within the budget; `cut` names what did not fit whole."""

    parts: tuple[Part, ...] = ()
    cut: tuple[str, ...] = ()
    note: str = ""

    def text(self) -> str:
        """Return the brief as markdown."""
        blocks = [_block(part.name, part.text) for part in self.parts]
        blocks += [_cut_line(self.cut)] if self.cut else []
        blocks += [self.note] if self.note else []
        return "\n\n".join(blocks) or NOTHING


class Page:
    """A brief in the making, filled from the top."""

    def __init__(self, budget: int) -> None:
        """Begin a brief of at most `budget` tokens, what a server says around it included."""
        self._whole = budget * 4
        self._around = min(_AROUND, self._whole // 4)
        self._left = self._whole - self._around - min(_CUT, self._whole // 4)
        self._kept: dict[str, int] = {}
        self._parts: list[Part] = []
        self._cut: list[str] = []

    def keep(self, name: str, text: str, share: float) -> None:
        """Keep room for a part that comes later: all it needs, or a share of the whole page."""
        wanted = _size(_block(name, shown(text))) + 2 if text else 0
        self._kept[name] = min(wanted, int(self._whole * share))

    def room(self, name: str) -> int:
        """Return how many bytes the text of a part may have, without what is kept for others."""
        others = sum(size for other, size in self._kept.items() if other != name)
        return self._left - others - _size(_block(shown(name), "")) - 2

    def fits(self, name: str, text: str) -> bool:
        """Return whether a text alone fits the budget."""
        return _size(_block(shown(name), shown(text))) <= self._whole

    def add(self, name: str, text: str) -> None:
        """Add a part, cut at a line or a word where it is too long."""
        text, room = shown(text), self.room(name)
        self._kept.pop(name, None)
        if not text:
            return
        if _size(text) > room:
            self._cut.append(shown(name))
            text = fitting(text, room // 4) if room >= LEAST else ""
        self._put(name, text)

    def lines(self, name: str, lines: Sequence[str], total: int) -> int:
        """Add a part made of the first whole lines of `total`, as many as fit; return how many."""
        room = self.room(name)
        taken: list[str] = []
        self._kept.pop(name, None)
        for line in map(shown, lines):
            room -= _size(line) + 1
            if room < 0:
                break
            taken.append(line)
        if len(taken) < total:
            self._cut.append(f"{total - len(taken)} of {shown(name)}")
        self._put(name, "\n".join(taken))
        return len(taken)

    def _put(self, name: str, text: str) -> None:
        if text:
            self._parts.append(Part(shown(name), text))
            self._left -= _size(_block(shown(name), text)) + 2

    def whole(self, name: str, text: str) -> None:
        """Add a part as it is, whatever its length."""
        self._put(name, shown(text))

    def done(self) -> Brief:
        """Return the brief."""
        found = Brief(tuple(self._parts))
        room = self._whole - (_size(found.text()) + 2 if self._parts else 0)
        spare = room - self._around
        return replace(found, cut=_named(self._cut, spare if spare >= _SHORTEST_CUT else room))


def _named(cut: list[str], most: int) -> tuple[str, ...]:
    """Return as many names of what was cut as fit a line of some bytes, then how many more."""
    for count in range(len(cut), -1, -1):
        rest = len(cut) - count
        named = (*cut[:count], *([f"{rest} more"] if rest else []))
        if named and _size(_cut_line(named)) <= most:
            return named
    return ()


def _cut_line(names: Sequence[str]) -> str:
    return f"Cut to fit: {', '.join(names)}."


def _block(name: str, text: str) -> str:
    return f"## {name}\n\n{text}"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
