"""A server hands its calls to the one that holds the vault, and does without where it is gone."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import pytest
import uvicorn
from conftest import FakeModel, Opener
from mcp import Client

from vaultmem.doors.http_gate import Address, Gate, Punctual, hosts_of, listening
from vaultmem.doors.mcp_server import build_server, by_client
from vaultmem.doors.relay import PATH, Answering, Relay
from vaultmem.memory import Memory, Wish
from vaultmem.words.serving import Serving, serving

pytestmark = pytest.mark.anyio
SCOPE = "github.com/acme/api"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@contextmanager
def listened(app: Callable[[int], Any]) -> Iterator[int]:
    """Run what an application is at a port, and give the port."""
    listener = listening(Address("127.0.0.1", 0))
    port: int = listener.getsockname()[1]
    config = uvicorn.Config(
        app(port), http=Punctual, ws="none", lifespan="off", log_config=None, log_level="error"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(5)


def held_at(port: int) -> Serving:
    return Serving("127.0.0.1", port, "a secret", version("vaultmem"), 1)


@contextmanager
def holding(memory: Memory) -> Iterator[Serving]:
    """Let a memory hold the vault for others."""

    async def nothing(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError(scope["path"])

    def app(port: int) -> Gate:
        return Gate(Answering(nothing, memory, held_at(port)), hosts_of(Address("127.0.0.1", port)))

    with listened(app) as port:
        memory.announce(held_at(port))
        yield held_at(port)


@pytest.fixture
def holder(opener: Opener) -> Memory:
    return opener("agent", person=False, channel="mcp", session="")


@pytest.fixture
def alone() -> list[str]:
    """Says each time that a server had to do by itself."""
    return []


@pytest.fixture
def lazy(opener: Opener, model: FakeModel, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """The memory of a server over stdio, locked to a project."""
    return opener("scout", person=False, scope=SCOPE, session="one")


async def called(memory: Memory, alone: list[str], tool: str, **values: Any) -> tuple[bool, str]:
    relay = Relay(memory, lambda: alone.append("alone"))
    async with Client(build_server(memory, by_client(memory), relay)) as client:
        answer = await client.call_tool(tool, values)
    return bool(answer.is_error), str(answer.content[0].text)  # type: ignore[union-attr]


async def test_what_is_asked_is_answered_by_the_server_that_holds_the_vault(
    holder: Memory, lazy: Memory, alone: list[str]
) -> None:
    with holding(holder):
        kept = await called(
            lazy, alone, "memorize", title="A bucket", content="We use a token bucket."
        )
        found = await called(lazy, alone, "remember", query="token bucket")
        told = await called(lazy, alone, "log", kind="note", summary="Here")
        wrong = await called(lazy, alone, "memorize", title="A bucket", content="Short")
        limits = await called(lazy, alone, "remember", query="x", limit=99)

    assert f"memory/{SCOPE}/a-bucket.md" in kept[1]
    assert "A bucket" in found[1]
    assert f"**scout** · chat · note · {SCOPE}" in told[1]
    assert wrong == (True, wrong[1])
    assert "it must have 10" in wrong[1]
    assert "less than or equal to 20" in limits[1]
    assert not lazy._parts.made_sidecar.made
    assert not alone


async def test_where_that_server_is_gone_it_answers_itself(
    holder: Memory, lazy: Memory, alone: list[str]
) -> None:
    with holding(holder):
        await called(lazy, alone, "memorize", title="A bucket", content="We use a token bucket.")
    found = await called(lazy, alone, "remember", query="token bucket")

    assert "A bucket" in found[1]
    assert lazy._parts.made_sidecar.made
    assert alone == ["alone"]


async def test_a_server_that_dies_in_the_midst_of_a_call_is_done_without(
    lazy: Memory, alone: list[str]
) -> None:
    async def dying(scope: Any, receive: Any, send: Any) -> None:
        asked = json.loads((await receive())["body"])
        if "nonce" not in asked:
            raise ConnectionAbortedError
        proof = lazy.server().proof(asked["nonce"]).encode()  # type: ignore[union-attr]
        length = [(b"content-length", b"%d" % len(proof))]
        await send({"type": "http.response.start", "status": 200, "headers": length})
        await send({"type": "http.response.body", "body": proof})

    lazy.memorize(Wish("A bucket", "We use a token bucket."))
    with listened(lambda _: dying) as port:
        lazy.announce(held_at(port))
        found = await called(lazy, alone, "remember", query="token bucket")

    assert "A bucket" in found[1]
    assert alone == ["alone"]


async def test_a_program_that_took_the_port_over_is_told_nothing(
    lazy: Memory, alone: list[str]
) -> None:
    heard: list[bytes] = []

    async def other(scope: Any, receive: Any, send: Any) -> None:
        heard.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"0" * 64})

    with listened(lambda _: other) as port:
        lazy.announce(held_at(port))
        await called(lazy, alone, "remember", query="the xylophone")

    assert [list(json.loads(body)) for body in heard] == [["nonce"]]
    assert alone == ["alone"]


async def test_a_server_that_hangs_is_soon_done_without(
    lazy: Memory, alone: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultmem.doors.relay.PROMPT", 0.1)
    with listening(Address("127.0.0.1", 0)) as silent:
        lazy.announce(held_at(silent.getsockname()[1]))
        found = await called(lazy, alone, "remember", query="token bucket")

    assert "Nothing in the vault answers that." in found[1]
    assert alone == ["alone"]


async def test_who_does_not_know_the_secret_is_not_answered(holder: Memory) -> None:
    import httpx2

    caller = {"agent": "a", "channel": "b", "session": "c", "scope": None, "folder": None}
    asked = {"tool": "brief", "values": {}, "caller": caller}
    with holding(holder) as server:
        url = f"http://127.0.0.1:{server.port}{PATH}"
        answers = [
            httpx2.post(url, json=body)
            for body in (asked, {**asked, "secret": "wrong"}, [], {"secret": "a secret"})
        ]
        answers.append(httpx2.post(url, content=b"[" * 100_000))
        answers.append(httpx2.get(url))
        right = httpx2.post(url, json={**asked, "secret": "a secret"})

    assert [answer.status_code for answer in answers] == [401, 401, 400, 400, 400, 400]
    assert "Identity" in right.json()["text"]


def test_the_file_that_says_so_is_for_this_user_alone(holder: Memory) -> None:
    server = held_at(1)
    holder.announce(server)
    (file,) = holder.settings.state.glob("serving-*")

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert holder.server() == server
    holder.withdraw(replace(server, pid=2))
    assert holder.server() == server
    file.chmod(0o644)
    assert holder.server() is None
    file.chmod(0o600)
    holder.withdraw(server)
    assert holder.server() is None


def test_when_the_newer_of_two_servers_ends_the_older_is_asked_again(holder: Memory) -> None:
    holder.announce(held_at(1))
    holder.announce(held_at(2))
    holder.withdraw(held_at(2), before=held_at(1))

    assert holder.server() == held_at(1)


async def test_a_server_of_another_version_is_not_asked(
    holder: Memory, lazy: Memory, alone: list[str]
) -> None:
    with holding(holder) as server:
        holder.announce(replace(server, version="0"))
        await called(lazy, alone, "brief")

    assert alone == ["alone"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"host": 1}', "null"])
def test_a_file_that_says_nothing_is_no_server(text: str) -> None:
    assert serving(text) is None
