"""What is odd about the catalogues, and about folders that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from posixpath import dirname

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault.repository import merging
from vaultmem.verbs import catalogues
from vaultmem.verbs.damages.notes import line_of
from vaultmem.verbs.damages.table import Finding, found
from vaultmem.verbs.parts import Parts
from vaultmem.words.catalogue import MARKER
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.markers import ends


def of_catalogues(parts: Parts, snapshot: Snapshot, scopes: Iterable[str]) -> Iterator[Finding]:
    """Yield all that is odd about the catalogues; `scopes` are those that the log speaks of."""
    counted = Counter(snapshot.folders.values())
    for folder, scope in sorted(snapshot.folders.items()):
        if counted[scope] > 1:
            what = f"two folders are the scope {scope or 'global'}"
            yield found("two folders", folder, what)
        yield from marked(parts, f"{folder}/index.md", MARKER)
    yield from marked(parts, snapshot.layout.index, MARKER)
    if not merging(parts.vault.root):
        for path in catalogues.stale(parts.vault, snapshot):
            yield found("behind", path, "its list is not that of the notes")
    lost = dict(_lost(parts, snapshot, scopes))
    for folder, scope in lost.items():
        what = f"it is gone, so the notes of {scope} count as another scope's"
        yield found("lost scope", f"{folder}/index.md", what)
    for folder in _unowned(parts, snapshot):
        if not any(f"{folder}/".startswith(f"{known}/") for known in lost):
            what = "no `index.md` here or above says of which scope it is, so it is global"
            yield found("no scope", folder, what)


def marked(parts: Parts, path: str, name: str) -> Iterator[Finding]:
    """Yield what is wrong with the markers of a page, between which we write."""
    try:
        data = parts.vault.data(path)
    except VaultmemError:
        return
    begin, end = ends(name)
    there = [mark for mark in (begin, end) if mark.encode() in data]
    if len(there) == 1:
        missing = end if there == [begin] else begin
        line = line_of(data, there[0].encode())
        what = f"one of its two markers is gone: {missing}"
        yield found("half marked", path, what, line, missing=missing)
    elif not there:
        yield found("unmarked", path, "it has no markers of ours", begin=begin, end=end)


def _lost(parts: Parts, snapshot: Snapshot, scopes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the folders of scopes that have notes and entries in the log, but no catalogue."""
    folders = {dirname(path) for path in _memories(snapshot)}
    for scope in sorted(set(scopes) - {""}):
        folder = snapshot.layout.scope_folder(scope)
        used = any(f"{one}/".startswith(f"{folder}/") for one in folders)
        known = scope in snapshot.folders.values() or parts.vault.exists(f"{folder}/index.md")
        if used and not known and parts.vault.canonical(scope) == scope:
            yield folder, scope


def _unowned(parts: Parts, snapshot: Snapshot) -> list[str]:
    """Return the folders of memories that lie in no scope folder."""
    usual = parts.vault.layout.scope_folder("")
    found = set()
    for path in _memories(snapshot):
        at = folder = dirname(path)
        while at and at not in snapshot.folders and at != usual:
            at = dirname(at)
        if not at:
            found.add(folder)
    return sorted(found)


def _memories(snapshot: Snapshot) -> Iterator[str]:
    scoped = (Role.MEMORY, Role.PROJECT, Role.DECISIONS)
    return (path for path, facts in snapshot.facts.items() if facts.role in scoped)
