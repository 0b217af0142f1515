"""What a vault needs before it can be opened at all: its settings, a lock, a whole ledger.

Here they are mended where they can be. What has to be set aside is kept beside the new one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from vaultmem.vault import files
from vaultmem.vault import settings as settings_of
from vaultmem.vault.ledger import TABLES
from vaultmem.vault.locks import Lock
from vaultmem.vault.repository import committed
from vaultmem.vault.salvage import fault, salvaged, set_aside
from vaultmem.vault.settings import Settings
from vaultmem.verbs.damages.state import LEDGER
from vaultmem.verbs.damages.table import Finding, found
from vaultmem.verbs.init import system_zone
from vaultmem.words.config import Config, is_blank, rendered, vault_config
from vaultmem.words.errors import AlreadyThere, ConfigError, NoVault, OutsideVault
from vaultmem.words.layout import CONFIG, Layout
from vaultmem.words.note import digest


def laid(given: str, cwd: Path) -> list[Finding]:
    """Mend what keeps a vault from being opened, and return what that was.

    Settings that are gone, or a file that a crash left empty, come back from git's last commit,
    else from what this machine remembers of a vault at that very place; nothing that is there is
    changed.

    Raises:
        NoVault: there is none, and nothing is known of one. ConfigError, DiskFailed.
    """
    try:
        root = settings_of.found_vault(given, cwd)
    except NoVault:
        named = given or settings_of.environment().get("VAULTMEM_VAULT", "") or str(cwd)
        root = Path(named).expanduser().resolve()
    try:
        back = _back(root)
    except OutsideVault:
        raise settings_of.no_file(root) from None
    return [*back, *_mended(settings_of.load(root))]


def _back(root: Path) -> list[Finding]:
    """Bring settings back that are gone or empty, and return what that was."""
    if not files.exists(root, CONFIG):
        return [_settings(root, None)]
    empty = _empty(root)
    if empty is not None:
        with suppress(NoVault):  # nobody knows them: loading says what to write
            return [_settings(root, empty)]
    return []


def _empty(root: Path) -> bytes | None:
    """Return the bytes of a settings file that says nothing, None of any other."""
    data = files.read(root, CONFIG)
    return data if is_blank(data.decode("utf-8", "replace")) else None


def _mended(settings: Settings) -> Iterator[Finding]:
    lock, ledger = settings.state / "lock", settings.state / LEDGER
    if os.path.lexists(lock) and (lock.is_symlink() or not lock.is_file()):
        aside = set_aside(lock)
        yield found("lock", str(lock), f"it was no lock file; it is {aside.name} now")
    with Lock(settings.root, settings.state).sidecar("repair"):
        why = fault(ledger)
        if why:
            aside = salvaged(ledger, TABLES)
            yield found("ledger", str(ledger), f"it was damaged ({why}); it is {aside.name} now")


def _settings(root: Path, empty: bytes | None) -> Finding:
    """Write the settings of a vault that lost them; raises `NoVault` if nobody knows them.

    `empty` is what the file holds now, None if there is none.
    """
    config, source = _of_git(root), "git"
    if config is None:
        config, source = _of_machine(root), "what this machine knows of it"
    if config is None or not (root / Layout(config.home).at("memory")).is_dir():
        raise NoVault(root)
    text = rendered(config).encode()
    if empty is not None:
        files.replace(root, CONFIG, text, seen=digest(empty))
    else:
        with suppress(AlreadyThere):
            files.create(root, CONFIG, text)
    how = "missing" if empty is None else "empty"
    return found("settings", CONFIG, f"it was {how}; it is back from {source}")


def _of_git(root: Path) -> Config | None:
    data = committed(root, CONFIG)
    try:
        text = (data or b"").decode("utf-8", "replace")
        return vault_config(text, CONFIG, user_file="") if text else None
    except ConfigError:
        return None


def _of_machine(root: Path) -> Config | None:
    """Return the settings of the only vault that this machine has known at a place."""
    from vaultmem.sidecar.database import Damaged
    from vaultmem.sidecar.manifest import Manifest

    copy = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    known = list(settings_of.state_folder().glob(f"*/{copy}/manifest.db"))
    if len(known) != 1:
        return None
    try:
        manifest = Manifest(known[0])
        version = manifest.meta("version")
        manifest.close()
    except Damaged:
        return None
    if version.count("|") < 4:
        return None
    _, home, *own, _, vault_id = version.split("|")
    return Config(id=vault_id, home=home, own_notes="|".join(own), timezone=system_zone())
