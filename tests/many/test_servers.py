"""A server that many call: who gives up on a call leaves a whole vault and a live server."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from conftest import Opener
from promises import promise
from test_mcp import connected, told

from vaultmem.memory import Memory
from vaultmem.verbs import memorize as memorizing

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def scout(opener: Opener) -> Memory:
    return opener("scout", person=False, channel="mcp", session="scout-session")


@promise("bounded")
async def test_a_cancelled_call_leaves_a_whole_note_and_the_next_one_is_answered(
    scout: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, going_on, done = threading.Event(), threading.Event(), threading.Event()
    announce = memorizing.announced

    def slow(*args: Any) -> None:
        begun.set()
        going_on.wait(10)
        announce(*args)
        done.set()

    monkeypatch.setattr(memorizing, "announced", slow)
    async with connected(scout, "legacy") as client:
        async with anyio.create_task_group() as group:
            wish = {"title": "Tides", "content": "The tide turns at noon."}
            group.start_soon(client.call_tool, "memorize", wish)
            await anyio.to_thread.run_sync(begun.wait, 10)
            group.cancel_scope.cancel()
        with anyio.fail_after(5):
            assert await told(client, "log", kind="read")
        going_on.set()
        await anyio.to_thread.run_sync(done.wait, 10)
        found = await told(client, "remember", query="when does the tide turn")

    assert "The tide turns at noon." in found
    assert "tides" in (root / "memory/global/index.md").read_text("utf-8")
    assert [entry.kind for entry in scout.log.entries()] == ["memory"]
    assert [f.what for f in scout.doctor().findings if not f.harmless] == []


async def test_a_slow_call_holds_up_no_other(
    scout: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on, begun = threading.Event(), threading.Event()

    def slow(*_: object) -> object:
        begun.set()
        going_on.wait(10)
        raise RuntimeError("too late")

    monkeypatch.setattr(Memory, "brief", slow)
    async with connected(scout, "legacy") as client, anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "brief", {})
        await anyio.to_thread.run_sync(begun.wait, 10)
        with anyio.fail_after(5):
            for _ in range(3):
                await told(client, "log", kind="read")
                await client.list_tools()
        going_on.set()


@promise("bounded")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("remember", {"query": "x", "limit": 1_000_000_000}),
        ("remember", {"query": "x", "limit": -1}),
        ("remember", {"query": "x", "limit": float("nan")}),
        ("remember", {"query": ["x"]}),
        ("remember", {"query": "x", "cwd": "/"}),
        ("remember", {"query": "x", "also": [["deep"] * 1000] * 1000}),
        ("memorize", {"title": "x", "content": "y", "importance": 1e400}),
        ("memorize", {"title": "x", "content": "y" * 3_000_000}),
        ("memorize", {"title": "x", "content": "y", "tags": ["t"] * 100_000}),
        ("forget", {"confirm": {"a": 1}}),
        ("log", {"kind": "read", "budget": 1}),
        ("knowledge", {"command": "match", "pattern": "a", "context": 10_000}),
    ],
)
async def test_arguments_out_of_bounds_are_refused_in_a_short_sentence(
    scout: Memory, root: Path, tool: str, arguments: dict[str, Any]
) -> None:
    before = {path: path.read_bytes() for path in (root / "memory").rglob("*.md")}
    async with connected(scout, "legacy") as client:
        result = await client.call_tool(tool, arguments)
        assert await told(client, "log", kind="read")

    (block,) = result.content
    assert result.is_error
    assert len(block.text.encode()) <= 4_500
    assert {path: path.read_bytes() for path in (root / "memory").rglob("*.md")} == before
