"""What an agent hands over at the end of a session: read, and sifted without losing a fact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.doors.answers import FRAME
from vaultmem.words.errors import BadInput
from vaultmem.words.fleeting import PLAN, PROVIDER, STATE, no_fact, without_echo
from vaultmem.words.retained import Fact, completed
from vaultmem.words.retained import parse as parsed


def parse(text: str) -> list[Fact]:
    return [completed(fact) for fact in parsed(text)]


LINE = (
    '{"title": "Queue is Postgres", "content": "Jobs go through Postgres.", "type": "decision", '
    '"why": "one service less", "quote": "let us not run Redis", "importance": 0.8, '
    '"tags": ["jobs"], "scope": "global"}'
)


def test_a_json_line_is_a_fact() -> None:
    assert parse(LINE) == [
        Fact(
            title="Queue is Postgres",
            content="Jobs go through Postgres.",
            type="decision",
            why="one service less",
            quote="let us not run Redis",
            importance=0.8,
            tags=("jobs",),
            scope="global",
        )
    ]


def test_a_markdown_list_says_the_same() -> None:
    text = """Here is what I learnt:

- [decision] **Queue is Postgres**: Jobs go through Postgres.
  - why: one service less
  - quote: "let us not run Redis"
  importance: 0.8
  tags: jobs
  scope: global
