"""Serving over stdin and stdout: both protocol eras, a watcher beside, and a clean end."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import sys
import threading
from typing import Any, NoReturn

import anyio
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import DiscoverResult, JSONRPCRequest, JSONRPCResponse

from vaultmem.doors.mcp_server import build_server, by_client
from vaultmem.doors.relay import Relay
from vaultmem.memory import Memory

MODERN = "2026-07-28"
PARENT_EVERY = 5.0
WATCH_AFTER = 1.0
"""Seconds until the watcher starts, so that it does not slow the first answer down."""
SLEEP_AFTER = 60.0
"""Seconds until it is asked whether the vault should sleep today."""
END = 1.5
"""Seconds that the end of a session may take; what it leaves is done at the next one's."""


def serve(memory: Memory, *, named: bool, session: str = "") -> None:
    """Serve until the input ends or the parent process dies."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="vaultmem: %(message)s")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _end(memory))
    _follow_parent(memory)
    session = session or f"mcp-{secrets.token_hex(8)}"
    relay = Relay(memory, lambda: _by_itself(memory))
    server = build_server(memory, by_client(memory, named=named, session=session), relay)
    if memory.server() is None:
        relay.alone()
    try:
        anyio.run(_served, server)
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the client reads no more, so there is nobody left to serve
    _end(memory)


def _by_itself(memory: Memory) -> None:
    """Do what the server that holds the vault does where there is one: watch, and sleep daily."""
    for seconds, task in ((WATCH_AFTER, memory.keep_fresh), (SLEEP_AFTER, memory.sleep_daily)):
        starter = threading.Timer(seconds, task)
        starter.daemon = True
        starter.start()


def _end(memory: Memory) -> NoReturn:
    """End the session, then the process: neither a tool that still runs nor the SDK's reader holds
    it, since storage is crash-safe. In a thread, because a signal may come while a lock is held.
    """
    ending = threading.Thread(target=memory.end_session, daemon=True)
    ending.start()
    ending.join(END)
    os._exit(0)


def _follow_parent(memory: Memory) -> None:
    """End when the parent has died, even if its end of the pipe lives on elsewhere."""
    parent = os.getppid()

    def look() -> None:
        while not ended.wait(PARENT_EVERY):
            if os.getppid() != parent:
                _end(memory)

    ended = threading.Event()
    threading.Thread(target=look, name="vaultmem-parent", daemon=True).start()


async def _served(server: MCPServer) -> None:
    """Run a server; `server/discover` is answered before the SDK sees it.

    The SDK settles the era of a connection by its first request, so a client that sends
    discover and then initialize on one pipe would be refused.
    """
    lowlevel = server._lowlevel_server  # the SDK offers no public way to its options
    async with stdio_server() as (read, write):
        send, receive = anyio.create_memory_object_stream[Any](0)

        async def pump() -> None:
            settled = False
            async with send:
                async for item in read:
                    message = None if isinstance(item, Exception) else item.message
                    if isinstance(message, JSONRPCRequest) and not settled:
                        if message.method == "server/discover":
                            await write.send(SessionMessage(_discovered(server, message)))
                            continue
                        settled = True
                    await send.send(item)

        async with anyio.create_task_group() as group:
            group.start_soon(pump)
            await lowlevel.run(receive, write, lowlevel.create_initialization_options())
            group.cancel_scope.cancel()


def _discovered(server: MCPServer, request: JSONRPCRequest) -> JSONRPCResponse:
    lowlevel = server._lowlevel_server
    found = DiscoverResult(
        supported_versions=[MODERN],
        instructions=server.instructions,
        capabilities=lowlevel.get_capabilities(protocol_version=MODERN),
        result_type="complete",
        ttl_ms=0,
        cache_scope="private",
    )
    body = found.model_dump(by_alias=True, mode="json", exclude_none=True)
    body["_meta"] = {"io.modelcontextprotocol/serverInfo": lowlevel.server_info_stamp}
    return JSONRPCResponse(jsonrpc="2.0", id=request.id, result=body)
