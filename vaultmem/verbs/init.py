"""Making a vault: a new one from the template, or a home inside the notes a person already has."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vaultmem.vault import files, place
from vaultmem.vault.clone import clone_of
from vaultmem.vault.commits import begin, commit, committable, person_of
from vaultmem.vault.scan import scan
from vaultmem.words.config import Config, rendered, vault_config
from vaultmem.words.entry import token
from vaultmem.words.errors import AlreadyThere, BadInput, DiskFailed, NotFound
from vaultmem.words.layout import CONFIG, Layout, Role

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


def pages(config: Config) -> list[str]:
    """Return the paths of the pages without which a vault does not work as it should."""
    return [Layout(config.home).at(name) for name in _ADOPTED if name != ".gitignore"]


def page(config: Config, name: str) -> bytes:
    """Return a page of the template, its links below the vault's home."""
    prefix = f"{config.home}/" if config.home else ""
    data = (template() / name).read_bytes()
    return _at_home(data, prefix) if prefix else data


def in_git(root: Path, made: Sequence[str] = ()) -> bool:
    """Put a vault that lies in no repository into one, with what is ours as its first commit.

    `made` are further files that belong to the commit. Returns whether a repository was needed;
    one that is there is left as it is.

    Raises:
        NoGit, GitFailed. UnfitRepository: a file of ours cannot be committed.
    """
    if not begin(root):
        return False
    config = _known(root) or Config(id="")
    home = Layout(config.home)
    paths = [CONFIG, *(path for path in scan(root).notes if home.role(path) != Role.OWN)]
    paths += [*(home.at(name) for name in (".gitattributes", ".gitignore")), *made]
    clone = clone_of(root)
    found = committable(
        clone, root, [path for path in dict.fromkeys(paths) if files.exists(root, path)]
    )
    data = {path: files.read(root, path) for path in found}
    person = person_of(clone)
    commit(clone, data, "Begin a vault\n", author=person, committer=person, first=True)
    return True


def _known(root: Path) -> Config | None:
    """Return the settings of a vault that is there already."""
    try:
        text = files.read(root, CONFIG).decode("utf-8", "replace")
    except NotFound:
        return None
    return vault_config(text, str(root / CONFIG), user_file="your own config")


def _fresh(home: str, own_notes: str | None) -> Config:
    made = Config(id=token(secrets.token_hex(16), 16), home=home.strip("/"), timezone=system_zone())
    return replace(made, own_notes=own_notes) if own_notes else made


def system_zone() -> str:
    """Return the IANA name of this machine's zone, UTC where it cannot be told."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named and "/" in named and not named.startswith("/"):
        return named
    parts = os.path.realpath("/etc/localtime").partition("zoneinfo/")
    return parts[2] if "/" in parts[2] and time.tzname else "UTC"


def _made_folder(root: Path) -> None:
    try:
        place.make_root(root)
    except OSError as error:
        raise DiskFailed(root, error) from error


def _pages(config: Config, adopted: bool) -> list[tuple[str, bytes]]:
    """Return what the vault should hold: path and bytes; the settings come first."""
    names = _ADOPTED if adopted else tuple(_walked(template()))
    prefix = f"{config.home}/" if config.home else ""
    settings = (CONFIG, rendered(config).encode())
    return [settings, *((prefix + name, page(config, name)) for name in names)]


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
