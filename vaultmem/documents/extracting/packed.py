"""Documents of offices and printers: docx and pdf, as text."""

from __future__ import annotations

import io
import re
import time
import zipfile

from vaultmem.documents.document import Document
from vaultmem.documents.extracting.kinds import NoText
from vaultmem.documents.extracting.marked_up import markdown_of, parsed

MOST_MEMBERS = 2000
MOST_UNPACKED = 100 * 1024 * 1024
MOST_PAGES = 5000
_BACK = re.compile(r'<a href="#(?:foot|end)note-ref-[^"]*">↑</a>')
"""The way back from a footnote."""
_DATE = re.compile(r"D?:?(\d{4})-?(\d\d)-?(\d\d)")


def word(data: bytes) -> Document:
    """Return a docx with its headings, lists, tables and footnotes.

    Raises:
        NoText: it unpacks to too much, it is damaged, or its XML declares entities.
    """
    import mammoth

    about = _checked(data)
    ignored = mammoth.images.img_element(lambda _: {})
    try:
        made = mammoth.convert_to_html(io.BytesIO(data), convert_image=ignored).value
    except (KeyError, ValueError, zipfile.BadZipFile, OSError, IndexError) as error:
        raise NoText(f"it is a damaged docx ({type(error).__name__})") from None
    if not made.strip():
        raise NoText("there is no text in it")
    text = markdown_of(parsed(f"<body>{_BACK.sub('', made)}</body>"))
    title, author, date = (_named(about, name) for name in ("title", "creator", "modified"))
    return Document("docx", text, title, author, date[:10])


def _checked(data: bytes) -> str:
    """Return the XML that holds the properties, after a look at every member of the archive."""
    about = ""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = packed.infolist()
        if len(members) > MOST_MEMBERS or sum(m.file_size for m in members) > MOST_UNPACKED:
            raise NoText("it unpacks to too much")
        for member in members:
            if member.filename.endswith((".xml", ".rels")):
                text = packed.read(member)
                if b"<!DOCTYPE" in text or b"<!ENTITY" in text or b"\0" in text[:64]:
                    raise NoText("its XML declares entities")
                if member.filename == "docProps/core.xml":
                    about = text.decode("utf-8", "replace")
    return about


def _named(about: str, name: str) -> str:
    found = re.search(rf"<(?:\w+:)?{name}\b[^>]*>([^<]{{0,500}})</", about)
    return " ".join(found[1].split()) if found else ""


def printed(data: bytes, seconds: float) -> Document:
    """Return a pdf, each page under a heading with its number, as far as the time allows.

    Raises:
        NoText: it is damaged, encrypted, or only pictures.
    """
    import pypdf
    from pypdf.errors import PyPdfError

    end = time.monotonic() + seconds
    parts: list[str] = []
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise NoText("it is encrypted")
        count = len(reader.pages)
        for number in range(min(count, MOST_PAGES)):
            if time.monotonic() > end:
                parts.append(f"(The pages from {number + 1} to {count} were not read in time.)\n")
                break
            if text := _tidied(reader.pages[number].extract_text()):
                parts.append(f"## Page {number + 1}\n\n{text}\n")
        about: dict[str, object] = dict(reader.metadata or {})
    except PyPdfError as error:
        raise NoText(f"it is a damaged pdf ({type(error).__name__})") from None
    if not parts:
        raise NoText("there is no text in it, perhaps only pictures")
    title, author = (str(about.get(key) or "") for key in ("/Title", "/Author"))
    made = _DATE.match(str(about.get("/CreationDate") or ""))
    date = "-".join(made.groups()) if made else ""
    return Document("pdf", "\n".join(parts), _line(title), _line(author), date)


def _tidied(text: str) -> str:
    """Return the text of a page with words that a line end divides made whole."""
    text = re.sub(r"(?<=[a-zß-ÿ])[-\u00ad]\n(?=[a-zß-ÿ])", "", text.replace("\0", ""))
    lines = (
        re.sub(r"^(#+ |-{3,}$|`{3,}|~{3,})", r"\\\1", line.rstrip()) for line in text.split("\n")
    )
    return "\n".join(lines).strip()


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
