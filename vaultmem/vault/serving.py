"""The small file by which a server that holds a vault is found, readable by this user alone."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from vaultmem.vault.settings import Settings
from vaultmem.words.errors import DiskFailed
from vaultmem.words.serving import Serving, serving


def announce(settings: Settings, server: Serving) -> None:
    """Say that a server holds this copy of the vault; the newest one is found."""
    path = _path(settings)
    beside = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(server.text())
        beside.replace(path)
    except OSError as error:
        raise DiskFailed(path, error) from error


def withdraw(settings: Settings, server: Serving, before: Serving | None = None) -> None:
    """Say no more that a server holds this copy, but again that the one `before` it does.

    If another one has taken its place meanwhile, that stays.
    """
    if found(settings) != server:
        return
    with suppress(OSError, DiskFailed):
        if before:
            announce(settings, before)
        else:
            _path(settings).unlink()


def found(settings: Settings) -> Serving | None:
    """Return the server that holds this copy, None if there is none that this user started."""
    path = _path(settings)
    try:
        stat = path.stat()
        if hasattr(os, "getuid") and (stat.st_uid != os.getuid() or stat.st_mode & 0o077):
            return None
        return serving(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _path(settings: Settings) -> Path:
    return settings.state / f"serving-{settings.sidecar.name}.json"
