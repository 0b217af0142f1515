"""Fetching one page: where it may come from, how large it may be, and how long it may take.

The address that was checked is the one that is connected to, so no second answer of DNS can lead
elsewhere. No cookies, no credentials and no proxy are used.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from vaultmem.documents.addresses import Permission, why_refused
from vaultmem.documents.web_address import WebAddress, followed, web_address
from vaultmem.words.errors import Refused, Unreachable

_REDIRECTS = (301, 302, 303, 307, 308)
_BLOCK = 64 * 1024
_TYPES = (
    "text/",
    "application/json",
    "application/octet-stream",
    "application/pdf",
    "application/rtf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/x-ipynb+json",
    "application/xhtml+xml",
    "application/xml",
)
"""How the types begin that may hold text; what it is in fact, its content says."""


@dataclass(frozen=True)
class Limits:
    """How much of the web one fetch may take."""

    size: int = 10 * 1024 * 1024
    seconds: float = 15.0
    hops: int = 5


def _resolved(name: str, port: int) -> list[str]:
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


def _connected(address: str, port: int, seconds: float) -> socket.socket:
    return socket.create_connection((address, port), timeout=seconds)


@dataclass(frozen=True)
class Network:
    """The ways to the network, so that a test can put a small one in its place."""

    resolve: Callable[[str, int], Sequence[str]] = _resolved
    connect: Callable[[str, int, float], socket.socket] = _connected
    tls: Callable[[], ssl.SSLContext] = ssl.create_default_context


INTERNET = Network()


@dataclass(frozen=True)
class Known:
    """What the server said of the page the last time, to be asked whether it still holds."""

    etag: str = ""
    modified: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers that ask it."""
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in asked.items() if value}


@dataclass(frozen=True)
class Fetched:
    """A page as it came; `data` is empty if the server says that it is `unchanged`."""

    address: str
    """Where it came from in the end, after every redirect."""
    data: bytes = b""
    content_type: str = ""
    charset: str = ""
    known: Known = field(default_factory=Known)
    unchanged: bool = False


def fetch(
    url: str,
    *,
    permission: Permission = Permission(),  # noqa: B008  # frozen
    known: Known = Known(),
    limits: Limits = Limits(),
    network: Network = INTERNET,
) -> Fetched:
    """Return what is at an address. Every hop of a redirect is checked as the first one is.

    Raises:
        BadInput, Refused: it must not be fetched. Unreachable: it could not be.
    """
    address = web_address(url)
    deadline = time.monotonic() + limits.seconds
    for _ in range(limits.hops + 1):
        with _answer(address, permission, known, deadline, network) as response:
            if response.status not in _REDIRECTS:
                found = _page(address, response, limits)
                _left(address, deadline)  # a connection that was cut off looks like one that ended
                return found
            address = followed(address, response.headers.get("Location") or "")
    raise Unreachable(url, f"it was redirected more than {limits.hops} times")


@contextmanager
def _answer(
    address: WebAddress, permission: Permission, known: Known, deadline: float, network: Network
) -> Iterator[http.client.HTTPResponse]:
    """Give the answer of a server whose every address may be asked; it ends at the deadline."""
    places = _timely(lambda: network.resolve(address.name, address.port), address, deadline)
    if why := why_refused(address.name, places, permission):
        raise Refused(
            f"{address} was not fetched: {why}. If you trust it, name it in `fetch_allow` "
            "in your own config."
        )
    open_socket: list[socket.socket] = []
    ended = threading.Timer(_left(address, deadline), _cut_off, (open_socket,))
    ended.daemon = True
    ended.start()
    try:
        yield _asked(address, places, known, deadline, network, open_socket)
    except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
        late = time.monotonic() >= deadline
        why = "it took too long" if late else str(error) or type(error).__name__
        raise Unreachable(str(address), why) from error
    finally:
        ended.cancel()
        for item in open_socket:
            item.close()


