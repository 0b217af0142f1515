"""Proving a connection: by the host's own command where it has one, and by starting the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vaultmem.hosts.pieces import Piece
from vaultmem.hosts.table import HOSTS, NAME
from vaultmem.verbs.connect import Connector
from vaultmem.words.connecting import ConnectWish

PATIENCE = 60.0
"""Seconds that a host's command, or our server, may take."""
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@dataclass(frozen=True)
class Proof:
    """One way of looking, whether it found the server well, and what it said."""

    how: str
    good: bool
    said: str


def check(connector: Connector, wish: ConnectWish) -> list[Proof]:
    """Return what each way of looking found; none of them is good by its exit code alone."""
    parts = connector.pieces(wish)
    host, project = HOSTS[wish.host], connector.machine.project
    if not parts:
        said = f"nothing is connected: run `vaultmem connect {host.name}`"
        return [Proof("its files", False, said)]
    found = []
    plugged = not any(piece.keys == (*host.keys, NAME) for piece in parts)
    command = host.plugin_check if plugged else host.check
    known = shutil.which(host.program, path=connector.machine.environ.get("PATH"))
    if command and known:
        good = host.plugin_good if plugged else host.good
        found.append(asked([known, *command], project, good))
    words = next((words for piece in parts if (words := server_words(piece))), None)
    if words:
        found.append(started(words, project))
    return found or [Proof("its files", False, "only the host itself can reach it: start it")]


def server_words(piece: Piece) -> list[str]:
    """Return the words by which an entry, or a plugin's settings, start the server."""
    value = piece.value
    if piece.form == "own" and piece.file.suffix == ".json" and '"vault"' in str(value):
        value = json.loads(str(value))
    if not isinstance(value, dict) or "command" not in value:
        return []
    command = value["command"]
    words = command if isinstance(command, list) else [command, *value.get("args", [])]
    if "vault" in value:
        words = [*words, "mcp", "--vault", value["vault"]]
    return [str(word) for word in words]


def asked(command: Sequence[str], cwd: Path, good: str) -> Proof:
    """Return what a host's own command says of our server."""
    how = " ".join([Path(command[0]).name, *command[1:]])
    try:
        done = subprocess.run(
            command, cwd=cwd, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Proof(how, False, f"it gave no answer: {error}")
    text = _COLOURS.sub("", (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace"))
    match = re.search(good, text, re.MULTILINE)
    if match:
        start = text.rfind("\n", 0, match.start()) + 1
        return Proof(how, True, text[start : match.end()].strip())
    lines = [line.strip() for line in text.splitlines() if NAME in line]
    return Proof(how, False, lines[0] if lines else "it does not name vaultmem")


def started(command: Sequence[str], cwd: Path) -> Proof:
    """Return which tools the server lists if it is started by an entry's own words."""
    how = "the entry, started"
    try:
        with subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as server:
            timer = threading.Timer(PATIENCE, server.kill)
            timer.start()
            try:
                tools = _tools(server)
            finally:
                timer.cancel()
                server.kill()
    except (OSError, ValueError, KeyError) as error:
        return Proof(how, False, f"it does not answer: {error}")
    return Proof(how, bool(tools), f"{len(tools)} tools: {', '.join(tools)}")


def _tools(server: subprocess.Popen[bytes]) -> list[str]:
    who = {"name": "vaultmem-check", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
    _sent(server, {"id": 1, "method": "initialize", "params": hello})
    _answer(server, 1)
    _sent(server, {"method": "notifications/initialized"})
    _sent(server, {"id": 2, "method": "tools/list"})
    return [str(tool["name"]) for tool in _answer(server, 2)["tools"]]


def _sent(server: subprocess.Popen[bytes], message: dict[str, object]) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()


def _answer(server: subprocess.Popen[bytes], number: int) -> dict[str, list[dict[str, object]]]:
    assert server.stdout is not None
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == number:
            result: dict[str, list[dict[str, object]]] = message["result"]
            return result
    raise ValueError("it ended")
