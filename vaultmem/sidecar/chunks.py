"""Cuts a note's body into passages, the units that are searched.

Everything is counted in bytes of UTF-8, and in one pass: sections at headings, blocks at blank
lines, pieces where a block is too long, and pieces packed into passages again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from vaultmem.words.graphemes import inside_grapheme

LIMIT = 1000
LONGEST_TITLE = 120

_HEADING = re.compile(rb" {0,3}(#{1,6})[ \t]")
_OPENING = re.compile(
    rb"( {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})? {0,3}(?:(`{3,}+)[^`]*+$|(~{3,}+))", re.DOTALL
)
_CLOSING = re.compile(rb"( *)(`{3,}+|~{3,}+)[ \t]*$")

_SENTENCE = re.compile(
    r"(?<=[.!?…؟۔।])\s+"
    r"|(?<=[.!?…][\"'”’»)\]])\s+"
    r"|(?<=[\u0e00-\u0eff])\s+"
    r"|(?<=[。！？｡။។])(?![。！？｡」』）”’])"
    r"|(?<=[。！？｡][」』）”’])"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Passage:
    """A part of a note: `first` and `last` are the file's line numbers, from 1, both included.

    `heading` is the path of headings above it, joined with ` > `. `text` is exactly those lines,
    or a part of one line where that line alone is too long.
    """

    heading: str
    first: int
    last: int
    text: str


def passages(body: str, first_line: int = 1, limit: int = LIMIT) -> list[Passage]:
    """Return the passages of a body whose first line is the file's line `first_line`.

    Every line that is not blank is in exactly one passage, and no passage is longer than `limit`
    bytes, which must be 8 or more.
    """
    data = body.encode("utf-8", "surrogatepass")
    found = []
    for path, blocks in _sections(_blocks(data, first_line), data):
        for group in _balanced(_packed(_pieces(data, blocks, limit), limit)):
            text = _text(data, group[0].start, group[-1].end)
            if not text.isspace():
                found.append(Passage(path, group[0].line, group[-1].line, text))
    return found


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each without the white space around it."""
    parts = (part.strip() for line in text.splitlines() for part in _SENTENCE.split(line))
    return [part for part in parts if part]


class _Piece(NamedTuple):
    """Bytes `start` to `end` of the body, all on one line of the file."""

    line: int
    start: int
    end: int


class _Block(NamedTuple):
    """Lines that belong together, and their heading's level (0: they are none)."""

    lines: list[_Piece]
    level: int = 0
    is_fence: bool = False

    @property
    def size(self) -> int:
        return self.lines[-1].end - self.lines[0].start


class _Fence(NamedTuple):
    """An open code fence: its marks, and how far its closing may be indented."""

    marks: bytes
    indent: int

    @classmethod
    def opened_by(cls, line: bytes) -> _Fence | None:
        match = _OPENING.match(line)
        if not match:
            return None
        return cls(match[2] or match[3], len(match[1] or b"") + 3)

    def closed_by(self, line: bytes) -> bool:
        match = _CLOSING.match(line)
        if not match:
            return False
        return len(match[1]) <= self.indent and match[2].startswith(self.marks)


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "surrogatepass")


def _lines(data: bytes, first: int) -> Iterator[tuple[_Piece, bytes]]:
    """Yield each line without its end; of bytes, only CR and LF end lines."""
    start = 0
    for number, whole in enumerate(data.splitlines(keepends=True), first):
        line = whole.rstrip(b"\r\n")
        yield _Piece(number, start, start + len(line)), line
        start += len(whole)


def _blocks(data: bytes, first_line: int) -> Iterator[_Block]:
    """Yield headings, code fences and whatever else stands between blank lines."""
    lines: list[_Piece] = []
    fence: _Fence | None = None
    for piece, line in _lines(data, first_line):
        if fence:
            lines.append(piece)
            if fence.closed_by(line):
                yield _Block(lines, is_fence=True)
                lines, fence = [], None
            continue
        heading = _HEADING.match(line)
        opened = _Fence.opened_by(line)
        blank = not line.strip()
        if lines and (heading or opened or blank):
            yield _Block(lines)
            lines = []
        if heading:
            yield _Block([piece], level=len(heading[1]))
        elif not blank:
            lines.append(piece)
            fence = opened
    if lines:
        yield _Block(lines, is_fence=fence is not None)


