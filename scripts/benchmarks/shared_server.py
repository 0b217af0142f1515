"""A running `vaultmem mcp --http`, and clients of it in both eras of the protocol."""

from __future__ import annotations

import re
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.measure import program
from benchmarks.vaults import VAULTMEM

PATIENCE = 60.0
ERAS = ("legacy", "2026-07-28")


class SharedServer:
    """One server process on a free port of this machine; ends with the `with` block."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self._talk = (root.parent / "http.stderr").open("w+")
        asked = [VAULTMEM, "mcp", "--http", "127.0.0.1:0", "--vault", str(root), *arguments]
        self._process = subprocess.Popen(asked, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr
        line = self._process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise RuntimeError(f"the server did not start: {line}{self._process.stderr.read()}")
        self.url = found[0]

    def __enter__(self) -> SharedServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)
        assert self._process.stderr
        self._process.stderr.close()
        self._talk.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    @property
    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))

    @property
    def resident(self) -> float:
        """Its memory in MB."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024 / 1e6  # type: ignore[index]


def token_of(root: Path, agent: str, *bound: str) -> str:
    """Give an agent a token and return it."""
    return program([VAULTMEM, "agent", "add", agent, *bound, "--vault", str(root)], root).strip()


@asynccontextmanager
async def visiting(url: str, token: str, era: str, session: str = "") -> AsyncIterator[Any]:
    """Give a client that comes with a token."""
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"authorization": f"Bearer {token}"}
    headers |= {"vaultmem-session": session} if session else {}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        over = streamable_http_client(url, http_client=http)
        async with Client(over, mode=era, read_timeout_seconds=PATIENCE) as client:
            yield client


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of some values lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
