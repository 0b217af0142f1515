"""A text taken apart into what tells facts apart: numbers, code, names, denials, words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from itertools import chain
from typing import TypeVar

from vaultmem.words.quantities import IDLE
from vaultmem.words.tokens import Token, normal, shouted, tiled, tokens
from vaultmem.words.vocabulary import SIGNS

SHORT = 2_000
"""Characters of a text of which many are remembered at once."""

LIGHT_SHARE = 5
"""At most so many other words come on each light one in English."""

_QUOTES = re.compile("[\"“”„«»‹›「」『』`]|(?<!\\w)'|'(?!\\w)")
_MARKS = re.compile(r"(?<![.;:!…])[.;:!…]+(?=\s|$)|(?<!\d),|,(?!\d)|[、。]")

Read = TypeVar("Read")


@dataclass(frozen=True)
class Statement:
    """A text, taken apart; words are stems in lower case."""

    sequence: tuple[str, ...]
    """Words, numbers, code, and the characters of scripts without spaces, in their order."""
    words: frozenset[str]
    names: frozenset[str]
    """Words with a capital that no sentence begins with."""
    openers: frozenset[str]
    """Words with a capital that a sentence begins with."""
    numbers: tuple[tuple[str, str], ...]
    """Values and units in their order."""
    idle: frozenset[tuple[str, str]]
    """Those of them that may count nothing."""
    code: frozenset[str]
    denied: tuple[str, ...]
    """The word that follows each denial."""
    signs: dict[str, int]
    """How often each sign of a denial or opposite occurs, in scripts that join words."""
    dense: tuple[str, ...]
    """Stretches without spaces between words."""
    tiles: frozenset[str]
    """Their runs of two or three characters."""
    english: bool
    """Whether its words are known: enough of them are light."""


def _remembered(reading: Callable[[str], Read]) -> Callable[[str], Read]:
    """Remember what was read of the last few texts, of fewer where they are long."""
    short, long = lru_cache(maxsize=512)(reading), lru_cache(maxsize=32)(reading)

    @wraps(reading)
    def read(text: str) -> Read:
        return short(text) if len(text) <= SHORT else long(text)

    return read


def plain(text: str) -> str:
    """Return a text without what changes no statement.

    That is how characters and digits are encoded, case, space, quotes, and marks behind a word.
    """
    unquoted = _QUOTES.sub("", normal(text).casefold())
    return " ".join(_MARKS.sub(" ", unquoted).split())


@_remembered
def grams(text: str) -> frozenset[str]:
    """Return the runs of three characters of a text, as `plain` gives it."""
    short = plain(text)
    return frozenset(short[i : i + 3] for i in range(max(len(short) - 2, 1)))


@_remembered
def read(text: str) -> Statement:
    """Return what a text states."""
    found = tokens(text)
    said = [token for token in found if token.kind not in ("gap", "dense")]
    kinds = {kind: [t for t in said if t.kind == kind] for kind in {t.kind for t in said}}
    names = kinds.get("name", [])
    words = kinds.get("word", []) + names
    light, spelled = kinds.get("light", []), kinds.get("spelled", [])
    dense = tuple(token.text for token in found if token.kind == "dense")
    return Statement(
        sequence=tuple(chain.from_iterable(map(_in_sequence, found))),
        words=frozenset(token.text for token in words),
        names=frozenset(t.text for t in names if not t.begins or shouted(t.written)),
        openers=frozenset(t.text for t in names if t.begins),
        numbers=tuple((t.text, t.unit) for t in said if t.kind in ("number", "spelled")),
        idle=frozenset((t.text, t.unit) for t in spelled if t.written in IDLE and not t.unit),
        code=frozenset(token.text for token in kinds.get("code", [])),
        denied=tuple(_denied(said)),
        signs=_signs(normal(text)),
        dense=dense,
        tiles=frozenset(tile for stretch in dense for tile in tiled(stretch)),
        english=not dense and bool(light) and LIGHT_SHARE * len(light) >= len(words),
    )


def _signs(text: str) -> dict[str, int]:
    counted = {} if text.isascii() else {sign: text.count(sign) for sign in SIGNS}
    return {sign: count for sign, count in counted.items() if count}


def _in_sequence(token: Token) -> Sequence[str]:
    if token.kind == "dense":
        return token.text
    return () if token.kind == "gap" else (token.text,)


def _denied(said: Sequence[Token]) -> Iterator[str]:
    """Return for each denial the next word that tells a fact."""
    after = ""
    for token in reversed(said):
        if token.kind == "denial":
            yield after
        elif token.kind != "light":
            after = token.text