def _asked(
    address: WebAddress,
    places: Sequence[str],
    known: Known,
    deadline: float,
    network: Network,
    open_socket: list[socket.socket],
) -> http.client.HTTPResponse:
    raw = _first(address, places, deadline, network)
    open_socket[:] = [raw]
    if address.secure:
        wrapped = network.tls().wrap_socket(
            raw, server_hostname=address.name, do_handshake_on_connect=False
        )
        open_socket[:] = [wrapped]
        wrapped.do_handshake()
    asked = http.client.HTTPConnection(address.name, address.port)
    asked.sock = open_socket[0]
    asked.auto_open = 0
    asked.default_port = 443 if address.secure else 80
    told = {"User-Agent": "vaultmem", "Accept": "*/*", "Accept-Encoding": "gzip"}
    asked.request("GET", address.target, headers={**told, "Connection": "close", **known.headers})
    return asked.getresponse()


def _first(
    address: WebAddress, places: Sequence[str], deadline: float, network: Network
) -> socket.socket:
    """Return a connection to the first of the checked addresses that takes one."""
    trouble: OSError = OSError("its name has no address")
    for place in places:
        try:
            return network.connect(place, address.port, _left(address, deadline))
        except OSError as error:
            trouble = error
    raise trouble


def _timely(act: Callable[[], Sequence[str]], address: WebAddress, deadline: float) -> list[str]:
    """Return what a call gives that may block, as asking DNS does, unless it takes too long."""
    found: list[str] = []
    trouble: list[Exception] = []

    def work() -> None:
        try:
            found.extend(act())
        except (OSError, UnicodeError) as error:
            trouble.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(_left(address, deadline))
    if trouble or not found:
        raise Unreachable(str(address), "its name has no address" if trouble else "DNS is silent")
    return found


def _left(address: WebAddress, deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise Unreachable(str(address), "it took too long")
    return left


def _cut_off(open_socket: list[socket.socket]) -> None:
    for item in open_socket:
        with suppress(OSError):
            item.shutdown(socket.SHUT_RDWR)


def _page(address: WebAddress, response: http.client.HTTPResponse, limits: Limits) -> Fetched:
    headers = response.headers
    known = Known((headers.get("ETag") or "")[:200], (headers.get("Last-Modified") or "")[:60])
    if response.status == 304:
        return Fetched(str(address), known=known, unchanged=True)
    if response.status != 200:
        raise Unreachable(str(address), f"the server answered {response.status}")
    content_type = headers.get_content_type() if headers.get("Content-Type") else ""
    if content_type and not content_type.startswith(_TYPES):
        raise Refused(f"{address} is {content_type}, which is no text. Name a page or a document.")
    length = headers.get("Content-Length") or ""
    if length.isdigit() and int(length) > limits.size:
        raise _too_large(address, limits)
    data = _decoded(address, response, limits)
    return Fetched(str(address), data, content_type, headers.get_content_charset() or "", known)


def _decoded(address: WebAddress, response: http.client.HTTPResponse, limits: Limits) -> bytes:
    """Return the body, decompressed, never holding more of it than the limit."""
    coding = (response.headers.get("Content-Encoding") or "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise Refused(f"{address} is compressed as {coding}, which was not asked for.")
    opened = zlib.decompressobj(47) if coding != "identity" else None
    found = bytearray()
    came = 0
    while block := response.read1(_BLOCK):
        came += len(block)
        room = limits.size - len(found) + 1
        found += opened.decompress(block, room) if opened else block
        if max(came, len(found)) > limits.size or (opened and opened.unconsumed_tail):
            raise _too_large(address, limits)
    if response.length:
        raise Unreachable(str(address), "the connection ended before the page did")
    if opened and not opened.eof:
        raise Unreachable(str(address), "its compressed data ends too early")
    return bytes(found)


def _too_large(address: WebAddress, limits: Limits) -> Refused:
    return Refused(f"{address} is larger than {limits.size / 1024 / 1024:g} MiB, so it was left.")
