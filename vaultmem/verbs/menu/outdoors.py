"""What can be asked for without a vault: the hosts of this machine, and what git hands over."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.vault import settings

if TYPE_CHECKING:
    from vaultmem.hosts.said import Said
    from vaultmem.verbs.checking import Proof
    from vaultmem.verbs.connect import Connector
    from vaultmem.verbs.damages.table import Finding
    from vaultmem.words.connecting import ConnectWish


def laid_ground(vault: str) -> list[Finding]:
    """Mend what keeps a vault from being opened at all; return what that was."""
    from vaultmem.verbs.groundwork import laid

    return laid(vault, Path.cwd())


def merge_files(base: Path, ours: Path, theirs: Path) -> bool:
    """Merge a note that git hands over; return whether nobody has to decide anything."""
    from vaultmem.vault.threeway import drive

    return drive(base, ours, theirs)


def hook_call(host: str, event: str, text: str) -> Said:
    """Return what a host tells a hook on its stdin; raises `ValueError` if that means nothing."""
    from vaultmem.hosts.said import said

    return said(host, event, text)


def connector() -> Connector:
    """Return what connects the hosts of this machine, in the working directory's project."""
    from vaultmem.hosts.places import Machine
    from vaultmem.verbs.connect import Connector

    machine = Machine(Path.home(), sys.platform, settings.environment(), Path.cwd())
    return Connector(machine, settings.state_folder() / "hosts")


def prove(wish: ConnectWish) -> list[Proof]:
    """Return what each way of looking found of a host's connection."""
    from vaultmem.verbs.checking import check

    return check(connector(), wish)
