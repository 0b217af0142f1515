"""Serving over HTTP: both protocol eras, many clients at once, one token for each agent."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
import threading
from importlib.metadata import version
from typing import Any

import uvicorn
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

from vaultmem.doors.http_gate import LONGEST_BODY, Address, Gate, Punctual, hosts_of
from vaultmem.doors.mcp_server import build_server, client_of
from vaultmem.doors.relay import Answering
from vaultmem.memory import Memory
from vaultmem.words.access import Badge
from vaultmem.words.errors import VaultmemError
from vaultmem.words.safe import shown
from vaultmem.words.serving import Serving

PATH = "/mcp"
SESSION = "vaultmem-session"
"""The header in which a client may name its conversation, whose hooks then speak of the same."""
LONGEST_SESSION = 200
MOST_SESSIONS = 1000
MOST_CONNECTIONS = 500
END = 1.7
"""Seconds after a signal until the process ends, whatever still runs: what is written is whole."""
WATCH_AFTER, SLEEP_EVERY = 1.0, 3600.0


class Doorkeeper:
    """Knows agents by their tokens, as the SDK asks for it."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return who comes with a token; None lets nobody in, and so does a disk that fails."""
        try:
            badge = self._memory.badge(token)
        except VaultmemError:
            logging.getLogger(__name__).exception("tokens cannot be read")
            return None
        if badge is None:
            return None
        return AccessToken(
            token="", client_id=badge.agent, scopes=[], claims={"badge": badge, "iss": _of(token)}
        )


def _of(token: str) -> str:
    """Return what ties a session to this very token, so that it ends where that is rotated."""
    import hashlib

    return hashlib.sha256(b"session:" + token.encode("utf-8", "replace")).hexdigest()


def application(memory: Memory, *, auth: bool, named: bool) -> Starlette:
    """Return the server of a memory as an ASGI application.

    With `auth` every request needs a token, and its agent is the token's; without, the agent is
    the memory's if it was `named`, else the client's own name.
    """
    fallback = f"http-{secrets.token_hex(8)}"

    def caller(ctx: Context | None) -> Memory:
        session = session_of(ctx) or fallback
        if not auth:
            return memory.called(agent=None if named else client_of(ctx), session=session)
        token = get_access_token()
        badge = (token.claims or {}).get("badge") if token else None
        assert isinstance(badge, Badge)  # the SDK lets nobody in without
        return memory.admitted(badge, session)

    settings: dict[str, Any] = {}
    if auth:
        nowhere = AnyHttpUrl("https://unused.invalid")
        settings["token_verifier"] = Doorkeeper(memory)
        settings["auth"] = AuthSettings(issuer_url=nowhere, resource_server_url=None)
    server = build_server(memory, caller, subscriptions=False, **settings)
    return server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=LONGEST_BODY,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def session_of(ctx: Context | None) -> str:
    """Return the conversation of a request: as the client names it, else its MCP session."""
    headers = (ctx.headers if ctx else None) or {}
    said = headers.get(SESSION) or headers.get("mcp-session-id") or ""
    return shown(said).strip()[:LONGEST_SESSION]


class _Server(uvicorn.Server):
    """Ends within two seconds of a signal: a tool that still runs in a thread is not waited for."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End, gracefully at first."""
        last = threading.Timer(END, os._exit, (0,))
        last.daemon = True
        last.start()
        super().handle_exit(sig, frame)


def serve(
    memory: Memory,
    where: Address,
    listener: socket.socket,
    *,
    auth: bool,
    named: bool,
) -> None:
    """Serve until a signal ends it."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="vaultmem: %(message)s")
    actual = Address(where.host, listener.getsockname()[1])
    inner = application(memory, auth=auth, named=named)
    held = Serving(
        *(actual.reached, actual.port, secrets.token_hex(32)), version("vaultmem"), os.getpid()
    )
    app = Gate(Answering(inner, memory, held), hosts_of(actual, memory.http_hosts()))
    config = uvicorn.Config(
        app,
        http=Punctual,
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=64 * 1024,
    )
    _later(WATCH_AFTER, memory.keep_fresh)
    _sleep_daily(memory)
    print(f"Serving {memory.settings.root} at http://{actual}{PATH}", file=sys.stderr, flush=True)
    before = memory.server()
    memory.announce(held)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn raises them anew once it has ended
    try:
        _Server(config).run(sockets=[listener])
    finally:
        memory.withdraw(held, before)
        memory.end_session()
    os._exit(0)  # a tool that still runs must not hold the process; what it writes is whole or not


def _later(seconds: float, task: Any) -> None:
    timer = threading.Timer(seconds, task)
    timer.daemon = True
    timer.start()


def _sleep_daily(memory: Memory) -> None:
    """Ask every hour whether the vault should sleep today."""

    def ask() -> None:
        memory.sleep_daily()
        _later(SLEEP_EVERY, ask)

    _later(60.0, ask)
