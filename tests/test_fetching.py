"""Fetching a page: a small web in this process stands for the large one."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trustme

from vaultmem.documents.addresses import Permission, why_refused
from vaultmem.documents.fetching import Fetched, Known, Limits, Network, fetch
from vaultmem.documents.web_address import web_address
from vaultmem.words.errors import BadInput, Refused, Unreachable, VaultmemError

PUBLIC = "93.184.216.34"
_NOT_PUBLIC = """
127.0.0.1 127.1.2.3 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1
100.100.100.200 169.254.169.254 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1
203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1
::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1
2002:7f00:1:: 2002:5db8:d822:: 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%lo fec0::1
ff02::1
"""
REFUSED_ADDRESSES = _NOT_PUBLIC.split()
ALLOWED_ADDRESSES = [PUBLIC, "8.8.8.8", "2606:2800:220:1::1", "64:ff9b::808:808", "::ffff:8.8.8.8"]
_ODD = """
http://localhost/ http://127.0.0.1/ http://127.1/ http://2130706433/ http://0177.0.0.1/
http://0x7f.1/ http://0x7f000001/ http://0/ http://[::1]/ http://[::ffff:127.0.0.1]/
http://①②⑦.⓪.⓪.①/ http://127。0。0。1/ http://[::]/
"""
ODD_NAMES = _ODD.split()


@dataclass
class Web:
    """A server whose answers are bytes, and a DNS whose answers are a table."""

    pages: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    asked: list[bytes] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)
    slow: float = 0.0
    shows: trustme.LeafCert | None = None
    """The certificate that it shows; without one it speaks plainly."""
    trusted: trustme.CA | None = None
    """Who signs what is believed."""
    greeted: list[str | None] = field(default_factory=list)
    """The names that were asked for before anything was said."""

    def network(self) -> Network:
        return Network(resolve=self._resolve, connect=self._connect, tls=self._tls)

    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self.trusted:
            self.trusted.configure_trust(context)
        return context

    def _resolve(self, name: str, port: int) -> list[str]:
        return self.names.get(name, [PUBLIC])

    def _connect(self, address: str, port: int, seconds: float) -> socket.socket:
        self.connected.append(address)
        here, there = socket.socketpair()
        here.settimeout(seconds)
        threading.Thread(target=self._serve, args=(there,), daemon=True).start()
        return here

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), self._secured(connection) as connection:
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(4096)
            self.asked.append(head)
            answer = self.pages[head.split(b" ")[1].decode()]
            if not self.slow:
                connection.sendall(answer)
                return
            for byte in answer:
                connection.sendall(bytes([byte]))
                time.sleep(self.slow)

    def _secured(self, connection: socket.socket) -> socket.socket:
        if not self.shows:
            return connection
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.shows.configure_cert(context)
        context.sni_callback = lambda _socket, name, _context: self.greeted.append(name)
        return context.wrap_socket(connection, server_side=True)

    def get(self, url: str = "http://example.org/", **options: object) -> Fetched:
        return fetch(url, network=self.network(), **options)  # type: ignore[arg-type]


def page(body: bytes = b"Hello", status: str = "200 OK", **headers: str) -> bytes:
    lines = {"Content_Type": "text/plain", "Content_Length": str(len(body)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def redirect(to: str) -> bytes:
    return page(b"", "302 Found", Location=to)


@pytest.fixture
def web() -> Iterator[Web]:
    yield Web({"/": page()})


def test_a_page_comes_with_what_is_known_of_it(web: Web) -> None:
    web.pages["/a?b=%C3%BC"] = page(
        b"<p>x", Content_Type="text/html; charset=latin-1", ETag='"1"', Last_Modified="Mon"
    )
    found = web.get("http://Example.org/a?b=ü#part")

    assert found == Fetched(
        "http://example.org/a?b=%C3%BC", b"<p>x", "text/html", "latin-1", Known('"1"', "Mon")
    )
    assert b"Host: example.org\r\n" in web.asked[0]


def test_no_cookie_and_no_credential_is_sent(web: Web) -> None:
    web.pages["/set"] = page(b"", "302 Found", Location="/", Set_Cookie="a=1")
    web.get("http://example.org/set")

    assert len(web.asked) == 2
    assert not any(b"Cookie" in head or b"Authorization" in head for head in web.asked)


def test_no_proxy_and_no_login_of_the_person_is_used(
    web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://evil.example:3128")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_text("machine example.org login ann password none\n")

    web.get()

    assert web.connected == [PUBLIC]
    assert b"Authorization" not in web.asked[0]
    assert web.asked[0].startswith(b"GET / HTTP")


@pytest.mark.parametrize("address", REFUSED_ADDRESSES)
def test_an_address_that_is_not_public_is_refused_before_a_connection(
    web: Web, address: str
) -> None:
    web.names["example.org"] = [PUBLIC, address]

    with pytest.raises(Refused, match="fetch_allow"):
        web.get()
    assert web.connected == []


@pytest.mark.parametrize("address", ALLOWED_ADDRESSES)
def test_a_public_address_is_not_refused(address: str) -> None:
    assert why_refused("example.org", [address], Permission()) == ""


@pytest.mark.parametrize("url", ODD_NAMES)
def test_names_that_mean_this_machine_are_refused_by_the_real_resolver(url: str) -> None:
    with pytest.raises(VaultmemError):
        fetch(url, limits=Limits(seconds=3))


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "http://user:pass@example.org/",
        "http://user@example.org/",
        "http://exa mple.org/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org/\r\nX: y",
        "http:///nothing",
        "http://[fe80::1%25lo]/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org/" + "x" * 2000,
    ],
)
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises((Refused, BadInput)):
        web_address(url)


@pytest.mark.parametrize(
    "to", ["http://inner.example/", "file:///etc/passwd", "http://127.0.0.1/", "ftp://example.org/"]
)
def test_every_hop_is_checked(web: Web, to: str) -> None:
    web.names |= {"inner.example": ["10.0.0.7"], "127.0.0.1": ["127.0.0.1"]}
    web.pages["/"] = redirect(to)

    with pytest.raises(Refused):
        web.get()
    assert web.connected == [PUBLIC]


def test_redirects_end(web: Web) -> None:
    web.pages["/"] = redirect("/")

    with pytest.raises(Unreachable, match="redirected more than 5 times"):
        web.get()


def test_the_checked_address_is_the_one_connected_to(web: Web) -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    network = Network(resolve=lambda *_: next(answers), connect=web._connect)
    fetch("http://rebinding.example/", network=network)

    assert web.connected == [PUBLIC]


def test_the_person_may_allow_a_machine_or_a_network(web: Web) -> None:
    web.names |= {"wiki.local": ["10.1.2.3"], "other.local": ["10.9.2.3"]}
    allowed = Permission.stated("wiki.local, 10.9.0.0/16")

    assert web.get("http://wiki.local/", permission=allowed).data == b"Hello"
    assert web.get("http://other.local/", permission=allowed).data == b"Hello"


ENDLESS = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + b"x" * 40_000
BOMB = gzip.compress(b"\0" * 5_000_000)


@pytest.mark.parametrize(
    "answer",
    [
        page(b"x", Content_Length="99999999"),
        ENDLESS,
        page(BOMB, Content_Encoding="gzip"),
        page(b"x" * 20_000),
    ],
    ids=["said", "endless", "bomb", "long"],
)
def test_what_is_too_large_is_left(web: Web, answer: bytes) -> None:
    web.pages["/"] = answer

    with pytest.raises(Refused, match="larger than"):
        web.get(limits=Limits(size=10_000))


@pytest.mark.parametrize("kind", ["image/png", "video/mp4", "application/zip", "font/woff2"])
def test_what_is_no_text_is_refused(web: Web, kind: str) -> None:
    web.pages["/"] = page(Content_Type=kind)

    with pytest.raises(Refused, match="no text"):
        web.get()


@pytest.mark.parametrize(
    "answer",
    [
        page(status="500 Oops"),
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx",
        b"nonsense\r\n\r\n",
        page(gzip.compress(b"Hello")[:-9], Content_Encoding="gzip"),
        page(b"no gzip", Content_Encoding="gzip"),
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n",
    ],
)
def test_a_broken_answer_is_said(web: Web, answer: bytes) -> None:
    web.pages["/"] = answer

    with pytest.raises(Unreachable):
        web.get()


def test_a_compressed_page_is_opened(web: Web) -> None:
    web.pages["/"] = page(gzip.compress(b"Hello " * 1000), Content_Encoding="gzip")

    assert web.get().data == b"Hello " * 1000


def test_a_coding_that_was_not_asked_for_is_refused(web: Web) -> None:
    web.pages["/"] = page(Content_Encoding="br")

    with pytest.raises(Refused, match="compressed as br"):
        web.get()


def test_time_is_up_for_a_server_that_drips(web: Web) -> None:
    web.slow = 0.02

    with pytest.raises(Unreachable, match="too long"):
        web.get(limits=Limits(seconds=0.3))


def test_time_is_up_for_a_silent_dns() -> None:
    stuck = threading.Event()
    waiting: Callable[..., list[str]] = lambda *_: [PUBLIC] * stuck.wait(5)  # noqa: E731

    with pytest.raises(Unreachable, match="DNS is silent"):
        fetch("http://example.org/", network=Network(resolve=waiting), limits=Limits(seconds=0.1))
    stuck.set()


def test_a_page_that_is_as_it_was_is_not_sent_again(web: Web) -> None:
    web.pages["/"] = page(b"", "304 Not Modified")
    found = web.get(known=Known('"1"', "Mon"))

    assert found.unchanged
    assert b'If-None-Match: "1"\r\n' in web.asked[0]
    assert b"If-Modified-Since: Mon\r\n" in web.asked[0]


def test_a_secure_page_is_read_under_the_name_of_the_checked_address(web: Web) -> None:
    web.trusted = trustme.CA()
    web.shows = web.trusted.issue_cert("example.org")

    assert web.get("https://example.org/").data == b"Hello"
    assert web.greeted == ["example.org"]
    assert web.connected == [PUBLIC]


@pytest.mark.parametrize("fault", ["of another name", "of a stranger", "none"])
def test_a_certificate_that_proves_nothing_ends_the_fetch_before_a_word_is_said(
    web: Web, fault: str
) -> None:
    web.trusted = trustme.CA()
    signer = trustme.CA() if fault == "of a stranger" else web.trusted
    name = "example.com" if fault == "of another name" else "example.org"
    web.shows = None if fault == "none" else signer.issue_cert(name)

    with pytest.raises(Unreachable, match=r"https://example\.org/"):
        web.get("https://example.org/", limits=Limits(seconds=5))
    assert not any(head.startswith(b"GET") for head in web.asked)
