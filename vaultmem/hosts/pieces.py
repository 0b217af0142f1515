"""Our part of a host's files: which pieces there are, and what a file is with them and without."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vaultmem.hosts import jsonedit, lineedit
from vaultmem.hosts.entries import Entry, Launch
from vaultmem.hosts.jsontext import Unfit, parsed
from vaultmem.hosts.places import Machine
from vaultmem.hosts.plugins import PLUGINS, plugin_files, plugin_settings
from vaultmem.hosts.puts import Put
from vaultmem.hosts.table import FILES, NAME, Host

_HOOK = re.compile(r"vaultmem\S*\s+hook\s")


@dataclass(frozen=True)
class Piece:
    """One thing of ours in one file of a host."""

    file: Path
    form: str
    """json, jsonc, json5, toml, yaml; or `own`, a file that is ours as a whole."""
    keys: tuple[str, ...] = ()
    value: object = None
    item: bool = False
    """Whether it is one of a list, as hooks are, and not a member of its own."""
    seed: str = ""
    """What a new file holds before ours."""


def pieces(
    host: Host, machine: Machine, level: str, entry: Entry, hook: Launch | None
) -> Iterator[Piece]:
    """Yield our part of a host's files: the server first, then hooks, then files beside."""
    file = machine.chosen(host.files[level])
    seed = "{}\n" if host.form.startswith("json") else ""
    yield Piece(file, host.form, (*host.keys, NAME), entry, seed=seed)
    if hook is None:
        return
    if host.hooks and level in host.hooks.files:
        yield from _hooks(host, machine, level, hook)
    for place, name in host.texts.get(level, ()):
        path = machine.place(place)
        if path:
            yield Piece(path, "own", value=_filled((FILES / name).read_text("utf-8"), hook))


def plugin_of(
    host: Host, machine: Machine, command: list[str], agent: str, vault: str
) -> list[Piece]:
    """Return our plugin for a host, with which it needs no entry; nothing where there is none.

    First comes what the host's settings must say, then the plugin's own settings and files.
    """
    plugin, home = PLUGINS.get(host.name), machine.place(host.home) if host.home else None
    if plugin is None or home is None:
        return []
    file = machine.chosen(host.files["user"])
    seed = "{}\n" if host.form.startswith("json") else ""
    found = [Piece(file, host.form, keys, value, seed=seed) for keys, value in plugin.config]
    settings = plugin_settings(vault, agent, command)
    if plugin.settings_key:
        found.append(Piece(file, host.form, plugin.settings_key, settings, seed=seed))
    else:
        own = json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
        found.append(Piece(home / plugin.settings_file, "own", value=own))
    for name, data in plugin_files(host.name).items():
        found.append(Piece(home / plugin.folder / name, "own", value=data.decode("utf-8")))
    return found


def _hooks(host: Host, machine: Machine, level: str, hook: Launch) -> Iterator[Piece]:
    hooks = host.hooks
    path = machine.place(hooks.files[level]) if hooks else None
    if hooks is None or path is None:
        return
    form = host.form if path == machine.chosen(host.files[level]) else "jsonc"
    for event, (theirs, tools) in hooks.events.items():
        handler: Entry = {"command": command_line(hook, machine.system, event), **hooks.handler}
        if not hooks.flat:
            handler = {"hooks": [{"type": "command", **handler}]}
            handler = {"matcher": tools, **handler} if tools else handler
        yield Piece(path, form, ("hooks", theirs), handler, item=True, seed=hooks.seed)


def command_line(hook: Launch, system: str, event: str) -> str:
    """Return the line by which a host's shell calls our hook for an event."""
    words = [hook.command, *(event if word == "{event}" else word for word in hook.args)]
    return subprocess.list2cmdline(words) if system == "win32" else shlex.join(words)


def _filled(text: str, hook: Launch) -> str:
    """Return a file of ours with the program and the arguments that it calls, as JSON."""
    words = json.dumps([hook.command, *hook.args], ensure_ascii=False)
    return text.replace('["vaultmem", "hook"]', words)


