"""What a process keeps that it should have let go: after many saves, and of clients that vanish."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks import corpus
from benchmarks.measure import Row, at_most, in_child, none, told
from benchmarks.shared_server import SharedServer, token_of
from benchmarks.vaults import fake_model, new_vault

NOTES = 50
WARM = 0.3
"""The share of the time that counts as warm-up."""
VANISHING = 300
GRACE = 5.0
"""Seconds after which nothing of a vanished client may be left."""


def _taken(pid: str = "self") -> tuple[float, int, int]:
    """Return the memory of a process in MB, its descriptors, and its threads."""
    base = Path(f"/proc/{pid}")
    line = next(row for row in (base / "status").read_text().splitlines() if "VmRSS" in row)
    counts = (len(list((base / name).iterdir())) for name in ("fd", "task"))
    return int(line.split()[1]) / 1024, *counts  # type: ignore[return-value]


def saved_and_asked(root: str, seconds: float) -> tuple[int, list[tuple[float, int, int]]]:
    """Save and ask for so long; return how often, and what the process had warm and at the end."""
    from vaultmem.memory import Memory, Question, Wish

    memory = Memory.open(root, agent="scout", person=True, model=fake_model())
    facts = list(corpus.facts(NOTES, seed=9))
    kept = [memory.memorize(Wish(title=t, content=c, allow_similar=True)) for t, c in facts]
    hashes = {receipt.id: receipt.hash for receipt in kept}
    begun, turns, states = time.monotonic(), 0, []
    while time.monotonic() < begun + seconds:
        title, content = facts[turn := turns % NOTES]
        name = kept[turn].id
        wish = Wish(id=name, hash=hashes[name], content=f"{content}\n\nTurn {turns}.")
        hashes[name] = memory.memorize(wish).hash
        assert memory.remember(Question(title)).hits
        turns += 1
        if not states and time.monotonic() > begun + WARM * seconds:
            states.append(_taken())
    states.append(_taken())
    memory.close()
    return turns, states


def leaks(folder: Path, seconds: float = 20) -> Iterator[Row]:
    """Save and ask in one process, then let clients of a server vanish."""
    root = folder / "vault"
    new_vault(root, NOTES)
    turns, (warm, end) = in_child(saved_and_asked, str(root), seconds)
    yield told("saves and questions in one process", turns, "", f"{seconds:g} s")
    note = f"{warm[0]:.0f} to {end[0]:.0f} MB"
    yield at_most("  memory that it grew by after the warm-up", end[0] - warm[0], 50, " MB", note)
    yield at_most("  descriptors more than then", end[1] - warm[1], 2, "", f"{end[1]}")
    yield at_most("  threads more than then", end[2] - warm[2], 2, "", f"{end[2]}")
    yield from _vanished(root)


def _vanished(root: Path) -> Iterator[Row]:
    token = token_of(root, "ghost", "--write", "*")
    with SharedServer(root) as server:
        for _ in range(20):
            _vanish(server.url, token)
        time.sleep(GRACE)
        before = _taken(str(server.pid))
        for _ in range(VANISHING):
            _vanish(server.url, token)
        time.sleep(GRACE)
        after = _taken(str(server.pid))
        status, _ = _asked(server.url, token, _CALL)
    yield told("HTTP clients that vanish in the midst of an answer", VANISHING)
    yield none("  server that answers no more", int(b" 200 " not in status))
    yield at_most("  descriptors more than before", after[1] - before[1], 2, "", f"{after[1]}")
    yield at_most("  threads more than before", after[2] - before[2], 2, "", f"{after[2]}")
    note = f"{before[0]:.0f} to {after[0]:.0f} MB"
    yield at_most("  memory that the server grew by", after[0] - before[0], 20, " MB", note)


_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "ghost", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_CALL = {"name": "remember", "arguments": {"query": "the refund queue"}, "_meta": _META}


def _vanish(url: str, token: str) -> None:
    """Ask, and leave before the answer is there."""
    with _connection(url, token, _CALL) as client, suppress(TimeoutError):
        client.settimeout(0.02)
        client.recv(10)


def _asked(url: str, token: str, params: object) -> tuple[bytes, bytes]:
    with _connection(url, token, params) as client:
        client.settimeout(20)
        data = client.recv(65_536)
    head, _, body = data.partition(b"\r\n")
    return head, body


def _connection(url: str, token: str, params: object) -> socket.socket:
    there = urlsplit(url)
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(asked).encode()
    head = (
        f"POST {there.path} HTTP/1.1\r\nHost: {there.netloc}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: remember\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    client = socket.create_connection((there.hostname or "", there.port or 0), timeout=20)
    client.sendall(head.encode() + body)
    return client
