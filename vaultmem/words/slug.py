"""File names out of titles: readable in every script, safe on every disk."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category, combining, normalize

LONGEST = 80
HEAVIEST = 120

_EMPTY = "note"
_APOSTROPHES = "'’"
_DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{port}{n}" for port in ("com", "lpt") for n in "123456789¹²³"
}
# Letters and marks by their category, yet nothing of them is ever seen.
_UNSEEN = {
    *map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)),
    *map(chr, range(0x180B, 0x1810)),
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}
# Letters by their category that belong to the one before: vowel signs and sound marks.
_TRAILING = {"\u0e33", "\u0eb3", "\uff9e", "\uff9f"}
_VIRAMA = 9


def folded(name: str) -> str:
    """Return what a disk that tells neither case nor composition apart would see of a name."""
    return normalize("NFC", normalize("NFD", name).casefold())


def slug(title: str) -> str:
    """Return a file name stem for a title: lower-case words joined by `-`, in NFC.

    Never empty, at most 80 characters and 120 bytes of UTF-8, cut between graphemes, and made
    of letters, marks and digits alone. Different titles may have the same slug.
    """
    words = "".join(_kept(normalize("NFC", title).lower()))
    joined = "-".join(word for word in normalize("NFC", words).split("-") if word)
    stem = _cut(joined, 0) or _EMPTY
    return f"{stem}-note" if stem in _DEVICES else stem


def numbered(stem: str, n: int) -> str:
    """Return the stem with `-n` behind it, shortened where it would grow beyond the limits."""
    suffix = f"-{n}"
    return f"{_cut(stem, len(suffix)) or _EMPTY}{suffix}"


def _kept(text: str) -> Iterator[str]:
    """Yield what a name is made of, and `-` wherever a word ends."""
    in_word = False
    for char in text:
        kind = category(char)
        if kind in ("Cf", "Me") or char in _UNSEEN or char in _APOSTROPHES:
            continue
        if kind[0] in "LN" or (kind[0] == "M" and in_word):
            in_word = True
            yield char
        else:
            in_word = False
            yield "-"


def _cut(text: str, spare: int) -> str:
    """Return as many whole graphemes as the limits allow, less `spare` ASCII characters."""
    length, weight, end = spare, spare, 0
    for grapheme in _graphemes(text):
        length += len(grapheme)
        weight += len(grapheme.encode())
        if length > LONGEST or weight > HEAVIEST:
            break
        end += len(grapheme)
    return text[:end].rstrip("-")


def _graphemes(text: str) -> Iterator[str]:
    """Yield stretches that are read as one sign: a base with its marks, a conjunct, a syllable."""
    start = 0
    for at in range(1, len(text)):
        if not _continues(text[at - 1], text[at]):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _continues(before: str, char: str) -> bool:
    jamo = "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"
    conjunct = combining(before) == _VIRAMA and char != "-"
    return jamo or conjunct or char in _TRAILING or category(char)[0] == "M"
