"""The vault as the memory of Hermes: a MemoryProvider that asks a vaultmem server.

It is copied into `$HERMES_HOME/plugins/vaultmem/` and runs in Hermes' own Python, so it imports the
standard library and Hermes alone. Nothing in it may fail a turn: without the server the agent has
no memory, and goes on.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from pathlib import Path
from typing import Any

from agent.memory_provider import MemoryProvider

from .statements import bound, candidate, marked, properties, said, stated, text_of, written
from .talk import Away, Child, Remote, home, retain

HERE = Path(__file__).parent
PREFETCH_SECONDS = 7.0
"""How long a turn waits for the memory; Hermes itself gives up after 8."""
AGAIN_SECONDS = 1.0
"""Patience with an answer that was late for an earlier turn."""
TOOL_SECONDS = 60.0
DUE_TURNS = 8
SETTINGS = ("command", "vault", "agent", "scope", "url", "token")


class Vaultmem(MemoryProvider):
    """One conversation of Hermes with the memory."""

    def __init__(self) -> None:
        """Begin without a conversation."""
        self._settings = _settings(_hermes_home())
        self._server: Child | Remote | None = None
        self._flags: list[str] = []
        self._primary = True
        self._kept: set[str] = set()
        self._forget()

    def _forget(self) -> None:
        self._briefed = False
        self._turns = 0
        self._cut = False
        self._asked: Future[Any] | None = None
        self._locked: bool | None = None

    @property
    def name(self) -> str:
        """Return the name by which Hermes' config chooses this memory."""
        return "vaultmem"

    def is_available(self) -> bool:
        """Return whether there is a program to start, or the address of a server."""
        return bool(self._settings["url"] or shutil.which(self._program()[0]))

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Begin a conversation; the server starts beside it."""
        if kwargs.get("hermes_home"):
            self._settings = _settings(Path(kwargs["hermes_home"]))
        self._primary = kwargs.get("agent_context", "primary") == "primary"
        self._begin()

    def _begin(self) -> None:
        self.shutdown()
        self._forget()
        told = self._settings
        # a name of its own each time: what an earlier run was told, this one does not know
        self._flags = ["--agent", told["agent"] or "hermes"]
        self._flags += ["--session", f"hermes-{secrets.token_hex(8)}"]
        for name in ("vault", "scope"):
            self._flags += [f"--{name}", told[name]] if told[name] else []
        words = [*self._program(), "mcp", *self._flags, "--channel", "hermes"]
        self._server = Remote(told["url"], told["token"]) if told["url"] else Child(words, {})
        self._server.ask("tools/list", {}).add_done_callback(self._listed)

    def _listed(self, found: Future[Any]) -> None:
        if not found.exception():
            tools = found.result().get("tools", [])
            self._locked = not any("scope" in properties(tool) for tool in tools)

    def _program(self) -> list[str]:
        words = self._settings["command"]
        return [words] if isinstance(words, str) and words else list(words or ["vaultmem"])

    def system_prompt_block(self) -> str:
        """Return the habits of an agent that has this memory."""
        return (HERE / "habits.md").read_text("utf-8").strip()

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return what stands beside a message: at first the brief about it, later what is unread.

        An answer that comes too late is given with the next message, since the server counts it
        as read.
        """
        if self._server is None:
            return ""
        patience = PREFETCH_SECONDS if self._asked is None else AGAIN_SECONDS
        if self._asked is None:
            self._asked = self._ask(query)
        try:
            news = said(self._asked.result(patience))
            self._asked, self._briefed = None, True
        except TooLate:
            news = ""
        except Away:
            news, self._asked = "", None
        return marked(news, self._due())

    def _ask(self, query: str) -> Future[Any]:
        assert self._server
        if self._briefed:
            return self._server.call("log", {"kind": "read"})
        return self._server.call("brief", {"about": query[:2000]})

    def _due(self) -> str:
        if not self._primary or not (self._cut or self._turns >= DUE_TURNS):
            return ""
        why = "The conversation was compacted" if self._cut else f"{self._turns} turns were taken"
        return f"{why} since the last checkpoint: call vault_log with kind checkpoint."

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        """Count a turn, and hand in the facts that its answer states in a `retain` block."""
        self._turns += 1
        self._retain([assistant_content])

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Hand in what was not handed in turn by turn."""
        self._retain(written(messages))

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        """Begin anew where the conversation is another one; a compression goes on."""
        if reset:
            self._begin()

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """Hand in what is stated; the brief is given again, and a checkpoint is due after it."""
        self._retain(written(messages))
        self._briefed = False
        self._cut = True
        return ""

    def _retain(self, texts: Sequence[str]) -> None:
        found = [line for text in texts for line in stated(text)]
        lines = [line for line in dict.fromkeys(found) if line not in self._kept]
        if not lines or not self._primary or self._server is None:
            return
        self._kept |= set(lines)
        if isinstance(self._server, Remote):
            for fact in filter(None, map(candidate, lines)):
                self._server.call("memorize", fact)
        else:
            retain([*self._program(), "retain", *self._flags], {}, "\n".join(lines) + "\n")

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the server's tools under names of their own, as it describes them."""
        tools = json.loads((HERE / "tools.json").read_text("utf-8"))
        return [
            {
                "name": f"vault_{tool['name']}",
                "description": tool["description"],
                "parameters": tool["inputSchema"],
            }
            for tool in tools
        ]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Return what the server answers to a tool, as JSON; a failure is told, not raised."""
        tool = tool_name.removeprefix("vault_")
        if self._server is None:
            return json.dumps({"error": "The memory does not answer now. Go on without it."})
        given = bound(tool, args) if self._locked else args
        try:
            result = self._server.call(tool, given).result(TOOL_SECONDS)
        except (Away, TooLate):
            return json.dumps({"error": "The memory does not answer now. Go on without it."})
        if tool == "log" and args.get("kind") == "checkpoint" and not result.get("isError"):
            self._turns, self._cut = 0, False
        return json.dumps({"error" if result.get("isError") else "result": text_of(result)})

    def get_config_schema(self) -> list[dict[str, Any]]:
        """Return what `hermes memory setup` asks for."""
        return [
            {"key": "vault", "description": "Folder of the vault (empty: vaultmem's own setting)"},
            {"key": "agent", "description": "Name of this agent", "default": "hermes"},
            {"key": "command", "description": "The vaultmem program", "default": "vaultmem"},
            {"key": "url", "description": "Address of a server, used instead of the program"},
            {
                "key": "token",
                "description": "The bearer token for that server",
                "secret": True,
                "env_var": "VAULTMEM_TOKEN",
            },
        ]

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        """Write the settings beside Hermes' own."""
        path = _config(Path(hermes_home))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values, indent=2) + "\n", "utf-8")

    def shutdown(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.close()
            self._server = None


def register(ctx: Any) -> None:
    """Give Hermes the memory."""
    ctx.register_memory_provider(Vaultmem())


def _hermes_home() -> Path:
    return Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes")


def _config(hermes: Path) -> Path:
    return hermes / "vaultmem" / "config.json"


def _settings(hermes: Path) -> dict[str, Any]:
    """Return the settings; a file that cannot be read says nothing."""
    try:
        read = json.loads(_config(hermes).read_text("utf-8"))
    except (OSError, ValueError):
        read = None
    known = read if isinstance(read, dict) else {}
    found = {name: known.get(name) or "" for name in SETTINGS}
    return {
        **found,
        "vault": home(found["vault"]),
        "token": found["token"] or os.environ.get("VAULTMEM_TOKEN", ""),
    }
