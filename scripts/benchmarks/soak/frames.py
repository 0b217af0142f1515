"""Lines that make no sense, sent to a real server, which answers the next one all the same."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, all_of, at_most, none, pss
from benchmarks.vaults import VAULTMEM, new_vault

PATIENCE = 60.0
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "soak", "version": "1"},
}


class Raw:
    """A server process, spoken to in bytes; ends with the `with` block."""

    def __init__(self, root: Path) -> None:
        command = [VAULTMEM, "mcp", "--vault", str(root)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=root.parent
        )
        self._rest = b""
        self.foreign = 0
        self.number = 0

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.process.stdout.close()

    def say(self, pieces: Sequence[bytes]) -> None:
        """Write each piece by itself."""
        assert self.process.stdin
        for piece in pieces:
            self.process.stdin.write(piece)
            self.process.stdin.flush()
            time.sleep(0.002)

    def ask(self, method: str, params: dict[str, Any]) -> float | None:
        """Return the seconds that a request takes, None if it is not answered."""
        self.number += 1
        name = f"ours-{self.number}"
        begin = time.monotonic()
        message = {"jsonrpc": "2.0", "id": name, "method": method, "params": params}
        self.say([json.dumps(message).encode() + b"\n"])
        while time.monotonic() < begin + PATIENCE:
            line = self._line(begin + PATIENCE)
            if line is None:
                return None
            try:
                answer = json.loads(line)
            except ValueError:
                self.foreign += 1
                continue
            if answer.get("id") == name:
                return time.monotonic() - begin
        return None

    def _line(self, until: float) -> bytes | None:
        assert self.process.stdout
        out = self.process.stdout.fileno()
        while b"\n" not in self._rest:
            ready, _, _ = select.select([out], [], [], max(0.0, until - time.monotonic()))
            more = os.read(out, 1 << 20) if ready else b""
            if not more:
                return None
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def rows(folder: Path) -> Iterator[Row]:
    """Yield how a server fares with each message, and how soon it answers the next."""
    from tests.hostile.messages import LONG_MESSAGES, MESSAGES

    new_vault(folder / "vault")
    lived, after, settled = 0, [], []
    died: list[str] = []
    everything = {**MESSAGES, **LONG_MESSAGES}
    with Raw(folder / "vault") as server:
        server.ask("initialize", _HELLO)
        server.say([b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'])
        server.ask("tools/call", {"name": "remember", "arguments": {"query": "x"}})
        before = pss(server.process.pid)
        for name, pieces in everything.items():
            try:
                server.say(pieces)
                taken = [server.ask("ping", {}), server.ask("ping", {})]
            except OSError:
                taken = [None]
            if None in taken:
                died.append(name)
                break
            lived += 1
            after.append((taken[0] or 0, name))
            settled.append(taken[1] or 0)
        grown = pss(server.process.pid) - before if not died else 0.0
    slowest, name = max(after, default=(0.0, ""))
    yield all_of("messages that the server outlives", lived, len(everything), ", ".join(died))
    yield none("lines on its output that are no message", server.foreign)
    yield at_most("longest until it answers a message and a ping", slowest, PATIENCE, " s", name)
    yield at_most("longest ping after that", max(settled, default=0) * 1000, 100, " ms")
    yield at_most("memory the server grew by", grown, 400, " MB")
