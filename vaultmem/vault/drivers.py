"""Telling one clone's git how to merge notes, in its own settings and in no file of a person's."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from vaultmem.vault import files
from vaultmem.vault.clone import Clone
from vaultmem.vault.git import run
from vaultmem.words.errors import NotFound
from vaultmem.words.layout import Layout

_KEY = "merge.vaultmem"
_FILE = "info/attributes"
_BEGIN, _END = "# vaultmem: how this clone merges notes", "# /vaultmem"
_NOTES = (
    *("memory/**/*.md", "inbox/**/*.md", "knowledge/**/*.md"),
    *("identity/*.md", "checkpoints/*.md", "live-context/detail/*.md"),
)
_LISTS = (
    *("live-context/*.md", "live-context.md"),
    *("memory/**/decisions.md", "memory/**/index.md", "index.md"),
)


def set_up(clone: Clone, layout: Layout) -> bool:
    """Let git merge notes by our driver, and lists as union; return whether that was new."""
    lines = [f"{_pattern(clone, layout, name)} merge=vaultmem" for name in _NOTES]
    lines += [f"{_pattern(clone, layout, name)} merge=union" for name in _LISTS]
    fresh = _written(clone, "\n".join([_BEGIN, *lines, _END, ""]))
    wanted = {"name": "notes of vaultmem, property by property", "driver": _command()}
    for name, value in wanted.items():
        asking = ("config", "--local", "--get", f"{_KEY}.{name}")
        if run(clone.top, *asking, fine=(0, 1)).decode("utf-8", "replace").strip("\n") != value:
            run(clone.top, "config", "--local", "--replace-all", f"{_KEY}.{name}", value)
            fresh = True
    return fresh


def take_back(clone: Clone) -> bool:
    """Let git merge as it would without us; return whether anything was to be taken back."""
    asking = ("config", "--local", "--get", f"{_KEY}.driver")
    known = bool(run(clone.top, *asking, fine=(0, 1)))
    if known:
        run(clone.top, "config", "--local", "--remove-section", _KEY)
    return _written(clone, "") or known


def _command() -> str:
    """Return the driver as git's shell runs it: nothing of the vault is on Python's path."""
    python = shlex.quote(Path(sys.executable).as_posix()).replace("%", "%%")
    return f"{python} -P -m vaultmem git merge-driver %O %A %B %P"


def _pattern(clone: Clone, layout: Layout, name: str) -> str:
    """Return what lies below home as git's attributes name it, from the top of the repository."""
    home = f"{clone.prefix}{layout.home}/" if layout.home else clone.prefix
    return _quoted("/" + re.sub(r"([*?\[\\])", r"\\\1", home) + name)


def _quoted(pattern: str) -> str:
    plain = re.fullmatch(r"[\w./*-]+", pattern, re.ASCII)
    return pattern if plain else '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _written(clone: Clone, block: str) -> bool:
    """Put our lines into the clone's attributes, or take them out; return whether any changed."""
    said = run(clone.top, "rev-parse", "--path-format=absolute", "--git-common-dir")
    common = Path(said.decode("utf-8", "surrogateescape").rstrip("\n"))
    try:
        before = files.read(common, _FILE).decode("utf-8", "surrogateescape")
    except NotFound:
        if block:
            files.create(common, _FILE, block.encode("utf-8", "surrogateescape"))
        return bool(block)
    ours = re.compile(f"^{re.escape(_BEGIN)}$.*?^{re.escape(_END)}\n?", re.MULTILINE | re.DOTALL)
    rest = ours.sub("", before)
    gap = "\n" if rest and not rest.endswith("\n") and block else ""
    after = rest + gap + block
    if after == before:
        return False
    seen = files.fingerprint(common, _FILE) or ""
    files.replace(common, _FILE, after.encode("utf-8", "surrogateescape"), seen=seen)
    return True
