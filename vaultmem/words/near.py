"""Near: whether two texts say the same thing in almost the same words.

What differs is told by what each of the two texts has for itself: numbers, code, names, denials and
words. English, whose words are known, may be reworded; in other languages hardly anything may be
said in another way, since nothing here knows which word there is an opposite or a name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vaultmem.words.life import TO_FOLD, TO_REFUSE
from vaultmem.words.opposites import opposed
from vaultmem.words.statement import Statement, grams, plain, read
from vaultmem.words.tokens import DATES, tiled
from vaultmem.words.vocabulary import ADDING, LIGHT, PARTICLES, UNSAID

__all__ = [
    "TO_FOLD",
    "TO_REFUSE",
    "alike",
    "differ",
    "difference",
    "disputed",
    "grams",
    "near",
    "plain",
    "same_statement",
]

LEAST_SHARED = 0.3
"""Least Jaccard of their 3-grams beside it."""
BLIND_SHARED = 0.8
"""Least Jaccard where a model cannot read one of them."""

LONGEST = 20_000
"""Characters of a note that are compared."""

LEAST_WORDS = 0.5
"""Least Jaccard of the words that tell facts, in English. This and what follows is from MRPC."""
LEAST_FOREIGN = 0.8
"""The same in other languages, and least share of characters where no spaces part words."""
WORDS_FOR_NAME = 6
"""For so many shared words one text may name somebody whom the other leaves out."""
WORDS_FOR_MORE = 4
"""For so many of its words an English text may say one more, if it is reworded besides."""
WORDS_FOR_ONE = 10
"""For so many of its words it may say one more where all around it is equal."""
FEW_WORDS = 8
"""A text of fewer words says no more than the other."""
SWAPPED_WORDS = 3
"""Most English words that count as put in the place of others."""
SWAPPED_MARKS = 16
"""The same for words and characters of other languages."""


def near(one: str, other: str, cosine: float | None, least: float = TO_FOLD) -> bool:
    """Return whether two texts say the same: close in meaning, and alike letter by letter.

    `cosine` is None where a model cannot read one of them. Texts that differ in a number, version,
    date, unit, path, name, negation or opposite are never near.
    """
    if cosine is not None and cosine < least:
        return False
    shared = BLIND_SHARED if cosine is None else LEAST_SHARED
    return alike(one, other) >= shared and not differ(one, other)


def same_statement(one: str, other: str) -> bool:
    """Return whether two texts are equal but for what `plain` leaves out."""
    return plain(one) == plain(other)


def alike(one: str, other: str) -> float:
    """Return the Jaccard index of two texts' character 3-grams, from 0 to 1."""
    left, right = grams(one), grams(other)
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def differ(one: str, other: str) -> bool:
    """Return whether two texts differ in what tells facts apart."""
    return difference(one, other) is not None


def difference(one: str, other: str) -> str | None:
    """Return the first of `DIFFERENCES` that tells two texts apart, or None if they agree."""
    left, right = read(one), read(other)
    return next((name for name, told in DIFFERENCES.items() if told(left, right)), None)


def disputed(one: str, other: str) -> bool:
    """Return whether two texts differ in more than what one of them says besides."""
    reason = difference(one, other)
    if reason in (None, "besides", "words"):
        return False
    left, right = read(one), read(other)
    part = _part_of(left, right) or _part_of(right, left)
    return reason in ("denial", "opposite") or not part


def _part_of(one: Statement, other: Statement) -> bool:
    """Return whether a text says nothing that the other does not say too."""
    return one.words <= other.words and set(one.numbers) <= set(other.numbers)


def _numbers(left: Statement, right: Statement) -> bool:
    """Return whether values or units differ, or come in another order; `one` may be left out."""
    mine, theirs = set(left.numbers), set(right.numbers)
    if mine - theirs and theirs - mine:
        return True
    return not mine ^ theirs <= left.idle | right.idle or _ordered(left) != _ordered(right)


def _ordered(statement: Statement) -> dict[str, list[str]]:
    """Return the values of each unit in the order in which they come."""
    found: dict[str, dict[str, None]] = {}
    for value, unit in statement.numbers:
        if (value, unit) not in statement.idle:
            found.setdefault(unit, {})[value] = None
    return {unit: list(values) for unit, values in found.items()}


def _code(left: Statement, right: Statement) -> bool:
    return left.code != right.code


def _denials(left: Statement, right: Statement) -> bool:
    """Return whether one text denies more, or each denies what the other one states."""
    if len(left.denied) != len(right.denied) or left.signs != right.signs:
        return True
    mine, theirs = set(left.denied), set(right.denied)
    return bool((mine - theirs) & right.words and (theirs - mine) & left.words)


