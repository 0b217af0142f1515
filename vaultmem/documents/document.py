"""What was taken from outside: its text as markdown, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("md", "txt", "rst", "html", "pdf", "docx", "csv", "code", "ipynb")


@dataclass(frozen=True)
class Document:
    """A document as text. What is not known of it is empty."""

    kind: str
    text: str
    title: str = ""
    author: str = ""
    date: str = ""
