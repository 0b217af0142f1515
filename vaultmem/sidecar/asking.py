"""What a question asks for: terms to rank by, phrases it insists on, words it rules out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from vaultmem.sidecar.analysis import common_words, language_of, terms

MOST_TERMS = 200
_ENGLISH = (
    "a about am an and any are as at be been being but by can could did do does for from get had "
    "has have he her him his how i if in into is it its may me might must my no not of on or our "
    "shall she should so some than that the their them then there these they this those to up us "
    "was we were what when where which who whom whose why will with would you your"
)
_THAI = (
    "กับ การ ก็ กี่ ของ ครับ ความ คือ คะ ค่ะ จะ จาก ด้วย ตรงไหน ต้อง ถ้า ทำไม ที่ ที่ไหน นั้น นี้ บ้าง "
    "เป็น เมื่อไร เมื่อไหร่ ไม่ ยังไง ยัง ว่า และ แล้ว ไหน ไหม ใน ให้ ใคร ได้ ได้ไหม เท่าไร เท่าไหร่ "
    "หรือ หรือเปล่า หรือไม่ อยาก อย่างไร อยู่ อะไร ใช่ไหม"
)
_CHINESE = (
    "什么 怎么 怎样 如何 为什么 为何 哪里 哪个 哪些 谁 多少 几个 是否 可以 我们 你们 他们 这个 那个"
)


SHORTEST = 3
"""Words of a question from which its language is told."""


@cache
def _function_words(language: str) -> frozenset[str]:
    lists = (_ENGLISH, _THAI, _CHINESE, *common_words(language))
    return frozenset(term for words in lists for term in terms(words, language))


@dataclass(frozen=True)
class Asked:
    """A question, taken apart."""

    text: str
    """What the model reads: the question without quotes and without what it rules out."""
    phrases: tuple[str, ...] = ()
    """What every answer holds word for word."""
    without: tuple[str, ...] = ()
    """Words and phrases that no answer holds."""

    @property
    def terms(self) -> list[str]:
        """The terms to rank by."""
        return asked(self.text)


_MINUS = r"""(?<!\S)-(?=["'\u0080-\U0010ffff]|[A-Za-z][\w.-]{2,})"""
_AROUND = ".,;:!?()[]\"'、。，；：！？「」（）"
_LITERAL = re.compile(rf'"[^"]+"|{_MINUS}')
_QUOTED_WORD = re.compile(r'(?<![A-Za-z0-9-])"([^"\s]*\w[^"\s]*)"(?![A-Za-z0-9])')


def taken_apart(query: str) -> Asked:
    """Return a question with its `"phrases"` and its `-word`s told from the rest.

    A quote that is not closed and a hyphen before fewer than three Latin letters (`rm -rf`) are
    text.
    A question of nothing but what it rules out is text too.
    """
    if not _LITERAL.search(query):
        return Asked(query)
    tree = _parser().parse(query)
    wanted = getattr(tree, "a", tree)
    alone = _QUOTED_WORD.findall(query)  # of one word the parser makes no phrase
    phrases = (*_phrases(wanted), *alone)
    without = tuple(said.strip(_AROUND) for said in _said(tree.b)) if hasattr(tree, "b") else ()
    text = " ".join(_said(wanted))
    return (
        Asked(text, phrases, tuple(filter(None, without)))
        if text
        else Asked(query.replace("-", " "))
    )


@cache
def _parser() -> Any:
    from whoosh.qparser import QueryParser, plugins
    from whoosh.qparser.syntax import OrGroup

    signs = [
        plugins.WhitespacePlugin(),
        plugins.PhrasePlugin(),
        plugins.PlusMinusPlugin(plusexpr="(?!)", minusexpr=_MINUS),
    ]
    return QueryParser("words", None, plugins=signs, group=OrGroup)


def _said(node: Any) -> Iterator[str]:
    """Yield the words and phrases of a part of a question, in order."""
    for leaf in node.leaves():
        if hasattr(leaf, "words"):
            yield " ".join(leaf.words)
        elif getattr(leaf, "text", ""):
            yield leaf.text


def _phrases(node: Any) -> Iterator[str]:
    for leaf in node.leaves():
        if hasattr(leaf, "words"):
            yield " ".join(leaf.words)


def asked(query: str) -> list[str]:
    """Return the terms to search for, at most 200.

    Function words of English, Thai, Chinese and the question's own language are left out unless
    it holds nothing else: in a small vault they are rare enough to look important.
    """
    language = language_of(query, SHORTEST)
    found = terms(query, language)
    telling = [term for term in found if term not in _function_words(language)]
    return (telling or found)[:MOST_TERMS]
