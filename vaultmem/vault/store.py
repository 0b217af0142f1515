"""The vault: a folder of notes, read and written one careful step at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from vaultmem.vault import files
from vaultmem.vault.locks import Lock
from vaultmem.vault.scan import Scan, scan
from vaultmem.words import note as notes
from vaultmem.words.config import Config
from vaultmem.words.errors import AlreadyThere, NotFound, NoVault, VaultmemError
from vaultmem.words.frontmatter import Split, Written, composed, patched, split
from vaultmem.words.layout import CONFIG, MARKER, TRASH, Layout
from vaultmem.words.links import wikilink
from vaultmem.words.markers import block
from vaultmem.words.note import LARGEST, Note, digest
from vaultmem.words.scope import folder_of
from vaultmem.words.slug import numbered, slug
from vaultmem.words.times import zone


class Vault:
    """The one truth. A path is relative to the vault; every write names the hash it saw."""

    def __init__(self, root: Path, config: Config, lock: Lock) -> None:
        self.root = root
        self.config = config
        self.layout = Layout(config.home, _template_folder(root))
        self.zone = zone(config.timezone)
        self.lock = lock

    def check(self) -> None:
        """Raise `NoVault` if the folder or its `.vaultmem` has vanished."""
        if not (self.root / MARKER).is_dir():
            raise NoVault(self.root)

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
        data = files.read(self.root, path, LARGEST + 1)
        if len(data) > LARGEST:
            return notes.too_large(path, (self.root / path).stat().st_size)
        return notes.parse(path, data)

    def data(self, path: str) -> bytes:
        """Return a file's bytes."""
        return files.read(self.root, path)

    def exists(self, path: str) -> bool:
        """Return whether anything has that path."""
        return files.exists(self.root, path)

    def create(self, path: str, data: bytes) -> str:
        """Write a new file and return its hash; raises `AlreadyThere` if the name is taken."""
        files.create(self.root, path, data)
        return digest(data)

    def replace(self, path: str, data: bytes, *, seen: str) -> str:
        """Replace a file's bytes and return the new hash; raises `ChangedOnDisk`."""
        files.replace(self.root, path, data, seen=seen)
        return digest(data)

    def edit(
        self, path: str, keys: Mapping[str, Written], *, seen: str, body: str | None = None
    ) -> str:
        """Set some properties, and the body if given, and return the new hash.

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
        return self.replace(path, parts.join(), seen=seen)

    def new_note(self, folder: str, title: str, keys: Mapping[str, Written], body: str) -> str:
        """Write a new note under a readable name that is free, and return its path."""
        data = composed(keys, body)
        while True:
            path = self.free_path(folder, title)
            try:
                self.create(path, data)
            except AlreadyThere:
                continue  # somebody took the name since we looked
            return path

    def free_path(self, folder: str, title: str) -> str:
        """Return a path for a title that no file has, whatever its case."""
        stem = slug(title)
        taken = self._names(folder)
        name, number = stem, 1
        while f"{name}.md".casefold() in taken or f"{name}.md" in ("index.md",):
            number += 1
            name = numbered(stem, number)
        return f"{folder}/{name}.md" if folder else f"{name}.md"

    def _names(self, folder: str) -> set[str]:
        try:
            return {name.casefold() for name in os.listdir(self.root / folder)}  # noqa: PTH208
        except OSError:
            return set()

    def scope_folders(self) -> dict[str, str]:
        """Return the scope folders that are there: path to scope."""
        found = {}
        memory = self.layout.at("memory")
        for folder, folders, names in os.walk(self.root / memory):
            folders[:] = [name for name in folders if not name.startswith(".")]
            if "index.md" in names:
                path = Path(folder).relative_to(self.root).as_posix()
                scope = self.scope_stated(path)
                if scope is not None:
                    found[path] = scope
        return found

    def scope_stated(self, folder: str) -> str | None:
        """Return the scope that a folder's `index.md` states, None if it states none."""
        try:
            note = self.read(f"{folder}/index.md")
        except NotFound:
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
        stem = path.rsplit("/", 1)[-1].removesuffix(".md")
        taken = self._names(TRASH)
        name, number = stem, 1
        while f"{name}.md".casefold() in taken:
            number += 1
            name = f"{stem} {number}"
        return f"{TRASH}/{name}.md"


def _template_folder(root: Path) -> str:
    """Return the folder that Obsidian's templates are in, empty if the vault names none."""
    try:
        named = json.loads(files.read(root, ".obsidian/templates.json", 10_000))["folder"]
        return str(named).strip("/")
    except (VaultmemError, ValueError, KeyError, TypeError):
        return ""


def _text(body: str, parts: Split) -> bytes:
    """Return a body as bytes, in the note's own line ending."""
    text = body.rstrip("\n") + "\n"
    return text.encode("utf-8").replace(b"\r\n", b"\n").replace(b"\n", parts.newline)


def _catalogue(scope: str) -> bytes:
    """Return the catalogue of a scope that has no memory yet."""
    title = folder_of(scope)
    keys: dict[str, Written] = {"title": title, "type": "catalogue"}
    head = composed(keys, "").removesuffix(b"---\n")
    stated = f"scope: {scope}\n" if scope else 'scope: ""\n'
    return head + stated.encode() + b"---\n" + block("catalogue").encode()


def linked(path: str, title: str) -> str:
    """Return the wikilink to a note, as relations and log entries hold it."""
    return wikilink(path, title)
