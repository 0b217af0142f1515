"""The MCP server as the process that a client starts: over pipes, in both eras, to its end."""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile.messages import MESSAGES
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation
from promises import promise
from test_committing import begin, shown, wanted

WAIT = 30.0
SERVER = [sys.executable, "-m", "vaultmem", "mcp"]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "Raw Client", "version": "1"},
}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "Modern Client", "version": "1"},
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Server:
    """A server process, spoken to in lines of JSON."""

    def __init__(self, root: Path, *args: str, cwd: Path | None = None, **environ: str) -> None:
        self.process = subprocess.Popen(
            [*SERVER, "--vault", str(root), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **environ},
        )
        self.lines: list[bytes] = []
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._talk: list[bytes] = []
        self._threads = [threading.Thread(target=self._listen), threading.Thread(target=self._hear)]
        for thread in self._threads:
            thread.start()
        self._number = 0

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            self._answers.put(json.loads(line))

    def _hear(self) -> None:
        assert self.process.stderr
        self._talk += self.process.stderr

    @property
    def talk(self) -> str:
        return b"".join(self._talk).decode()

    def say(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the answer to a request."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.say(json.dumps(message).encode())
        while True:
            answer = self._answers.get(timeout=WAIT)
            if answer.get("id") == self._number:
                return answer

    def initialized(self) -> dict[str, Any]:
        """Shake hands as a client of the older era does, and return the answer."""
        answer = self.ask("initialize", **HELLO)
        self.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the JSON that a tool answers, or its error as `{"error": text}`."""
        params = {"name": tool, "arguments": {**arguments, "format": "json"}}
        result = self.ask("tools/call", **params)["result"]
        (block,) = result["content"]
        return {"error": block["text"]} if result["isError"] else json.loads(block["text"])

    def ended(self) -> int:
        """Close the input and return the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(WAIT)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(WAIT)
        for thread in self._threads:
            thread.join(WAIT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream and not stream.closed:
                stream.close()


Starter = Callable[..., Server]


@pytest.fixture
def start(root: Path) -> Iterator[Starter]:
    """Starts servers of the vault."""
    started: list[Server] = []

    def make(*args: str, **options: Any) -> Server:
        started.append(Server(root, *args, **options))
        return started[-1]

    yield make
    for server in started:
        server.close()


@pytest.fixture
def server(start: Starter) -> Server:
    """A server of the agent scout to which a client of the older era has connected."""
    made = start("--agent", "scout")
    made.initialized()
    return made


def running(params: StdioServerParameters, era: str) -> Client:
    info = Implementation(name="Claude Code", version="1")
    return Client(params, mode=era, client_info=info, read_timeout_seconds=WAIT)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "2026-07-28", "auto"])
async def test_the_sdk_s_client_works_in_every_era(era: str, root: Path) -> None:
    params = StdioServerParameters(
        command=SERVER[0], args=[*SERVER[1:], "--vault", str(root)], env=dict(os.environ)
    )
    async with running(params, era) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        made = await client.call_tool("memorize", {"title": "A title", "content": "A new fact."})
        told = await client.call_tool("log", {"kind": "note", "summary": "Hello", "format": "json"})
        brief = await client.call_tool("brief", {})
        (index,) = (await client.read_resource("vault://index")).contents
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]

    assert tools == ["brief", "remember", "memorize", "forget", "knowledge", "log"]
    assert not (made.is_error or told.is_error or brief.is_error)
    assert json.loads(told.content[0].text)["agent"] == "claude-code"  # type: ignore[union-attr]
    assert "1 memory" in index.model_dump()["text"]
    assert prompts == ["session_start", "session_end"]


def test_discover_and_then_initialize_on_one_pipe_both_work(start: Starter) -> None:
    server = start("--agent", "scout")

    found = server.ask("server/discover", _meta=MODERN)["result"]
    again = server.ask("server/discover", _meta=MODERN)["result"]
    greeted = server.initialized()["result"]
    entry = server.call("log", kind="note", summary="Hello")

    assert found == again
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["instructions"] == greeted["instructions"]
    assert greeted["protocolVersion"] == "2025-11-25"
    assert entry["summary"] == "Hello"


