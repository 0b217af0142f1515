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


@cache
def _function_words() -> frozenset[str]:
    return frozenset(terms(_ENGLISH))


def asked(query: str) -> list[str]:
    """Return the terms to search for, at most 200.

    English function words are left out unless the question holds nothing else: in a small vault
    they are rare enough to look important.
    """
    found = terms(query)
    telling = [term for term in found if term not in _function_words()]
    return (telling or found)[:MOST_TERMS]
