"""Reading another program's folder: no link is followed, nothing is written, sizes are bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from vaultmem.documents.imported import File, LeftOut
from vaultmem.vault import files
from vaultmem.vault.scan import scan
from vaultmem.words.errors import BadInput, VaultmemError
from vaultmem.words.frontmatter import Value, split
from vaultmem.words.note import LARGEST, Note, parse

MOST_FILES = 20_000

_KEY = re.compile(r"([A-Za-z][\w-]*):[ \t]*(.*?)[ \t]*")


def opened(said: str) -> Path:
    """Return the folder that a person names as a source.

    Raises:
        BadInput: there is none, or it is a file.
    """
    folder = Path(said).expanduser()
    try:
        folder = folder.resolve()
        if folder.is_dir():
            return folder
        there = folder.exists()
    except (OSError, RuntimeError) as error:
        raise BadInput(f"{said} cannot be opened: {error}. Name another folder.") from None
    if there:
        raise BadInput(f"{said} is a file. Name the folder that it lies in: {folder.parent}")
    raise BadInput(f"There is no folder {said}. Name the one that holds the memory to import.")


def told(root: Path) -> str:
    """Return a folder as it is written down: with `~` for the person's home."""
    try:
        inside = root.relative_to(Path.home().resolve()).as_posix()
    except (ValueError, RuntimeError):
        return root.as_posix()
    return "~" if inside == "." else f"~/{inside}"


def looked_through(root: Path) -> tuple[tuple[File, ...], tuple[LeftOut, ...]]:
    """Return the markdown of a folder by path, and what of it cannot be read, with the reason.

    Hidden names are passed over.

    Raises:
        BadInput: it holds too many files. DiskFailed: it cannot be listed.
    """
    seen = scan(root)
    if len(seen.notes) > MOST_FILES:
        raise BadInput(
            f"{root} holds {len(seen.notes):,} markdown files; at most {MOST_FILES:,} are "
            "imported at once. Name a folder inside it."
        )
    left = [LeftOut(path, why) for path, why in seen.skipped.items()]
    found: list[File] = []
    for path, state in sorted(seen.notes.items()):
        modified = datetime.fromtimestamp(state.mtime_ns // 1_000_000_000, UTC).isoformat()
        try:
            read = _file(path, files.read(root, path, LARGEST + 1), modified)
        except VaultmemError:
            read = LeftOut(path, "it cannot be read")
        if isinstance(read, File):
            found.append(read)
        else:
            left.append(read)
    return tuple(found), tuple(sorted(left, key=lambda one: one.file))


def _file(path: str, data: bytes, modified: str) -> File | LeftOut:
    if len(data) > LARGEST:
        return LeftOut(path, "it is over 1 MiB; split it")
    note = parse(path, data)
    if note.oddities and not note.body and not split(data).opening:
        return LeftOut(path, note.oddities[0])
    if note.broken:
        note = _lenient(note, data)
    text = note.body.replace("\r\n", "\n").replace("\r", "\n")
    return File(path, note, text, modified)


def _lenient(note: Note, data: bytes) -> Note:
    """Return a note whose properties are no YAML with those of its lines that can be understood.

    Nothing of it is lost: lines that cannot be understood stand in its body.
    """
    properties: dict[str, Value] = {}
    rest: list[str] = []
    last = ""
    for line in split(data).block.decode("utf-8", "replace").splitlines():
        match = _KEY.fullmatch(line)
        if match and match[1] not in properties:
            last = match[1]
            properties[last] = match[2].strip("\"'")
        elif last and line.startswith((" ", "\t", "-")) and line.strip():
            properties[last] = _grown(properties[last], line.strip())
        elif line.strip():
            rest.append(line)
    body = "\n".join([*rest, "", note.body]) if rest else note.body
    return replace(note, properties=properties, body=body)


def _grown(value: Value, line: str) -> Value:
    """Return a value with an indented line below its key: an item, a key of its own, or text."""
    item, inner = line.removeprefix("- ").strip("\"'"), _KEY.fullmatch(line)
    if (line.startswith("- ") and value in ("", [])) or isinstance(value, list):
        return [*(value if isinstance(value, list) else []), item]
    if inner and (value == "" or isinstance(value, dict)):
        return {**(value if isinstance(value, dict) else {}), inner[1]: inner[2].strip("\"'")}
    said = "" if value in ("|", ">", "|-", ">-") else str(value)
    return f"{said} {line}".strip()


def held_in(root: Path, inner: tuple[str, ...]) -> Iterator[Path]:
    """Yield the folders below a source in which a program may keep its memory."""
    for name in inner:
        folder = root / name
        if folder.is_dir() and not folder.is_symlink():
            yield folder
