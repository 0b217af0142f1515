"""HTML to markdown: what a reader of the page sees, with its headings, lists, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree, html

from vaultmem.documents.extracting.plain import fenced, rows_as_table

_NO_TEXT = """
script style noscript template svg math object embed iframe canvas audio video form button input
select textarea head nav footer img picture source link meta
"""
_DROPPED = frozenset(_NO_TEXT.split())
_APART = """
address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure
h1 h2 h3 h4 h5 h6 header hr html li main ol p pre section summary table tbody td tfoot th thead tr
ul
"""
_BLOCKS = frozenset(_APART.split())
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
DEEPEST = 150


def parsed(text: str) -> html.HtmlElement:
    """Return the tree of a page; raises `ValueError` if there is nothing in it."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError as error:
        raise ValueError(str(error)) from None


def markdown_of(tree: html.HtmlElement) -> str:
    """Return an element as markdown. Nothing of it can run: only its words are kept."""
    lines = [block.rstrip() for block in _blocks(tree, 0) if block.strip()]
    return "\n\n".join(lines) + "\n" if lines else ""


def _blocks(node: html.HtmlElement, depth: int) -> Iterator[str]:
    """Yield the blocks of an element; text between them is a block too."""
    run = [node.text or ""]
    for child in node:
        tag = child.tag if isinstance(child.tag, str) else ""
        if tag in _DROPPED or not tag or depth > DEEPEST:
            run.append(child.tail or "")
            continue
        if tag == "br":
            run.append("\n" + (child.tail or ""))
        elif tag in _BLOCKS or _holds_blocks(child):
            yield _words("".join(run))
            yield from _block(child, tag, depth + 1)
            run = [child.tail or ""]
        else:
            run += [_inline(child, depth + 1), child.tail or ""]
    yield _words("".join(run))


def _block(node: html.HtmlElement, tag: str, depth: int) -> Iterator[str]:
    if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
        yield f"{'#' * int(tag[1])} {_words(_inline(node, depth)).replace(chr(10), ' ')}"
    elif tag == "pre":
        yield fenced(_raw(node), "")
    elif tag == "table" and not any(True for _ in node.iterdescendants("table")):
        yield _table(node, depth)
    elif tag in ("ul", "ol"):
        yield "\n".join(_items(node, tag, depth))
    elif tag == "blockquote":
        inner = "\n\n".join(part for part in _blocks(node, depth) if part.strip())
        yield "\n".join(f"> {line}".rstrip() for line in inner.split("\n"))
    else:
        yield from _blocks(node, depth)


def _items(node: html.HtmlElement, tag: str, depth: int) -> Iterator[str]:
    for number, child in enumerate(node, 1):
        parts = [part for part in _blocks(child, depth) if part.strip()]
        mark = f"{number}." if tag == "ol" else "-"
        text = "\n\n".join(parts).replace("\n", "\n  ")
        if text:
            yield f"{mark} {text}"


def _table(node: html.HtmlElement, depth: int) -> str:
    rows = []
    for row in node.iterdescendants("tr"):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        told = [" ".join(part for part in _blocks(cell, depth) if part) for cell in cells]
        if any(told):
            rows.append(told)
    caption = next((_words(_inline(c, depth)) for c in node.iterchildren("caption")), "")
    return "\n\n".join(part for part in (caption, rows_as_table(rows)) if part)


def _holds_blocks(node: html.HtmlElement) -> bool:
    return any(isinstance(n.tag, str) and n.tag in _BLOCKS for n in node.iterdescendants())


def _inline(node: html.HtmlElement, depth: int) -> str:
    tag = node.tag if isinstance(node.tag, str) else ""
    if tag in _DROPPED or not tag or depth > DEEPEST:
        return ""
    if tag == "br":
        return "\n"
    parts = [node.text or ""]
    for child in node:
        parts += [_inline(child, depth + 1), child.tail or ""]
    text = "".join(parts)
    if tag in ("code", "kbd", "samp", "tt") and text.strip() and "`" not in text:
        return f"`{_SPACE.sub(' ', text).strip()}`"
    return text


def _raw(node: html.HtmlElement) -> str:
    return "".join(str(part) for part in node.itertext())


def _words(text: str) -> str:
    """Return a run of text with its white space as a browser shows it."""
    lines = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return " ".join(line for line in lines if line)
