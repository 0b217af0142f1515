"""What waits for an agent: questions, entries to acknowledge, what was said at once."""

from __future__ import annotations

import pytest

from vaultmem.words.entry import Entry, signed
from vaultmem.words.waiting import MOST_PAIRS, acked, acknowledging, waiting


def said(agent: str, kind: str, text: str = "x", time: str = "02:14:07", **more: str) -> Entry:
    scope = more.pop("scope", "")
    moment = f"2026-11-30T{time}+00:00"
    return signed(Entry(moment, agent, "chat", kind, scope, text, **more), "ab")


def answer(entry: Entry, agent: str, kind: str) -> Entry:
    return said(agent, kind, acknowledging("yes", entry.mark))


def test_an_acknowledgement_names_what_it_is_of() -> None:
    one = said("scribe", "note")

    assert acked(answer(one, "scout", "ack")) == one.mark
    assert acknowledging("", one.mark) == f"read (to {one.mark})"
    assert acked(one) == ""


def test_a_question_waits_until_it_is_answered_whoever_does_it() -> None:
    asked = said("scribe", "question", to="scout")
    other = said("scribe", "question", "y", to="critic")

    assert waiting([asked, other], "scout").questions == (asked,)
    assert waiting([asked, answer(asked, "scout", "ack")], "scout").questions == (asked,)
    assert waiting([asked, answer(asked, "critic", "answer")], "scout").questions == ()


@pytest.mark.parametrize("kind", ["note", "handoff", "decision", "state"])
def test_an_entry_to_an_agent_waits_until_that_agent_acknowledges_it(kind: str) -> None:
    given = said("scribe", kind, to="scout")

    assert waiting([given], "scout").to_ack == (given,)
    assert waiting([given], "critic").to_ack == ()
    assert waiting([given, answer(given, "critic", "ack")], "scout").to_ack == (given,)
    assert waiting([given, answer(given, "scout", "ack")], "scout").to_ack == ()


def test_an_answer_or_what_was_typed_by_hand_waits_for_nothing() -> None:
    given = said("scribe", "answer", to="scout")
    typed = Entry("2026-11-30T02:14:07+00:00", "ann", "phone", "note", "", "hi", "scout")

    assert waiting([given, typed], "scout").to_ack == ()


@pytest.mark.parametrize(
    ("kind", "time", "scope", "together"),
    [
        ("decision", "02:14:07", "", True),
        ("state", "02:15:07", "", True),
        ("handoff", "02:13:07", "", True),
        ("state", "02:15:08", "", False),
        ("note", "02:14:07", "", False),
        ("decision", "02:14:07", "acme/api", False),
    ],
)
def test_claims_within_a_minute_in_one_scope_are_to_be_reconciled_by_each(
    kind: str, time: str, scope: str, together: bool
) -> None:
    mine = said("scout", "decision")
    other = said("scribe", kind, "y", time, scope=scope)

    assert waiting([mine, other], "scout").together == (((mine, other),) if together else ())
    assert waiting([mine, other], "scribe").together == (((other, mine),) if together else ())
    assert waiting([mine, other], "critic").together == ()


def test_the_same_moment_in_two_zones_is_the_same_moment() -> None:
    mine = said("scout", "decision")
    time = "2026-11-30T09:14:07+07:00"
    other = signed(Entry(time, "scribe", "chat", "state", "", "y"), "ab")

    assert waiting([mine, other], "scout").together == ((mine, other),)


def test_who_acknowledged_is_done_and_the_other_is_not() -> None:
    mine, other = said("scout", "decision"), said("scribe", "decision", "y")
    log = [mine, other, answer(other, "scout", "ack")]

    assert waiting(log, "scout").together == ()
    assert waiting(log, "scribe").together == ((other, mine),)


def test_one_agent_with_itself_is_no_collision_and_a_crowd_is_bounded() -> None:
    mine = [said("scout", "decision", str(number)) for number in range(200)]
    others = [said("scribe", "state", str(number)) for number in range(200)]

    assert waiting(mine, "scout").together == ()
    assert len(waiting(mine + others, "scout").together) == MOST_PAIRS


def test_a_time_that_is_none_is_no_moment_of_now() -> None:
    mine = said("scout", "decision")
    odd = signed(Entry("2026-13-99T02:14:07+00:00", "scribe", "chat", "state", "", "y"), "ab")

    assert waiting([mine, odd], "scout").together == ()
