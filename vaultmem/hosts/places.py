"""Where the files of hosts lie on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """What of a machine decides where a host's files lie."""

    home: Path
    system: str
    """As `sys.platform` names it."""
    environ: Mapping[str, str]
    project: Path

    def place(self, template: str) -> Path | None:
        """Return the path that a template means here, None if it means none."""
        path = Path(template.format_map(self._names()))
        if not path.is_absolute():
            return None
        if "*" not in template:
            return path
        fixed = next(p for p in path.parents if "*" not in str(p))
        found = sorted(fixed.glob(path.relative_to(fixed).as_posix().partition("*")[0] + "*"))
        rest = path.relative_to(fixed).parts[1:]
        return found[0].joinpath(*rest) if found else None

    def chosen(self, templates: Sequence[str]) -> Path:
        """Return the first of some places that is there, else the first that can be."""
        paths = [path for template in templates if (path := self.place(template))]
        return next((path for path in paths if path.exists()), paths[0])

    def _names(self) -> dict[str, str]:
        home, known = self.home, self.environ
        config = self._folder("XDG_CONFIG_HOME", home / ".config")
        roaming = self._folder("APPDATA", home / "AppData" / "Roaming")
        app = {"darwin": home / "Library" / "Application Support", "win32": roaming}
        local = self._folder("LOCALAPPDATA", home / "AppData" / "Local")
        windows = self.system == "win32"
        claude = self._folder("CLAUDE_CONFIG_DIR", home / ".claude")
        openclaw = self._folder("OPENCLAW_STATE_DIR", home / ".openclaw")
        paths = {
            "home": home,
            "project": self.project,
            "config": config,
            "app": app.get(self.system, config),
            "claude": claude,
            "claude_json": (claude if known.get("CLAUDE_CONFIG_DIR") else home) / ".claude.json",
            "codex": self._folder("CODEX_HOME", home / ".codex"),
            "hermes": self._folder(
                "HERMES_HOME", local / "hermes" if windows else home / ".hermes"
            ),
            "openclaw": openclaw,
            "openclaw_json": self._folder("OPENCLAW_CONFIG_PATH", openclaw / "openclaw.json"),
        }
        return {name: str(path) for name, path in paths.items()} | {
            "local": str(local) if windows else "-",  # no place elsewhere
        }

    def _folder(self, name: str, otherwise: Path) -> Path:
        said = self.environ.get(name, "")
        return Path(said) if Path(said).is_absolute() else otherwise