def _names(left: Statement, right: Statement) -> bool:
    """Return whether each text has a name of its own, or one of them a date, or too many names.

    A word that a sentence begins with is a name only if the other text has another one for it.
    """
    mine, theirs = left.names - right.words, right.names - left.words
    if (mine | (left.openers - right.words)) and (theirs | (right.openers - left.words)):
        return True
    extra = mine | theirs
    shared = len(left.words & right.words)
    return not extra.isdisjoint(DATES) or len(extra) * WORDS_FOR_NAME > shared


def _swapped(left: Statement, right: Statement) -> bool:
    """Return whether words stand in the place of others while all around them is equal."""
    if len(left.sequence) == len(right.sequence):
        both = list(zip(left.sequence, right.sequence, strict=True))
        odd = [pair for pair in both if pair[0] != pair[1]]
        return len(odd) <= max(len(both) // 2, 2) and not all(_both_light(*pair) for pair in odd)
    said, facts = _between(left, right)
    longest = SWAPPED_WORDS if _english(left, right) else SWAPPED_MARKS
    return all(facts) and facts == said and max(map(len, facts)) <= longest


def _besides(left: Statement, right: Statement) -> bool:
    """Return whether one text is the other with something put between or behind its words."""
    _, (mine, theirs) = _between(left, right)
    if mine and theirs:
        return False
    added = mine or theirs
    if not _english(left, right):
        return bool(added)
    room = max(len(left.words), len(right.words)) // WORDS_FOR_ONE
    return len(added) > room or not (left.names | right.names).isdisjoint(added)


def _between(left: Statement, right: Statement) -> tuple[list[list[str]], list[list[str]]]:
    """Return what each text says between the ends that both share: all, and the facts of it."""
    first, last = _shared_ends(left.sequence, right.sequence)
    said = [
        [word for word in text.sequence[first : len(text.sequence) - last] if word not in UNSAID]
        for text in (left, right)
    ]
    return said, [[word for word in words if not _light(word)] for words in said]


def _shared_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many words two texts share at the beginning, and then at the end."""
    least = min(len(one), len(other))
    first = next((i for i in range(least) if one[i] != other[i]), least)
    rest = least - first
    return first, next((i for i in range(rest) if one[-1 - i] != other[-1 - i]), rest)


def _light(word: str) -> bool:
    return word in LIGHT or word in PARTICLES


def _both_light(one: str, other: str) -> bool:
    return _light(one) and _light(other) and not opposed({one}, {other})


def _english(left: Statement, right: Statement) -> bool:
    return left.english and right.english


def _own_words(left: Statement, right: Statement) -> bool:
    """Return whether too many words are in one text alone.

    In a language whose words are not known, that is any word in the place of another.
    """
    mine, theirs = left.words - right.words, right.words - left.words
    shared, own = len(left.words & right.words), len(mine) + len(theirs)
    if not _english(left, right):
        return bool(mine and theirs) or shared < LEAST_FOREIGN * (shared + own)
    if not mine or not theirs:
        longer = shared + own
        return own > (longer // WORDS_FOR_MORE if longer >= FEW_WORDS else 0)
    return shared < LEAST_WORDS * (shared + own)


def _own_stretches(left: Statement, right: Statement) -> bool:
    """Return the same for scripts without spaces; one text may not add to a list either."""
    if left.dense == right.dense:
        return False
    mine, theirs = _uncovered(left, right), _uncovered(right, left)
    if mine and theirs:
        return True
    longer = max(sum(map(len, text.dense)) for text in (left, right))
    own = mine + theirs
    return len(own) > (1 - LEAST_FOREIGN) * longer or any(sign in own for sign in ADDING)


def _uncovered(one: Statement, other: Statement) -> str:
    """Return the characters of one text that lie in no tile which the other has too."""
    found = []
    for stretch in one.dense:
        tiles, until = tiled(stretch), 0
        for place, character in enumerate(stretch):
            if place < len(tiles) and tiles[place] in other.tiles:
                until = place + len(tiles[place])
            if place >= until and character not in PARTICLES:
                found.append(character)
    return "".join(found)


def _opposites(left: Statement, right: Statement) -> bool:
    return opposed(left.words - right.words, right.words - left.words)


DIFFERENCES: dict[str, Callable[[Statement, Statement], bool]] = {
    "number": _numbers,
    "code": _code,
    "denial": _denials,
    "name": _names,
    "swapped": _swapped,
    "besides": _besides,
    "words": _own_words,
    "stretch": _own_stretches,
    "opposite": _opposites,
}
"""What tells two texts apart, by name: each says whether it does."""
