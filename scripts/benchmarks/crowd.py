"""Many clients at once on one vault, over HTTP and over stdio, and what it costs the server."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.measure import Row, at_most, none, program, told
from benchmarks.sessions import connected
from benchmarks.shared_server import ERAS, SharedServer, quantile, token_of, visiting
from benchmarks.vaults import VAULTMEM, new_vault, repository

OVER_HTTP, OVER_STDIO = 20, 4
THINKING = 0.5
"""Mean seconds between the calls of one client."""
WARM = 0.4
"""The share of the time that counts as warm-up."""


@dataclass
class Taken:
    """What the clients met, and what the server took."""

    remember: list[float] = field(default_factory=list)
    calls: int = 0
    wrong: list[str] = field(default_factory=list)
    states: list[tuple[float, int, int]] = field(default_factory=list)
    """Memory in MB, descriptors and threads, once a second after the warm-up."""


def crowded(folder: Path, seconds: float = 180) -> Iterator[Row]:
    """Let all clients work for so long; errors are none, and nothing grows."""
    import anyio

    root, project = folder / "vault", repository(folder / "project")
    new_vault(root, 300)
    program([VAULTMEM, "refresh", "--vault", str(root)], root)
    tokens = [token_of(root, f"agent-{n}", "--write", "*") for n in range(OVER_HTTP)]
    taken = Taken()
    with SharedServer(root) as server:
        anyio.run(_worked, server, root, project, tokens, taken, seconds)
    name = f"{OVER_HTTP} clients over HTTP, {OVER_STDIO} over stdio, {seconds:g} s"
    yield told(f"{name}: calls", taken.calls)
    yield none("  errors", len(taken.wrong), taken.wrong[0][:80] if taken.wrong else "")
    middle, last = quantile(taken.remember, 0.5), quantile(taken.remember, 0.99)
    note = f"{1000 * middle:.0f} ms and {1000 * last:.0f} ms of {len(taken.remember):,}"
    yield at_most("  remember: 99th percentile over the median", last / middle, 5, "x", note)
    memory, descriptors, threads = zip(*taken.states, strict=True)
    begin, end = (quantile(part, 0.5) for part in _ends(memory))
    note = f"{begin:.0f} to {end:.0f} MB"
    yield at_most("  memory that the server grew by", 100 * (end / begin - 1), 10, " %", note)
    for what, values in (("descriptors", descriptors), ("threads", threads)):
        first, second = (max(part) for part in _ends(values))
        yield at_most(f"  {what} at most, late over early", second - first, 2, "", f"{second}")


def _ends(values: Any) -> tuple[Any, Any]:
    """Return the first and the last quarter."""
    part = max(len(values) // 4, 1)
    return values[:part], values[-part:]


async def _worked(
    server: SharedServer,
    root: Path,
    project: Path,
    tokens: list[str],
    taken: Taken,
    seconds: float,
) -> None:
    import anyio

    waiting = set(range(OVER_HTTP + OVER_STDIO))
    begin = anyio.Event()

    async def work(client: Any, number: int) -> None:
        await client.call_tool("remember", {"query": "the refund queue"})  # loads the model
        waiting.discard(number)
        if not waiting:
            begin.set()
        await begin.wait()
        await _turns(client, number, time.monotonic() + seconds, taken)

    async def over_http(number: int) -> None:
        async with visiting(server.url, tokens[number], ERAS[number % len(ERAS)]) as client:
            await work(client, number)

    async def over_stdio(number: int) -> None:
        async with connected(root, project, f"local-{number}", f"local-{number}") as client:
            await work(client, number)

    async def watched() -> None:
        await begin.wait()
        await anyio.sleep(WARM * seconds)
        for _ in range(int((1 - WARM) * seconds)):
            taken.states.append((server.resident, server.descriptors, server.threads))
            await anyio.sleep(1)

    async with anyio.create_task_group() as group:
        for number in range(OVER_HTTP):
            group.start_soon(over_http, number)
        for number in range(OVER_HTTP, OVER_HTTP + OVER_STDIO):
            group.start_soon(over_stdio, number)
        group.start_soon(watched)


async def _turns(client: Any, number: int, until: float, taken: Taken) -> None:
    """Ask, tell, read and keep until the time is over."""
    import anyio

    chance = random.Random(number)
    facts = list(corpus.facts(400, seed=1000 + number))
    warm = time.monotonic() + WARM * (until - time.monotonic())
    while time.monotonic() < until:
        tool, arguments = _turn(chance, facts, number)
        begun = time.perf_counter()
        try:
            answer = await client.call_tool(tool, arguments)
            if answer.is_error:
                taken.wrong.append(f"{tool}: {answer.content[0].text}")
        except Exception as error:
            taken.wrong.append(f"{tool}: {type(error).__name__} {error}")
        taken.calls += 1
        if tool == "remember" and time.monotonic() > warm:
            taken.remember.append(time.perf_counter() - begun)
        await anyio.sleep(chance.expovariate(1 / THINKING))


def _turn(
    chance: random.Random, facts: list[tuple[str, str]], number: int
) -> tuple[str, dict[str, Any]]:
    dice = chance.random()
    title, content = chance.choice(facts)
    if dice < 0.7:
        return "remember", {"query": title}
    if dice < 0.85:
        return "log", {"kind": "note", "summary": f"{number} says {title}"[:200]}
    if dice < 0.95:
        return "log", {"kind": "read"}
    return "memorize", {"title": title, "content": content, "allow_similar": True}