def test_discover_and_then_a_request_without_handshake_both_work(start: Starter) -> None:
    server = start()

    server.ask("server/discover", _meta=MODERN)
    tools = server.ask("tools/list", _meta=MODERN)["result"]["tools"]
    params = {"name": "log", "arguments": {"kind": "note", "summary": "Hello", "format": "json"}}
    told = server.ask("tools/call", **params, _meta=MODERN)["result"]

    assert [tool["name"] for tool in tools][:2] == ["brief", "remember"]
    assert json.loads(told["content"][0]["text"])["agent"] == "modern-client"


def test_the_end_of_the_input_ends_the_server(server: Server) -> None:
    assert server.ended() == 0
    assert server.talk == ""


def test_the_end_of_the_input_ends_a_server_that_nobody_greeted(start: Starter) -> None:
    assert start().ended() == 0


@promise("kept")
def test_what_was_acknowledged_is_kept_when_the_input_ends(server: Server, root: Path) -> None:
    made = server.call("memorize", title="A title", content="A fact to keep.")

    assert server.ended() == 0
    assert "A fact to keep." in (root / made["path"]).read_text("utf-8")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_while_its_input_is_open(
    number: signal.Signals, server: Server
) -> None:
    server.process.send_signal(number)

    assert server.process.wait(WAIT) == 0
    assert "Traceback" not in server.talk


def test_the_server_ends_although_its_output_is_read_no_more(root: Path) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    unread, write = os.pipe()
    os.close(unread)
    done = subprocess.run(
        [*SERVER, "--vault", str(root)],
        input=json.dumps(hello).encode() + b"\n",
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=WAIT,
    )
    os.close(write)

    assert b"Traceback" not in done.stderr


def test_the_server_ends_with_its_parent_although_its_input_stays_open(root: Path) -> None:
    inside, outside = os.pipe()
    answer, write = os.pipe()
    command = [*SERVER, "--vault", str(root)]
    code = (
        "import subprocess, sys, time\n"
        f"server = subprocess.Popen({command!r}, stdin={inside}, stdout={write})\n"
        "print('started', flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], pass_fds=(inside, write), stdout=subprocess.PIPE
    )
    os.close(inside)
    os.close(write)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    try:
        with parent:
            os.write(outside, json.dumps(hello).encode() + b"\n")
            assert read(answer)
            parent.kill()

        assert read(answer) == b""
    finally:
        os.close(outside)
        os.close(answer)


def read(descriptor: int) -> bytes:
    """Return what comes in, empty at the end, or fail if nothing does."""
    ready, _, _ = select.select([descriptor], [], [], WAIT)
    assert ready, "nothing came"
    return os.read(descriptor, 65536)


@promise("bounded")
def test_no_message_that_makes_no_sense_ends_the_server(server: Server) -> None:
    assert server.process.stdin
    for name, pieces in MESSAGES.items():
        for piece in pieces:
            server.process.stdin.write(piece)
            server.process.stdin.flush()
        assert server.ask("ping")["result"] == {}, name
    server.say(b"[" * 100_000)

    assert server.ask("tools/list")["result"]["tools"]
    assert server.ended() == 0


@pytest.mark.parametrize("end", ["its input ends", "a signal"])
def test_what_a_session_changed_is_committed_when_it_ends(
    end: str,
    root: Path,
    start: Starter,
) -> None:
    vault = begin(root)
    wanted("session")
    server = start()
    server.initialized()
    server.call("memorize", title="Use tabs", content="Indent with tabs everywhere.")
    assert shown(vault, "%s") == "Begin"
    if end == "a signal":
        server.process.send_signal(signal.SIGTERM)

    assert server.ended() == 0
    assert shown(vault, "%s") == "Remember: Use tabs"


def test_a_line_that_makes_no_sense_may_come_first(start: Starter) -> None:
    server = start()
    server.say(b"garbage")

    assert server.initialized()["result"]["serverInfo"]["name"] == "vaultmem"


def test_nothing_but_messages_is_on_the_output(start: Starter) -> None:
    server = start("--agent", "scout", PYTHONWARNINGS="always", PYTHONDEVMODE="1")
    server.initialized()
    server.call("memorize", title="A title", content="A fact to keep.")
    server.call("log", kind="note", summary="x" * 5000)
    server.call("brief")
    server.ask("nonsense")

    assert server.ended() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)


