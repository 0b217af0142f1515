"""What is odd about what is derived or private: indexes, ledger, rights; and about git."""

from __future__ import annotations

from collections.abc import Iterator, Set

from vaultmem.sidecar.proof import graph_whole, keyword_labels
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault.repository import merging
from vaultmem.vault.salvage import fault
from vaultmem.vault.settings import Settings, open_to_others
from vaultmem.verbs.committing import uncommitted
from vaultmem.verbs.damages.table import Finding, found
from vaultmem.verbs.parts import Parts

LEDGER = "ledger.db"
KEYWORD = "keyword index"
VECTORS = "vector index"


def of_state(parts: Parts, settings: Settings) -> Iterator[Finding]:
    """Yield what is odd about the state folder, which lies outside of the vault."""
    for folder in open_to_others(settings):
        yield found("rights", str(folder), "others on this machine may look into it")
    why = fault(settings.state / LEDGER)
    if why:
        yield found("ledger", str(settings.state / LEDGER), f"it is damaged ({why})")
    for file in sorted(settings.sidecar.glob("*.part")):
        yield found("left over", str(file), "a crash left it behind")
    if not graph_whole(parts.sidecar, settings.sidecar):
        what = "its graph is not the one that was written, so search is exact and slower"
        yield found("graph", VECTORS, what)


def of_indexes(parts: Parts, snapshot: Snapshot, unread: Set[str]) -> Iterator[Finding]:
    """Yield where the disk, the manifest and the keyword index do not agree."""
    on_disk = parts.vault.scan().notes.keys()
    for path in sorted((on_disk ^ snapshot.facts.keys()) - unread):
        what = "is not indexed" if path in on_disk else "is indexed but gone"
        yield found("unequal", path, f"it {what}")
    if not parts.sidecar.whole():
        yield found("unequal", KEYWORD, "its files are not the ones that were written")
        return
    try:
        apart = keyword_labels(parts.sidecar) ^ snapshot.chunks.keys()
    except Exception as error:  # a damaged index raises any of seven kinds
        yield found("unequal", KEYWORD, f"it cannot be read ({type(error).__name__})")
        return
    if apart:
        yield found("unequal", KEYWORD, f"{len(apart)} passages differ from the manifest")


def of_git(parts: Parts) -> Iterator[Finding]:
    """Yield what hinders git."""
    if merging(parts.vault.root):
        what = "git is in the middle of a merge or rebase; catalogues are not written"
        yield found("merge", ".git", what)
    why = uncommitted(parts)
    if why:
        yield found("uncommitted", ".git", f"changes wait to be committed: {why}")