def _sections(blocks: Iterable[_Block], data: bytes) -> Iterator[tuple[str, list[_Block]]]:
    """Yield the heading path and the blocks of each section, its heading line among them."""
    above: list[tuple[int, str]] = []
    section: list[_Block] = []
    for block in blocks:
        if block.level:
            if section:
                yield _path(above), section
            above = [(level, title) for level, title in above if level < block.level]
            above.append((block.level, _title(_text(data, *block.lines[0][1:]))))
            section = []
        section.append(block)
    if section:
        yield _path(above), section


def _path(above: list[tuple[int, str]]) -> str:
    return " > ".join(title for _, title in above if title)


def _title(line: str) -> str:
    """Return a heading's words, without marks before and after, not longer than a title is."""
    title = line.strip().lstrip("#").strip()
    bare = title.rstrip("#")
    if not bare or bare[-1].isspace():
        title = bare.rstrip()
    if len(title) <= LONGEST_TITLE:
        return title
    return title[: _whole_before(title, LONGEST_TITLE)].rstrip()


def _pieces(data: bytes, blocks: list[_Block], limit: int) -> Iterator[list[_Piece]]:
    """Yield what must stay together: whole blocks, lines of long blocks, parts of long lines."""
    room = limit
    for block in blocks:
        most = limit if block.is_fence else room
        if block.size <= most:
            yield block.lines
        else:
            for line in block.lines:
                yield from ([part] for part in _parts(data, line, most))
        # Text that fits only without its heading is cut, so that the heading does not stand alone.
        room = max(limit - block.size - len("\r\n\r\n"), limit // 2) if block.level else limit


def _parts(data: bytes, line: _Piece, limit: int) -> Iterator[_Piece]:
    """Yield a line in parts of at most `limit` bytes; a blank line has none."""
    start = line.start
    while line.end - start > limit:
        end = start + limit
        while data[end] & 0xC0 == 0x80:
            end -= 1
        window = _text(data, start, end)
        end = start + len(window[: _break(window)].encode("utf-8", "surrogatepass"))
        yield _Piece(line.line, start, end)
        start = end
    if data[start : line.end].strip():
        yield _Piece(line.line, start, line.end)


def _packed(pieces: Iterable[list[_Piece]], limit: int) -> list[list[list[_Piece]]]:
    """Return the pieces in groups, each as full as the limit allows."""
    groups: list[list[list[_Piece]]] = []
    for piece in pieces:
        if groups and piece[-1].end - groups[-1][0][0].start <= limit:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _balanced(groups: list[list[list[_Piece]]]) -> Iterator[list[_Piece]]:
    """Yield the lines of each group; the last two are evened out, since the last may be tiny."""
    if len(groups) > 1:
        tail = groups[-2] + groups[-1]
        start, end = tail[0][0].start, tail[-1][-1].end

        def longer_half(cut: int) -> int:
            return max(tail[cut - 1][-1].end - start, end - tail[cut][0].start)

        cut = min(range(1, len(tail)), key=longer_half)
        groups = [*groups[:-2], tail[:cut], tail[cut:]]
    for group in groups:
        yield [line for piece in group for line in piece]


def _break(window: str) -> int:
    """Return where to cut a long text of which `window` is the beginning.

    Parts of half the limit pack well, so: the last end of a sentence in the first half, else the
    first one after; the same with white space; else the middle.
    """
    half = len(window) // 2
    for pattern in (_SENTENCE, _SPACE):
        ends = [end for match in pattern.finditer(window) if (end := match.end()) < len(window)]
        early = [end for end in reversed(ends) if end <= half]
        late = (end for end in ends if end > half)
        for end in (*early, *late):
            if not inside_grapheme(window, end):
                return end
    return _whole_before(window, half) or _whole_after(window, half)


def _whole_before(text: str, index: int) -> int:
    """Return the last place up to `index` that is not inside a grapheme, 0 if there is none."""
    while index > 0 and inside_grapheme(text, index):
        index -= 1
    return index


def _whole_after(text: str, index: int) -> int:
    index = max(index, 1)
    while index < len(text) and inside_grapheme(text, index):
        index += 1
    return index
