"""Slugs can be read, and every disk takes them."""

from __future__ import annotations

from unicodedata import category, is_normalized, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.slug import numbered, slug

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Rate limiting uses a token bucket", "rate-limiting-uses-a-token-bucket"),
        ("The person's tabs -- and spaces!", "the-persons-tabs-and-spaces"),
        ("v1.2 plan", "v1-2-plan"),
        ("snake_case/path\\name", "snake-case-path-name"),
        ("Größe der ÄNDERUNG", "größe-der-änderung"),
        (normalize("NFD", "Café"), "café"),
        ("ตั้งค่าน้ำหนัก", "ตั้งค่าน้ำหนัก"),
        ("हिन्दी में क्षमा", "हिन्दी-में-क्षमा"),
        ("مشاريع العام", "مشاريع-العام"),
        ("数据库 の 設定", "数据库-の-設定"),
        ("한국어 노트", "한국어-노트"),
        ("Ship it 🚀 now", "ship-it-now"),
        (f"Family {FAMILY} trip", "family-trip"),
        ("Step 1\ufe0f\u20e3 first", "step-1-first"),
        ("x² and ½", "x²-and-½"),
    ],
)
def test_titles_stay_readable(title: str, name: str) -> None:
    assert slug(title) == name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("", "note"),
        ("   ", "note"),
        (".", "note"),
        ("🚀🚀", "note"),
        ("\u0301\u0301", "note"),
        ("\u3164\u115f", "note"),
        ("../../etc/passwd", "etc-passwd"),
        ("-rf", "rf"),
        (".hidden.", "hidden"),
        ("{{x}} <% y %>", "x-y"),
        ("a\nb\tc", "a-b-c"),
        ("nul\x00byte", "nul-byte"),
        ("\u202egnp.exe", "gnp-exe"),
        ("ze\u200bro wi\u2060dth\ufeff", "zero-width"),
        ("tag\U000e0041\U000e007f", "tag"),
        ("lone \ud800 half", "lone-half"),
        ("🚀\u0301a", "a"),
        ("con", "con-note"),
        ("CON.", "con-note"),
        ("NUL", "nul-note"),
        ("COM1", "com1-note"),
        ("lpt9", "lpt9-note"),
        ("com¹", "com¹-note"),
        ("com0", "com0"),
        ("console", "console"),
        ("con" + "x" + "\u0301" * 90, "con-note"),
    ],
)
def test_hostile_titles_become_harmless(title: str, name: str) -> None:
    assert slug(title) == name


@pytest.mark.parametrize(
    ("sign", "count"),
    [
        ("a", 80),
        ("e\u0323\u0302\u0308", 24),
        ("น้ำ", 13),
        ("कि", 20),
        ("क्ष", 13),
        ("\u1112\u119e\u11ab", 13),
        ("𝒳\u0301", 20),
    ],
)
def test_long_titles_are_cut_between_graphemes(sign: str, count: int) -> None:
    assert slug(sign * 5_000) == normalize("NFC", sign * count)


def test_a_cut_leaves_no_dash_at_the_end() -> None:
    assert slug("a" * 79 + " b") == "a" * 79


def test_a_number_goes_behind_the_stem() -> None:
    assert numbered("rate-limiting", 2) == "rate-limiting-2"


def test_a_number_shortens_a_stem_that_has_no_room_for_it() -> None:
    assert numbered("a" * 80, 12) == "a" * 77 + "-12"
    assert numbered("a" * 77 + "-bc", 2) == "a" * 77 + "-2"
    assert numbered(slug("น้ำ" * 99), 10) == "น้ำ" * 13 + "-10"


TITLES = st.text() | st.text("aB .-é\u0301\u0323์กิ한क्षΣİ\u200d🚀'\u0130\u1112\u1161", max_size=200)


def is_safe(name: str) -> bool:
    return (
        0 < len(name) <= 80
        and len(name.encode()) <= 120
        and is_normalized("NFC", name)
        and name == name.strip("-.")
        and all(char == "-" or category(char)[0] in "LMN" for char in name)
    )


@given(TITLES)
def test_every_slug_is_safe(title: str) -> None:
    assert is_safe(slug(title))


@given(TITLES, st.integers(2, 9_999))
def test_every_numbered_slug_is_safe(title: str, n: int) -> None:
    name = numbered(slug(title), n)

    assert is_safe(name)
    assert name.endswith(f"-{n}")


@given(TITLES)
def test_a_slug_is_its_own_slug(title: str) -> None:
    assert slug(slug(title)) == slug(title)
