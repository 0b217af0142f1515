"""Where a vault and its state lie on this machine. Only this module reads the environment."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vaultmem.vault import files
from vaultmem.words.config import Config, UserConfig, user_config, vault_config
from vaultmem.words.errors import (
    AlreadyThere,
    ConfigError,
    DiskFailed,
    NotFound,
    NoVault,
    OutsideVault,
)
from vaultmem.words.layout import CONFIG, MARKER


@dataclass(frozen=True)
class Settings:
    """One vault as this machine and this caller see it."""

    root: Path
    config: Config
    state: Path
    """Folder of the vault's state; made with mode 0700."""
    sidecar: Path
    """Folder of this copy's sidecar, inside `state`."""
    agent: str = ""
    scope: str | None = None
    session: str = ""
    cwd: Path = Path()


def _user_folder(kind: str) -> Path:
    import platformdirs

    paths = platformdirs.PlatformDirs("vaultmem", appauthor=False)
    return Path(paths.user_config_dir if kind == "config" else paths.user_state_dir)


def environment() -> Mapping[str, str]:
    """Return the environment of this process."""
    return os.environ


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the person's private folder for all that is ours and no truth, there or not."""
    base = environ.get("VAULTMEM_STATE_DIR", "")
    return Path(base).expanduser() if base else _user_folder("state")


def user_file() -> Path:
    """Return the path of the person's own config file, there or not."""
    return _user_folder("config") / "config.toml"


def person() -> UserConfig:
    """Return the person's own settings, the defaults where there is no file."""
    path = user_file()
    try:
        return user_config(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        return UserConfig()
    except OSError as error:
        raise DiskFailed(path, error) from error


def found_vault(given: str, cwd: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the root of the vault to use, links resolved.

    The order: the one given, `VAULTMEM_VAULT`, the nearest folder from `cwd` upwards that holds
    `.vaultmem`, `vault` in the person's config.

    Raises:
        NoVault: there is none at the place named, or none was found.
    """
    named = given or environ.get("VAULTMEM_VAULT", "")
    if not named:
        for folder in (cwd, *cwd.parents):
            if (folder / CONFIG).is_file():
                return folder.resolve()
        named = person().vault
    if not named:
        raise NoVault
    root = Path(named).expanduser()
    if not (root / MARKER).is_dir():
        raise NoVault(root)
    return root.resolve()


def load(root: Path, cwd: Path | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of the vault at a root, and make its state folders.

    Raises:
        NoVault: it is none. ConfigError: its config file cannot be used. DiskFailed.
    """
    try:
        text = files.read(root, CONFIG).decode("utf-8", "replace")
    except NotFound:
        raise NoVault(root) from None
    except OutsideVault:
        raise no_file(root) from None
    config = vault_config(text, str(root / CONFIG), user_file=str(user_file()))
    state = state_folder(environ) / _safe(config.id)
    copy = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    settings = Settings(
        root=root,
        config=config,
        state=state,
        sidecar=state / copy,
        agent=environ.get("VAULTMEM_AGENT", ""),
        scope=environ.get("VAULTMEM_SCOPE"),
        session=environ.get("VAULTMEM_SESSION", "") or environ.get("CLAUDE_CODE_SESSION_ID", ""),
        cwd=cwd or Path.cwd(),
    )
    _made(settings)
    return settings


def no_file(root: Path) -> ConfigError:
    """Return what to say of settings that are a folder, a link or another thing than a file."""
    return ConfigError(
        f"{root / CONFIG} is no plain file in a plain folder. Move away what has its name; "
        "then `vaultmem doctor --repair` brings the settings back where it knows them."
    )


def open_to_others(settings: Settings) -> list[Path]:
    """Return which of the state's folders others than the person may look into."""
    if os.name != "posix":
        return []
    folders = (settings.state, settings.sidecar)
    return [folder for folder in folders if folder.stat().st_mode & 0o077]


def made_private(folder: Path) -> None:
    """Let nobody but the person look into a folder; raises `DiskFailed`."""
    try:
        folder.chmod(0o700)
    except OSError as error:
        raise DiskFailed(folder, error) from error


def shelf(settings: Settings) -> Settings:
    """Return the shelf of a vault as if it were one: there lies what is searched and is no note.

    It is made in the state folder if there is none. Raises `DiskFailed`.
    """
    root, state = settings.state / "shelf" / "notes", settings.state / "shelf"
    config = Config(id="shelf", timezone=settings.config.timezone)
    try:
        for folder in (state, root, root / MARKER, settings.sidecar / "shelf"):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise DiskFailed(root, error) from error
    if not files.exists(root, CONFIG):
        with suppress(AlreadyThere):
            files.create(root, CONFIG, b'id = "shelf"\n')
    return Settings(root, config, state, settings.sidecar / "shelf")


def has_shelf(settings: Settings) -> bool:
    """Return whether anything was ever put on the shelf of a vault."""
    return (settings.state / "shelf" / "notes" / CONFIG).is_file()


def _safe(vault_id: str) -> str:
    """Return a vault's id as a folder name; the id is text from a file that anybody may write."""
    if re.fullmatch(r"[a-z0-9]{1,64}", vault_id):
        return vault_id
    return hashlib.sha256(vault_id.encode()).hexdigest()[:16]


def _made(settings: Settings) -> None:
    state = settings.state.resolve()
    if settings.root.resolve() in (state, *state.parents):
        raise DiskFailed(
            settings.state, OSError(0, "The state folder lies inside the vault; move it out")
        )
    try:
        settings.state.parent.mkdir(parents=True, exist_ok=True)
        for folder in (settings.state, settings.sidecar):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise DiskFailed(settings.state, error) from error
