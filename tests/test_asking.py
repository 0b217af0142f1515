"""Asking precisely: phrases, words ruled out, rewordings, dates, authors, copies, explanations."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import FakeModel, Opener
from promises import promise
from test_remember import ask, note, paths

from vaultmem.memory import Memory, Question
from vaultmem.sidecar.asking import asked, taken_apart
from vaultmem.verbs import wording
from vaultmem.verbs.parts import Once
from vaultmem.words.errors import BadInput, ModelMissing
from vaultmem.words.hit import tokens

# What a question says


@pytest.mark.parametrize(
    ("query", "text", "phrases", "without"),
    [
        ("rate limit", "rate limit", (), ()),
        ('"token bucket" limit', "token bucket limit", ("token bucket",), ()),
        ("limit -redis", "limit", (), ("redis",)),
        ("limit -redis, and -k8s.", "limit and", (), ("redis", "k8s")),
        ("数据库 -缓存 -น้ำ", "数据库", (), ("缓存", "น้ำ")),
        ('what is "redis"?', "what is redis ?", ("redis",), ()),
        ('"连接池"是什么', "连接池 是什么", ("连接池",), ()),
        ('limit -"fixed window"', "limit", (), ("fixed window",)),
        ('find "k7f3q9xa"', "find k7f3q9xa", ("k7f3q9xa",), ()),
        ('an "unbalanced quote', 'an "unbalanced quote', (), ()),
        ("what does rm -rf do", "what does rm -rf do", (), ()),
        ("e-mail of the well-known", "e-mail of the well-known", (), ()),
        ("a - b", "a - b", (), ()),
        ("-nothing", " nothing", (), ()),
        ('""', '""', (), ()),
        ("C++ [a-z]+ x:y ^2 (or) * ?", "C++ [a-z]+ x:y ^2 (or) * ?", (), ()),
    ],
)
def test_a_question_is_taken_apart(
    query: str, text: str, phrases: tuple[str, ...], without: tuple[str, ...]
) -> None:
    found = taken_apart(query)

    assert (found.text, found.phrases, found.without) == (text, phrases, without)


def test_the_words_that_only_make_it_a_question_are_left_out() -> None:
    assert asked("How do we limit requests?") == ["limit", "request"]
    assert asked("What is it?") != []
    assert "welch" not in asked("Welche Häuser wurden gebaut?")


def test_a_german_compound_is_found_by_its_parts() -> None:
    assert set(asked("Wie hoch ist der Rathausturm der Stadt?")) >= {"~rath", "~turm"}


# The very words


@pytest.fixture
def limits(root: Path) -> Path:
    note(root, "memory/global/a.md", "A token bucket limits requests to the API.", "title: A")
    note(root, "memory/global/b.md", "The bucket holds each token; requests wait.", "title: B")
    note(root, "memory/global/c.md", "Requests use a Token  Bucket in redis.", "title: C")
    note(root, "memory/global/d.md", "Requests are counted in a fixed window.", "title: D")
    return root


def test_a_phrase_stands_word_for_word_in_every_hit(limits: Path, memory: Memory) -> None:
    assert set(paths(ask(memory, '"token bucket" requests'))) == {
        "memory/global/a.md",
        "memory/global/c.md",
    }


def test_a_filter_does_not_change_how_sure_a_hit_is(limits: Path, memory: Memory) -> None:
    note(limits, "memory/global/e.md", "Requests queue.", "title: E", "type: design", "tags: [q]")

    (wide,) = [hit for hit in ask(memory, "queue of requests") if hit.title == "E"]
    (narrow,) = ask(memory, "queue of requests", tags=("q",))
    (literal,) = ask(memory, '"requests queue"')

    assert wide.confidence == narrow.confidence == "strong"
    assert literal.title == "E"


def test_a_word_that_stands_once_in_a_long_note_is_found_and_shown(
    root: Path, memory: Memory
) -> None:
    for number in range(30):
        told = [f"Topic {n} of {number} is about gardens and bread. " * 6 for n in range(8)]
        body = "\n\n".join(told)
        note(root, f"memory/global/l{number}.md", f"{body}\n\nA {number}xqwerty at the end.")

    for number in range(30):
        (hit,) = ask(memory, f"{number}xqwerty")
        assert hit.path == f"memory/global/l{number}.md"
        assert f"{number}xqwerty" in hit.text


def test_a_phrase_of_the_title_counts(limits: Path, memory: Memory) -> None:
    note(limits, "memory/global/t.md", "It leaks.", "title: The leaking bucket of Anna")

    assert paths(ask(memory, '"leaking bucket"')) == ["memory/global/t.md"]


def test_what_is_ruled_out_is_ruled_out_whatever_else_is_asked(root: Path, memory: Memory) -> None:
    filler = "Something else is written here as well. " * 30
    body = f"redis keeps it.\n\n{filler}\n\n## Walrus\n\nThe purple walrus cadence."
    note(root, "memory/global/w.md", body, "title: W", "tags: [kv-store]", "aliases: [hot memo]")
    walrus = '"purple walrus cadence"'

    assert paths(ask(memory, walrus)) == ["memory/global/w.md"]
    for out in ("-redis", '-"redis keeps"', "-kv-store", '-"hot memo"'):
        assert paths(ask(memory, f"{walrus} {out}")) == []
        assert paths(ask(memory, f"walrus {out}", also=("purple cadence",))) == []


def test_phrases_may_stand_in_different_passages_and_across_their_ends(
    root: Path, memory: Memory
) -> None:
    lines = "\n".join(f"omega{n} alpha{n} and some more words to fill the line" for n in range(60))
    body = f"The green lantern festival.\n\n## Numbers\n\n{lines}"
    note(root, "memory/global/w.md", body, "title: W")

    for n in range(59):
        query = f'"green lantern festival" "fill the line omega{n + 1} alpha{n + 1}"'
        found = memory.remember(Question(query))
        assert paths(found.hits) == ["memory/global/w.md"]
        assert found.note == ""


def test_one_sign_of_chinese_and_a_word_that_is_only_there_in_pieces(
    root: Path, memory: Memory
) -> None:
    note(root, "memory/global/1.md", "生产环境的数据库在这里。", "title: 一")
    note(root, "memory/global/2.md", "数据在生产环境，据库不在。", "title: 二")

    assert paths(ask(memory, '"数据库" 生产环境')) == ["memory/global/1.md"]
    assert set(paths(ask(memory, '"库" 生产环境'))) == {"memory/global/1.md", "memory/global/2.md"}


def test_a_very_long_line_is_shown_where_it_answers(root: Path, memory: Memory) -> None:
    line = " ".join(f"Item {n} holds gadget{n}." for n in range(2500))
    note(root, "memory/global/l.md", line.replace("gadget2200", "the ostrich parade"), "title: L")

    (hit,) = ask(memory, "ostrich parade", limit=1)

    assert "ostrich parade" in hit.text
    assert len(hit.text) <= 1000


def test_a_phrase_that_is_nowhere_insists_on_nothing_and_says_so(
    limits: Path, memory: Memory
) -> None:
    found = memory.remember(Question('"leaky bucket" token requests'))

    assert found.hits
    assert 'Nothing holds "leaky bucket"' in found.note


def test_a_word_ruled_out_takes_its_whole_note_out(limits: Path, memory: Memory) -> None:
    body = "Requests wait in line.\n\n" + "More of it. " * 120 + "\n\n## Store\n\nredis keeps them."
    note(limits, "memory/global/long.md", body, "title: Long")

    hits = paths(ask(memory, "requests -redis", limit=20))

    assert "memory/global/a.md" in hits
    assert not {"memory/global/c.md", "memory/global/long.md"} & set(hits)


def test_a_phrase_that_stands_in_too_many_notes_is_looked_for_in_some(
    limits: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wording, "MOST_READ", 1)

    found = memory.remember(Question('"token bucket"'))

    assert "was looked for in the first 1 of 3 notes" in found.note


# Several wordings


def test_a_note_is_found_by_any_of_the_wordings(limits: Path, memory: Memory) -> None:
    note(limits, "memory/global/z.md", "Zebras graze at dusk.", "title: Zebras")

    assert "memory/global/z.md" not in paths(ask(memory, "fixed window"))
    hits = paths(ask(memory, "fixed window", also=("grazing zebras",)))
    assert {"memory/global/z.md", "memory/global/d.md"} <= set(hits)


def test_six_wordings_are_too_many(memory: Memory) -> None:
    with pytest.raises(BadInput, match="6 queries; at most 5"):
        ask(memory, "one", also=("2", "3", "4", "5", "6"))
    with pytest.raises(BadInput, match="empty"):
        ask(memory, "one", also=(" ",))


# Time, authors, standing


@pytest.fixture
def history(root: Path) -> Path:
    old = ("title: Old limit", "created: 2025-01-10T08:00:00", "id: aaaaaaa2", "agent: scout")
    note(root, "memory/global/old.md", "The rate limit is a hundred.", *old)
    new = ("title: New limit", "created: 2026-03-05T23:30:00", "supersedes:", '  - "[[old]]"')
    note(root, "memory/global/new.md", "The rate limit is a thousand.", *new, "agent: scribe")
    brief = ("title: Trial", "valid_from: 2025-06-01", "valid_until: 2025-06-30")
    note(root, "memory/global/trial.md", "The rate limit was off for a trial.", *brief)
    kept = ("title: Kept", "status: archived", "created: 2024-01-01")
    note(root, "memory/global/kept.md", "The rate limit was never written down.", *kept)
    return root


def found(memory: Memory, **wishes: object) -> set[str]:
    hits = paths(ask(memory, "rate limit", limit=20, **wishes))
    return {path.removeprefix("memory/global/").removesuffix(".md") for path in hits}


@pytest.mark.parametrize(
    ("wishes", "expected"),
    [
        ({}, {"old", "new", "trial"}),
        ({"as_of": "2025-01-10"}, {"old"}),
        ({"as_of": "2025-01-09"}, set()),
        ({"as_of": "2025-06-30"}, {"old", "trial"}),
        ({"as_of": "2025-07-01"}, {"old"}),
        ({"as_of": "2026-11-30"}, {"old", "new"}),
        ({"after": "2025-06-01", "before": "2025-06-01"}, {"trial"}),
        ({"before": "2026-03-05", "after": "2026-03-05"}, {"new"}),
        ({"agents": ("SCOUT",)}, {"old"}),
        ({"statuses": ("archived",)}, {"kept"}),
        ({"statuses": ("archived", "working"), "before": "2024-12-31"}, {"kept"}),
    ],
)
def test_filters_choose_before_anything_is_ranked(
    history: Path, memory: Memory, wishes: dict[str, object], expected: set[str]
) -> None:
    assert found(memory, **wishes) == expected


def test_a_note_is_not_yet_superseded_on_a_day_before_its_successor(
    history: Path, memory: Memory
) -> None:
    now = {hit.path: hit.score for hit in ask(memory, "rate limit")}
    then = {hit.path: hit.score for hit in ask(memory, "rate limit", as_of="2025-02-01")}

    assert then["memory/global/old.md"] > now["memory/global/old.md"]


def test_what_is_true_no_more_is_stale_unless_asked_as_of_its_time(
    history: Path, memory: Memory
) -> None:
    now = {hit.path: hit.label for hit in ask(memory, "rate limit")}
    then = {hit.path: hit.label for hit in ask(memory, "rate limit", as_of="2025-06-15")}

    assert "STALE" in now["memory/global/trial.md"]
    assert "STALE" not in then["memory/global/trial.md"]
    assert "SUPERSEDED" in now["memory/global/old.md"]
    assert "SUPERSEDED" not in then["memory/global/old.md"]


def test_a_type_is_what_it_counts_as(root: Path, memory: Memory) -> None:
    note(root, "memory/global/a.md", "The numbat crashes.", "title: A", "type: bugfix")
    note(root, "memory/global/b.md", "The numbat runs.", "title: B", "type: gotcha")

    assert paths(ask(memory, "numbat", types=("bug_fix",))) == ["memory/global/a.md"]
    assert paths(ask(memory, "numbat", types=("insight",))) == ["memory/global/b.md"]


@pytest.mark.parametrize("key", ["after", "before", "as_of"])
def test_a_date_that_cannot_be_read_is_an_error(memory: Memory, key: str) -> None:
    with pytest.raises(BadInput, match="is no date"):
        ask(memory, "rate limit", **{key: "next week"})


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"min_confidence": "sure"}, "weak, moderate, strong"),
        ({"statuses": ("done",)}, "pending, approved, working, archived"),
    ],
)
def test_what_is_no_choice_is_an_error_that_names_the_choices(
    memory: Memory, wish: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        ask(memory, "rate limit", **wish)


def test_less_sure_hits_can_be_left_out(limits: Path, memory: Memory) -> None:
    note(limits, "memory/global/far.md", "A bucket of paint " + "and other things " * 30)
    every = ask(memory, "token bucket limits", limit=20)
    sure = ask(memory, "token bucket limits", limit=20, min_confidence="strong")

    assert {hit.confidence for hit in every} > {"strong"}
    assert paths(sure) == [hit.path for hit in every if hit.confidence == "strong"]


# Near-copies


def test_near_copies_are_one_hit_that_says_how_many_it_stands_for(
    root: Path, memory: Memory
) -> None:
    text = "The nightly backup runs at three and is copied to the second disk of the house"
    for number, end in enumerate([".", " again.", " too."]):
        note(root, f"memory/global/{number}.md", text + end, "title: Backup", "importance: 0.5")
    note(root, "memory/global/other.md", text.replace("three", "four") + ".", "title: Backup")
    note(root, "memory/global/not.md", text.replace(" is ", " is not ") + ".", "title: Backup")

    hits = memory.remember(Question("nightly backup second disk", limit=20)).hits

    assert sorted(hit.stands_for for hit in hits) == [1, 1, 3]
    first = next(hit for hit in hits if hit.stands_for == 3)
    assert first.as_dict()["stands_for"] == 3
    assert "stands_for" not in next(hit for hit in hits if hit.stands_for == 1).as_dict()


def test_the_approved_one_stands_for_its_copies_and_they_crowd_out_nothing(
    root: Path, memory: Memory
) -> None:
    text = "The coffee machine is descaled with citric acid by habit."
    for number in range(20):
        note(root, f"memory/global/c{number}.md", text, "title: C", "source: user_confirmed")
    note(root, "memory/global/z.md", text, "title: C", "importance: 0.1", "updated: 2019-01-01")
    note(root, "memory/global/tea.md", "The tea machine has no acid habit.", "title: Tea")

    for limit in (2, 5, 20):
        hits = ask(memory, "coffee machine descaling habit acid", limit=limit)
        assert paths(hits) == ["memory/global/z.md", "memory/global/tea.md"]
        assert hits[0].stands_for == 21


# Explanations


def test_a_hit_explains_itself_only_if_asked(limits: Path, memory: Memory) -> None:
    plain = ask(memory, "fixed window")[0]
    told = ask(memory, "fixed window", explain=True)[0]

    assert "why" not in plain.as_dict()
    why = told.as_dict()["why"]
    assert why["keyword_rank"] == 1
    assert why["relevance"] == 1
    assert told.score == pytest.approx(why["relevance"] * why["tilt"], abs=1e-3)
    assert set(why) >= {"keyword_score", "vector_rank", "cosine", "evidence", "strength"}


# The budget


def test_every_hit_gets_its_sentence_before_any_gets_its_section(
    root: Path, memory: Memory
) -> None:
    filler = "Something else is written here as well. " * 8
    for number in range(5):
        body = (
            f"{filler}\n\n{filler}The valve number {number} sticks at night. {filler}\n\n{filler}"
        )
        note(root, f"memory/global/{number}.md", body, f"title: Pump {number}")

    small = memory.remember(Question("which valve sticks at night", limit=5, budget_tokens=420))
    large = memory.remember(Question("which valve sticks at night", limit=5, budget_tokens=4000))

    assert (len(small.hits), small.dropped) == (5, 0)
    assert all("sticks at night" in hit.text for hit in small.hits)
    lengths = [tokens(hit.text) for hit in small.hits]
    assert lengths[0] > lengths[-1]
    assert sum(lengths) <= 420
    assert all("\n\n" in hit.text for hit in large.hits)


def test_no_worse_hit_stands_where_a_better_one_did_not_fit(limits: Path, memory: Memory) -> None:
    best = paths(ask(memory, "token bucket requests", limit=20))

    for budget in range(30, 260, 10):
        found = memory.remember(Question("token bucket requests", limit=20, budget_tokens=budget))
        assert paths(found.hits) == best[: len(found.hits)]


def test_a_hit_whose_sentence_does_not_fit_is_counted_as_dropped(
    limits: Path, memory: Memory
) -> None:
    found = memory.remember(Question("requests", limit=20, budget_tokens=60))

    assert len(found.hits) + found.dropped == len(ask(memory, "requests", limit=20))
    assert found.dropped > 0


# A second look


class Backwards:
    """A reranker that likes one word."""

    def __init__(self, liked: str = "", *, broken: bool = False) -> None:
        self.liked = liked
        self.asked: list[str] = []
        self.broken = broken

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        if self.broken:
            raise ModelMissing("it is gone")
        self.asked += texts
        return [float(self.liked in text) for text in texts]


def with_reranker(memory: Memory, reranker: Backwards) -> None:
    object.__setattr__(memory._parts, "made_reranker", Once(lambda: reranker))


def test_a_reranker_orders_the_first_hits_anew(limits: Path, memory: Memory) -> None:
    before = paths(ask(memory, "bucket requests"))
    reranker = Backwards("holds each")
    with_reranker(memory, reranker)

    after = paths(ask(memory, "bucket requests"))

    assert before[0] != "memory/global/b.md"
    assert after[0] == "memory/global/b.md"
    assert sorted(after) == sorted(before)
    assert "A\nA token bucket limits requests to the API." in reranker.asked


def test_a_reranker_that_fails_changes_nothing_and_is_named(limits: Path, memory: Memory) -> None:
    before = paths(ask(memory, "bucket requests"))
    with_reranker(memory, Backwards(broken=True))

    found = memory.remember(Question("bucket requests"))

    assert paths(found.hits) == before
    assert "it is gone" in found.note


# Bad input


@pytest.mark.parametrize(
    "query",
    [
        "?!…",
        "the of and",
        "\x00\x07\x1b[31m",
        '"never closed',
        "*",
        "(a|b)+[^c]{2,}\\d$",
        "🙂🚀",
        "שלום עולם",
        "\u202eabc\u202c",
        "ไทย English 中文 العربية",
        "-" * 900,
        '"' * 900,
        "a -" * 300,
        '-"' * 400,
        ("x" * 7 + " ") * 120,
        "\ud800 lone",
    ],
)
def test_an_odd_question_gets_an_answer_or_a_clear_error(
    limits: Path, memory: Memory, query: str
) -> None:
    answer = memory.remember(Question(query, also=(query,)))

    assert len(answer.hits) <= 5


def test_a_question_as_long_as_a_book_is_an_error(memory: Memory) -> None:
    with pytest.raises(BadInput, match="at most 1,000 are looked at"):
        ask(memory, "word " * 10_000)


@promise("quiet")
def test_asking_opens_no_connection(
    limits: Path, opener: Opener, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", connect)

    assert ask(opener(), '"token bucket" -redis', also=("requests",), explain=True)