def state(piece: Piece, text: str) -> str:
    """Return what of a piece a file holds: `same`, `ours` but another, `foreign` or `absent`.

    Raises:
        Unfit: the file cannot be read as what it should be.
    """
    if piece.form == "own":
        return "same" if text == piece.value else "ours" if text.count(NAME) else "foreign"
    value = _value(piece, text)
    if piece.item:
        items = value if isinstance(value, list) else []
        same = [item for item in items if item == piece.value]
        others = [item for item in items if is_hook(item) and item != piece.value]
        return "same" if len(same) == 1 and not others else "ours" if same or others else "absent"
    if value is None or (piece.form == "yaml" and value == ""):
        return "absent"
    return "same" if value == piece.value else "ours" if is_server(value) else "foreign"


def _value(piece: Piece, text: str) -> object:
    if piece.form.startswith("json"):
        node = jsonedit.found(parsed(text, piece.form), piece.keys)
        return node.value if node else None
    value = lineedit.toml_value(text) if piece.form == "toml" else lineedit.yaml_value(text)
    for key in piece.keys[:-1]:
        inner = value.get(key)
        if inner is None:
            return None
        if not isinstance(inner, dict):
            raise Unfit(f"`{key}` is no table")
        value = inner
    return value.get(piece.keys[-1])


def puts(piece: Piece, text: str) -> list[Put]:
    """Return what to put into a text that lacks a piece; raises `Unfit`."""
    if piece.form == "own":
        return [Put(0, str(piece.value))]
    if piece.form == "toml":
        return lineedit.with_table(text, piece.keys, _entry(piece))
    if piece.form == "yaml":
        return lineedit.with_mapping(text, piece.keys, piece.value)
    put = jsonedit.with_item if piece.item else jsonedit.with_member
    return put(text, piece.form, piece.keys, piece.value)


def _entry(piece: Piece) -> Entry:
    assert isinstance(piece.value, dict)
    return piece.value


def without(piece: Piece, text: str) -> str:
    """Return a text without what is ours at a piece's place."""

    def ours(value: object) -> bool:
        return value == piece.value or is_server(value)

    if piece.form == "own":
        return ""
    if piece.item:
        return jsonedit.without_items(text, piece.form, piece.keys, is_hook)
    if piece.form.startswith("json"):
        return jsonedit.without(text, piece.form, piece.keys, ours)
    if not ours(_value(piece, text)):
        return text
    cut = lineedit.without_table if piece.form == "toml" else lineedit.without_mapping
    return cut(text, piece.keys)


def emptied(piece: Piece, text: str, most: int) -> str:
    """Return a text without the objects, lists and mappings around a piece that are empty.

    Only those that we made go: the inner `most`.
    """
    if piece.form == "yaml" and most:
        return lineedit.without_head(text, piece.keys[0])
    if piece.form.startswith("json"):
        around = len(piece.keys) if piece.item else len(piece.keys) - 1
        for depth in range(around, around - most, -1):
            text = jsonedit.without_empty(text, piece.form, piece.keys[:depth])
    return text


def missing(piece: Piece, text: str) -> int:
    """Return how many objects, lists and mappings around a piece a text lacks."""
    if piece.form == "yaml":
        return int(piece.keys[0] not in lineedit.yaml_value(text))
    if not piece.form.startswith("json"):
        return 0
    around = piece.keys if piece.item else piece.keys[:-1]
    root = parsed(text, piece.form)
    return sum(jsonedit.found(root, around[: n + 1]) is None for n in range(len(around)))


def is_server(value: object) -> bool:
    """Return whether an entry starts our server."""
    if not isinstance(value, dict):
        return False
    command, args = value.get("command"), value.get("args", [])
    words = [*(command if isinstance(command, list) else [command])]
    words += args if isinstance(args, list) else []
    said = [str(word) for word in words]
    return "mcp" in said and any(re.search(r"\bvaultmem(?:\.exe)?$", word) for word in said)


def is_hook(value: object) -> bool:
    """Return whether every command of a hook's item calls us."""
    commands = list(_commands(value))
    return bool(commands) and all(_HOOK.search(command) for command in commands)


def _commands(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("command"), str):
            yield value["command"]
        for inner in value.values():
            yield from _commands(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _commands(inner)


def snippet(piece: Piece) -> str:
    """Return a piece as a person pastes it."""
    if piece.form == "own":
        return str(piece.value)
    if piece.form == "toml":
        return "\n".join(lineedit.toml_lines(piece.keys, _entry(piece)))
    if piece.form == "yaml":
        return "\n".join(
            [f"{piece.keys[0]}:", *lineedit.yaml_lines(piece.keys[-1], piece.value, "  ")]
        )
    value = [piece.value] if piece.item else piece.value
    for key in reversed(piece.keys):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False)
