"""One model for many servers: what servers over stdio cost beside one that holds the vault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.measure import Row, at_most, none, program, pss, told
from benchmarks.server import Server
from benchmarks.shared_server import SharedServer, token_of
from benchmarks.vaults import VAULTMEM, new_vault, repository

BESIDE = 5
ASKED = ("the refund queue", "how are retries limited?", "who reviews a release?")


def together(folder: Path) -> Iterator[Row]:
    """Use five servers over stdio beside one over HTTP; compare with one used and five idle."""
    root, project = folder / "vault", repository(folder / "project")
    new_vault(root, 200)
    program([VAULTMEM, "refresh", "--vault", str(root)], root)
    with Server([VAULTMEM, "mcp", "--vault", str(root)], project) as alone:
        alone.hello()
        loaded = _used(alone)
        with ExitStack() as stack:
            idle = [stack.enter_context(_beside(root, project, n)) for n in range(BESIDE)]
            for server in idle:
                server.hello()
            sizes = [pss(server.pid) for server in idle]
            one, others = pss(alone.pid), sum(sizes)
    yield told("one loaded server", one, " MB")
    yield told("  an idle one beside it", median(sizes), " MB")
    token_of(root, "scout")
    with SharedServer(root) as shared, ExitStack() as stack:
        used = [stack.enter_context(_beside(root, project, n)) for n in range(BESIDE)]
        answers = 0
        for server in used:
            server.hello()
            answers += _used(server)
        whole = pss(shared.pid) + sum(pss(server.pid) for server in used)
        carry = sum(_has_model(server.pid) for server in used)
    name = f"{BESIDE} servers over stdio beside one over HTTP, all used"
    note = f"{whole:.0f} of {one + others:.0f} MB"
    yield at_most(name, whole / (one + others), 1.5, "x", note)
    yield none("  of them that loaded the model", carry)
    yield none("  questions without an answer", loaded * BESIDE - answers)


def _beside(root: Path, project: Path, number: int) -> Server:
    asked = ["mcp", "--vault", str(root), "--agent", f"agent-{number}"]
    return Server([VAULTMEM, *asked], project)


def _used(server: Server) -> int:
    """Ask some questions; return how many got hits."""
    asked = ({"name": "remember", "arguments": {"query": query}} for query in ASKED)
    answers = [server.ask("tools/call", one)["content"][0]["text"] for one in asked]
    return sum("Nothing in the vault" not in text for text in answers)


def _has_model(pid: int) -> bool:
    return "onnxruntime" in Path(f"/proc/{pid}/maps").read_text()
