"""Putting a table into TOML, or a member into a mapping of YAML, by whole lines; and taking it out.

Nothing but lines is put in or taken out, and what the file then means is compared with what it
meant, so that an odd file is refused and never harmed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vaultmem.hosts.jsontext import Unfit
from vaultmem.hosts.puts import Put, newline_of, put_in

Entry = Mapping[str, object]


def toml_value(text: str) -> dict[str, Any]:
    """Return what a TOML text means; raises `Unfit` if it is none."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise Unfit(str(error)) from None


def yaml_value(text: str) -> dict[str, Any]:
    """Return what a YAML text means, which must be a mapping or nothing; raises `Unfit`."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unfit(" ".join(str(error).split())) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Unfit("it is no mapping")
    return value


def toml_lines(path: Sequence[str], entry: Entry) -> list[str]:
    """Return a table of TOML, line by line."""
    rows = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return [f"[{'.'.join(path)}]", *rows]


def yaml_lines(name: str, entry: object, indent: str) -> list[str]:
    """Return a member of a mapping of YAML, line by line."""
    if not isinstance(entry, dict):
        return [f"{indent}{name}: {json.dumps(entry, ensure_ascii=False)}"]
    rows = [f"{indent * 2}{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in entry.items()]
    return [f"{indent}{name}:", *rows]


def with_table(text: str, path: Sequence[str], entry: Entry) -> list[Put]:
    """Return what to put at the end of a TOML text, so that a free path leads to a table."""
    newline = newline_of(text)
    before = _gap(text, newline) + (newline if text.strip() else "")
    puts = [Put(len(text), before + newline.join(toml_lines(path, entry)) + newline)]
    return _proven(text, puts, toml_value, path, entry)


def with_mapping(text: str, path: Sequence[str], entry: object) -> list[Put]:
    """Return what to put into a YAML text, so that a path of two keys leads to a value.

    The path is free, or leads to nothing: an empty text, into which a text is then put.
    """
    outer, name = path
    newline = newline_of(text)
    heads = list(re.finditer(rf"^{re.escape(outer)}[ \t]*:[ \t]*(?:#.*?)?(\r?\n|\Z)", text, re.M))
    if len(heads) > 1 or (not heads and outer in yaml_value(text)):
        raise Unfit(f"`{outer}` is written in a way that cannot be added to")
    if heads:
        head = heads[0]
        if isinstance(entry, str) and (empty := _empty(text, head.end(), name)):
            gap = "" if empty[1] or empty[0].endswith(" ") else " "
            return _proven(text, [Put(empty.end(), gap + entry)], yaml_value, path, entry)
        below = re.match(r"(?:[ \t]*(?:#.*)?\r?\n)*([ ]+)[^\s#-]", text[head.end() :])
        lines = yaml_lines(name, entry, below[1] if below else "  ")
        piece = newline.join(lines) + newline
        puts = [Put(head.end(), piece if head[1] else newline + piece)]
    else:
        lines = [f"{outer}:", *yaml_lines(name, entry, "  ")]
        puts = [Put(len(text), _gap(text, newline) + newline.join(lines) + newline)]
    return _proven(text, puts, yaml_value, path, entry)


def _empty(text: str, at: int, name: str) -> re.Match[str] | None:
    """Return up to where a value would stand of an indented key below a place that has none."""
    key = rf"(?:[ \t].*\n|[ \t]*(?:#.*)?\r?\n)*?[ ]+{re.escape(name)}:[ ]*"
    return re.compile(rf"{key}(?:(['\"])(?=\1)|(?=(?:#.*)?(?:\r?\n|\Z)))").match(text, at)


def _gap(text: str, newline: str) -> str:
    return newline if text and not text.endswith("\n") else ""


def _proven(
    text: str,
    puts: list[Put],
    read: Callable[[str], dict[str, Any]],
    path: Sequence[str],
    entry: object,
) -> list[Put]:
    """Return the pieces if with them the text means what it meant and ours besides."""
    wanted, inner = read(text), read(put_in(text, puts))
    _popped(wanted, path)
    if _popped(inner, path) != entry or _bare(inner, path[0]) != _bare(wanted, path[0]):
        raise Unfit(f"`{path[0]}` is written in a way that cannot be added to")
    return puts


def _popped(value: dict[str, Any], path: Sequence[str]) -> object:
    """Take out what a path of keys leads to and return it, None if it leads nowhere."""
    here: Any = value
    for key in path[:-1]:
        here = here.get(key) or {}
    return here.pop(path[-1], None) if isinstance(here, dict) else None


def _bare(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a mapping without a key that has nothing in it."""
    return {name: inner for name, inner in value.items() if inner or name != key}


def without_table(text: str, path: Sequence[str]) -> str:
    """Return a TOML text without a table, its sub-tables, and the empty line before it."""
    name = re.escape(".".join(path))
    ours = re.compile(rf"^[ \t]*\[{name}(?:\.[^\]]*)?\]")
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if re.match(r"[ \t]*\[", line):
            inside = bool(ours.match(line))
            if inside and kept and not kept[-1].strip():
                kept.pop()
        if not inside or _aside(line):
            kept.append(line)
    return _same_without("".join(kept), text, toml_value, path)


def _aside(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def without_mapping(text: str, path: Sequence[str]) -> str:
    """Return a YAML text without a member of a mapping at its top."""
    outer, name = path
    pattern = (
        rf"(^{re.escape(outer)}[ \t]*:.*\n(?:(?:[ \t].*)?\r?\n)*?)^([ ]+){re.escape(name)}:.*\n"
    )
    head = re.search(pattern, text, re.M)
    if not head:
        return text
    end = head.end()
    below = re.compile(rf"{head[2]}[ ]+.*(?:\n|\Z)|\r?\n(?={head[2]}[ ])")
    while found := below.match(text, end):
        end = found.end()
    return _same_without(text[: head.end(1)] + text[end:], text, yaml_value, path)


def _same_without(
    new: str, old: str, read: Callable[[str], dict[str, Any]], path: Sequence[str]
) -> str:
    wanted = read(old)
    _popped(wanted, path)
    if _bare(read(new), path[0]) != _bare(wanted, path[0]):
        raise Unfit(f"`{'.'.join(path)}` is written in a way that cannot be taken out")
    return new


def without_head(text: str, outer: str) -> str:
    """Return a YAML text without a key at its top that has nothing below it."""
    if yaml_value(text).get(outer, "") not in (None, {}):
        return text
    return re.sub(rf"^{re.escape(outer)}[ \t]*:[ \t]*\r?\n", "", text, count=1, flags=re.M)
