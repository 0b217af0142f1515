"""Inputs that mean harm to who reads documents for an agent."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@dataclass(frozen=True)
class Danger:
    """One such input: what a call is given, and which words of its answer would be harm."""

    name: str
    make: Callable[[Path], dict[str, Any]]
    harm: tuple[str, ...] = ()
    may_answer: bool = False

    def arguments(self, desk: Path) -> dict[str, Any]:
        return self.make(desk)

    def harmless(self, said: str) -> bool:
        """Return whether an answer that is no refusal holds nothing of the harm."""
        return self.may_answer and not any(word in said for word in self.harm)


def _url(url: str) -> Danger:
    return Danger(url, lambda _: {"command": "index", "source": url})


def _file(name: str, data: bytes | Callable[[], bytes], **more: Any) -> Danger:
    def make(desk: Path) -> dict[str, Any]:
        file = desk / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data())
        return {"command": "read", "source": name, "budget_tokens": 500}

    return Danger(name, make, **more)


def _pattern(pattern: str) -> Danger:
    return Danger(pattern[:30], lambda _: {"command": "match", "pattern": pattern}, may_answer=True)


def _docx(**members: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            packed.writestr(name, text)
    return out.getvalue()


def _body(text: str, head: str = "") -> dict[str, str]:
    document = f"{head}<w:document {W}><w:body>{text}</w:body></w:document>"
    return {"word/document.xml": document}


def _pdf(objects: list[bytes], tail: bytes = b"") -> bytes:
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    end = b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF"
    return out + head + table + end % (len(places) + 1, tail, len(out))


def _page(stream: bytes, more: bytes = b"", kids: bytes = b"3 0 R", count: int = 1) -> bytes:
    return _pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
            b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(stream), more, stream),
        ]
    )


def _bomb(rounds: int) -> bytes:
    data = b"\0" * 200_000_000
    for _ in range(rounds):
        data = zlib.compress(data, 9)
    return data


def _special(name: str, make: Callable[[Path], object]) -> Danger:
    def made(desk: Path) -> dict[str, Any]:
        make(desk / name)
        return {"command": "index", "source": name}

    return Danger(name, made)


_BILLION = "<!DOCTYPE x [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
_STOLEN = "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"
DANGERS = (
    *map(
        _url,
        (
            "http://127.0.0.1:8765/mcp",
            "http://169.254.169.254/latest/meta-data/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://0x7f.1/",
            "http://0/",
            "http://①②⑦.⓪.⓪.①/",
            "http://[64:ff9b::7f00:1]/",
            "http://[fe80::1%25lo]/",
            "http://100.100.100.200/",
            "http://[fd00:ec2::254]/",
            "http://localhost/",
            "http://user:pass@example.org/",
            "file:///etc/passwd",
            "ftp://example.org/x",
        ),
    ),
    _file(".env", b"KEY=1"),
    _file("id_rsa", b"x"),
    _file("server.pem", b"x"),
    _special("link.txt", lambda path: path.symlink_to("/etc/passwd")),
    _special("pipe.txt", os.mkfifo),
    _special("folder", Path.mkdir),
    Danger("../../etc/passwd", lambda _: {"command": "read", "source": "/etc/passwd"}),
    Danger("/dev/zero", lambda _: {"command": "read", "source": "/dev/zero"}),
    _file("bytes.txt", b"\x7fELF" + b"\0" * 1000),
    _file("bomb.docx", lambda: _docx(**_body(""), **{"word/x.xml": b" " * 300_000_000})),
    _file("many.docx", lambda: _docx(**_body("<w:p/>" * 1_000_000))),
    _file("lol.docx", lambda: _docx(**_body("<w:p><w:r><w:t>&b;</w:t></w:r></w:p>", _BILLION))),
    _file("xxe.docx", lambda: _docx(**_body("<w:p><w:r><w:t>&a;</w:t></w:r></w:p>", _STOLEN))),
    _file("flate.pdf", lambda: _page(_bomb(1), b"/Filter /FlateDecode")),
    _file("flate2.pdf", lambda: _page(_bomb(2), b"/Filter [/FlateDecode /FlateDecode]")),
    _file("loop.pdf", _page(b"", kids=b"2 0 R 3 0 R", count=2)),
    _file("pages.pdf", _page(b"", kids=b"3 0 R " * 100_000, count=100_000)),
    _file("cut.pdf", _page(b"BT ET")[:150]),
    _file("prev.pdf", _pdf([b"<< /Type /Catalog >>"], b"/Prev 9")),
    _file("deep.html", b"<html><main>" + b"<div>" * 100_000, may_answer=True),
    _file(
        "script.html",
        b"<html><main><p>Hello there, reader of mine</p><script>steal()</script>"
        b"<img src=x onerror=steal()><iframe src=//x></iframe></main>",
        harm=("steal", "<script", "<iframe"),
        may_answer=True,
    ),
    _file(
        "active.md",
        b"# A\n\n```dataviewjs\nsteal\n```\n\n<% steal %>\n\n[x](javascript:alert(1))\n",
        harm=("dataviewjs", "<%", "](javascript:"),
        may_answer=True,
    ),
    _file("nested.ipynb", b'{"nbformat":4,"cells":' + b"[" * 200_000),
    _file("huge.csv", b"a," * 30_000_000),
    _pattern("(a+)+$"),
    _pattern("(?:a{0,999}){0,999}"),
    _pattern("(.*)*=" * 150),
    _pattern("x" * 5000),
    _pattern("(?=a)b"),
)
