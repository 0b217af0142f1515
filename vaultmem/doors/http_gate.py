"""What stands in front of the server on HTTP: who is let in is decided before anything is read."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from vaultmem.words.errors import BadInput, PortTaken, Refused

LONGEST_BODY = 1024 * 1024
"""Bytes of a request; the longest note is a tenth of it."""
PATIENCE = 15.0
"""Seconds in which a request must have arrived, and in which a client must take its answer."""
_PORT = re.compile(r":[0-9]+$")
_LOCAL = ("localhost", "127.0.0.1", "[::1]")

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Address:
    """A place to listen at."""

    host: str
    port: int

    @property
    def local(self) -> bool:
        """Whether only programs on this machine reach it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def reached(self) -> str:
        """The host at which this machine's own programs reach it."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104

    def __str__(self) -> str:
        """Return it as it is written in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def address(text: str) -> Address:
    """Return the address that a text such as `127.0.0.1:8765` or `[::1]:8765` names.

    Raises:
        BadInput: it names none.
    """
    host, colon, port = text.strip().rpartition(":")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    good = colon and host and port.isascii() and port.isdecimal() and int(port) < 65536
    if not good or "/" in host or ("[" in host) or (":" in host and not text.startswith("[")):
        raise BadInput(f"{text!r} is no address to serve at. Write it like 127.0.0.1:8765.")
    return Address(host, int(port))


def refuse_open(where: Address, *, tokens: bool, no_auth: bool) -> None:
    """Raise `Refused` where anybody could come in.

    Without tokens a server starts only if that is asked for, and only for this machine.
    """
    if tokens and no_auth:
        raise Refused("Agents have tokens, so every one needs one. Leave --no-auth out.")
    if tokens:
        return
    add = "Give each agent a token: `vaultmem agent add NAME --write SCOPE`."
    if not where.local:
        raise Refused(f"Everybody who reaches {where} could read the vault. {add}")
    if not no_auth:
        raise Refused(f"No agent has a token. {add} On this machine alone --no-auth does without.")


def listening(where: Address) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        PortTaken: another program does. BadInput: it is none of this machine's.
    """
    try:
        family = socket.getaddrinfo(where.host, where.port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise BadInput(f"{where} is no address of this machine: {error.strerror}.") from None
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((where.host, where.port))
        found.listen(128)
    except OSError as error:
        found.close()
        if isinstance(error, PermissionError):
            raise Refused(f"This user may not listen at {where}. Use a port over 1023.") from None
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(str(where)) from None
        raise BadInput(f"{where} is no address of this machine: {error.strerror}.") from None
    return found


def hosts_of(where: Address, extra: Iterable[str] = ()) -> frozenset[str]:
    """Return what a request may name as its host: this machine at our port, and the `extra` ones.

    What is given without a port may come with any; a proxy leaves its own out.
    """
    named = {f"{host}:{where.port}" for host in (*_LOCAL, str(where).rpartition(":")[0])}
    return frozenset({*named, *(name.strip().casefold() for name in extra if name.strip())})


def refusal(headers: Headers, hosts: frozenset[str]) -> tuple[int, str] | None:
    """Return why a request is not let in, as a status and a sentence, None if it is.

    A page in a browser may not send anything here unless it comes from one of our own hosts, and
    a name that is not ours may not lead here, so no web site speaks to a server on loopback.
    """
    said: dict[bytes, list[str]] = {}
    for name, value in headers:
        said.setdefault(name.lower(), []).append(value.decode("latin-1").strip(" \t").casefold())
    host = said.get(b"host", [])
    if len(host) != 1 or not _known(host[0], hosts):
        return 421, "This server does not answer to that host. See http_hosts in your config."
    if len(said.get(b"authorization", [])) > 1:
        return 400, "A request comes with one token."
    for origin in said.get(b"origin", []):
        scheme, _, place = origin.partition("://")
        if scheme not in ("http", "https") or not _known(place, hosts):
            return 403, "Requests from that origin are not let in."
    if any(site not in ("none", "same-origin") for site in said.get(b"sec-fetch-site", [])):
        return 403, "Requests from other sites are not let in."
    for length in said.get(b"content-length", []):
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            return 413, f"A request has at most {LONGEST_BODY:,} bytes."
    return None


def _known(host: str, hosts: frozenset[str]) -> bool:
    return host in hosts or _PORT.sub("", host) in {
        name for name in hosts if not _PORT.search(name)
    }


@dataclass(frozen=True)
class Gate:
    """An ASGI application that only lets in what `refusal` has nothing against."""

    app: ASGIApp
    hosts: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        refused = refusal(scope["headers"], self.hosts) if scope["type"] == "http" else None
        if refused is None:
            await self.app(scope, receive, send)
            return
        status, why = refused
        body = f"{why}\n".encode()
        headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Punctual(H11Protocol):
    """A connection that is closed if its client is slow to send a request or to take an answer."""

    _late: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect a request from now on."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take what has come of a request."""
        super().data_received(data)
        self._expect()

    def on_response_complete(self) -> None:
        """Look at what came of the next request meanwhile."""
        super().on_response_complete()
        self._expect()

    def _expect(self) -> None:
        """Give a request that has begun and is not whole until `PATIENCE` is over."""
        whole = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
        if whole or (self._between and not self.conn.trailing_data[0]):
            self._late = _off(self._late)
        elif self._late is None:
            self._late = self.loop.call_later(PATIENCE, self.transport.abort)

    @property
    def _between(self) -> bool:
        """Whether a request was answered and the next one has not begun."""
        return self.cycle is not None and self.conn.their_state is h11.IDLE

    def pause_writing(self) -> None:
        """Wait for a client that does not take its answer, for so long."""
        super().pause_writing()
        self._stuck = _off(self._stuck)
        self._stuck = self.loop.call_later(PATIENCE, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has taken some."""
        self._stuck = _off(self._stuck)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._late, self._stuck = _off(self._late), _off(self._stuck)
        super().connection_lost(exc)


def _off(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Stop a timer; there is none then."""
    if timer is not None:
        timer.cancel()
    return None
