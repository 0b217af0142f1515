"""Near: what counts as the same statement, and what never does."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.near import (
    TO_FOLD,
    TO_REFUSE,
    alike,
    differ,
    difference,
    disputed,
    near,
    plain,
    same_statement,
)

SAME = "The nightly backup of the database runs at three and goes to the second disk."

NEAR = {
    "itself": (SAME, SAME),
    "case": (SAME, SAME.upper()),
    "another verb": (SAME, SAME.replace("goes", "is copied")),
    "marks and articles": (
        SAME,
        "Nightly backup of the database: runs at three, goes to the second disk.",
    ),
    "order of clauses": (
        "Deploys go out on Tuesday at 14:00 from the release branch.",
        "Every Tuesday at 14:00 the deploys go out from the release branch.",
    ),
    "other small words": (
        "The public API is limited to 100 requests per minute per key.",
        "The public API allows 100 requests a minute for each key.",
    ),
    "a number in words": (
        "The worker pool runs with four processes on the build machine.",
        "On the build machine, the worker pool runs with 4 processes.",
    ),
    "tens and ones": ("The plan has twenty-five seats in it.", "The plan has 25 seats in it."),
    "percent": ("About 5% of the checkouts fail.", "About five percent of the checkouts fail."),
    "a unit spelled out": (
        "The timeout of an upstream call is 30s.",
        "The timeout of an upstream call is 30 seconds.",
    ),
    "thousands": ("The cache holds 1,024 entries.", "The cache holds 1024 entries."),
    "a mere one": (
        "The importer writes one line for each row that it could not read.",
        "The importer writes a line for each row it could not read.",
    ),
    "a month cut short": ("The freeze begins on Dec 18.", "The freeze begins on December 18."),
    "initials": ("The U.S. office keeps the tokens.", "The US office keeps the tokens."),
    "a word cut short": (
        "The key for prod is in the safe of the office.",
        "The key for production is in the safe of the office.",
    ),
    "a numbered list": (
        "How a release is made:\n1. Build the wheel.\n2. Push the tag.",
        "How a release is made: 1. build the wheel, 2. push the tag",
    ),
    "a title": ("Ask Mr. Keller about the lab.", "Ask Keller about the lab."),
    "quotes": ("The user said “use tabs” twice.", 'The user said "use tabs" twice.'),
    "a denial drawn together": (
        "The cache is not enabled in the tests.",
        "The cache isn't enabled in the tests.",
    ),
    "a word that begins a sentence": (
        "However, the importer retries each row that could not be parsed at once.",
        "The importer retries at once each row that could not be parsed.",
    ),
    "Thai digits": ("หมดเวลาหลังจาก ๓๐ วินาที", "หมดเวลาหลังจาก 30 วินาที"),
    "wide digits": ("上游调用的超时时间是３０秒。", "上游调用的超时时间是30秒"),
    "a particle": ("用户喜欢简短的回答和例子。", "用户喜欢简短回答和例子"),
    "courtesy": ("ทีมสำรองข้อมูลทุกคืนนะครับ", "ทีมสำรองข้อมูลทุกคืน ค่ะ"),
    "order in Thai": ("ผู้ใช้ชอบคำตอบสั้น ในการรีวิว", "ในการรีวิว ผู้ใช้ชอบคำตอบสั้น"),
    "marks in Russian": ("Кэш включён: в тестах.", "Кэш включён в тестах"),
}

DIFFERENT = {
    "number": [
        ("The limit is 100 requests.", "The limit is 200 requests."),
        ("Two people approve a release.", "Three people approve a release."),
        ("The first replica takes the writes.", "The second replica takes the writes."),
        ("Errors went from 3 to 5 a day.", "Errors went from 5 to 3 a day."),
        ("The p95 is 80 ms and the p50 20 ms.", "The p95 is 20 ms and the p50 80 ms."),
        ("Retry a call.", "Retry a call 5 times."),
        ("ลองใหม่ ๓ ครั้ง", "ลองใหม่ ๕ ครั้ง"),
        ("最多重试３次。", "最多重试５次。"),
        ("We run Python 3.11 in production.", "We run Python 3.12 in production."),
        ("The release is on 2026-11-30.", "The release is on 2026-12-01."),
        ("The timeout is 30s for each call.", "The timeout is 30ms for each call."),
        ("The link carries 10 Mb a second.", "The link carries 10 MB a second."),
        ("The plan costs 900 euros.", "The plan costs 900 dollars."),
        ("หมดเวลาหลังจาก 30 วินาที", "หมดเวลาหลังจาก 30 นาที"),
        ("服务器的月租是900元。", "服务器的月租是900美元。"),
    ],
    "code": [
        ("Settings live in src/api/config.py now.", "Settings live in src/web/config.py now."),
        ("Set rate_limit before start.", "Set rate_window before start."),
        ("Build with --no-cache always.", "Build with --no-deps always."),
        ("Call parseHeader first.", "Call parseFooter first."),
        ("It is at docs.example.org now.", "It is at docs.example.com now."),
        ("Rows with a < b are kept.", "Rows with a > b are kept."),
    ],
    "name": [
        ("Ask the maintainer Anna about it.", "Ask the maintainer Berta about it."),
        ("Anna owns the gateway.", "Berta owns the gateway."),
        ("Anna owns the gateway.", "The gateway is owned by Berta."),
        ("Anna owns the gateway.", "Anna and Ben own the gateway."),
        ("The demo is on Tuesday.", "The demo is on Thursday."),
        ("Deploy to staging.", "Deploy to staging on Tuesday."),
        ("Анна отвечает за шлюз.", "Берта отвечает за шлюз."),
    ],
    "denial": [
        ("The cache is enabled in tests.", "The cache is not enabled in tests."),
        ("The build works with a network.", "The build works without a network."),
        ("The user wants tabs, not spaces.", "The user wants spaces, not tabs."),
        ("Das Licht ist an.", "Das Licht ist nicht an."),
        ("Кэш включён в тестах.", "Кэш не включён в тестах."),
        ("الخادم متاح الآن للجميع.", "الخادم ليس متاح الآن للجميع."),
        ("เปิดใช้แคชในการทดสอบ", "ไม่เปิดใช้แคชในการทดสอบ"),
        ("เปิดการบีบอัดบนมือถือ", "ปิดการบีบอัดบนมือถือ"),
        ("ย้ายข้อมูลก่อนปล่อยรุ่น", "ย้ายข้อมูลหลังปล่อยรุ่น"),
        ("为移动端打开压缩。", "为移动端关闭压缩。"),
        ("访客可以看到价格。", "访客不可以看到价格。"),
        ("キャッシュを使います。", "キャッシュを使いません。"),
    ],
    "swapped": [
        ("The service depends on the queue.", "The queue depends on the service."),
        ("The gateway is named kestrel.", "The gateway is named osprey."),
        ("Logs are copied from the mirror.", "Logs are copied to the mirror."),
        ("王伟向李强汇报工作。", "李强向王伟汇报工作。"),
    ],
    "besides": [
        ("The trigger function has an argument.", "The event trigger function has an argument."),
        ("You may halt the system.", "You may halt the system while others are logged in."),
        ("заголовок таблицы изменился", "заголовок строки таблицы изменился"),
        ("หัวเรื่องของหน้าเครื่องมือช่วย", "ภาพที่หัวเรื่องของหน้าเครื่องมือช่วย"),
    ],
    "words": [
        ("Guests may look at prices.", "Guests may buy whatever the shop still has in stock."),
        ("Миграция идёт до выкладки кода.", "После выкладки кода идёт миграция."),
    ],
    "stretch": [
        ("ให้ถามวิภาเรื่องงานตั้งเวลาของระบบ", "งานตั้งเวลาของระบบ ให้ถามธนพล"),
        ("修改任务之前先问张敏。", "先问陈静，修改任务之前。"),
    ],
    "opposite": [
        ("The flag of the cart is enabled.", "The cart's flag has been disabled."),
        ("In the code, tabs are allowed.", "Tabs are forbidden in the code."),
        ("The list is in ascending order.", "In descending order is the list."),
        ("The link to the store is encrypted.", "The store's link is unencrypted."),
        ("Uploads are kept on staging.", "On production, the uploads are kept."),
    ],
}


@pytest.mark.parametrize(("one", "other"), NEAR.values(), ids=NEAR)
def test_the_same_in_almost_the_same_words_is_near(one: str, other: str) -> None:
    assert difference(one, other) is None
    assert near(one, other, 0.95)


@pytest.mark.parametrize(
    ("told", "one", "other"), [(told, *pair) for told, pairs in DIFFERENT.items() for pair in pairs]
)
def test_what_differs_in_what_tells_facts_apart_is_never_near(
    told: str, one: str, other: str
) -> None:
    assert difference(one, other) in (told, "number" if told == "name" else told)
    assert differ(other, one)
    assert not near(one, other, 0.999)
    assert not near(one, other, None)


def test_what_one_text_says_besides_is_no_dispute() -> None:
    assert disputed("The cache holds 10 rows.", "The cache holds 12 rows.")
    assert disputed("The gateway is named kestrel.", "The gateway is named osprey.")
    assert not disputed("You may halt it.", "You may halt it while others are logged in.")
    assert not disputed(SAME, SAME)


def test_a_long_text_may_name_somebody_whom_the_other_leaves_out() -> None:
    one = "The importer retries each broken row of an upload once, then logs its line and its file."
    other = "Each broken row of an upload is retried once by the importer {}, line and file logged."

    assert near(one, other.format("of Anna"), 0.95)
    assert differ(one, other.format("of Anna and Berta"))
    assert differ(one, other.format("on Tuesday"))


def test_where_no_model_reads_letters_alone_decide_and_must_agree_more() -> None:
    other = SAME.replace("goes to", "is written onto")

    assert near(SAME, other, 0.95)
    assert not near(SAME, other, None)
    assert near(SAME, SAME + " ", None)


def test_close_in_meaning_alone_is_not_near() -> None:
    assert not near(SAME, "Every night we save our data elsewhere.", 0.95)


def test_alike_in_letters_alone_is_not_near() -> None:
    assert not near(SAME, SAME, 0.5)


def test_a_copy_is_refused_only_where_the_model_is_surer() -> None:
    assert near(SAME, SAME, 0.9, TO_FOLD)
    assert not near(SAME, SAME, 0.9, TO_REFUSE)
    assert near(SAME, SAME, 0.92, TO_REFUSE)


@pytest.mark.parametrize(
    "other",
    [
        "Use tabs.",
        "use tabs",
        "  use\n\ttabs ...",
        "“Use tabs”!",
        "Ｕｓｅ ｔａｂｓ。",
        "'use' tabs",
    ],
)
def test_one_statement_in_another_dress_is_the_same_statement(other: str) -> None:
    assert plain(other) == "use tabs"
    assert same_statement("Use tabs", other)


@pytest.mark.parametrize("other", ["use tab", "use tabs?", "don't use tabs", "use  tabs 2"])
def test_another_word_or_question_is_another_statement(other: str) -> None:
    assert not same_statement("Use tabs", other)


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from([*SAME.split(), "Anna", "30s", "3", "not", "ไม่เปิด", "不用", "a/b", "\n"]),
        max_size=14,
    ).map(" ".join),
)


@given(TEXTS, TEXTS)
def test_nearness_has_no_direction(one: str, other: str) -> None:
    assert near(one, other, 0.9) == near(other, one, 0.9)
    assert difference(one, other) == difference(other, one)
    assert 0 <= alike(one, other) == alike(other, one) <= 1


@given(TEXTS)
def test_a_text_is_near_itself(text: str) -> None:
    assert near(text, text, 1.0)
    assert near(text, text, None)
    assert same_statement(text, plain(text))
    assert plain(plain(text)) == plain(text)


@given(TEXTS, TEXTS, st.integers(0, 9), st.integers(1, 9), st.sampled_from("0๐０"))
def test_another_digit_is_never_near(
    before: str, after: str, digit: int, step: int, zero: str
) -> None:
    one, other = (f"{before}{chr(ord(zero) + d)}{after}" for d in (digit, (digit + step) % 10))

    assert not near(one, other, 1.0)
    assert not near(one, other, None)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1,",
        "1-a-",
        "a.b",
        "A B ",
        "'",
        "1 s ms ",
        "not a ",
        "ก",
        "開",
        "$",
        " ",
        "a/",
        "\u0301",
    ],
)
def test_a_hostile_text_takes_a_time_in_proportion_to_its_length(piece: str) -> None:
    def taken(length: int) -> float:
        text = (piece * length)[:length]
        start = time.process_time()
        near(text, text[:-9] + "x 開 y 7 z", 1.0)
        return time.process_time() - start

    assert taken(40_000) < 40 * max(taken(4_000), 0.01)
