"""Making a vault: a new one from the template, or a home inside the notes a person already has."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path

from vaultmem.vault import files
from vaultmem.words.config import Config, rendered, vault_config
from vaultmem.words.entry import token
from vaultmem.words.errors import AlreadyThere, BadInput, DiskFailed, NotFound
from vaultmem.words.layout import CONFIG

HOME = "Agents"
_ADOPTED = (
    "index.md",
    "live-context.md",
    "memory/global/index.md",
    ".gitignore",
    ".gitattributes",
)


@dataclass(frozen=True)
class Made:
    """What `init` made: nothing, if the vault was whole already."""

    root: Path
    home: str
    adopted: bool
    files: tuple[str, ...]


def template() -> Path:
    """Return the folder of the packaged vault template."""
    package = Path(__file__).parent.parent
    packaged = package / "vault-template"
    return packaged if packaged.is_dir() else package.parent / "vault-template"


def is_adoption(root: Path) -> bool:
    """Return whether a folder holds any visible file, so that a vault there is adopted."""
    try:
        return root.is_dir() and any(not item.name.startswith(".") for item in root.iterdir())
    except OSError as error:
        raise DiskFailed(root, error) from error


def init(root: Path, home: str | None = None, own_notes: str | None = None) -> Made:
    """Make the vault at a root, or what is missing of it; no existing byte is changed.

    Raises:
        BadInput: the root is a file, or `home` is no folder name.
        ConfigError: the vault's settings cannot be used. DiskFailed.
    """
    place = root.expanduser()
    if os.path.lexists(place) and not os.path.isdir(place):  # noqa: PTH112
        raise BadInput(f"{root} is a file. A vault is a folder: name one, or a path that is free.")
    known = _known(place)
    adopted = bool(known.home) if known else is_adoption(place)
    config = known or _fresh(home if home is not None else (HOME if adopted else ""), own_notes)
    if known and home is not None and home.strip("/") != known.home:
        raise BadInput(
            f"{root} is a vault already and its home is {known.home or 'the vault itself'!r}. "
            "Leave --home out."
        )
    if adopted and not config.home:
        raise BadInput(f"{root} holds notes. Name a folder for ours with --home, such as {HOME}.")
    if not known and vault_config(rendered(config), str(place / CONFIG), user_file="") != config:
        raise BadInput("--home and --own-notes cannot hold quotes or backslashes.")
    _made_folder(place)
    resolved = place.resolve()
    if config.home:
        files.make_folder(resolved, config.home)
    made = [path for path, data in _pages(config, adopted) if _created(resolved, path, data)]
    return Made(resolved, config.home, adopted, tuple(made))


def _known(root: Path) -> Config | None:
    """Return the settings of a vault that is there already."""
    try:
        text = files.read(root, CONFIG).decode("utf-8", "replace")
    except NotFound:
        return None
    return vault_config(text, str(root / CONFIG), user_file="your own config")


def _fresh(home: str, own_notes: str | None) -> Config:
    made = Config(
        id=token(secrets.token_hex(16), 16), home=home.strip("/"), timezone=_system_zone()
    )
    return replace(made, own_notes=own_notes) if own_notes else made


def _system_zone() -> str:
    """Return the IANA name of this machine's zone, UTC where it cannot be told."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named and "/" in named and not named.startswith("/"):
        return named
    parts = os.path.realpath("/etc/localtime").partition("zoneinfo/")
    return parts[2] if "/" in parts[2] and time.tzname else "UTC"


def _made_folder(root: Path) -> None:
    try:
        files.make_root(root)
    except OSError as error:
        raise DiskFailed(root, error) from error


def _pages(config: Config, adopted: bool) -> list[tuple[str, bytes]]:
    """Return what the vault should hold: path and bytes; the settings come first."""
    source = template()
    names = _ADOPTED if adopted else tuple(_walked(source))
    prefix = f"{config.home}/" if config.home else ""
    pages = [(CONFIG, rendered(config).encode())]
    for name in names:
        data = (source / name).read_bytes()
        pages.append((prefix + name, _at_home(data, prefix) if prefix else data))
    return pages


def _at_home(data: bytes, prefix: str) -> bytes:
    """Return a page of the template with its links below home."""
    return data.replace(b"[[memory/", b"[[" + prefix.encode() + b"memory/")


def _walked(source: Path) -> list[str]:
    return sorted(p.relative_to(source).as_posix() for p in source.rglob("*") if p.is_file())


def _created(root: Path, path: str, data: bytes) -> bool:
    if files.exists(root, path):
        return False
    try:
        files.create(root, path, data)
    except AlreadyThere:
        return False
    return True
