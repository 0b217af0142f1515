"""Claude Code: topic files with a name, a description and a type, and the index `MEMORY.md`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from posixpath import normpath
from urllib.parse import unquote

from vaultmem.documents.entries import first, of_blocks, whole
from vaultmem.documents.imported import File, Format, Found, Imported, LeftOut
from vaultmem.documents.markdown import blocks
from vaultmem.documents.plain import EMPTY
from vaultmem.words.life import known_type
from vaultmem.words.scope import GLOBAL

INDEX = "MEMORY.md"
TYPES = {
    "user": "user_preference",
    "feedback": "user_preference",
    "project": "insight",
    "reference": "documentation",
}
_LINE = re.compile(r"[-*+][ \t]+\[([^\[\]]+)\]\(([^()\s]+\.md)\)[ \t]*(?:[—–:-]+[ \t]*(.*))?$")


def _is_it(files: tuple[File, ...]) -> bool:
    topics = [file for file in files if file.path != INDEX]
    typed = any(file.note.text("name") and _type(file) for file in topics)
    return typed or bool(_indexed(files))


def _type(file: File) -> str:
    """Return the type of a topic file, which newer ones keep one level down."""
    inner = file.note.properties.get("metadata")
    nested = inner.get("type") if isinstance(inner, dict) else ""
    return file.note.text("type") or (nested if isinstance(nested, str) else "")


def _indexed(files: Iterable[File]) -> dict[str, tuple[str, str]]:
    """Return the title and the hook that the index gives to each file that is there."""
    files = tuple(files)
    paths = {file.path for file in files}
    text = next((file.text for file in files if file.path == INDEX), "")
    found = {}
    for line in text.split("\n"):
        match = _LINE.match(line.strip())
        path = normpath(unquote(match[2])) if match else ""
        if match and path in paths and path != INDEX:
            found[path] = (match[1].strip(), (match[3] or "").strip())
    return found


def read(files: Iterable[File]) -> Found:
    """Return an entry of each topic file, and of what the index says beside its lines."""
    files = tuple(files)
    known = _indexed(files)
    entries: list[Imported] = []
    left: list[LeftOut] = []
    for file in files:
        if file.path == INDEX:
            found = list(of_blocks(file, blocks(_beside(file.text, known))))
            entries += found
            left += [] if found else [LeftOut(INDEX, "it is the index of the other files")]
        elif file.text.strip():
            entries.append(_topic(file, *known.get(file.path, ("", ""))))
        else:
            left.append(LeftOut(file.path, EMPTY))
    return Found(tuple(entries), tuple(left))


def _beside(text: str, known: dict[str, tuple[str, str]]) -> str:
    """Return an index without the lines that stand for files."""
    matches = [(line, _LINE.match(line.strip())) for line in text.split("\n")]
    return "\n".join(
        line for line, match in matches if not match or normpath(unquote(match[2])) not in known
    )


def _topic(file: File, title: str, hook: str) -> Imported:
    entry, written = whole(file), _type(file)
    name = file.note.text("name")
    return replace(
        entry,
        title=title or (name.replace("-", " ") if " " not in name else name) or entry.title,
        description=first(file.note, "description") or hook,
        type=TYPES.get(written, known_type(written) or "insight"),
        scope=GLOBAL if written == "user" else None,
        aliases=(*entry.aliases, *([name] if name else [])),
    )


FORMAT = Format("claude-code", ("memory",), _is_it, read)
