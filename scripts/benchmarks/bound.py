"""What an agent that is bound to one scope gets to read of another, by any way there is."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from benchmarks.measure import Row, none, told
from benchmarks.shared_server import ERAS, SharedServer, token_of, visiting
from benchmarks.vaults import new_vault

API, SHOP = "github.com/acme/api", "github.com/acme/shop"
CANARIES = {
    "note": "xylophone",
    "title": "zeppelin",
    "log line": "marzipan",
    "candidate": "quicksand",
    "decision": "tarpaulin",
    "state": "wolverine",
    "detail": "kerosene",
    "checkpoint": "bassoon",
    "identity": "gondolier",
    "own note": "petroglyph",
    "scope": "acme/shop",
}
"""One word for each kind of thing that is hidden; it stands nowhere else."""
FORMATS = ("md", "json")


def leaks(folder: Path) -> Iterator[Row]:
    """Try everything that a server lists with a bound token, then every token that is not one."""
    import anyio

    root = folder / "vault"
    new_vault(root)
    ids = _filled(root)
    token = token_of(root, "scout", "--write", API)
    with SharedServer(root) as server:
        for era in ERAS:
            seen = Seen()
            anyio.run(_everything, server.url, token, era, ids, seen)
            yield told(f"{era}: tools, resources and prompts tried", seen.tried)
            for kind, word in CANARIES.items():
                yield none(f"  of another scope: {kind}", seen.text.count(word))
            hidden = sum(seen.text.count(one) for one in ids)
            yield none("  of another scope: id", hidden)
            allowed = seen.text.count("granted")
            yield Row("  of its own scope", f"{allowed} words", "> 0", allowed > 0)
        yield from _refused(root, server, token)


def _filled(root: Path) -> list[str]:
    """Fill both scopes of a vault in the same way; return the ids of the hidden notes."""
    from vaultmem.memory import Memory, Question, Telling, Wish

    memory = Memory.open(str(root), agent="scribe", person=True)
    plain = dict.fromkeys(CANARIES, "granted")
    for scope, word in ((API, plain), (SHOP, CANARIES)):
        title = f"The {word['title']} of the queue"
        memory.memorize(Wish(title, f"The {word['note']} body of the queue.", scope=scope))
        waits = Wish(f"A {word['candidate']} guess", "It may be the queue.", review=True)
        memory.memorize(Wish(**{**vars(waits), "scope": scope}))
        memory.tell(Telling("note", f"A {word['log line']} line of the queue", scope=scope))
        memory.tell(Telling("question", f"Which {word['log line']}?", to="scout", scope=scope))
        memory.tell(Telling("decision", f"A {word['decision']} queue", "why", scope=scope))
        memory.tell(Telling("state", f"The {word['state']} queue", scope=scope))
        memory.tell(Telling("handoff", "More", detail=f"A {word['detail']} queue.", scope=scope))
    memory.tell(Telling("checkpoint", "At it", detail=f"The {CANARIES['checkpoint']}.", scope=SHOP))
    (root / memory.introduce()).write_text(f"I am the {CANARIES['identity']}.\n", "utf-8")
    (root / "Diary.md").write_text(f"The {CANARIES['own note']} of the queue.\n", "utf-8")
    memory.refresh()
    hidden = memory.listing(Question("x", scope=SHOP))
    memory.close()
    return [name for name, scope, _ in hidden if scope == SHOP]


@dataclass
class Seen:
    """All that came back."""

    parts: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return len(self.parts)

    @property
    def text(self) -> str:
        return "\n".join(self.parts).casefold()

    async def add(self, answer: Any) -> None:
        """Keep an answer, or the error that came instead."""
        from mcp.shared.exceptions import MCPError

        try:
            self.parts.append((await answer).model_dump_json())
        except MCPError as error:
            self.parts.append(str(error))


async def _everything(url: str, token: str, era: str, ids: list[str], seen: Seen) -> None:
    async with visiting(url, token, era) as client:
        seen.parts.append(client.instructions or "")
        for tool in (await client.list_tools()).tools:
            async for arguments in _arguments(tool.name, ids):
                for form in FORMATS:
                    answer = client.call_tool(tool.name, {**arguments, "format": form})
                    await _without(seen, answer, arguments)
        listed = [str(resource.uri) for resource in (await client.list_resources()).resources]
        templates = (await client.list_resource_templates()).resource_templates
        for uri in [*listed, *(uri for one in templates for uri in _uris(one.uri_template, ids))]:
            await _without(seen, client.read_resource(uri), {"uri": uri})
        for prompt in (await client.list_prompts()).prompts:
            await seen.add(client.get_prompt(prompt.name, {}))


async def _without(seen: Seen, answer: Any, asked: dict[str, Any]) -> None:
    """Keep an answer without what the question itself said."""
    await seen.add(answer)
    for value in asked.values():
        for said in value if isinstance(value, list) else [str(value)]:
            plain = unquote(said.rpartition("://")[2]).removeprefix("supersedes: ")
            if len(plain) > 3:
                seen.parts[-1] = seen.parts[-1].replace(plain, "asked").replace(said, "asked")


async def _arguments(tool: str, ids: list[str]) -> AsyncIterator[dict[str, Any]]:
    """Yield arguments with which a tool might tell what it must not."""
    names = ["The zeppelin of the queue", f"memory/{SHOP}/index", "checkpoints/scribe", *ids]
    words = ["queue", "title", "line", "guess", "decision", "why", *CANARIES.values()]
    if tool == "brief":
        for about in ("", *words):
            yield {"about": about}
    elif tool == "remember":
        for query in [*words, *names]:
            yield {"query": query, "limit": 20, "detail": "full", "explain": True}
        yield {"query": "queue", "scope": SHOP}
        yield {"query": "queue", "tags": ["x"], "types": ["decision"]}
    elif tool == "memorize":
        yield {"title": "The queue of all", "content": "The body of the queue."}
        yield {"title": "The queue there", "content": "The body of the queue.", "scope": SHOP}
        for name in names:
            relates = [f"supersedes: {name}"]
            yield {"title": "The queue", "content": "It is as it says.", "relates": relates}
            yield {"id": name, "hash": "0" * 64, "content": "It is as it says."}
    elif tool == "forget":
        for query in words:
            yield {"query": query}
        for name in names:
            yield {"id": name}
    elif tool == "log":
        yield {"kind": "read"}
        yield {"kind": "note", "summary": "Here", "scope": SHOP}
        yield {"kind": "state", "summary": "Here"}
        yield {"kind": "read"}
    else:
        yield {}
        for word in [*words, *names]:
            yield {"query": word}


def _uris(template: str, ids: list[str]) -> list[str]:
    known = ["scribe", "scout", *ids, "index", "Diary", "checkpoints%2Fscribe"]
    known += [f"memory/{SHOP}/decisions".replace("/", "%2F"), "live-context%2F2026-11"]
    return [re.sub(r"\{[^}]*\}", name, template) for name in known]


def _refused(root: Path, server: SharedServer, good: str) -> Iterator[Row]:
    """Yield what comes back with tokens that are none, or none any more."""
    from vaultmem.memory import Memory

    other = _another(root)
    tokens = {"missing": "", "wrong": f"{good[:-1]}-", "foreign": token_of(other, "scout")}
    for kind in ("revoked", "rotated", "expired"):
        bound = ("--write", "*", *(("--expires", "1") if kind == "expired" else ()))
        tokens[kind] = token_of(root, kind, *bound)
    memory = Memory.open(str(root))
    memory.revoke_agent("revoked")
    memory.rotate_agent("rotated")
    with memory._parts.ledger.opened() as db:
        db.execute("UPDATE tokens SET made = made - 200000 WHERE agent = 'expired'")
    memory.close()
    for kind, token in tokens.items():
        status, size = _knock(server.url, token)
        yield none(f"token {kind}: bytes of memory in the answer", size, f"status {status}")
        yield Row("  refused", f"{status}", "401", status == {401})


def _another(root: Path) -> Path:
    """Make another vault beside one and return it."""
    other = root.with_name("other")
    new_vault(other)
    return other


ASKED = (
    ("tools/list", {}),
    ("resources/read", {"uri": "vault://index"}),
    ("tools/call", {"name": "brief", "arguments": {}}),
    ("tools/call", {"name": "remember", "arguments": {"query": "queue"}}),
)


def _knock(url: str, token: str) -> tuple[set[int], int]:
    """Return the statuses of all that is asked with a token, and the bytes beside the refusal."""
    import httpx2

    statuses, size = set(), 0
    for method, params in ASKED:
        for version in ("2025-06-18", "2026-07-28"):
            headers = {"accept": "application/json, text/event-stream"}
            headers |= {"mcp-protocol-version": version, "mcp-method": method}
            headers |= {"authorization": f"Bearer {token}"} if token else {}
            asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = httpx2.post(url, json=asked, headers=headers)
            statuses.add(answer.status_code)
            plain = {"error": "invalid_token", "error_description": "Authentication required"}
            size += 0 if answer.json() == plain else len(answer.content)
    return statuses, size
