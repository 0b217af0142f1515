"""The files that memories are about: where they moved to, and which are gone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from os.path import lexists
from pathlib import Path
from posixpath import normpath

from vaultmem.vault.repository import Left, holds, left, worktree
from vaultmem.verbs.memorize import announced, writable
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import BadInput, ChangedOnDisk, Refused
from vaultmem.words.layout import Role
from vaultmem.words.note import Note
from vaultmem.words.secrets import refuse_secrets

PATIENCE = timedelta(seconds=60)
"""How long the history is looked through for all files together."""
MOST_MOVES = 20
_LINES = re.compile(r"(.+?)((?::\d+(?:[-:]\d+)?)?)")
"""A file, and the lines of it that are meant."""


@dataclass(frozen=True)
class Astray:
    """A file that a memory names and that is not there."""

    id: str
    title: str
    path: str
    """The memory's path."""
    file: str
    moved_to: str = ""
    """Where it is now, written as the memory writes it; empty if it is gone."""
    gone_since: str = ""
    """The commit that took it away; empty if it moved, or if that is not known."""
    followed: bool = True
    """False if there was no time left to look for it."""
    written: bool = False
    """Whether the memory names the new path by now."""
    refused: str = ""
    """Why it could not be made to."""


@dataclass(frozen=True)
class Project:
    """The files of a project: those on disk, and those of its newest commit where it has one."""

    here: Path
    top: Path | None

    def has(self, file: str) -> bool:
        """Return whether it has a file or folder, by its path from the top or from here."""
        if lexists(self.here / file) or (self.top and lexists(self.top / file)):
            return True
        return self.top is not None and holds(self.top, file)

    def followed(self, file: str, since: str) -> Left:
        """Return where a file went that left after a commit, through as many moves as it made."""
        gone = Left("")
        for _ in range(MOST_MOVES if self.top else 0):
            step = left(self.top or self.here, file, since)
            if step is None:
                break
            gone = replace(step, to="")
            if not step.to or self.has(step.to):
                return step
            file, since = step.to, step.commit
        return gone

    def plain(self, name: str) -> tuple[str, str, str]:
        """Return a name in three parts: what leads to the top, the path from there, the lines."""
        match = _LINES.fullmatch(name)
        file, lines = match.groups() if match else (name, "")
        lead = f"{self.top}/" if self.top and file.startswith(f"{self.top}/") else ""
        return lead, normpath(file.removeprefix(lead)), lines


def related(parts: Parts, *, apply: bool = False) -> list[Astray]:
    """Return the files of this scope's memories that moved or are gone, as the project's history
    tells; with `apply` the memories name the new paths from now on. No memory is removed.

    A memory's files are followed from its `commit` on. Without git only what is gone is known.

    Raises:
        BadInput: the caller works in no project.
    """
    scope, folder = parts.caller.scope, parts.caller.folder
    if scope is None or folder is None:
        raise BadInput(
            "This folder is no project's. Run it in the folder of one; if that has no git remote, "
            "bind it to a scope with `vaultmem scope bind` first."
        )
    parts.sidecar.refresh()
    here, root = folder.resolve(), parts.vault.root
    project = Project(here, None if root in (here, *here.parents) else worktree(here))
    until = parts.clock() + PATIENCE

    @cache
    def went(file: str, since: str) -> Left | None:
        return None if parts.clock() > until else project.followed(file, since)

    found: list[Astray] = []
    for note in list(_notes(parts, scope)):
        rows = list(_astray(project, went, note, parts.sidecar.snapshot.called(note.path)))
        found += _applied(parts, scope, note, rows) if apply else rows
    return found


def _notes(parts: Parts, scope: str) -> Iterator[Note]:
    snapshot = parts.sidecar.snapshot
    for path, facts in snapshot.facts.items():
        mine = facts.role == Role.MEMORY and snapshot.scope(path) == scope
        if mine and facts.files and facts.status != "archived":
            yield parts.vault.read(path)


def _astray(
    project: Project, went: Callable[[str, str], Left | None], note: Note, called: str
) -> Iterator[Astray]:
    for name in note.texts("files"):
        lead, file, lines = project.plain(name)
        if "://" in name or not name.isprintable() or project.has(file):
            continue
        step = went(file, note.text("commit"))
        row = Astray(called, note.title, note.path, name, followed=step is not None)
        if step and step.to:
            yield replace(row, moved_to=f"{lead}{step.to}{lines}")
        else:
            yield replace(row, gone_since=step.commit if step else "")


def _applied(parts: Parts, scope: str, note: Note, rows: Sequence[Astray]) -> list[Astray]:
    """Let a memory name the new paths of its files, and return its rows with what became of it."""
    moved = {row.file: row.moved_to for row in rows if row.moved_to}
    if not moved:
        return list(rows)
    names = list(dict.fromkeys(moved.get(name, name) for name in note.texts("files")))
    refused = ""
    try:
        refuse_secrets(*moved.values())
        with parts.vault.lock.vault("files"):
            path = writable(parts, note.path)
            parts.vault.edit(path, {"files": names}, seen=note.hash)
            announced(parts, scope, "updated", path, note.title)
    except (BadInput, ChangedOnDisk, Refused) as error:
        refused = str(error)
    return [
        replace(row, written=not refused, refused=refused) if row.moved_to else row for row in rows
    ]
