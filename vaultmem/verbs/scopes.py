"""Which project a folder is: by its git remote, else by what it was bound to."""

from __future__ import annotations

from pathlib import Path

from vaultmem.vault.ledger import Ledger
from vaultmem.vault.repository import head, remote_scope, top
from vaultmem.words.errors import NotFound
from vaultmem.words.scope import clean


def scope_of_folder(folder: Path, ledger: Ledger, vault: Path) -> str | None:
    """Return the scope of a working directory, None where nothing says one.

    A folder inside the vault has none. A sub-folder and a worktree have their repository's.
    """
    here = folder.resolve()
    if vault in (here, *here.parents):
        return None
    scope = remote_scope(here)
    if scope:
        return scope
    repository = top(here)
    for place in (repository,) if repository else (here, *here.parents):
        bound = ledger.binding(str(place))
        if bound is not None:
            return bound
    return None


def commit_of(folder: Path | None, vault: Path) -> str | None:
    """Return the newest commit of the project in a folder, None if there is none.

    A folder inside the vault is of no project.
    """
    here = folder.resolve() if folder else vault
    return None if vault in (here, *here.parents) else head(here) or None


def bind(folder: Path, ledger: Ledger, name: str = "") -> str:
    """Bind a folder, or the repository it lies in, to a scope and return the scope it got.

    Without a name it is `local/<parent>/<folder>`; a name that another folder has gets `-2`.
    """
    here = folder.resolve()
    if not here.is_dir():
        raise NotFound(f"folder {folder}", "Name a folder that is there.")
    place = top(here) or here
    wanted = clean(name) if name else clean(f"local/{place.parent.name or 'root'}/{place.name}")
    return ledger.bind(str(place), wanted)


def unbind(folder: Path, ledger: Ledger) -> None:
    """Take back the binding of a folder; raises `NotFound` if it has none."""
    here = folder.resolve()
    place = top(here) or here
    if not ledger.unbind(str(place)):
        raise NotFound(f"binding of {place}", "Run `vaultmem scope list` to see them.")
