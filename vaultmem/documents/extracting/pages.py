"""Web pages: their main text, and who wrote it when."""

from __future__ import annotations

from typing import Any

from lxml import html

from vaultmem.documents.document import Document
from vaultmem.documents.extracting.kinds import NoText
from vaultmem.documents.extracting.marked_up import markdown_of, parsed

_MAIN = "//main | //*[@role='main'] | //article"
LEAST_MAIN = 100
"""Words of a page's own main part that need no other opinion."""


def page(text: str, address: str = "") -> Document:
    """Return the main text of a page, with its title, author and date where they are known.

    Where the page itself says which part is the main one, that part is taken whole; else readers
    of pages in general judge.
    """
    try:
        tree = parsed(text)
    except ValueError:
        raise NoText("it is an empty page") from None
    body = _own_main(tree)
    if len(body.split()) < LEAST_MAIN:
        judged = _judged(text, address)
        body = judged if len(judged.split()) > len(body.split()) else body
    about = _about(text, address)
    title = _first_heading(body) or str(getattr(about, "title", None) or tree.findtext(".//title"))
    author, date = (str(getattr(about, name, None) or "") for name in ("author", "date"))
    return Document("html", body or markdown_of(tree), _line(title), _line(author), date)


def _own_main(tree: html.HtmlElement) -> str:
    """Return the part that the page calls its main one, if that is only one."""
    found = tree.xpath(_MAIN)
    outer = [node for node in found if not any(up in found for up in node.iterancestors())]
    return markdown_of(outer[0]) if len(outer) == 1 else ""


def _about(text: str, address: str) -> Any:
    """Return what trafilatura knows of a page; a date only where the page states it."""
    import trafilatura

    dates = {"extensive_search": False, "original_date": True}
    return trafilatura.extract_metadata(text, default_url=address or None, date_config=dates)


def _judged(text: str, address: str) -> str:
    """Return the main text as trafilatura sees it."""
    import trafilatura

    found = trafilatura.bare_extraction(
        text,
        url=address or None,
        favor_recall=True,
        include_comments=False,
        include_tables=True,
        include_formatting=True,
    )
    return str(getattr(found, "text", None) or "")


def _first_heading(body: str) -> str:
    heads = (line.lstrip("#") for line in body.split("\n")[:60] if line.startswith("#"))
    return next(heads, "")


def _line(text: str) -> str:
    return "" if text == "None" else " ".join(text.split()).strip("¶# ")[:200]
