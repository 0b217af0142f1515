"""Near: whether two texts say the same thing in almost the same words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

TO_FOLD = 0.85
"""Least cosine of two notes that are folded into one parent, or into one hit."""
LEAST_SHARED = 0.3
"""Least Jaccard of their 3-grams beside it."""
BLIND_SHARED = 0.8
"""Least Jaccard where a model cannot read one of them."""
TO_REFUSE = 0.92
"""Least cosine of a new note and one that is there already, for which it is not stored."""
LONGEST = 20_000
"""Characters of a note that are compared."""

_TELLING = re.compile(
    r"[^\s\w]*\d[\w.,:/%°$€£+-]*"  # numbers, versions, dates, with their units
    r"|[\w.-]*[/\\_][\w./\\-]*"  # paths and names in code
    r"|\b\w+[a-z][A-Z]\w*"
    r"|(?<![.!?:\n] )(?<!\n)(?<!^)\b[A-Z][\w-]+"  # names: a capital that no sentence begins with
)
_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty fifty "
    "hundred thousand million half twice once daily weekly monthly hourly nightly yearly"
)
_DENYING = (
    "not no never none nothing without cannot neither nor isn't aren't wasn't don't doesn't didn't "
    "can't won't shouldn't mustn't nicht kein keine nie ohne ne pas jamais sans non nunca"
)
_DENIALS = ("ไม่", "ห้าม", "ไม่ใช่", "不", "没", "無", "ない", "않")
_OPPOSITES = (
    "on off",
    "enable disable",
    "enabled disabled",
    "allow deny",
    "allowed denied",
    "allowed forbidden",
    "true false",
    "yes no",
    "before after",
    "always never",
    "min max",
    "minimum maximum",
    "increase decrease",
    "up down",
    "left right",
    "first last",
    "add remove",
    "open closed",
    "start stop",
    "push pull",
    "read write",
    "sync async",
    "public private",
    "more less",
    "all none",
    "required optional",
    "internal external",
    "accept reject",
    "success failure",
    "fast slow",
    "old new",
)
_SIDES = {word: (number, side) for number, pair in enumerate(_OPPOSITES)
          for side, word in enumerate(pair.split())}  # fmt: skip


def near(one: str, other: str, cosine: float | None, least: float = TO_FOLD) -> bool:
    """Return whether two texts say the same: close in meaning, and alike letter by letter.

    `cosine` is None where a model cannot read one of them. Texts that differ in a number, version,
    date, unit, path, name, negation or opposite are never near.
    """
    if cosine is not None and cosine < least:
        return False
    shared = BLIND_SHARED if cosine is None else LEAST_SHARED
    return alike(one, other) >= shared and not differ(one, other)


def plain(text: str) -> str:
    """Return the normal form by which two texts are the same statement."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"[^\W_]+", folded))


def same_statement(one: str, other: str) -> bool:
    """Return whether two texts say the same in the same words."""
    return plain(one) == plain(other)


def alike(one: str, other: str) -> float:
    """Return the Jaccard index of two texts' character 3-grams, from 0 to 1."""
    left, right = grams(one), grams(other)
    return len(left & right) / len(left | right) if left or right else 1.0


def differ(one: str, other: str) -> bool:
    """Return whether two texts differ in what tells facts apart."""
    if _telling(one) != _telling(other):
        return True
    left, right = _words(one), _words(other)
    if (left ^ right) & set(_NUMBERS.split()):
        return True
    if _denials(one, left) != _denials(other, right):
        return True
    return any(_across(word, right - left) for word in left - right)


def _across(word: str, others: set[str]) -> bool:
    """Return whether the opposite of a word is among others."""
    known = _SIDES.get(word)
    if known is None:
        return False
    number, side = known
    return _OPPOSITES[number].split()[1 - side] in others


@lru_cache(maxsize=512)
def grams(text: str) -> frozenset[str]:
    """Return the 3-grams of a text's letters, whatever its case and spacing."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return (
        frozenset(plain[i : i + 3] for i in range(max(len(plain) - 2, 1))) if plain else frozenset()
    )


def _telling(text: str) -> set[str]:
    return {found.strip(".,:").casefold() for found in _TELLING.findall(text)}


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text.casefold().replace("’", "'")))


def _denials(text: str, words: set[str]) -> tuple[bool, frozenset[str]]:
    return bool(words & set(_DENYING.split())), frozenset(sign for sign in _DENIALS if sign in text)
