"""The vault in git: what became of memories, and their way back."""

from __future__ import annotations

from vaultmem.verbs.parts import Parts


class HistoryVerbs:
    """What can be asked for of a vault's history."""

    _parts: Parts

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
