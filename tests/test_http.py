"""The server over HTTP: who is let in, what a bound agent reads, sizes, and a clean end."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from conftest import Clock, Opener
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation
from test_access import API, SAID, SECRET, SHOP, both  # noqa: F401  # the fixture
from test_committing import begin, git, wanted

from vaultmem.doors import http_gate
from vaultmem.doors.http_gate import (
    LONGEST_BODY,
    Address,
    Gate,
    Punctual,
    address,
    hosts_of,
    listening,
    refusal,
    refuse_open,
)
from vaultmem.doors.mcp_http import SESSION, application
from vaultmem.doors.relay import Answering
from vaultmem.memory import Memory, Telling, Wish
from vaultmem.words.errors import BadInput, PortTaken, Refused
from vaultmem.words.serving import Serving

pytestmark = pytest.mark.anyio
ERAS = ("legacy", "2026-07-28")
HERE = Address("127.0.0.1", 8765)
URL = f"http://{HERE}/mcp"
HOSTS = hosts_of(HERE, ["memory.example.org"])
HELD = Serving(HERE.host, HERE.port, "a secret", version("vaultmem"), 1)
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
BOTH_TYPES = {"accept": "application/json, text/event-stream"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def server(opener: Opener) -> Memory:
    """The memory as a server holds it, locked to no scope."""
    return opener("agent", person=False, channel="mcp", session="")


@asynccontextmanager
async def served(memory: Memory, *, auth: bool = True) -> AsyncIterator[Gate]:
    app = application(memory, auth=auth, named=False)
    async with app.router.lifespan_context(app):
        yield Gate(Answering(app, memory, HELD), HOSTS)


def web(app: Gate, token: str = "", **headers: str) -> httpx2.AsyncClient:
    with_token = {"authorization": f"Bearer {token}"} if token else {}
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app),
        headers={**with_token, **{name.replace("_", "-"): v for name, v in headers.items()}},
    )


@asynccontextmanager
async def connected(
    app: Gate, token: str = "", era: str = "legacy", **headers: str
) -> AsyncIterator[Client]:
    info = Implementation(name="Some Client", version="1")
    async with web(app, token, **headers) as http:
        over = streamable_http_client(URL, http_client=http)
        async with Client(over, mode=era, client_info=info, read_timeout_seconds=30) as client:
            yield client


async def text_of(client: Client, tool: str, **arguments: Any) -> str:
    return str((await client.call_tool(tool, arguments)).content[0].text)  # type: ignore[union-attr]


# Who is let in.


@pytest.mark.parametrize("kind", ["missing", "wrong", "revoked", "rotated", "expired", "foreign"])
async def test_without_a_valid_token_there_is_nothing(
    kind: str,
    server: Memory,
    both: Memory,  # noqa: F811
    clock: Clock,
    tmp_path: Path,
) -> None:
    token = server.add_agent("scout", ["*"], ["*"], days=1 if kind == "expired" else 0)[0]
    if kind in ("missing", "wrong"):
        token = {"missing": "", "wrong": f"{token[:-1]}-"}[kind]
    if kind == "revoked":
        server.revoke_agent("scout")
    if kind == "rotated":
        server.rotate_agent("scout")
    if kind == "expired":
        clock.forward(days=2)
    if kind == "foreign":
        server.revoke_agent("scout")
        server.add_agent("scribe", ["*"], ["*"])
    async with served(server) as app, web(app, token, **BOTH_TYPES) as http:
        for answer in (
            await http.post(URL, json=HELLO),
            await http.get(URL),
            await http.delete(URL),
            await http.post(URL, json=HELLO, headers={"mcp-protocol-version": "2026-07-28"}),
        ):
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer ")
            assert answer.json() == {
                "error": "invalid_token",
                "error_description": "Authentication required",
            }
        elsewhere = await http.get(f"http://{HERE}/.well-known/oauth-protected-resource")
        assert elsewhere.status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "127.0.0.1:8765"}, 0),
        ({"host": "LOCALHOST:8765"}, 0),
        ({"host": "memory.example.org"}, 0),
        ({"host": "memory.example.org:443", "origin": "https://memory.example.org"}, 0),
        ({"host": "127.0.0.1:8765", "origin": "http://127.0.0.1:8765"}, 0),
        ({}, 421),
        ({"host": ""}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "127.0.0.1:8766"}, 421),
        ({"host": "127.0.0.1:8765:1"}, 421),
        ({"host": "127.0.0.1:8765\u0085"}, 421),
        ({"host": "evil.example:8765"}, 421),
        ({"host": "127.0.0.1.nip.io:8765"}, 421),
        ({"host": "127.0.0.1:8765", "origin": "null"}, 403),
        ({"host": "127.0.0.1:8765", "origin": "http://localhost:3000"}, 403),
        ({"host": "127.0.0.1:8765", "origin": "http://evil.example"}, 403),
        ({"host": "127.0.0.1:8765", "origin": "file://127.0.0.1:8765"}, 403),
        ({"host": "127.0.0.1:8765", "sec-fetch-site": "cross-site"}, 403),
        ({"host": "127.0.0.1:8765", "content-length": str(LONGEST_BODY + 1)}, 413),
        ({"host": "127.0.0.1:8765", "content-length": "-1"}, 413),
    ],
)
def test_a_request_must_name_our_host_and_come_from_nowhere_else(
    headers: dict[str, str], status: int
) -> None:
    found = refusal(
        [(name.encode(), said.encode("latin-1")) for name, said in headers.items()], HOSTS
    )

    assert (found[0] if found else 0) == status


def test_a_request_with_two_tokens_is_refused() -> None:
    token = (b"authorization", b"Bearer x")
    found = refusal([(b"host", b"127.0.0.1:8765"), token, token], HOSTS)

    assert found
    assert found[0] == 400


def test_two_hosts_in_one_request_are_none() -> None:
    assert refusal([(b"host", b"127.0.0.1:8765"), (b"host", b"localhost:8765")], HOSTS)


async def test_what_the_gate_refuses_never_reaches_the_server(server: Memory) -> None:
    token = server.add_agent("scout")[0]
    async with served(server) as app, web(app, token, **BOTH_TYPES) as http:
        bad = await http.post(URL, json=HELLO, headers={"host": "evil.example"})
        page = await http.post(URL, json=HELLO, headers={"origin": "http://localhost:3000"})
        long = await http.post(URL, content=b"x" * (LONGEST_BODY + 1))

        async def endless() -> AsyncIterator[bytes]:
            for _ in range(100):
                yield b" " * 64 * 1024

        kind = {"content-type": "application/json"}
        chunked = await http.post(URL, content=endless(), headers=kind)

    assert [bad.status_code, page.status_code] == [421, 403]
    assert [long.status_code, chunked.status_code] == [413, 413]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "X"])
async def test_no_other_method_does_anything(server: Memory, method: str) -> None:
    token = server.add_agent("scout")[0]
    async with served(server) as app, web(app, token, **BOTH_TYPES) as http:
        answer = await http.request(method, URL, json=HELLO)

    assert answer.status_code == 405
    assert not {name for name in answer.headers if name.startswith("access-control-")}


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_what_a_form_of_a_web_page_can_send_is_refused(server: Memory, kind: str) -> None:
    token = server.add_agent("scout")[0]
    async with served(server) as app, web(app, token, **BOTH_TYPES) as http:
        answer = await http.post(URL, content=json.dumps(HELLO), headers={"content-type": kind})

    assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    ("where", "tokens", "no_auth", "says"),
    [
        ("127.0.0.1:1", False, False, "--no-auth"),
        ("0.0.0.0:1", False, True, "Everybody"),
        ("192.168.1.5:1", False, True, "Everybody"),
        ("memory.example.org:1", False, False, "Everybody"),
        ("127.0.0.1:1", True, True, "Leave --no-auth out"),
    ],
)
def test_a_server_that_lets_anybody_in_does_not_start(
    where: str, tokens: bool, no_auth: bool, says: str
) -> None:
    with pytest.raises(Refused, match=says):
        refuse_open(address(where), tokens=tokens, no_auth=no_auth)


@pytest.mark.parametrize("where", ["127.0.0.1:1", "[::1]:1", "localhost:1", "127.9.9.9:1"])
def test_on_this_machine_it_may_do_without_tokens(where: str) -> None:
    refuse_open(address(where), tokens=False, no_auth=True)
    refuse_open(Address("0.0.0.0", 1), tokens=True, no_auth=False)


@pytest.mark.parametrize(
    "text", ["", "8765", ":8765", "localhost", "a:b", "::1:8765", "h:70000", "http://h:1", "[:1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=re.escape("Write it like 127.0.0.1:8765")):
        address(text)


def test_a_port_in_use_is_told() -> None:
    with listening(Address("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Another program listens at 127.0.0.1:{port}"):
            listening(Address("127.0.0.1", port))


# What an agent gets.


@pytest.mark.parametrize("era", ERAS)
async def test_a_bound_agent_reads_nothing_of_another_scope_by_any_way_there_is(
    era: str,
    server: Memory,
    both: Memory,  # noqa: F811
) -> None:
    token = server.add_agent("scout", [], [API])[0]
    hidden = next(row[0] for row in both.listing(_any()) if SECRET in row[2].title)
    async with served(server) as app, connected(app, token, era) as client:
        found = [client.instructions or ""]
        for tool in (await client.list_tools()).tools:
            answers = [await client.call_tool(tool.name, a) for a in tried(tool.name, hidden)]
            found += [str(answer) for answer in answers]
        found += [str(r) for r in (await client.list_resources()).resources]
        for uri in (
            "vault://index",
            "vault://live-context",
            "vault://identity/scribe",
            "vault://identity/scout",
            f"memory://{hidden}",
            "memory://index",
            "memory://checkpoints%2Fscribe",
            "memory://live-context%2F2026-11",
        ):
            try:
                found.append(str(await client.read_resource(uri)))
            except MCPError as error:
                found.append(str(error).replace(hidden, "it"))
        for prompt in (await client.list_prompts()).prompts:
            found.append(str(await client.get_prompt(prompt.name, {})))
    text = "\n".join(found).casefold()

    assert "granted" in text
    assert SECRET not in text.replace(SAID, "")
    assert hidden not in text
    assert SHOP not in text.replace(SAID, "").replace(f"{SHOP} is said", "")


def _any() -> Any:
    from vaultmem.memory import Question

    return Question("x")


def tried(tool: str, hidden: str) -> list[dict[str, Any]]:
    """Return arguments with which a tool might tell what it must not."""
    asked = ("x", "title", "decision", "the rate limiter", "question", "guess", "detail")
    return {
        "brief": [{}, {"about": "the rate limiter"}, {"format": "json"}],
        "remember": [
            *({"query": word, "limit": 20, "detail": "full", "explain": True} for word in asked),
            {"query": hidden[:7]},
        ],
        "memorize": [
            {"title": "The rate limiter", "content": "A body of the rate limiter."},
            {"title": "One more", "content": "It says more.", "relates": ["supersedes: title"]},
        ],
        "forget": [{"query": "the rate limiter"}, {"query": "title"}],
        "knowledge": [
            *({"command": "search", "query": word} for word in asked),
            {"command": "match", "pattern": "(?i)[a-z]", "context": 10},
            {"command": "list"},
            {"command": "read", "source": "title"},
            {"command": "remove", "source": "title"},
        ],
        "log": [{"kind": "read"}, {"kind": "note", "summary": "Hello"}],
    }[tool]


@pytest.mark.parametrize("era", ERAS)
async def test_the_agent_is_the_tokens_and_each_conversation_its_own(
    era: str, server: Memory, opener: Opener
) -> None:
    one, other = (server.add_agent(name, [], ["*"])[0] for name in ("scout", "scribe"))
    opener("sage").tell(Telling("handoff", "The docs are done"))
    async with (
        served(server) as app,
        connected(app, one, era, vaultmem_session="a") as first,
        connected(app, one, era, vaultmem_session="b") as second,
        connected(app, other, era) as third,
    ):
        clients = (first, second, third)
        read = [await text_of(client, "log", kind="read") for client in clients]
        told = await asyncio.gather(
            *(text_of(client, "log", kind="note", summary="Here") for client in clients)
        )

    assert all("The docs are done" in text for text in read)
    assert ["**scout**" in text for text in told] == [True, True, False]
    assert "**scribe**" in told[2]
    assert SESSION == "vaultmem-session"


async def test_a_session_is_of_the_token_that_opened_it(server: Memory) -> None:
    one, other = (server.add_agent(name, [], ["*"])[0] for name in ("scout", "scribe"))
    async with served(server) as app, web(app, one, **BOTH_TYPES) as http:
        session = {"mcp-session-id": (await http.post(URL, json=HELLO)).headers["mcp-session-id"]}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        stolen = {**session, "authorization": f"Bearer {other}"}

        assert (await http.post(URL, json=call, headers=stolen)).status_code == 404
        assert (await http.post(URL, json=call, headers=session)).status_code == 200


async def test_without_tokens_an_agent_is_its_client(server: Memory) -> None:
    async with served(server, auth=False) as app, connected(app) as client:
        assert "**some-client**" in await text_of(client, "log", kind="note", summary="Here")


async def test_a_vault_that_vanishes_gives_errors_and_the_server_lives(
    server: Memory, root: Path
) -> None:
    token = server.add_agent("scout", [], ["*"])[0]
    async with served(server) as app, connected(app, token) as client:
        away = root.rename(root.with_name("away"))
        for tool, arguments in (
            ("log", {"kind": "note", "summary": "Here"}),
            ("memorize", {"title": "A title", "content": "A body of text."}),
            ("forget", {"id": "nothing"}),
            ("brief", {}),
            ("log", {"kind": "read"}),
        ):
            assert (await client.call_tool(tool, arguments)).is_error
        assert "vanished" in await text_of(client, "remember", query="anything")
        away.rename(root)
        assert not (await client.call_tool("log", {"kind": "note", "summary": "Back"})).is_error


# On the wire.


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> socket.socket:
    """A server that waits a fifth of a second, and one connection to it."""
    monkeypatch.setattr(http_gate, "PATIENCE", 0.2)

    async def silent(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    listener = listening(Address("127.0.0.1", 0))
    config = uvicorn.Config(silent, http=Punctual, ws="none", lifespan="off", log_config=None)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, args=([listener],), daemon=True)
    thread.start()
    with socket.create_connection(listener.getsockname(), timeout=5) as client:
        yield client
    running.should_exit = True
    thread.join(5)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST / HT",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT",
    ],
    ids=["nothing", "half a line", "half a body", "half a second request"],
)
def test_a_client_that_is_slow_is_left(sent: bytes, impatient: socket.socket) -> None:
    impatient.sendall(sent)
    whole = b""
    try:
        while got := impatient.recv(4096):
            whole += got
    except ConnectionResetError:
        pass

    assert (b"204" in whole) == sent.startswith(b"GET")


def test_it_serves_and_commits_what_is_owed_when_it_is_told_to_end(
    root: Path, opener: Opener
) -> None:
    wanted("session")
    begin(root)
    opener().memorize(Wish(title="Use tabs", content="Indent with tabs everywhere."))
    command = [sys.executable, "-m", "vaultmem"]
    token = subprocess.check_output(
        [*command, "agent", "add", "scout", "--vault", str(root)],
        text=True,
        stderr=subprocess.DEVNULL,
    )
    arguments = ["mcp", "--http", "127.0.0.1:0", "--vault", str(root)]
    with subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = process.stderr.readline()
        url = re.search(r"http://\S+", line)
        assert url, line
        head = {"authorization": f"Bearer {token.strip()}", **BOTH_TYPES}
        answer = httpx2.post(url[0], json=HELLO, headers=head, timeout=60)
        assert json.loads(answer.text)["result"]["serverInfo"]["name"] == "vaultmem"
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(30) == 0
        assert not list(Path(os.environ["VAULTMEM_STATE_DIR"]).rglob("serving-*"))
    assert git(root, "log", "-1", "--format=%s") == "Remember: Use tabs\n"
