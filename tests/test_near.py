"""Near: what counts as the same statement, and what never does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.near import alike, differ, near

SAME = "The nightly backup of the database runs at three and goes to the second disk."


@pytest.mark.parametrize(
    "other",
    [
        SAME,
        SAME.upper().replace("THE NIGHTLY", "The nightly").capitalize(),
        SAME.replace("goes", "is copied"),
        "Nightly backup of the database: runs at three, goes to the second disk.",
    ],
)
def test_the_same_in_almost_the_same_words_is_near(other: str) -> None:
    assert near(SAME, other, 0.95)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The limit is 100 requests.", "The limit is 200 requests."),
        ("We run Python 3.11 in production.", "We run Python 3.12 in production."),
        ("The release is on 2026-11-30.", "The release is on 2026-12-01."),
        ("The timeout is 30s for each call.", "The timeout is 30ms for each call."),
        ("Settings live in src/api/config.py now.", "Settings live in src/web/config.py now."),
        ("Set rate_limit before start.", "Set rate_window before start."),
        ("Ask the maintainer Anna about the cache.", "Ask the maintainer Berta about the cache."),
        ("The cache is enabled in tests.", "The cache is not enabled in tests."),
        ("The cache is enabled in tests.", "The cache is disabled in tests."),
        ("Tabs are allowed in code.", "Tabs are forbidden in code."),
        ("เปิดใช้แคชในการทดสอบ", "ไม่เปิดใช้แคชในการทดสอบ"),
        ("Das Licht ist an.", "Das Licht ist nicht an."),
    ],
)
def test_what_differs_in_what_tells_facts_apart_is_never_near(one: str, other: str) -> None:
    assert differ(one, other)
    assert not near(one, other, 0.999)


def test_where_no_model_reads_letters_alone_decide_and_must_agree_more() -> None:
    other = SAME.replace("goes to", "is written onto")

    assert near(SAME, other, 0.95)
    assert not near(SAME, other, None)
    assert near(SAME, SAME + " ", None)


def test_close_in_meaning_alone_is_not_near() -> None:
    assert not near(SAME, "Every night we save our data elsewhere.", 0.95)


def test_alike_in_letters_alone_is_not_near() -> None:
    assert not near(SAME, SAME, 0.5)


@given(st.text(max_size=60), st.text(max_size=60))
def test_nearness_has_no_direction(one: str, other: str) -> None:
    assert near(one, other, 0.9) == near(other, one, 0.9)
    assert 0 <= alike(one, other) <= 1
    assert alike(one, one) == 1
