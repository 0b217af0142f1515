"""What kind of document some bytes are: by what they hold, then by what they are called."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import PurePosixPath

CODE = {
    "bash": "sh bash zsh fish",
    "c": "c h",
    "cpp": "cc cpp cxx hpp hh",
    "csharp": "cs",
    "css": "css scss less",
    "dockerfile": "dockerfile",
    "elixir": "ex exs",
    "erlang": "erl",
    "go": "go",
    "graphql": "graphql",
    "haskell": "hs",
    "ini": "ini cfg conf",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json jsonl",
    "julia": "jl",
    "kotlin": "kt kts",
    "lua": "lua",
    "makefile": "mk makefile",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm",
    "php": "php",
    "proto": "proto",
    "python": "py pyi",
    "r": "r",
    "ruby": "rb",
    "rust": "rs",
    "scala": "scala",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "terraform": "tf",
    "toml": "toml",
    "typescript": "ts tsx",
    "vue": "vue",
    "xml": "xml xsl xsd",
    "yaml": "yaml yml",
    "zig": "zig",
}
_LANGUAGES = {ending: language for language, endings in CODE.items() for ending in endings.split()}
_TEXTS = {
    **dict.fromkeys(("md", "markdown", "mdx", "mkd"), "md"),
    **dict.fromkeys(("rst", "rest"), "rst"),
    **dict.fromkeys(("csv", "tsv"), "csv"),
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    "ipynb": "ipynb",
}
_TYPES = {
    "text/markdown": "md",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "text/x-rst": "rst",
    "application/x-ipynb+json": "ipynb",
}
KNOWN = frozenset({*_TEXTS, *_LANGUAGES, "txt", "text", "log", "pdf", "docx"})
"""The endings of files that a walk through a folder takes in."""
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_MARKS = (b"\xff\xfe", b"\xfe\xff")


class NoText(ValueError):
    """No text can be taken from it; the message is the reason."""


def ending(name: str) -> str:
    """Return what a name ends in, in small letters; a `Makefile` is its own ending."""
    path = PurePosixPath(name.rsplit("?", 1)[0])
    return (path.suffix.lstrip(".") or path.name).lower()


def language(name: str) -> str:
    """Return the name of the language that a file of code is in, empty if it is none."""
    return _LANGUAGES.get(ending(name), "")


def kind_of(data: bytes, name: str, content_type: str = "") -> str:
    """Return what some bytes are.

    Raises:
        NoText: they are nothing that text can be taken from.
    """
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return _zipped(data)
    if b"\0" in data[:65536] and not data.startswith(_MARKS):
        raise NoText("it is not text")
    if _HTML.match(data[:4096]):
        return "html"
    if data.lstrip()[:1] == b"{" and _is_notebook(data):
        return "ipynb"
    last = ending(name)
    told = _TEXTS.get(last) or _TYPES.get(content_type)
    if told == "ipynb":
        raise NoText("it is no notebook, whatever its name says")
    return told or ("code" if last in _LANGUAGES else "txt")


def _zipped(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if "word/document.xml" in packed.namelist():
                return "docx"
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise NoText("it is a damaged archive") from None
    raise NoText("it is an archive; unpack it and name a file of it")


def _is_notebook(data: bytes) -> bool:
    if b'"nbformat"' not in data or b'"cells"' not in data:
        return False
    try:
        return isinstance(json.loads(data).get("cells"), list)
    except (ValueError, AttributeError, RecursionError):
        return False
