"""A running `vaultmem mcp`, spoken to in raw lines of JSON, so that no client adds its own time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Server:
    """One server process; ends with the `with` block."""

    def __init__(self, arguments: Sequence[str], cwd: Path) -> None:
        self._process = subprocess.Popen(
            arguments,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._number = 0

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def hello(self) -> dict[str, Any]:
        """Shake hands and return what the server says about itself."""
        found = self.ask("initialize", _HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return found

    def tools(self) -> list[Any]:
        """Return the tools as they are sent."""
        found = self.ask("tools/list", {})["tools"]
        assert isinstance(found, list)
        return found

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                result = answer["result"]
                assert isinstance(result, dict)
                return result
        raise RuntimeError(f"the server ended before it answered {method}")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
