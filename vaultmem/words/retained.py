"""What an agent wants to keep at the end of a session, read from JSON lines or a markdown list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vaultmem.words.checks import TITLE, first_sentence
from vaultmem.words.errors import BadInput
from vaultmem.words.life import known_type

FIELDS = ("title", "content", "type", "why", "quote", "importance", "tags", "scope")


@dataclass(frozen=True)
class Fact:
    """One thing to keep, as it came in; `trouble` says why it cannot be used at all."""

    title: str = ""
    content: str = ""
    type: str = ""
    why: str = ""
    quote: str = ""
    importance: float | None = None
    tags: tuple[str, ...] = ()
    scope: str | None = None
    unknown: tuple[str, ...] = ()
    """Names of fields that mean nothing here."""
    trouble: str = ""


def parse(text: str) -> list[Fact]:
    """Return the facts of a text: JSON, one object a line, or a markdown list.

    A list's item is `**Title**: content`, or `[type] **Title**: content`, or a sentence; indented
    lines below it such as `why: ...` or `quote: ...` are its fields, any others its content.

    Raises:
        BadInput: it is neither.
    """
    lines = text.lstrip("\ufeff").splitlines()
    first = next((line for line in lines if line.strip()), "")
    if not first:
        return []
    if first.lstrip().startswith(("{", "[{")):
        return list(_from_json(lines))
    found = [_from_item(item) for item in _items(lines)]
    if not found:
        raise BadInput(
            'Give one JSON object a line, such as {"title": "...", "content": "...", "type": '
            '"decision", "why": "...", "quote": "..."}, or a markdown list.'
        )
    return found


def completed(fact: Fact) -> Fact:
    """Return a fact with a title, a content and a type that can be used; twice is once."""
    content = fact.content.strip() or fact.title.strip()
    title = " ".join(fact.title.split()) or first_sentence(content).rstrip(".")
    if len(title) > TITLE[1]:
        title = title[: TITLE[1] - 3].rstrip() + "..."
    return replace(fact, title=title, content=content, type=known_type(fact.type) or "insight")


def _from_json(lines: list[str]) -> Iterator[Fact]:
    for line in lines:
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            yield Fact(trouble="its line is no JSON")
            continue
        for item in found if isinstance(found, list) else [found]:
            yield (
                _from_object(item)
                if isinstance(item, dict)
                else Fact(trouble="its line is no JSON object")
            )


def _from_object(item: Mapping[str, Any]) -> Fact:
    tags = item.get("tags") or []
    listed = [tags] if isinstance(tags, str) else tags if isinstance(tags, list) else []
    return Fact(
        title=_text(item.get("title")),
        content=_text(item.get("content")),
        type=_text(item.get("type")),
        why=_line(item.get("why")),
        quote=_line(item.get("quote")),
        importance=_importance(item.get("importance")),
        tags=tuple(tag for tag in listed if isinstance(tag, str)),
        scope=_text(item["scope"]) if isinstance(item.get("scope"), str) else None,
        unknown=tuple(name for name in item if name not in FIELDS),
    )


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _line(value: object) -> str:
    return " ".join(_text(value).split()).strip("\"'“”")


def _importance(value: object) -> float | None:
    try:
        found = float(value)  # type: ignore[arg-type]  # what it cannot take it refuses
    except (TypeError, ValueError, OverflowError):
        return None
    return found if 0 <= found <= 1 else None


_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_KIND = re.compile(r"\[([\w -]{2,20})\]\s*(?!\()(.*)", re.DOTALL)
_TITLED = re.compile(r"\*\*(.+?)\*\*\s*[:.—–-]*\s*(.*)", re.DOTALL)
_FIELD = re.compile(r"\s*(?:[-*+]\s+)?\**(\w+)\**\s*:\**\s*(.*)")


def _items(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each item of a list, the first without its bullet."""
    item: list[str] = []
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet:
            if item:
                yield item
            item = [bullet[1]]
        elif item and (line.startswith((" ", "\t")) or not line.strip()):
            item.append(line.strip("\n"))
        elif item:
            yield item
            item = []
    if item:
        yield item


def _from_item(item: list[str]) -> Fact:
    said: dict[str, Any] = {}
    text = [item[0]]
    for line in item[1:]:
        field = _FIELD.fullmatch(line)
        if field and field[1].lower() in FIELDS:
            said[field[1].lower()] = field[2].strip()
        else:
            text.append(line.strip())
    body = "\n".join(text).strip()
    kind = _KIND.fullmatch(body)
    if kind and known_type(kind[1]):
        said.setdefault("type", kind[1])
        body = kind[2]
    titled = _TITLED.fullmatch(body)
    if titled:
        said.setdefault("title", titled[1])
        body = titled[2]
    if isinstance(said.get("tags"), str):
        said["tags"] = [tag for tag in re.split(r"[,\s]+", said["tags"]) if tag]
    return _from_object({"content": body, **said})
