"""Where a text may be cut: between what a reader sees as two characters."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_STICKY = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")  # beside marks, these never begin one
_VIRAMA = 9


def inside_grapheme(text: str, index: int) -> bool:
    """Return whether a reader sees text[index - 1] and text[index] as one character."""
    before, after = text[index - 1], text[index]
    if after < "\u0300":
        return False
    if after in _STICKY or before == _JOINER or unicodedata.category(after)[0] == "M":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if _is_flag_half(after):
        return _flag_halves_before(text, index) % 2 == 1
    return _is_conjunct(before, after)


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return index - start


def _is_conjunct(before: str, after: str) -> bool:
    """Tell whether two letters are one syllable: Indic conjuncts, and Korean written in jamo."""
    if unicodedata.combining(before) == _VIRAMA:
        return after.isalpha()
    if "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7ff":
        return unicodedata.name(before, "").startswith("HANGUL")
    leads = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97f"
    return leads and unicodedata.name(after, "").startswith("HANGUL")