@promise("bounded")
def test_a_content_of_megabytes_is_refused_and_the_server_goes_on(server: Server) -> None:
    refused = server.call("memorize", title="A title", content="x" * 3_000_000)

    assert refused["error"].startswith("The content has 3000000 characters")
    assert server.call("log", kind="note", summary="Still here")["summary"] == "Still here"


def test_a_vault_that_vanishes_is_an_error_and_the_server_goes_on(
    server: Server, root: Path
) -> None:
    (root / ".vaultmem").rename(root / "elsewhere")
    refused = server.call("memorize", title="A title", content="A fact to keep.")
    (root / "elsewhere").rename(root / ".vaultmem")

    assert "Error executing" not in refused["error"]
    assert server.call("memorize", title="A title", content="A fact to keep.")["id"]


def test_each_server_process_is_a_session_that_starts_from_what_its_agent_has_read(
    server: Server, start: Starter
) -> None:
    server.call("log", kind="note", summary="Hello from scout")
    found = []
    for _ in range(2):
        other = start("--agent", "scribe")
        other.initialized()
        found += [other.call("log", kind="read") for _ in range(2)]
    other = start("--agent", "critic")
    other.initialized()
    found.append(other.call("log", kind="read"))

    assert [len(each["entries"]) for each in found] == [1, 0, 0, 0, 1]


def test_a_session_that_is_named_goes_on_in_the_next_process(
    server: Server, start: Starter
) -> None:
    server.call("log", kind="note", summary="Hello from scout")
    found = []
    for _ in range(3):
        other = start("--agent", "scribe", "--session", "one")
        other.initialized()
        found.append(other.call("log", kind="read"))
        found += [other.call("brief")] if len(found) == 2 else []

    # the first process ended before its session called again, the second did not
    assert [len(each["entries"]) for each in (found[0], found[1], found[3])] == [1, 1, 0]


def test_two_servers_of_one_vault_hear_each_other(server: Server, start: Starter) -> None:
    other = start("--agent", "scribe")
    other.initialized()
    other.call("log", kind="handoff", summary="The docs are yours", to="scout")

    made = server.call("memorize", title="A title", content="A fact to keep.")

    assert made["unread"].startswith("1 unread log entries")


def test_the_git_remote_of_the_working_directory_locks_the_scope(
    start: Starter, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    git = ["git", "-C", str(project)]
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    subprocess.run([*git, "remote", "add", "origin", "git@github.com:Acme/API.git"], check=True)
    server = start(cwd=project)

    greeted = server.initialized()["result"]
    tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
    entry = server.call("log", kind="note", summary="Hello")

    assert "You work in the scope github.com/acme/api;" in greeted["instructions"]
    assert "scope" not in tools["remember"]["inputSchema"]["properties"]
    assert "global" in tools["memorize"]["inputSchema"]["properties"]
    assert entry["scope"] == "github.com/acme/api"


@pytest.mark.parametrize(
    ("environ", "scope"),
    [({"VAULTMEM_SCOPE": "local/thesis"}, "local/thesis"), ({"VAULTMEM_SCOPE": ""}, "")],
)
def test_the_environment_locks_the_scope(
    environ: dict[str, str], scope: str, start: Starter
) -> None:
    server = start(**environ)
    server.initialized()

    refused = server.call("log", kind="note", summary="Hello", scope="local/other")

    assert "scope: Extra inputs are not permitted" in refused["error"]
    assert server.call("log", kind="note", summary="Hello")["scope"] == scope


def test_a_note_saved_by_hand_is_seen_by_a_server_that_watches(server: Server, root: Path) -> None:
    (root / "memory" / "global" / "typed.md").write_text("# Typed by hand\n\nText.\n", "utf-8")
    deadline = time.monotonic() + WAIT

    found = ""
    while "Typed by hand" not in found and time.monotonic() < deadline:
        found = (root / "memory" / "global" / "index.md").read_text("utf-8")
        time.sleep(0.05)

    assert "Typed by hand" in found
    assert server.ended() == 0
