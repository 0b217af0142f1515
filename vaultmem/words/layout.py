"""Where each kind of file lies in a vault. Paths are vault-relative and use `/`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from posixpath import basename, dirname

from vaultmem.words.scope import folder_of

MARKER = ".vaultmem"
CONFIG = f"{MARKER}/config.toml"
TRASH = ".trash"


class Role(StrEnum):
    """What a markdown file is to us, told by its path alone."""

    MEMORY = "memory"
    PROJECT = "project"
    DECISIONS = "decisions"
    CATALOGUE = "catalogue"
    LOG = "log"
    LOG_PAGE = "log page"
    DETAIL = "detail"
    IDENTITY = "identity"
    CHECKPOINT = "checkpoint"
    CANDIDATE = "candidate"
    KNOWLEDGE = "knowledge"
    TEMPLATE = "template"
    OWN = "own"


SEARCHED = frozenset(
    {
        *(Role.MEMORY, Role.CANDIDATE, Role.PROJECT, Role.DECISIONS),
        *(Role.LOG, Role.DETAIL, Role.OWN, Role.KNOWLEDGE),
    }
)
"""The roles whose text is searched; the others are read whole, where they are needed."""

ANSWERING = {
    "memory": SEARCHED - {Role.KNOWLEDGE},
    "knowledge": frozenset({Role.KNOWLEDGE}),
    "all": SEARCHED,
}
"""The roles that a question may be answered from, by what it includes."""

_FOLDERS = {
    "identity": Role.IDENTITY,
    "checkpoints": Role.CHECKPOINT,
    "knowledge": Role.KNOWLEDGE,
    "templates": Role.TEMPLATE,
}
_IN_SCOPE = {
    "index.md": Role.CATALOGUE,
    "project.md": Role.PROJECT,
    "decisions.md": Role.DECISIONS,
}


@dataclass(frozen=True)
class Layout:
    """The paths of one vault, whose home is a folder in it or `""` for the vault itself."""

    home: str = ""
    templates: str = ""
    """The person's own folder of templates, which hold placeholders and no facts."""

    def at(self, *parts: str) -> str:
        """Return a path below home."""
        return "/".join(part for part in (self.home, *parts) if part)

    @property
    def index(self) -> str:
        """The root catalogue."""
        return self.at("index.md")

    @property
    def log_page(self) -> str:
        """The note that embeds the current month of the live log."""
        return self.at("live-context.md")

    def log(self, month: str) -> str:
        """Return the live log's file of a month such as `2026-11`."""
        return self.at("live-context", f"{month}.md")

    def identity(self, agent: str) -> str:
        """Return the file that says who an agent is."""
        return self.at("identity", f"{agent}.md")

    def checkpoint(self, agent: str) -> str:
        """Return the file that says what an agent is in the middle of."""
        return self.at("checkpoints", f"{agent}.md")

    def inbox(self, agent: str) -> str:
        """Return the folder of an agent's candidates."""
        return self.at("inbox", agent)

    def keeper(self, path: str) -> str:
        """Return the agent whose candidate lies at a path: its folder in the inbox says so."""
        return path.removeprefix(self.at("inbox") + "/").partition("/")[0]

    def scope_folder(self, scope: str) -> str:
        """Return the folder that a scope gets when it has none yet."""
        return self.at("memory", folder_of(scope))

    def role(self, path: str) -> Role:
        """Return what the markdown file at a path is."""
        if self.templates and path.startswith(f"{self.templates}/"):
            return Role.TEMPLATE
        inside = self._inside(path)
        if inside is None:
            return Role.OWN
        first, _, rest = inside.partition("/")
        if first == "memory" and rest:
            return _IN_SCOPE.get(basename(rest), Role.MEMORY)
        if first == "live-context" and rest:
            return Role.DETAIL if rest.startswith("detail/") else Role.LOG
        if first == "inbox" and "/" in rest:
            return Role.CANDIDATE
        if inside == "live-context.md":
            return Role.LOG_PAGE
        if inside == "index.md":
            return Role.CATALOGUE
        return _FOLDERS.get(first, Role.OWN) if rest else Role.OWN

    def _inside(self, path: str) -> str | None:
        if not self.home:
            return path
        return path.removeprefix(self.home + "/") if path.startswith(self.home + "/") else None


def scope_of(path: str, folders: dict[str, str]) -> str:
    """Return the scope of a note: that of the nearest scope folder above it, else global.

    `folders` maps the path of each scope folder to its scope.
    """
    folder = dirname(path)
    while folder:
        if folder in folders:
            return folders[folder]
        folder = dirname(folder)
    return ""
