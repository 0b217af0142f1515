"""One model for many servers: a tool call is handed to the server that holds the vault already.

Both ends first prove that they know the secret of that server's process, so that neither another
user nor a program that took over its port is told anything.
"""

from __future__ import annotations

import hmac
import http.client
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from vaultmem.doors.http_gate import LONGEST_BODY
from vaultmem.doors.mcp_tools import whole_tools
from vaultmem.memory import Caller, Memory
from vaultmem.words.errors import Relayed, VaultmemError
from vaultmem.words.serving import Serving

PATH = "/local"
PROMPT, PATIENCE = 5.0, 120.0
"""Seconds in which a server must prove itself, and after which its answer is not waited for."""
LONGEST_PROOF, LONGEST_ANSWER = 64, 16 * 1024 * 1024
"""Bytes that are read of what comes back."""


class Gone(Exception):
    """The server that holds the vault is not there, or not any more."""


class Relay:
    """Hands tool calls to the server that holds a memory's vault, as long as there is one."""

    def __init__(self, memory: Memory, without: Callable[[], None]) -> None:
        self._memory = memory
        self._without = without
        self._once = threading.Lock()
        self._alone = False

    def __call__(self, tool: str, values: Mapping[str, Any], caller: Caller) -> str:
        """Return what a tool answers there.

        Raises:
            Gone: there is no such server, or it ended meanwhile. Relayed: it refused.
        """
        server = self._memory.server()
        try:
            if server is None or server.version != version("vaultmem"):
                raise Gone
            return _asked(server, {"tool": tool, "values": dict(values), "caller": _told(caller)})
        except Gone:
            self.alone()
            raise

    def alone(self) -> None:
        """The first time that there is nobody to ask, do what a server does by itself."""
        with self._once:
            if not self._alone:
                self._alone = True
                self._without()


def _told(caller: Caller) -> dict[str, Any]:
    folder = str(caller.folder) if caller.folder else None
    names = ("agent", "channel", "session", "scope")
    return {**{name: getattr(caller, name) for name in names}, "folder": folder}


def _asked(server: Serving, request: Mapping[str, Any]) -> str:
    nonce = secrets.token_hex(16)
    connection = http.client.HTTPConnection(server.host, server.port, timeout=PROMPT)
    try:
        connection.connect()
        connection.auto_open = 0  # what listens there later may be another program
        proof = _post(connection, {"nonce": nonce}, LONGEST_PROOF)
        if not hmac.compare_digest(proof, server.proof(nonce)):
            raise Gone
        if connection.sock:  # else the server is ending, and what follows says so
            connection.sock.settimeout(PATIENCE)
        answer = json.loads(_post(connection, {**request, "secret": server.secret}, LONGEST_ANSWER))
    except (OSError, http.client.HTTPException, ValueError, TypeError) as error:
        raise Gone from error
    finally:
        connection.close()
    if "error" in answer:
        raise Relayed(str(answer["error"]))
    return str(answer["text"])


def _post(connection: http.client.HTTPConnection, value: Mapping[str, Any], most: int) -> str:
    body = json.dumps(value).encode()
    connection.request("POST", PATH, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read(most).decode()
    if answer.status != 200:
        raise Gone
    return text


class Answering:
    """An ASGI application that answers what other servers of this user hand over."""

    def __init__(self, app: ASGIApp, memory: Memory, server: Serving) -> None:
        self.app = app
        self._memory = memory
        self._server = server
        self._tools = whole_tools(lambda memory: memory)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self.app(scope, receive, send)
            return
        status, text = await self._answer(scope, await _body(receive))
        body = text.encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Scope, body: bytes | None) -> tuple[int, str]:
        try:
            asked = json.loads(body or b"")
            if scope["method"] != "POST" or not isinstance(asked, dict):
                return 400, "{}"
            if "nonce" in asked:
                return 200, self._server.proof(str(asked["nonce"])[:64])
            if not hmac.compare_digest(str(asked.get("secret")).encode(), self._secret):
                return 401, "{}"
            return 200, json.dumps(await anyio.to_thread.run_sync(self._called, asked))
        except (ValueError, KeyError, TypeError, RecursionError):
            return 400, "{}"

    @property
    def _secret(self) -> bytes:
        return self._server.secret.encode()

    def _called(self, asked: Mapping[str, Any]) -> dict[str, str]:
        told = asked["caller"]
        folder = Path(told["folder"]) if told["folder"] else None
        memory = self._memory.seen_by(Caller(**{**told, "folder": folder}))
        memory.arrive()
        try:
            return {"text": self._tools[asked["tool"]](memory, **asked["values"])}
        except VaultmemError as error:
            return {"error": str(error)}


async def _body(receive: Receive) -> bytes | None:
    """Return the body of a request, None if it is too long or its client went."""
    whole = b""
    while True:
        message: dict[str, Any] = dict(await receive())
        if message["type"] != "http.request":
            return None
        whole += bytes(message.get("body", b""))
        if len(whole) > LONGEST_BODY:
            return None
        if not message.get("more_body"):
            return whole
