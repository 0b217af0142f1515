"""Putting a member or an item into JSON text, and taking it out; all other bytes stay."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from vaultmem.hosts.jsontext import Child, Node, Unfit, parsed
from vaultmem.hosts.puts import Put, newline_of

_REST_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*.*?\*/))*", re.DOTALL)
_GAP = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)


def found(root: Node, path: Sequence[str]) -> Node | None:
    """Return the value at a path of keys, None if there is none.

    Raises:
        Unfit: a part of the path is there and is no object.
    """
    node = root
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise Unfit(f"`{'.'.join(path[:depth]) or 'the whole'}` is no object")
        inner = next((child.node for child in node.children if child.key == key), None)
        if inner is None:
            return None
        node = inner
    return node


def with_member(text: str, form: str, path: Sequence[str], value: object) -> list[Put]:
    """Return what to put in so that a path that is free leads to a value.

    Objects on the way that are missing are made.
    """
    root = parsed(text, form)
    depth = len(path) - 1
    while depth and found(root, path[:depth]) is None:
        depth -= 1
    holder = found(root, path[:depth])
    if holder is None or not isinstance(holder.value, dict):
        raise Unfit(f"`{'.'.join(path[:depth]) or 'the whole'}` is no object")
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _put(text, root, holder, path[depth], value)


def with_item(text: str, form: str, path: Sequence[str], value: object) -> list[Put]:
    """Return what to put in so that the array at a path ends with a value; it may be missing."""
    root = parsed(text, form)
    holder = found(root, path)
    if holder is None:
        return with_member(text, form, path, [value])
    if not isinstance(holder.value, list):
        raise Unfit(f"`{'.'.join(path)}` is no list")
    return _put(text, root, holder, "", value)


def _put(text: str, root: Node, holder: Node, key: str, value: object) -> list[Put]:
    newline, unit = newline_of(text), _unit(text, root)
    name = f"{json.dumps(key)}: " if key else ""
    flat = "\n" not in text[holder.start : holder.end] and bool(holder.children)
    if flat:
        return [Put(holder.children[-1].end, f", {name}{json.dumps(value, ensure_ascii=False)}")]
    outer = _indent(text, holder.start)
    inner = _inner(text, holder, outer + unit)
    body = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + inner)
    line = f"{newline}{inner}{name}{body}"
    if holder.children:
        return _after_last(text, holder, line)
    gap = text[holder.start + 1 : holder.end - 1]
    at = holder.start + 1 + len(gap.rstrip(" \t\r\n"))
    return [Put(at, line if "\n" in text[at : holder.end] else f"{line}{newline}{outer}")]


def _after_last(text: str, holder: Node, line: str) -> list[Put]:
    last = holder.children[-1].end
    comma = _comma(text, last)
    after = last if comma is None else comma + 1
    at = _rest(text, after)
    if comma is not None:
        return [Put(at, f"{line},")]
    return [Put(last, ","), Put(at + 1, line)]


def _rest(text: str, at: int) -> int:
    """Return where the comments end that begin in the line of a place."""
    match = _REST_OF_LINE.match(text, at)
    return match.end() if match else at


def _comma(text: str, at: int) -> int | None:
    """Return where the comma after a value is, if it has one."""
    gap = _GAP.match(text, at)
    end = gap.end() if gap else at
    return end if text[end : end + 1] == "," else None


def _unit(text: str, root: Node) -> str:
    """Return by how much the text indents: as its first line inside does, else two spaces."""
    for child in root.children:
        if _alone(text, child.start) and (indent := _indent(text, child.start)):
            return indent
    return "  "


def _alone(text: str, at: int) -> bool:
    start = text.rfind("\n", 0, at) + 1
    return start > 0 and not text[start:at].strip()


def _indent(text: str, at: int) -> str:
    """Return the white space with which the line of a place begins."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _inner(text: str, holder: Node, otherwise: str) -> str:
    for child in holder.children:
        if _alone(text, child.start):
            return _indent(text, child.start)
    return otherwise


def without(text: str, form: str, path: Sequence[str], ours: Callable[[object], bool]) -> str:
    """Return a text without the member at a path, if it is ours."""
    root = parsed(text, form)
    holder = found(root, path[:-1])
    for child in holder.children if holder else ():
        if child.key == path[-1] and ours(child.node.value):
            return _cut(text, holder or root, child)
    return text


def without_items(text: str, form: str, path: Sequence[str], ours: Callable[[object], bool]) -> str:
    """Return a text without the items that are ours of the array at a path."""
    while True:
        holder = found(parsed(text, form), path)
        mine = [child for child in (holder.children if holder else ()) if ours(child.node.value)]
        if holder is None or not mine or not isinstance(holder.value, list):
            return text
        text = _cut(text, holder, mine[-1])


def without_empty(text: str, form: str, path: Sequence[str]) -> str:
    """Return a text without the object or array at a path, if it is empty."""
    node = found(parsed(text, form), path)
    if node is None or node.value not in ({}, []) or text[node.start + 1 : node.end - 1].strip():
        return text
    return without(text, form, path, lambda _: True)


def _cut(text: str, holder: Node, child: Child) -> str:
    """Return a text without a child, its comma, and the white space before it."""
    start = len(text[: child.start].rstrip(" \t\r\n"))
    place = holder.children.index(child)
    comma = _comma(text, child.end)
    end = child.end if comma is None else comma + 1
    rest = text[:start] + text[end:]
    if comma is None and place:
        before = _comma(text, holder.children[place - 1].end)
        if before is not None:
            rest = rest[:before] + rest[before + 1 :]
    if len(holder.children) == 1 and not (
        text[holder.start + 1 : start] + _tail(text, end, holder)
    ):
        rest = text[: holder.start + 1] + text[holder.end - 1 :]
    return rest


def _tail(text: str, end: int, holder: Node) -> str:
    return text[end : holder.end - 1].strip()
