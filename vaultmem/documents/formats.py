"""The formats that can be imported, and which of them a folder is in."""

from __future__ import annotations

from pathlib import Path

from vaultmem.documents import (
    basic_memory,
    claude_code,
    hermes,
    letta,
    memsearch,
    openclaw,
    plain,
)
from vaultmem.documents.imported import File, Format, LeftOut
from vaultmem.documents.source import held_in, looked_through
from vaultmem.words.errors import BadInput

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (claude_code, openclaw, hermes, basic_memory, memsearch, letta, plain)
}
_SHARED = {"MEMORY.md", "USER.md"}


class Unclear(BadInput):
    """A folder that may be in several formats, or in one that nothing tells."""

    def __init__(self, root: Path, why: str, names: list[str]) -> None:
        listed = " or ".join(f"`vaultmem import {name} {root}`" for name in names)
        super().__init__(f"{root} {why}. Say which it is: {listed}.")


def format_named(name: str) -> Format:
    """Return a format by its name; raises `BadInput`, which lists all."""
    if name not in FORMATS:
        raise BadInput(f"There is no format {name!r}. Use one of: {', '.join(FORMATS)}.")
    return FORMATS[name]


Looked = tuple[Path, Format, tuple[File, ...], tuple[LeftOut, ...]]


def found_in(root: Path, name: str = "") -> Looked:
    """Return where below a folder a memory lies, its format, its files and what is no file of it.

    Raises:
        Unclear: nothing tells the format, or two do. BadInput: there is no markdown.
    """
    wanted = [format_named(name)] if name else [*FORMATS.values()]
    inner = tuple(dict.fromkeys(place for one in wanted for place in one.inner))
    files, left = looked_through(root)
    told = wanted if name and files else [one for one in wanted if one.is_it(files)]
    for folder in held_in(root, inner) if _elsewhere(told, files) else ():
        below, out = looked_through(folder)
        seen = [one for one in wanted if below and (name or one.is_it(below)) and one.inner]
        if seen:
            return folder, _only(folder, seen, below), below, out
    if not files:
        raise BadInput(
            f"{root} holds no markdown to import. Name the folder in which its memory lies; "
            f"the formats are: {', '.join(FORMATS)}."
        )
    return root, _only(root, told, files), files, left


def _elsewhere(told: list[Format], files: tuple[File, ...]) -> bool:
    """Return whether a memory may lie further down: nothing that bears its marks lies here."""
    here = any("/" not in file.path for file in files)
    return not here or all(one.name == "plain" for one in told)


def _only(root: Path, told: list[Format], files: tuple[File, ...]) -> Format:
    """Return the one format that is told, the plain one where none else is."""
    marked = [one for one in told if one.name != "plain"]
    if len(marked) > 1:
        raise Unclear(root, "looks like several programs' memory", [one.name for one in marked])
    if not marked and len(told) != 1:
        raise Unclear(root, "tells nothing of its format", [*FORMATS])
    if not marked and told[0].name == "plain" and {file.path for file in files} <= _SHARED:
        raise Unclear(root, "holds files that several programs write", ["hermes", "openclaw"])
    return (marked or told)[0]
