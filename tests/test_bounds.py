"""Answers have an end, and say what they left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Opener
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from promises import promise
from test_mcp import said

from vaultmem.doors.answers import as_json
from vaultmem.doors.bounds import LONGEST, error_within, value_within, within
from vaultmem.doors.mcp_server import build_server
from vaultmem.memory import Memory

HUGE = 1_000_000_000
LINE = 'The gull says "keep left" · and the ferry answers ที่ท่าเรือ 灯台.\n'


def size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_what_is_short_enough_is_given_as_it_is() -> None:
    assert within("short\n") == "short\n"
    assert error_within("No.") == "No."
    assert value_within({"hits": [1, 2]}) == {"hits": [1, 2]}


def test_a_long_text_is_cut_and_says_so() -> None:
    cut = within(LINE * 5000)

    assert LONGEST - 1000 < size(cut) <= LONGEST
    assert cut.startswith(LINE)
    assert f"of {size(LINE * 5000):,} bytes. Ask for less at once" in cut


def test_a_long_error_keeps_its_end_which_says_what_to_do() -> None:
    text = f"{'x' * 100_000!r} is no name. Use letters."

    assert error_within(text).endswith("is no name. Use letters.")
    assert size(error_within(text)) < 5_000


def test_of_a_long_value_the_last_items_are_left_out_and_counted() -> None:
    value = {"hits": [{"text": LINE * 100, "at": number} for number in range(50)], "dropped": 0}
    short = value_within(value)
    kept = len(short["hits"])

    assert short["hits"] == value["hits"][:kept]  # type: ignore[index]
    assert short["left_out"].startswith(f"{50 - kept} of hits. Ask for less at once")
    assert LONGEST / 2 < size(as_json(short)) <= LONGEST


names = st.sampled_from(["title", "text", "lines"])
texts = st.text(st.sampled_from('a "ก\n'), max_size=900)
items = st.lists(texts | st.dictionaries(names, texts, max_size=3), max_size=5)


@given(st.dictionaries(st.sampled_from(["parts", "hits", "text"]), texts | items, max_size=3))
def test_every_value_of_ours_fits(value: dict[str, Any]) -> None:
    short = value_within(value, 1000)

    assert size(as_json(short)) <= 1000
    assert ("left_out" in short) == (size(as_json(value)) > 1000)


@pytest.fixture
def crowded(opener: Opener, root: Path) -> Memory:
    """A vault in which everything is long."""
    notes = root / "memory/global"
    for number in range(7):
        text = f"---\ntitle: Gull {number} {'long ' * 40}\n---\n{LINE * 200}"
        (notes / f"gull-{number}.md").write_text(text, "utf-8")
    for number in range(60):
        (notes / f"tern-{number}.md").write_text(f"---\ntitle: Tern {'wing ' * 40}\n---\n", "utf-8")
    (root / "identity").mkdir()
    (root / "identity/scout.md").write_text(LINE * 3000, "utf-8")
    entry = "- 2026-11-30T02:00:00+00:00 **ann** · phone · note · global · "
    (root / "live-context").mkdir(exist_ok=True)
    (root / "live-context/2026-11.md").write_text(
        "".join(f"{entry}{number} {LINE}" for number in range(500)), "utf-8"
    )
    memory = opener("scout", person=False, channel="mcp", session="scout-session")
    memory.store("lines", LINE * 1500)
    for number in range(8):
        memory.store(f"{number}-{'k' * 90}", f"{LINE}{number}")
    memory.refresh(embed=False)
    return memory


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("brief", {"about": "gull ferry", "budget_tokens": HUGE}),
    ("remember", {"query": "gull ferry", "detail": "full", "limit": 20, "budget_tokens": HUGE}),
    ("remember", {"query": "gull ferry", "include": "all", "limit": 20, "budget_tokens": HUGE}),
    ("forget", {"query": "gull ferry tern wing"}),
    ("log", {"kind": "read"}),
    ("knowledge", {"command": "search", "query": "gull ferry", "budget_tokens": HUGE}),
    ("knowledge", {"command": "read", "source": "lines", "budget_tokens": HUGE}),
    ("knowledge", {"command": "match", "pattern": "gull", "context": 10, "budget_tokens": HUGE}),
    ("knowledge", {"command": "list"}),
    ("knowledge", {"command": "read", "source": "x" * 300_000}),
    ("log", {"kind": "note", "summary": "x" * 300_000}),
    ("memorize", {"title": "y" * 300_000, "content": LINE * 3000}),
    ("remember", {"query": "gull", "y" * 300_000: 1}),
]


@promise("bounded")
@pytest.mark.anyio
async def test_no_answer_is_longer_than_it_may_be_and_a_cut_one_says_so(crowded: Memory) -> None:
    cut = []
    async with Client(build_server(crowded), mode="legacy", read_timeout_seconds=60) as client:
        for tool, arguments in CALLS:
            for form in ("md", "json"):
                result = await client.call_tool(tool, {**arguments, "format": form})
                text = said(result)
                assert size(text) <= LONGEST, (tool, form, size(text))
                if "Ask for less at once" in text:
                    cut.append((CALLS.index((tool, arguments)), form))
                if form == "json" and not result.is_error:
                    assert isinstance(json.loads(text), dict)
        for uri in ("vault://index", "vault://live-context", "vault://identity/scout"):
            (content,) = (await client.read_resource(uri)).contents
            assert size(content.model_dump()["text"]) <= LONGEST

    assert {(0, "md"), (0, "json"), (1, "md"), (1, "json"), (6, "md")} <= set(cut)
