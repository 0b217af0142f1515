"""Writing the tables of contents anew after something changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault.repository import merging
from vaultmem.vault.store import Vault
from vaultmem.words import catalogue
from vaultmem.words.errors import ChangedOnDisk, NotFound, OutsideVault
from vaultmem.words.markers import filled
from vaultmem.words.note import digest


def write(vault: Vault, snapshot: Snapshot, scopes: Iterable[str] | None = None) -> list[str]:
    """Bring the catalogues of some scopes, or of all, and the root's up to date.

    Only what stands between our markers changes, and nothing while git is merging. Returns the
    paths that were written.
    """
    if scopes is None and "catalogues" in snapshot.memo:
        return []  # nothing has changed since they were all found to be right
    if merging(vault.root):
        return []
    wanted = set(snapshot.scopes()) if scopes is None else set(scopes)
    with vault.lock.vault("catalogue"):
        pages = _pages(vault, snapshot, wanted)
        changed = [path for path, lines in pages if _written(vault, path, lines)]
    if scopes is None and not changed:
        snapshot.memo["catalogues"] = True
    return changed


def stale(vault: Vault, snapshot: Snapshot) -> list[str]:
    """Return the paths of the catalogues that are behind the notes; nothing is written."""
    pages = _pages(vault, snapshot, set(snapshot.scopes()))
    return [path for path, lines in pages if _behind(vault, path, lines)]


def _pages(vault: Vault, snapshot: Snapshot, wanted: set[str]) -> list[tuple[str, list[str]]]:
    """Return the paths of some catalogues, and of the root's, with the lines they should have."""
    pages = [_scope_page(vault, snapshot, folder) for folder in _folders(snapshot, wanted)]
    return [*pages, (vault.layout.index, _root_lines(snapshot))]


def _folders(snapshot: Snapshot, wanted: set[str]) -> Iterator[str]:
    return (folder for folder, scope in sorted(snapshot.folders.items()) if scope in wanted)


def _scope_page(vault: Vault, snapshot: Snapshot, folder: str) -> tuple[str, list[str]]:
    notes = snapshot.memories(snapshot.folders[folder])
    most = vault.config.catalogue_lines
    return f"{folder}/index.md", catalogue.lines(notes, most)


def _root_lines(snapshot: Snapshot) -> list[str]:
    counts = snapshot.counts()
    paths = {scope: f"{folder}/index.md" for folder, scope in snapshot.folders.items()}
    rows = {scope: (paths[scope], counts.get(scope, 0)) for scope in paths}
    return catalogue.root_lines(rows, snapshot.pinned())


def _written(vault: Vault, path: str, lines: list[str]) -> bool:
    """Fill the markers of one page; return whether its bytes changed.

    A page that is a link, or that somebody writes at this moment, is left as it is.
    """
    found = _behind(vault, path, lines)
    if found is None:
        return False
    data, changed = found
    try:
        vault.replace(path, changed, seen=digest(data))
    except ChangedOnDisk:
        return False  # the next refresh sees what was written
    return True


def _behind(vault: Vault, path: str, lines: list[str]) -> tuple[bytes, bytes] | None:
    """Return a page's bytes, and as they should be; None if they are or it is not ours to write."""
    try:
        data = vault.data(path)
    except (NotFound, OutsideVault):
        return None
    text = filled(data.decode("utf-8", "surrogateescape"), catalogue.MARKER, lines)
    changed = None if text is None else text.encode("utf-8", "surrogateescape")
    return None if changed is None or changed == data else (data, changed)
