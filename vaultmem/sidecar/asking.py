"""The terms of a question: those of a text, less the words that only make it a question."""

from __future__ import annotations

from functools import cache

from vaultmem.sidecar.analysis import terms

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


@cache
def _function_words() -> frozenset[str]:
    return frozenset(term for words in (_ENGLISH, _THAI, _CHINESE) for term in terms(words))


def asked(query: str) -> list[str]:
    """Return the terms to search for, at most 200.

    Function words of English, Thai and Chinese are left out unless the question holds nothing
    else: in a small vault they are rare enough to look important.
    """
    found = terms(query)
    telling = [term for term in found if term not in _function_words()]
    return (telling or found)[:MOST_TERMS]
