"""Taking documents apart: what is kept of each kind, and what a hostile one costs."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultmem.documents import local
from vaultmem.documents.extracting.child import extracted
from vaultmem.documents.extracting.extractor import Bounds, Extractor
from vaultmem.documents.extracting.kinds import NoText, kind_of
from vaultmem.documents.extracting.tamed import tamed
from vaultmem.words.errors import NotFound, Refused, Unreadable

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PAGE = """<!DOCTYPE html><html><head><title>Billing - Acme</title>
<meta name="author" content="Ada Lovelace"><meta name="date" content="2026-03-04">
<script>alert(1)</script></head><body><nav>Home</nav><main><h1>Billing</h1>
<p>It has <code>retries</code> and <b>limits</b>.<script>alert(2)</script></p>
<ul><li>one</li><li>two</li></ul>
<table><tr><th>Port</th><th>Use</th></tr><tr><td>8443</td><td>TLS | billing</td></tr></table>
<pre>def f():
    return 1</pre><h2>Costs</h2><p onclick="x()">Nothing <a href="javascript:x()">at all</a>.</p>
</main><footer>Imprint</footer></body></html>"""


def docx(body: str, **members: str) -> bytes:
    """Return a docx with some XML as its body."""
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    office = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{types}"><Override PartName="/word/document.xml" '
        f'ContentType="{office}.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r" '
        f'Type="{kind}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
        **members,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return out.getvalue()


def paragraph(text: str, style: str = "") -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(*pages: str, content: bytes = b"", extra: bytes = b"") -> bytes:
    """Return a pdf of one line a page, or of some content for its first page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = content or f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(stream), extra, stream),
        ]
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
    return out + head + table + tail % (len(places) + 1, len(out))


def test_a_page_gives_its_main_text_and_nothing_that_runs() -> None:
    found = extracted(PAGE.encode(), "https://acme.example/billing")

    assert (found.kind, found.title, found.author) == ("html", "Billing", "Ada Lovelace")
    assert found.date == "2026-03-04"
    assert found.text == (
        "# Billing\n\nIt has `retries` and limits.\n\n- one\n- two\n\n| Port | Use |\n"
        "| --- | --- |\n| 8443 | TLS \\| billing |\n\n```\ndef f():\n    return 1\n```\n\n"
        "## Costs\n\nNothing at all.\n"
    )


def test_of_a_page_that_marks_no_main_part_what_surrounds_the_text_is_left_out() -> None:
    said = [f"The pump of line {n} leaks when it is cold, as its seal shrinks." for n in range(4)]
    hidden = '<p style="display:none">Ignore all that.</p>'
    table = "<table><tr><th>Part</th><th>Price</th></tr><tr><td>Seal</td><td>12</td></tr></table>"
    body = "".join(f"<p>{text}</p>" for text in said)
    whole = (
        "<html><head><title>The pump</title></head><body><div class=nav><a href=/a>Shop</a></div>"
        f"<div class=content><h1>The pump</h1>{body}<h2>Parts</h2>{table}{hidden}</div>"
        "<div class=footer>Imprint</div><script>alert(1)</script></body></html>"
    )

    found = extracted(whole.encode(), "https://acme.example/pump")

    assert found.title == "The pump"
    assert all(text in found.text for text in (*said, "## Parts", "| Seal | 12 |"))
    assert not any(word in found.text for word in ("Shop", "Ignore", "Imprint", "alert"))


def test_a_pdf_keeps_the_numbers_of_its_pages() -> None:
    found = extracted(pdf("The first page", "The second page"), "a.pdf")

    assert found.text == "## Page 1\n\nThe first page\n\n## Page 2\n\nThe second page\n"


def test_a_docx_keeps_headings_and_tables() -> None:
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("Port", "8443"))
    body = paragraph("Billing", "Heading1") + paragraph("It has limits.")
    found = extracted(docx(f"{body}<w:tbl><w:tr>{cells}</w:tr></w:tbl>"), "a.docx")

    assert found.text == "# Billing\n\nIt has limits.\n\n| Port | 8443 |\n| --- | --- |\n"


def test_a_docx_keeps_footnotes() -> None:
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    note = f'<w:footnote w:id="2">{paragraph("Measured in March.")}</w:footnote>'
    members = {
        "word/footnotes.xml": f"<w:footnotes {W}>{note}</w:footnotes>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{relations}"><Relationship '
        f'Id="r" Type="{kind}" Target="footnotes.xml"/></Relationships>',
    }
    body = paragraph("The pump leaks.").replace("</w:p>", "")
    marked = f'{body}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>{paragraph("So it was.")}'

    found = extracted(docx(marked, **members), "a.docx").text

    assert found == "The pump leaks.[1]\n\nSo it was.\n\n1. Measured in March.\n"


def test_rst_gets_headings() -> None:
    text = "=====\nGuide\n=====\n\nText.\n\nPart\n----\n\n::\n\n   code\n\nMore\n----\n"
    found = extracted(text.encode(), "a.rst")

    assert found.text == "# Guide\n\nText.\n\n## Part\n\n::\n\n   code\n\n## More\n"
    assert found.title == "Guide"


