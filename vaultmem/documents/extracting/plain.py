"""Text that is text already: markdown, reStructuredText, code, tables and notebooks."""

from __future__ import annotations

import csv
import json
import re
from typing import Any

from vaultmem.documents.document import Document
from vaultmem.documents.extracting.kinds import NoText, language
from vaultmem.words.note import parse

_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+:._<>])\1{2,}\s*$")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_RARE = ["mac_iceland", "mac_roman", "mac_turkish", "mac_latin2", "mac_greek", "mac_cyrillic"]
_RARE += ["cp037", "cp273", "cp500", "cp1026", "cp1140", "hp_roman8", "kz1048", "ptcp154"]
"""Encodings that fit short texts well and are hardly ever meant."""
MOST_ROWS = 50_000


def decoded(data: bytes, charset: str = "") -> str:
    """Return the text of some bytes: by their mark, as UTF-8, as told, or by what fits them."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _plain(data.decode(name, "replace"))
    for name in ("utf-8", charset):
        try:
            if name:
                return _plain(data.decode(name))
        except (UnicodeDecodeError, LookupError):
            continue
    from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000], cp_exclusion=_RARE).best()
    return _plain(data.decode(best.encoding if best else "latin-1", "replace"))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ").removeprefix("\ufeff")


def markdown(text: str) -> Document:
    """Return a markdown file without its properties, which tell its title and author."""
    note = parse("document.md", text.encode("utf-8", "replace"))
    title = note.text("title") or note.heading
    date = note.text("date") or note.text("published")
    return Document("md", note.body, title, note.text("author"), date)


def plain(text: str) -> Document:
    """Return a text as it is."""
    return Document("txt", text)


def code(text: str, name: str) -> Document:
    """Return code in a fence that nothing in it can close."""
    return Document("code", fenced(text, language(name)))


def fenced(text: str, info: str) -> str:
    """Return a text between fences longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{info}\n{text.rstrip()}\n{mark}\n"


def restructured(text: str) -> Document:
    """Return reStructuredText with its headings as those of markdown."""
    lines, found, levels = text.split("\n"), list[str](), list[str]()
    title = ""
    at = 0
    while at < len(lines):
        over = _UNDERLINE.match(lines[at])
        if over and at + 2 < len(lines) and lines[at + 2].rstrip() == lines[at].rstrip():
            named, mark, step = lines[at + 1].strip(), f"{over[1]}{over[1]}", 3
        else:
            under = _UNDERLINE.match(lines[at + 1]) if at + 1 < len(lines) else None
            named, mark, step = lines[at].strip(), under[1] if under else "", 2
            if not under or len(under[0].rstrip()) < len(named) or lines[at][:1].isspace():
                named = ""
        if not named or _UNDERLINE.match(named):
            found.append(lines[at])
            at += 1
            continue
        if mark not in levels:
            levels.append(mark)
        title = title or named
        found.append(f"{'#' * min(levels.index(mark) + 1, 6)} {named}")
        at += step
    return Document("rst", "\n".join(found), title)


def table(text: str) -> Document:
    """Return separated values as a table of markdown; the first line is its head."""
    lines = text.splitlines()
    sample = [line for line in lines[:20] if line.strip()]
    counts = {mark: [line.count(mark) for line in sample] for mark in ",\t;|"}
    separator = max(counts, key=lambda mark: (min(counts[mark], default=0), sum(counts[mark])))
    csv.field_size_limit(1_000_000)
    try:
        rows = [row for row in csv.reader(lines[:MOST_ROWS], delimiter=separator) if row]
    except csv.Error as error:
        raise NoText(f"it is no table ({error})") from None
    return Document("csv", rows_as_table(rows))


def rows_as_table(rows: list[list[str]]) -> str:
    """Return rows as a table of markdown, as wide as the widest of them."""
    if not rows:
        return ""
    width = min(max(len(row) for row in rows), 200)
    told = [[" ".join(cell.split()).replace("|", "\\|") for cell in row[:width]] for row in rows]
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in told]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]) + "\n"


def notebook(text: str) -> Document:
    """Return the cells of a Jupyter notebook: its prose, its code, and what that printed."""
    try:
        whole = json.loads(text)
        cells = [cell for cell in whole["cells"] if isinstance(cell, dict)]
        info = whole.get("metadata", {}).get("language_info", {}).get("name", "python")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NoText("it is no notebook") from None
    parts = []
    for cell in cells:
        source = _joined(cell.get("source"))
        if cell.get("cell_type") == "code":
            parts.append(fenced(source, re.sub(r"[^\w+-]", "", str(info))[:20]))
            parts += [fenced(said, "text") for said in _outputs(cell.get("outputs"))]
        elif source.strip():
            parts.append(source.rstrip() + "\n")
    text = "\n".join(parts)
    return Document("ipynb", text, parse("n.md", text.encode("utf-8", "replace")).heading)


def _joined(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _outputs(outputs: Any) -> list[str]:
    """Return what code printed, in so far as it is text."""
    found = []
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            data = output.get("data")
            shown = data.get("text/plain") if isinstance(data, dict) else output.get("text")
            if (said := _joined(shown)).strip():
                found.append(said)
    return found
