"""Sessions of agents over stdio: real servers, spoken to by the SDK's own client."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.vaults import VAULTMEM

if TYPE_CHECKING:
    from mcp import ClientSession

PATIENCE = 60.0
"""Seconds after which a call counts as never answered."""
MEMORIZE_EVERY = 5
READ_EVERY = 10
KILLED_AFTER = 0.006
"""Seconds into a call at which its server is killed."""


@dataclass
class Seat:
    """One session of an agent; what it was told and promised outlives its servers."""

    agent: str
    number: int
    facts: list[tuple[str, str]]
    entries: int
    killed_in: str = ""
    """The tool in whose midst its server is killed half way, empty if it is not."""
    marks: set[str] = field(default_factory=set)
    """Marks of the entries that were acknowledged."""
    notes: dict[str, str] = field(default_factory=dict)
    """Texts that were acknowledged as kept, by path."""
    copies: int = 0
    """Memories that were acknowledged and not kept: the vault says them already."""
    given: Counter[str] = field(default_factory=Counter)
    """How often each entry was given to it, by mark."""
    unconfirmed: set[str] = field(default_factory=set)
    """Entries that the last answer before its server was killed gave: it may well be lost."""
    refused: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.agent}-{self.number}"

    async def begin(self, root: Path, cwd: Path) -> None:
        """Hear what there is: what others say from now on is news to this session."""
        async with connected(root, cwd, self.agent, self.name) as client:
            await self.read(client)

    async def work(self, root: Path, cwd: Path) -> None:
        """Do all turns: on two servers where the first one is killed, else on one."""
        half = self.entries // 2 if self.killed_in else self.entries
        async with connected(root, cwd, self.agent, self.name) as client:
            await self._turns(client, range(half))
            if self.killed_in:
                await self._cut_off(client, root)
        if self.killed_in:
            async with connected(root, cwd, self.agent, self.name) as client:
                await self._turns(client, range(half, self.entries))

    async def _turns(self, client: ClientSession, turns: range) -> None:
        for turn in turns:
            await self.tell(client, f"{self.name} says {turn}")
            if turn % MEMORIZE_EVERY == 0 and self.facts:
                await self.memorize(client, *self.facts.pop())
            if turn % READ_EVERY == 0:
                await self.read(client)

    async def tell(self, client: ClientSession, summary: str) -> None:
        done = await self._called(client, "log", kind="note", summary=summary)
        if done:
            self.marks.add(done["mark"])

    async def memorize(self, client: ClientSession, title: str, content: str) -> None:
        done = await self._called(
            client, "memorize", title=f"{title} of {self.name}", content=content
        )
        if done.get("status") == "not kept" or done.get("seen"):
            self.copies += 1
        elif done:
            self.notes[done["path"]] = content

    async def read(self, client: ClientSession) -> int:
        """Take unread entries; return how many there were."""
        found = (await self._called(client, "log", kind="read")).get("entries", [])
        self.given.update(entry["mark"] for entry in found)
        return len(found)

    async def read_all(self, root: Path, cwd: Path) -> None:
        """Take unread entries until nothing is unread."""
        async with connected(root, cwd, self.agent, self.name) as client:
            while await self.read(client):
                pass

    async def _called(self, client: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return what a tool answers; nothing, and the refusal is noted, if it refuses."""
        try:
            return await called(client, tool, **arguments)
        except RuntimeError as error:
            self.refused.append(str(error))
            return {}

    async def _cut_off(self, client: ClientSession, root: Path) -> None:
        """Kill the server in the midst of a call."""
        import anyio

        async def last() -> None:
            with suppress(Exception), anyio.move_on_after(5):
                if self.killed_in == "read":
                    found = await called(client, "log", kind="read")
                    self.unconfirmed = {entry["mark"] for entry in found["entries"]}
                    self.given.update(self.unconfirmed)
                else:
                    said = f"{self.name} says one more"
                    found = await called(client, "log", kind="note", summary=said)
                    self.marks.add(found["mark"])

        async with anyio.create_task_group() as group:
            group.start_soon(last)
            await anyio.sleep(KILLED_AFTER)
            os.kill(_server(root, self.name), signal.SIGKILL)


@asynccontextmanager
async def connected(
    root: Path, cwd: Path, agent: str, session: str
) -> AsyncIterator[ClientSession]:
    """Give a client whose server runs for one session of an agent."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    asked = ["mcp", "--vault", str(root), "--agent", agent, "--session", session]
    parameters = StdioServerParameters(command=VAULTMEM, args=asked, env=dict(os.environ), cwd=cwd)
    with (root.parent / f"{session}.stderr").open("a") as talk:
        async with (
            stdio_client(parameters, errlog=talk) as (read, write),
            ClientSession(read, write, read_timeout_seconds=PATIENCE) as client,
        ):
            await client.initialize()
            yield client


async def called(client: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the object that a tool answers.

    Raises:
        RuntimeError: it refused; the message is its own.
    """
    answer = await client.call_tool(tool, {**arguments, "format": "json"})
    text: str = answer.content[0].text
    if answer.is_error:
        raise RuntimeError(text)
    found: dict[str, Any] = json.loads(text)
    return found


def _server(root: Path, session: str) -> int:
    """Return the process that serves a session of a vault; it was started by this process."""
    wanted = {os.fsencode(root), session.encode()}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted <= set((place / "cmdline").read_bytes().split(b"\0")):
                return int(place.name)
    raise RuntimeError(f"no server of {session} runs")


async def worked(seats: list[Seat], root: Path, cwd: Path) -> None:
    """Let all sessions begin, then work at once; then let each read what is left."""
    import anyio

    for act in ("begin", "work", "read_all"):
        async with anyio.create_task_group() as group:
            for seat in seats:
                group.start_soon(getattr(seat, act), root, cwd)


async def heard(root: Path, cwd: Path, times: int) -> tuple[int, int]:
    """Append by one agent between the answers of another one.

    Returns how often that one's next answer said so, and how often the log then gave the entry.
    """
    told = given = 0
    async with (
        connected(root, cwd, "scout", "scout-1") as scout,
        connected(root, cwd, "scribe", "scribe-1") as scribe,
    ):
        for turn in range(times):
            entry = await called(scout, "log", kind="note", summary=f"News number {turn}")
            answer = await _something(scribe, turn)
            told += "1 unread" in answer.get("unread", "")
            found = await called(scribe, "log", kind="read")
            given += [one["mark"] for one in found["entries"]] == [entry["mark"]]
    return told, given


async def _something(client: ClientSession, turn: int) -> dict[str, Any]:
    """Ask, or tell the log: what an agent does in the middle of its session."""
    if turn % 2:
        return await called(client, "log", kind="state", summary=f"Still at it, turn {turn}")
    return await called(client, "remember", query="refund queue")
