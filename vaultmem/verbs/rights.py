"""The one place where the table of `words/access` is kept: each read and each write asks here."""

from __future__ import annotations

from posixpath import basename

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts
from vaultmem.words.access import File, may_read, may_write
from vaultmem.words.errors import NotGranted
from vaultmem.words.layout import Layout, Role


def file_of(snapshot: Snapshot, path: str) -> File:
    """Return a note as the table of access sees it."""
    role, layout = snapshot.facts[path].role, snapshot.layout
    scope = None if path == layout.index else snapshot.scope(path)
    return File(role, scope, whose(layout, role, path))


def whose(layout: Layout, role: Role, path: str) -> str:
    """Return the agent that a file is of, empty if it is of none."""
    if role == Role.CANDIDATE:
        return layout.keeper(path)
    of_agents = role in (Role.IDENTITY, Role.CHECKPOINT)
    return basename(path).removesuffix(".md") if of_agents else ""


def readable(parts: Parts, snapshot: Snapshot, path: str) -> bool:
    """Return whether the caller's grant lets it read a note of the snapshot."""
    caller = parts.caller
    return caller.person or may_read(caller.grant, caller.agent, file_of(snapshot, path))


def refuse_writing(parts: Parts, file: File, said: str | None = None) -> None:
    """Raise `NotGranted` if the caller's grant does not let it write a file.

    The message speaks of the scope as the caller `said` it, so that it tells nothing of others.
    """
    caller = parts.caller
    if caller.person or may_write(caller.grant, caller.agent, file):
        return
    raise NotGranted(said if said is not None else file.scope or "", caller.grant.writes)
