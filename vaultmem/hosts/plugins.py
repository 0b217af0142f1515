"""Our plugins for hosts that take some: their files, where they go, and what the host is told."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

SHARED = ("habits.md", "tools.json")
"""What every plugin carries: an agent's habits, and the tools as the server describes them."""


@dataclass(frozen=True)
class Plugin:
    """How a plugin becomes part of its host."""

    name: str
    """Its folder in this package."""
    folder: str
    """Where its files go, below the host's home."""
    settings_file: str
    """The file with the plugin's own settings, below the host's home."""
    settings_key: tuple[str, ...] = ()
    """Where in that file they stand."""
    config: tuple[tuple[tuple[str, ...], Any], ...] = ()
    """What else the host's config must say: keys from the top down, and the value."""
    install: tuple[str, ...] = ()
    """The host's own command for the folder that comes after it; without one, copying is all."""
    check: tuple[tuple[str, ...], ...] = ()
    """The host's own commands that prove it."""


PLUGINS = {
    "openclaw": Plugin(
        name="openclaw",
        folder="extensions/vaultmem",
        settings_file="openclaw.json",
        settings_key=("plugins", "entries", "vaultmem", "config"),
        config=(
            (("plugins", "slots", "memory"), "vaultmem"),
            (("plugins", "entries", "vaultmem", "enabled"), True),
            (("plugins", "entries", "vaultmem", "hooks", "allowConversationAccess"), True),
        ),
        install=("openclaw", "plugins", "install", "--force", "--accept-capabilities"),
        check=(
            ("openclaw", "plugins", "inspect", "vaultmem", "--runtime"),
            ("openclaw", "plugins", "doctor"),
        ),
    ),
    "hermes": Plugin(
        name="hermes",
        folder="plugins/vaultmem",
        settings_file="vaultmem/config.json",
        config=((("memory", "provider"), "vaultmem"),),
        check=(("hermes", "memory", "status"),),
    ),
}


def plugin_files(host: str) -> dict[str, bytes]:
    """Return the files of a host's plugin by their paths in its folder."""
    ours = files("vaultmem") / "hosts"
    own = {item.name: item for item in (ours / PLUGINS[host].name).iterdir() if item.is_file()}
    shared = {name: ours / "shared" / name for name in SHARED}
    return {name: item.read_bytes() for name, item in sorted({**own, **shared}.items())}


def plugin_settings(vault: str, agent: str, command: list[str]) -> dict[str, Any]:
    """Return the settings of a plugin that starts a server for itself, the same in every host."""
    return {"command": command, "vault": vault, "agent": agent}