"""

    assert parse(text) == parse(LINE)


def test_a_sentence_of_a_list_is_its_own_title_and_further_lines_are_content() -> None:
    (fact,) = parse("* The staging host forgets its clock at reboot.\n  So tokens expire early.\n")

    assert fact.title == "The staging host forgets its clock at reboot"
    assert fact.content.endswith("reboot.\nSo tokens expire early.")
    assert fact.type == "insight"


def test_what_a_line_cannot_say_is_named_and_costs_the_others_nothing() -> None:
    text = '{"title": "x"\n[1, 2]\n{"content": "A fact.", "status": "approved", "importance": "9"}'
    first, *numbers, last = parse("\n".join(["{}", *text.splitlines()]))

    assert (first.title, first.content) == ("", "")
    assert [fact.trouble for fact in numbers] == [
        "its line is no JSON",
        "its line is no JSON object",
        "its line is no JSON object",
    ]
    assert (last.title, last.importance, last.unknown) == ("A fact", None, ("status",))


def test_nothing_is_nothing_and_prose_is_refused() -> None:
    assert parse(" \n\n") == []
    with pytest.raises(BadInput, match="markdown list"):
        parse("I learnt that the host forgets its clock.")


@given(st.text())
def test_any_text_is_facts_or_refused(text: str) -> None:
    try:
        found = parse(text)
    except BadInput:
        return
    assert all(len(fact.title) <= 200 for fact in found)
    assert all(isinstance(no_fact(without_echo(fact.content)), str) for fact in found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Tests pass now.", STATE),
        ("All 214 tests pass.", STATE),
        ("The build is green again", STATE),
        ("CI is failing.", STATE),
        ("Working on the parser for invoices.", STATE),
        ("I am currently working on the export. Tests are green.", STATE),
        ("We just pushed the branch.", STATE),
        ("Refactoring in progress", STATE),
        ("Waiting for the deploy.", STATE),
        ("Everything works now.", STATE),
        ("Next I will add the tests.", PLAN),
        ("I'll look at the importer tomorrow.", PLAN),
        ("Next steps: write the docs, ship it.", PLAN),
        ("TODO: clean up the fixtures", PLAN),
        ("Let me check the logs.", PLAN),
        ("We are going to split the module now.", PLAN),
        ("API Error: 529 overloaded_error", PROVIDER),
        ("The request failed with 503 Service Unavailable.", PROVIDER),
        ("Claude is overloaded, try again later.", PROVIDER),
        ("We hit a rate limit error. Retrying later.", PROVIDER),
        ('{"type": "error", "error": {"type": "overloaded_error"}}', PROVIDER),
        ("Error code: 429 - rate_limit_error", PROVIDER),
        ("The model returned 500 Internal Server Error", PROVIDER),
        ("Error: context window exceeded.", PROVIDER),
    ],
)
def test_what_tells_of_the_moment_is_no_fact(text: str, why: str) -> None:
    assert no_fact(text) == why


@pytest.mark.parametrize(
    "text",
    [
        "Tests pass now that the time zone is pinned to UTC.",
        "Tests pass on Windows.",
        "The tests fail when the locale is German.",
        "The build is green only with Node 20.",
        "Working on a branch needs a rebase before each push.",
        "The person is working on the shop for Acme, a client in Lyon, until spring of next year.",
        "We will use Postgres for the queue.",
        "We'll keep the v1 API until June.",
        "I will never push to main.",
        "Next.js caches fetches by default.",
        "Next to the door hangs the key of the server room.",
        "The Stripe API returns 429 above 100 requests a second.",
        "The API answers 503 while it deploys; retry with backoff.",
        "The gateway returned 502 because the payload was above 1 MB.",
        "Our own API allows 100 requests a minute.",
        "Rate limits are a token bucket.",
        "The public API is rate limited to 100 requests a minute per key.",
        "Let's Encrypt certificates renew on Mondays.",
        "Waiting lists are sorted by date of birth.",
        "Blocked users may still read.",
        "The person prefers tabs.",
        "CI runs on the machine under the desk.",
        "Deploys happen on Tuesdays.",
        "Errors go to Sentry.",
        "Done means merged and deployed.",
        "The checks of the nightly build take 40 minutes.",
        "Currency is stored in cents.",
        "All amounts are in cents.",
        "The TODO list of the team is in Linear.",
        "We just never upgraded the driver, which leaks sockets.",
        "เราใช้ Postgres เป็นคิวงาน",
        "The quota of the free plan is 500 builds.",
    ],
)
def test_a_fact_stays_a_fact(text: str) -> None:
    assert no_fact(text) == ""


def test_one_fact_among_junk_is_enough() -> None:
    assert no_fact("Tests pass now. The clock of the host is five minutes late.") == ""


def test_a_decision_may_sound_like_a_plan() -> None:
    assert no_fact("I will deploy on Tuesdays.", "decision") == ""


def test_our_own_text_is_taken_out() -> None:
    hit = (
        "1. **Rate limiting uses a token bucket** [INFERRED · strong] k7f3q9xa\n"
        "   memory/global/rate-limiting.md:15\n"
        "   > The public API allows 100 requests a minute."
    )
    line = "- 2026-11-30T02:14:07+00:00 **scout** · chat · note · global · Hello ^lc-8f2kq7m3-b4"

    assert without_echo(hit) == ""
    assert without_echo(line) == ""
    assert without_echo("- The API is limited [CONFIRMED, strong] (k7f3q9xa)") == ""
    assert without_echo("- Uses tabs [CONFIRMED, strong] (k7f3q9xa)\n  Indent with tabs.") == ""
    assert without_echo("Nothing in the vault answers that.") == ""
    refused = "Not kept: the vault says nearly this already.\n- Uses tabs (k7f3q9xa, hash 0a1b2c3d)"
    assert without_echo(refused) == ""
    assert (
        without_echo("- Uses tabs [CONFIRMED, strong] (k7f3q9xa)\n  - Not in Go.") == "- Not in Go."
    )
    assert without_echo("- [[memory/global/a|A title]] — What it says. · decision") == ""
    assert without_echo(f"{FRAME}\n\n## Identity\n\nI am scout.") == ""
    assert without_echo("## Identity\n\nI am scout.\n\n## Unread log\n\nnone") == ""
    assert without_echo(f"The clock is late.\n{hit}\nIt always was.") == (
        "The clock is late.\nIt always was."
    )


def test_a_heading_that_is_also_one_of_ours_is_no_echo() -> None:
    text = "## Checkpoint\n\nThe checkpoint file is written every hour."

    assert without_echo(text) == text
