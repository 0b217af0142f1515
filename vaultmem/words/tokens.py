"""A text as its words, numbers and code, one by one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vaultmem.words.opposites import stem
from vaultmem.words.quantities import quantity, unit, value
from vaultmem.words.vocabulary import ABBREVIATED, COURTESIES, DENIALS, LIGHT

MOST_COURTESIES = 3
"""Most of them behind one stretch."""
_WIDE = "\u0e01-\u0e3a\u0e40-\u0eff\u1000-\u109f\u1780-\u17ff"
_DENSE = (
    f"{_WIDE}\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_BREAKS = r"\s,;!?\"“”„«»‹›、。()…|{}\[\]《》「」『』【】،؛؟"
_CHUNK = re.compile(rf"[{_DENSE}]+|(?:(?<=\d),(?=\d)|[^{_BREAKS}{_DENSE}])+|\n|\S")
_IS_DENSE = re.compile(f"[{_DENSE}]")
_IS_WIDE = re.compile(f"[{_WIDE}]")
_IS_CODE = re.compile(r".*?[/\\@=#_]|.*?\w[.:]\w|--?[^\W\d]|[a-z]+[A-Z]", re.DOTALL)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_PER_CENT = re.compile(r"\bper cent\b", re.IGNORECASE)
_EDGES = "'*`.:_^–—"
_ENDINGS = "\n.:;!?。؟"
_SIGNS_OF_ORDER = "< > <= >= != == -> <- => ≤ ≥ → ←"
_OPERATORS = frozenset(_SIGNS_OF_ORDER.split())
_WITH_A_DOT = "mr mrs ms dr prof st jr sr inc corp co ltd vs no"
_TITLES = frozenset(_WITH_A_DOT.split())
_CALENDAR = """
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
_CUT_SHORT = {
    **{name[:3]: name for name in _CALENDAR.split()},
    "sept": "september",
    "tues": "tuesday",
    "thurs": "thursday",
}
DATES = frozenset(map(stem, _CALENDAR.split()))
"""Stems of the names of months and days."""


class Token(NamedTuple):
    """One thing that a text says."""

    kind: str
    """word, name, light (a word that tells no fact), denial, number, spelled, code, dense, gap."""
    text: str = ""
    """The stem of a word, the value of a number."""
    written: str = ""
    begins: bool = False
    """Whether a sentence begins with it."""
    unit: str = ""


def tokens(text: str) -> list[Token]:
    """Return what a text says, in its order."""
    plainly = _PER_CENT.sub("percent", normal(text))
    loud = 2 * sum(map(str.isupper, plainly)) > len(plainly)
    return list(_counted(_each(plainly.casefold() if loud else plainly)))


def normal(text: str) -> str:
    """Return a text in one form of each character, digits of every script as 0 to 9."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return "".join(
        str(unicodedata.decimal(c)) if c.isdecimal() else "'" if c in "’‘" else c for c in text
    )


def tiled(stretch: str) -> list[str]:
    """Return a stretch without spaces as overlapping tiles, one for each place."""
    size = 3 if _IS_WIDE.match(stretch) else 2
    return [stretch[i : i + size] for i in range(max(len(stretch) - size + 1, 1))]


def shouted(written: str) -> bool:
    """Return whether a word is all capitals."""
    return len(written) > 1 and written.isupper()


def _each(text: str) -> Iterator[Token]:
    begins = True
    for chunk in _CHUNK.findall(text):
        found = list(_unparted(chunk) if _IS_DENSE.match(chunk) else _parted(chunk))
        for token in found:
            yield token._replace(begins=begins)
            begins = False
        if chunk[-1] in _ENDINGS and not _goes_on(chunk):
            begins = True
        if begins or not found:
            yield Token("gap")


def _goes_on(chunk: str) -> bool:
    """Return whether the dot behind a word belongs to it: Mr., W., U.S."""
    word = chunk[:-1]
    return bool(_INITIALS.fullmatch(chunk)) or word.casefold() in _TITLES


def _unparted(stretch: str) -> Iterator[Token]:
    """Return a stretch without spaces, as it would be said without courtesy."""
    for _ in range(MOST_COURTESIES):
        ending = next((end for end in COURTESIES if stretch.endswith(end)), "")
        stretch = stretch.removesuffix(ending)
    if stretch:
        yield Token("dense", stretch)


def _parted(chunk: str) -> Iterator[Token]:
    """Return what a piece of text without space says; nothing if it has no letter or digit."""
    bare = chunk.strip(_EDGES)
    if chunk in _OPERATORS:
        yield Token("code", chunk)
    elif not any(map(str.isalnum, bare)):
        if unit(chunk):
            yield Token("light", chunk, chunk)
    elif _INITIALS.fullmatch(bare):
        yield _word(bare.replace(".", ""))
    elif _IS_CODE.match(bare) and not bare[0].isdigit():
        yield _number(bare) or Token("code", bare.casefold())
    else:
        parts = bare.split("-")
        whole = not any(map(str.isalpha, parts))
        for part in [bare] if whole else parts:
            if part.strip(_EDGES):
                yield _number(part) or _word(part.strip(_EDGES))


def _number(chunk: str) -> Token | None:
    if not any(map(str.isdigit, chunk)):
        return None
    found = quantity(chunk)
    return Token("number", found[0], unit=found[1]) if found else Token("code", chunk.casefold())


def _word(written: str) -> Token:
    folded = written.casefold()
    short = folded.removesuffix("'s")
    if folded.endswith("n't") or folded in DENIALS:
        return Token("denial", "not")
    if number := value(folded):
        return Token("spelled", number, folded)
    if folded in LIGHT and not shouted(written):
        return Token("light", folded, folded)
    full = ABBREVIATED.get(short, short)
    if written[0].isupper():
        return Token("name", stem(_CUT_SHORT.get(short, full)), written)
    return Token("word", stem(full), written)


def _counted(tokens: Iterable[Token]) -> Iterator[Token]:
    """Join numbers to the units behind them: 5 million dollars, twenty five minutes."""
    held: Token | None = None
    for token in tokens:
        if held and (name := unit(token.written)):
            held = held._replace(unit=held.unit if name in held.unit else held.unit + name)
        elif held and token.kind == "spelled" and held.text[1:] == "0" and len(token.text) == 1:
            held = held._replace(text=held.text[0] + token.text)
        else:
            if held:
                yield _with_measure(held, token)
            held = token if token.kind in ("number", "spelled") else None
            if not held:
                yield token
    if held:
        yield held


def _with_measure(number: Token, following: Token) -> Token:
    """Return a number with what a script without spaces counts by it, or begins to."""
    if following.kind != "dense":
        return number
    return number._replace(unit=number.unit + tiled(following.text)[0])
