"""Whether the vault that was opened still lies where it lay: not gone, and not another one."""

from __future__ import annotations

from pathlib import Path

from vaultmem.vault import files
from vaultmem.vault.scan import Stat, stat_of
from vaultmem.words.config import stated_id
from vaultmem.words.errors import NoVault, OtherVault, VaultmemError
from vaultmem.words.layout import CONFIG, MARKER


class Presence:
    """Looks at the vault's folder; its config is read again only where that file changed."""

    def __init__(self, root: Path, vault_id: str) -> None:
        self._root = root
        self._id = vault_id
        self._seen: Stat | None = None
        self._ours = True

    def check(self) -> None:
        """Return if the vault is there.

        Raises:
            NoVault: its folder or the `.vaultmem` in it has vanished.
            OtherVault: another vault has taken its place.
        """
        if not (self._root / MARKER).is_dir():
            raise NoVault(self._root)
        state = stat_of(self._root, CONFIG)
        if state and state != self._seen:
            self._seen, self._ours = state, self._stated() in ("", self._id)
        if not self._ours:
            raise OtherVault(self._root)

    def _stated(self) -> str:
        """Return the id that the config states. One that cannot be used states none: it is being
        edited, and the settings of the start hold on.
        """
        try:
            return stated_id(files.read(self._root, CONFIG).decode("utf-8", "replace"))
        except VaultmemError:
            return ""
