"""The vault: a folder of notes, read and written one careful step at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from errno import ENAMETOOLONG
from pathlib import Path

from vaultmem.vault import files
from vaultmem.vault.locks import Lock
from vaultmem.vault.presence import Presence
from vaultmem.vault.scan import Scan, Stat, scan, stat_of
from vaultmem.words import note as notes
from vaultmem.words.config import Config
from vaultmem.words.errors import (
    AlreadyThere,
    DiskFailed,
    NotFound,
    OutsideVault,
    VaultmemError,
)
from vaultmem.words.frontmatter import Split, Written, composed, patched, scalar, split
from vaultmem.words.layout import CONFIG, TRASH, Layout, Role
from vaultmem.words.markers import block
from vaultmem.words.note import LARGEST, Note, digest
from vaultmem.words.scope import folder_of
from vaultmem.words.slug import folded, numbered, slug
from vaultmem.words.times import zone

OURS = frozenset({"index.md", "project.md", "decisions.md"})
"""Names that mean something in a scope folder, so no memory gets one."""


class Vault:
    """The one truth. A path is relative to the vault; every write names the hash it saw."""

    def __init__(self, root: Path, config: Config, lock: Lock) -> None:
        self.root = root
        self.config = config
        self.layout = Layout(config.home, _template_folder(root))
        self.zone = zone(config.timezone)
        self.lock = lock
        self.graves: Callable[[], frozenset[str]] = frozenset
        """The marks of what was erased for good here, so that it is known if it comes back."""
        self._presence = Presence(root, config.id)
        lock.checked = self.check

    def check(self) -> None:
        """Raise `NoVault` if the vault has vanished, `OtherVault` if another took its place."""
        self._presence.check()

    @property
    def alive(self) -> bool:
        """Whether the folder and its `.vaultmem` are there."""
        return (self.root / CONFIG).is_file()

    def scan(self) -> Scan:
        """Return what is there now. Raises `NoVault` rather than finding nothing."""
        self.check()
        return scan(self.root)

    def read(self, path: str) -> Note:
        """Return a note; never fails for what is in it.

        Raises:
            NotFound: there is no such file. OutsideVault, DiskFailed.
        """
        largest = self.largest(path)
        data = files.read(self.root, path, largest + 1)
        if len(data) > largest:
            return notes.too_large(path, (self.root / path).stat().st_size)
        return notes.parse(path, data)

    def lines(self, path: str) -> tuple[int, list[str]]:
        """Return the number of the first line of a note's body, and its lines without their ends.

        Quicker than `read`, and raises as it does.
        """
        begin, body = notes.body_of(files.read(self.root, path, self.largest(path)))
        return begin, body.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def stat(self, path: str) -> Stat | None:
        """Return what tells one state of a note from another, None if there is no such file."""
        return stat_of(self.root, path)

    def largest(self, path: str) -> int:
        """Return how many bytes of a file are read at most; logs and sources may be long."""
        long = self.layout.role(path) in (Role.LOG, Role.KNOWLEDGE)
        return 16 * LARGEST if long else LARGEST

    def data(self, path: str) -> bytes:
        """Return a file's bytes."""
        return files.read(self.root, path)

    def exists(self, path: str) -> bool:
        """Return whether anything has that path."""
        return files.exists(self.root, path)

    def leads_to(self, target: str) -> bool:
        """Return whether a link with the full path of a note leads anywhere."""
        return any(self.exists(f"{target}{end}") for end in (".md", ""))

    def create(self, path: str, data: bytes) -> str:
        """Write a new file and return its hash; raises `AlreadyThere` if the name is taken."""
        files.create(self.root, path, data)
        return digest(data)

    def replace(self, path: str, data: bytes, *, seen: str) -> str:
        """Replace a file's bytes and return the new hash; raises `ChangedOnDisk`."""
        files.replace(self.root, path, data, seen=seen)
        return digest(data)

    def edit(
        self,
        path: str,
        keys: Mapping[str, Written],
        *,
        seen: str,
        body: str | None = None,
        added: str = "",
    ) -> str:
        """Set some properties, the body if given, add a paragraph, and return the new hash.

        Lines of other properties stay byte for byte; so does the body where none is given.

        Raises:
            ChangedOnDisk: the file's hash is not `seen`.
            Refused: its properties cannot be changed safely.
        """
        parts = split(files.read(self.root, path))
        for key, value in keys.items():
            parts = patched(parts, key, value)
        if body is not None:
            parts = replace(parts, body=_text(body, parts))
        if added:
            parts = replace(parts, body=_grown(parts, added))
        return self.replace(path, parts.join(), seen=seen)

    def new_note(
        self, folder: str, title: str, keys: Mapping[str, Written], body: str
    ) -> tuple[str, str]:
        """Write a new note under a readable name that is free; return its path and hash."""
        data = composed(keys, body)
        number = 1
        while True:
            path, number = self._free(folder, title, number)
            try:
                return path, self.create(path, data)
            except AlreadyThere:
                number += 1  # somebody took the name since we looked, or the disk folds names

    def free_path(self, folder: str, title: str) -> str:
        """Return a path for a title that no file has, whatever its case or its encoding."""
        return self._free(folder, title, 1)[0]

    def free_paths(self, folder: str, titles: Iterable[str]) -> list[str]:
        """Return a free path for each of some titles, no two the same."""
        taken = self._names(folder) | OURS
        found = []
        for title in titles:
            path, _ = self._free(folder, title, 1, taken)
            taken.add(folded(path.rpartition("/")[2]))
            found.append(path)
        return found

    def _free(
        self, folder: str, title: str, number: int, taken: Set[str] | None = None
    ) -> tuple[str, int]:
        """Return a free path for a title and its number, the least from `number` on."""
        stem = slug(title)
        taken = self._names(folder) | OURS if taken is None else taken
        while True:
            name = stem if number == 1 else numbered(stem, number)
            if folded(f"{name}.md") not in taken:
                return (f"{folder}/{name}.md" if folder else f"{name}.md"), number
            number += 1

    def _names(self, folder: str) -> set[str]:
        """Return the names in a folder, folded as disks fold them."""
        try:
            return {folded(name) for name in os.listdir(self.root / folder)}  # noqa: PTH208
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise DiskFailed(folder, error) from error

    def scope_folders(self) -> dict[str, str]:
        """Return the scope folders that are there: path to scope."""
        found = {}
        memory = self.layout.at("memory")
        for folder, folders, names in os.walk(self.root / memory, onerror=self._unless_gone):
            folders[:] = [name for name in folders if not name.startswith(".")]
            if "index.md" in names:
                path = Path(folder).relative_to(self.root).as_posix()
                scope = self.scope_stated(path)
                if scope is not None:
                    found[path] = scope
        return found

    def _unless_gone(self, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError) and error.errno != ENAMETOOLONG:
            raise DiskFailed(error.filename or self.root, error) from error

    def scope_stated(self, folder: str) -> str | None:
        """Return the scope that a folder's `index.md` states, None if it states none."""
        try:
            note = self.read(f"{folder}/index.md")
        except (NotFound, OutsideVault):
            return None
        return note.text("scope").casefold() if "scope" in note.properties else None

    def scope_folder(self, scope: str) -> str | None:
        """Return the folder of a scope or of one it is an alias of, None if it has none yet."""
        usual = self.layout.scope_folder(scope)
        if self.scope_stated(usual) == scope:
            return usual
        folders = self.scope_folders()
        for folder in sorted(folders):
            if folders[folder] == scope:
                return folder
        return next((f for f in sorted(folders) if scope in self._aliases(f)), None)

    def _aliases(self, folder: str) -> tuple[str, ...]:
        aliases = self.read(f"{folder}/index.md").texts("aliases")
        return tuple(alias.casefold() for alias in aliases)

    def canonical(self, scope: str) -> str:
        """Return the scope that a name stands for: itself, or that of which it is an alias."""
        folder = self.scope_folder(scope)
        return scope if folder is None else self.scope_stated(folder) or scope

    def made_scope_folder(self, scope: str) -> str:
        """Return the folder of a scope, made with its catalogue if there is none."""
        found = self.scope_folder(scope)
        if found is not None:
            return found
        folder, number = self.layout.scope_folder(scope), 1
        while self.exists(f"{folder}/index.md"):
            number += 1
            folder = f"{self.layout.scope_folder(scope)}-{number}"
        self.create(f"{folder}/index.md", _catalogue(scope))
        return folder

    def trash_path(self, path: str) -> str:
        """Return a free path for a note in the trash, as Obsidian would name it."""
        stem = path.rsplit("/", 1)[-1][:-3]
        taken = self._names(TRASH)
        name, number = stem, 1
        while folded(f"{name}.md") in taken:
            number += 1
            name = f"{_fitting(stem)} {number}"
        return f"{TRASH}/{name}.md"


