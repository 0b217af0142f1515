"""What must not pass: addresses that are not public, links out of the vault, credentials."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import Row, all_of, at_least, at_most, none, told
from benchmarks.soak import samples

PUBLIC = "93.184.216.34"
_PLAIN = """
http://127.0.0.1/ http://127.0.0.1:8765/mcp http://127.1/ http://127.255.255.254/ http://0/
http://0.0.0.0/ http://2130706433/ http://017700000001/ http://0177.0.0.1/ http://0x7f.1/
http://0x7f000001/ http://localhost/ http://LOCALHOST./ http://①②⑦.⓪.⓪.①/ http://127。0。0。1/
http://[::1]/ http://[::]/ http://[::ffff:127.0.0.1]/ http://[::127.0.0.1]/ http://[64:ff9b::7f00:1]/
http://[64:ff9b:1::1]/ http://[2002:7f00:1::]/ http://[2001:db8::1]/ http://[fe80::1]/
http://[fe80::1%25lo]/ http://[fd00:ec2::254]/ http://[fc00::1]/ http://[ff02::1]/ http://[fec0::1]/
http://169.254.169.254/latest/meta-data/ http://100.100.100.200/ http://192.0.0.192/
http://10.0.0.1/ http://172.16.0.1/ http://192.168.1.1/ http://100.64.0.1/ http://198.18.0.1/
http://224.0.0.1/ http://255.255.255.255/ http://240.0.0.1/
http://a@127.0.0.1/ http://a:b@example.org/ http://example.org\\@127.0.0.1/ http://#@127.0.0.1/
file:///etc/passwd file://localhost/etc/passwd ftp://example.org/ gopher://127.0.0.1:6379/_x
data:text/html,x javascript:alert(1) http://example.org:0/ http://example.org:99999/
"""


@dataclass
class Web:
    """A web in this process: names, answers, and which addresses a socket was opened to."""

    names: dict[str, list[list[str]]] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)

    def resolve(self, name: str, port: int) -> list[str]:
        if answers := self.names.get(name):
            return answers.pop(0) if len(answers) > 1 else answers[0]
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(name, port)})

    def connect(self, address: str, port: int, seconds: float) -> socket.socket:
        self.opened.append(address)
        here, there = socket.socketpair()
        here.settimeout(seconds)
        threading.Thread(target=self._answer, args=(there,), daemon=True).start()
        return here

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError, IndexError), connection:
            target = connection.recv(65536).split(b" ")[1].decode()
            to = self.pages.get(target)
            head = f"302 Found\r\nLocation: {to}" if to else "200 OK\r\nContent-Type: text/plain"
            connection.sendall(f"HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n".encode())


def _addresses() -> Iterator[tuple[str, Web]]:
    """Yield 60 addresses that lead to this machine or to no page, each in a web of its own."""
    for url in _PLAIN.split():
        yield url, Web()
    yield "http://example.org/ x", Web()
    yield "http://example.org/\r\nX: y", Web()
    yield "http://example.org/" + "x" * 10_000, Web()
    yield "http://mixed.example/", Web({"mixed.example": [[PUBLIC, "127.0.0.1"]]})
    yield "http://six.example/", Web({"six.example": [[PUBLIC, "fd00::1"]]})
    for to in ("http://127.0.0.1/", "file:///etc/passwd", "/"):
        yield "http://hop.example/", Web({"hop.example": [[PUBLIC]]}, {"/": to})


def _refused(folder: Path) -> Iterator[Row]:
    from vaultmem.documents.fetching import Limits, Network, fetch
    from vaultmem.words.errors import VaultmemError

    refused, inside, through = 0, 0, []
    for url, web in _addresses():
        network = Network(resolve=web.resolve, connect=web.connect)
        try:
            fetch(url, network=network, limits=Limits(seconds=3))
            through.append(url[:40])
        except VaultmemError:
            refused += 1
        inside += sum(address != PUBLIC for address in web.opened)
    yield all_of("addresses that are not public, refused", refused, 60, ", ".join(through[:3]))
    yield none("  sockets opened to one", inside)
    web = Web({"turns.example": [[PUBLIC], ["127.0.0.1"]]})
    fetch("http://turns.example/", network=Network(resolve=web.resolve, connect=web.connect))
    yield all_of("  a name that turns is asked once", web.opened.count(PUBLIC), 1)


_FLIPPER = """
import ctypes, os, sys
one, other = (os.fsencode(name) for name in sys.argv[1:])
swap = ctypes.CDLL(None, use_errno=True).renameat2
print("ready", flush=True)
while True:
    swap(-100, one, -100, other, 2)
