"""What of the world outside may be read, as the person and the working directory say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from vaultmem.documents.addresses import Permission
from vaultmem.documents.extracting.extractor import Bounds
from vaultmem.documents.fetching import INTERNET, Limits, Network
from vaultmem.words.config import UserConfig
from vaultmem.words.errors import ConfigError


@dataclass(frozen=True)
class Access:
    """Which folders and machines may be read, and how much of each."""

    roots: tuple[Path, ...] = ()
    permission: Permission = field(default_factory=Permission)
    network: Network = INTERNET
    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)
    folder: Path = Path()
    """Where a relative path begins."""


def stated(person: UserConfig, vault: Path, folder: Path | None) -> Access:
    """Return the access that the person's settings give, with links of folders resolved.

    The working directory is a root too, unless it holds all that the person has.

    Raises:
        ConfigError: a network that is named is none.
    """
    try:
        permission = Permission.stated(person.fetch_allow)
    except ValueError as error:
        raise ConfigError(f"`fetch_allow` in your own config: {error}.") from None
    roots = (text.strip() for text in person.document_roots.split(";"))
    named = [Path(text).expanduser() for text in roots if text]
    here = (folder or vault).resolve()
    if not Path.home().resolve().is_relative_to(here):
        named.append(here)
    found = dict.fromkeys(path.resolve() for path in (*named, vault) if path.is_absolute())
    return Access(tuple(found), permission, folder=here)