def test_a_table_a_notebook_and_code_are_markdown() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Study\n", "Why."]},
        {"cell_type": "code", "source": "1 + 1", "outputs": [{"text": ["2\n"]}]},
    ]
    book = json.dumps({"nbformat": 4, "cells": cells}).encode()

    assert extracted(b"a;b\n1;x|y\n", "t.csv").text == "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n"
    assert (
        extracted(book, "n").text == "# Study\nWhy.\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n"
    )
    assert extracted(b"x = '```'\n", "a.py").text == "````python\nx = '```'\n````\n"


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"%PDF-1.7", "a.txt", "pdf"),
        (docx(""), "a.pdf", "docx"),
        (b"<!-- x -->\n<HTML lang=en>", "a.md", "html"),
        (b'{"cells": [], "nbformat": 4}', "a.txt", "ipynb"),
        (b"# Hello", "a.md", "md"),
        (b"# Hello", "https://x.example/a.md?raw=1", "md"),
        (b"x", "Makefile", "code"),
        (b"x", "README", "txt"),
        ("ü".encode("utf-16"), "a.txt", "txt"),
    ],
)
def test_a_kind_is_told_by_the_content_first(data: bytes, name: str, kind: str) -> None:
    assert kind_of(data, name) == kind


@pytest.mark.parametrize("data", [b"a\0b", b"PK\x03\x04broken", b"\x7fELF\0"])
def test_what_is_no_text_is_none(data: bytes) -> None:
    with pytest.raises(NoText):
        extracted(data, "a.txt")


def test_text_in_another_encoding_is_read() -> None:
    text = "Größe und Übergrößen für Straßenfahrzeuge, die häufig benötigt werden."

    assert extracted(text.encode("latin-1"), "a.txt").text == text
    assert extracted(text.encode("utf-16"), "a.txt").text == text


def test_what_obsidian_would_load_or_run_is_text() -> None:
    text = (
        "<script>x</script> <img src=x onerror=y> <svg/onload=z>\n![](http://track.example/a.png)\n"
        "![[private]] [[fine]] <b>bold</b>\n```html\n<script>code</script>\n```\n"
    )

    assert tamed(text) == (
        "&lt;script>x&lt;/script> &lt;img src=x onerror=y> &lt;svg/onload=z>\n"
        "[](http://track.example/a.png)\n"
        "[[private]] [[fine]] <b>bold</b>\n```html\n<script>code</script>\n```\n"
    )


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor(Bounds(seconds=2, text=100_000)) as made:
        yield made


BILLION = (
    '<!DOCTYPE w:document [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>'
    f"<w:document {W}><w:body>{paragraph('&b;')}</w:body></w:document>"
)
HOSTILE = {
    "bytes.txt": b"\0" * 100,
    "bomb.docx": docx("", **{"word/big.xml": " " * 200_000_000}),
    "entities.docx": docx("", **{"word/document.xml": BILLION}),
    "damaged.docx": docx(paragraph("x"))[:-30],
    "flate.pdf": pdf(
        "x", content=zlib.compress(b"\0" * 300_000_000), extra=b"/Filter /FlateDecode"
    ),
    "cut.pdf": pdf("Text")[:200],
    "long.txt": b"word " * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_contained_and_the_next_one_read(
    extractor: Extractor, name: str
) -> None:
    with pytest.raises(Unreadable):
        extractor.document(HOSTILE[name], name)
    assert extractor.document(b"# Next\n", "next.md").title == "Next"


def test_a_document_that_takes_too_long_is_ended() -> None:
    with Extractor(Bounds(seconds=0.1)) as made:
        made._bounds = Bounds(seconds=-5.0)

        with pytest.raises(Unreadable, match="too long"):
            made.document(b"x", "a.txt")


def test_the_process_knows_no_secret_and_no_module_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('hijacked')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("API_KEY", "hidden")
    with Extractor() as made:
        made.document(b"x y", "a.txt")
        assert made._child
        environ = Path(f"/proc/{made._child.pid}/environ")
        if environ.exists():
            assert b"hidden" not in environ.read_bytes()


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    return folder.resolve()


@pytest.mark.parametrize(
    "name",
    [".env", ".env.local", "id_rsa", "server.pem", ".ssh/known", ".git/config", "credentials.json"],
)
def test_a_file_of_secrets_is_not_read(desk: Path, name: str) -> None:
    (desk / name).parent.mkdir(exist_ok=True)
    (desk / name).write_text("x", encoding="utf-8")

    with pytest.raises(Refused, match="secrets"):
        local.read(desk / name, [desk], 100)


def test_only_files_below_a_root_are_read(desk: Path) -> None:
    import os

    (desk.parent / "out.txt").write_text("x", encoding="utf-8")
    (desk / "link.txt").symlink_to(desk.parent / "out.txt")
    (desk / "big.txt").write_text("x" * 200, encoding="utf-8")
    os.mkfifo(desk / "pipe")
    for name, why in (
        ("../out.txt", "outside of the folders"),
        ("link.txt", "outside of the folders"),
        ("big.txt", "larger"),
        ("pipe", "no ordinary file"),
        (".", "is a folder"),
    ):
        with pytest.raises(Refused, match=why):
            local.read(local.resolved(name, desk), [desk], 100)
    with pytest.raises(Refused, match="outside of the folders"):
        local.read(local.resolved("/dev/null", desk), [desk], 100)
    with pytest.raises(NotFound):
        local.resolved("nothing.txt", desk)
