"""The vault in git: what became of memories, and their way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.verbs.committing import writes
from vaultmem.verbs.parts import Parts

if TYPE_CHECKING:
    from vaultmem.verbs.history import Version
    from vaultmem.verbs.reverting import Reverted
    from vaultmem.words.changes import Change
    from vaultmem.words.unfit import Unfit


class HistoryVerbs:
    """What can be asked for of a vault's history."""

    _parts: Parts

    def diff(self, span: str = "", *, staged: bool = False) -> list[Change]:
        """Return what became of memories between two states of the vault in git."""
        from vaultmem.verbs.diffing import diff

        return diff(self._parts, span, staged=staged)

    def check_diff(self, span: str = "", *, staged: bool = False) -> list[Unfit]:
        """Return what speaks against merging a change."""
        from vaultmem.verbs.diffing import check

        return check(self._parts, span, staged=staged)

    def history(self, ref: str) -> list[Version]:
        """Return every version of a memory, the newest first."""
        from vaultmem.verbs.history import history

        return history(self._parts, ref)

    def show_at(self, ref: str, revision: str) -> tuple[str, bytes]:
        """Return where a memory lay as of a commit, and its bytes then."""
        from vaultmem.verbs.history import show_at

        return show_at(self._parts, ref, revision)

    @writes
    def revert(self, what: str) -> list[Reverted]:
        """Take back what a commit did to one memory, or one sleep; or bring `ID@REV` back."""
        from vaultmem.verbs.reverting import revert

        return revert(self._parts, what)

    def install_hook(self) -> str:
        """Let git check memory changes before each commit; return the hook's path."""
        from vaultmem.vault.hooks import install

        return str(install(self._parts.vault.root))

    def commit_owed(self) -> str:
        """Commit what verbs changed and no commit holds yet; return it, empty if nothing is."""
        from vaultmem.verbs.committing import commit_owed

        return commit_owed(self._parts)

    def end_session(self) -> None:
        """Commit what is owed, if the person wants commits; what hinders that harms nothing."""
        from vaultmem.verbs.committing import end_session

        end_session(self._parts)

    @property
    def uncommitted(self) -> str:
        """Why the last commit could not be made, empty if it was or none was wanted."""
        from vaultmem.verbs.committing import uncommitted

        return uncommitted(self._parts)