"""


@contextmanager
def _flipping(one: Path, other: Path) -> Iterator[None]:
    """Exchange a folder and a link as fast as another process can, until the block ends."""
    line = [sys.executable, "-c", _FLIPPER, str(one), str(other)]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        try:
            yield
        finally:
            child.send_signal(signal.SIGKILL)


def _raced(folder: Path, tries: int) -> Iterator[Row]:
    """Read and write while a folder of the vault is a link to the outside half of the time."""
    from vaultmem.vault import files
    from vaultmem.vault.scan import scan
    from vaultmem.words.errors import VaultmemError

    root, outside = folder / "vault", folder / "outside"
    for place in (root / "notes/swap/inner", outside / "inner"):
        place.mkdir(parents=True)
    secret = b"what lies outside\n"
    for place in (outside, outside / "inner"):
        (place / "only-there.md").write_bytes(secret)
    for place in (root / "notes/swap", root / "notes/swap/inner"):
        (place / "here.md").write_bytes(b"ours\n")
    (root / "notes/link").symlink_to(outside, target_is_directory=True)
    before = _state(outside)
    seen: list[bytes] = []
    ours = files.fingerprint(root, "notes/swap/here.md") or ""

    def listed() -> None:
        seen.extend(secret for path in scan(root).notes if "only-there" in path)

    acts: Sequence[Callable[[str], object]] = (
        lambda at: seen.append(files.read(root, f"{at}/only-there.md")),
        lambda at: seen.append(files.tail(root, f"{at}/only-there.md", 100)),
        lambda at: files.create(root, f"{at}/made-{os.urandom(4).hex()}.md", b"ours\n"),
        lambda at: files.append_line(root, f"{at}/only-there.md", "ours"),
        lambda at: files.append_line(root, f"{at}/here.md", "ours"),
        lambda at: files.replace(root, f"{at}/only-there.md", b"x", seen=_hash(secret)),
        lambda at: files.remove(root, f"{at}/only-there.md", seen=_hash(secret)),
        lambda at: files.replace(root, f"{at}/inner/here.md", b"ours\n", seen=ours),
        lambda at: files.move(root, f"{at}/only-there.md", f"stolen-{os.urandom(4).hex()}.md"),
        lambda at: files.make_folder(root, f"{at}/made"),
        lambda at: files.touch_same(root, f"{at}/only-there.md"),
        lambda at: listed(),
    )
    done = 0
    with _flipping(root / "notes/swap", root / "notes/link"):
        for number in range(tries):
            at = "notes/swap/inner" if number % 3 == 0 else "notes/swap"
            try:
                acts[number % len(acts)](at)
                done += 1
            except VaultmemError:
                continue
    escapes = sum(secret in data for data in seen) + (_state(outside) != before)
    yield told("a folder that turns into a link and back: tries", tries)
    yield at_least("  that went through", done, tries / 50)
    yield none("  escapes", escapes)


def _hash(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _state(folder: Path) -> list[tuple[str, int, bytes]]:
    """Return all that is below a folder: names, times, bytes."""
    found = sorted(folder.rglob("*"))
    return [
        (str(item), item.stat().st_mtime_ns, b"" if item.is_dir() else item.read_bytes())
        for item in found
    ]


def _credentials(folder: Path) -> Iterator[Row]:
    from vaultmem.words.secrets import secrets_in

    true, false = samples.secrets(), samples.look_alikes()
    found = sum(bool(secrets_in(text)) for text in true)
    flagged = [text for text in false if secrets_in(text)]
    yield at_least(f"credentials found of {len(true)}", found, 29)
    yield at_most(f"taken for one of {len(false)}", len(flagged), 3, note=" ".join(flagged)[:60])


def gates(folder: Path, tries: int = 5000) -> Iterator[Row]:
    """Try what must be refused: addresses, links that come and go, credentials."""
    yield from _refused(folder)
    if hasattr(ctypes.CDLL(None), "renameat2"):
        yield from _raced(folder, tries)
    yield from _credentials(folder)