def _template_folder(root: Path) -> str:
    """Return the folder that Obsidian's templates are in, empty if the vault names none."""
    try:
        named = json.loads(files.read(root, ".obsidian/templates.json", 10_000))["folder"]
        return str(named).strip("/")
    except (VaultmemError, ValueError, KeyError, TypeError):
        return ""


def _fitting(stem: str) -> str:
    """Return a name that still fits on a disk with a number and `.md` behind it."""
    return os.fsencode(stem)[:240].decode("utf-8", "ignore")


def _text(body: str, parts: Split) -> bytes:
    """Return a body as bytes, in the note's own line ending."""
    text = body.rstrip("\n") + "\n"
    return text.encode("utf-8", "replace").replace(b"\r\n", b"\n").replace(b"\n", parts.newline)


def _grown(parts: Split, added: str) -> bytes:
    """Return the body as it is with a paragraph behind it."""
    end = b"" if not parts.body or parts.body.endswith(b"\n") else parts.newline
    return parts.body + end + parts.newline + _text(added, parts)


def _catalogue(scope: str) -> bytes:
    """Return the catalogue of a scope that has no memory yet."""
    title = folder_of(scope)
    keys: dict[str, Written] = {"title": title, "type": "catalogue"}
    head = composed(keys, "").removesuffix(b"---\n")
    return head + f"scope: {scalar(scope)}\n".encode() + b"---\n" + block("catalogue").encode()
