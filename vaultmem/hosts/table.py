"""The hosts: where each keeps its settings, how an entry of its looks, and which hooks it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vaultmem.hosts import entries
from vaultmem.hosts.entries import Launch

NAME = "vaultmem"
"""What our server, skill, rule and plugin are called on every host."""
FILES = Path(__file__).parent / "files"
USER, PROJECT = "user", "project"
_OURS = "mcp__vaultmem__.*"


@dataclass(frozen=True)
class Hooks:
    """The hooks that a host calls: its file for each level, and its name for each of our events."""

    files: Mapping[str, str]
    events: Mapping[str, tuple[str, str]]
    """Our event to the host's, and to the pattern of tools that it is for, empty for any."""
    handler: Mapping[str, object] = field(default_factory=dict)
    """What a handler says beside its command."""
    flat: bool = False
    """Whether handlers stand in the event's list themselves, without groups."""
    seed: str = "{}\n"
    """What a new file of hooks holds before ours."""


@dataclass(frozen=True)
class Host:
    """One host, as data. A place may have `{project}`, `{home}` and other names of `places`."""

    name: str
    title: str
    agent: str
    """What its agent is called unless told otherwise."""
    files: Mapping[str, tuple[str, ...]]
    """For each level where its servers are listed: the first file that is there, else the first."""
    keys: tuple[str, ...]
    stdio: Callable[[Launch], entries.Entry]
    http: Callable[[str, str], entries.Entry] | None
    form: str = "json"
    program: str = ""
    """Its command, empty if it has none."""
    signs: tuple[str, ...] = ()
    """Places one of which is there where it is installed."""
    folder: str = ""
    """What it puts for the project's folder into arguments, where it starts servers elsewhere."""
    hooks: Hooks | None = None
    texts: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """For each level, files of ours beside: place, and name in `files`."""
    check: tuple[str, ...] = ()
    """Its own command that shows whether our server works; it exits with 0 whatever it shows."""
    good: str = ""
    """A pattern of the line that says so."""
    steps: tuple[str, ...] = ()
    """What a person still has to do."""
    plugin_check: tuple[str, ...] = ()
    """The command that shows our plugin instead, where it has one, and the pattern for it."""
    plugin_good: str = ""
    home: str = ""
    """The folder below which our plugin for it lies, where there is one."""


HOSTS = {
    host.name: host
    for host in (
        Host(
            name="claude-code",
            title="Claude Code",
            agent="claude",
            files={USER: ("{claude_json}",), PROJECT: ("{project}/.mcp.json",)},
            keys=("mcpServers",),
            stdio=entries.claude,
            http=entries.http_typed("${%s}"),
            program="claude",
            signs=("{claude}", "{claude_json}"),
            hooks=Hooks(
                {USER: "{claude}/settings.json", PROJECT: "{project}/.claude/settings.local.json"},
                {
                    "session-start": ("SessionStart", ""),
                    "prompt": ("UserPromptSubmit", ""),
                    "tool": ("PostToolUse", _OURS),
                    "compact": ("PreCompact", ""),
                    "stop": ("Stop", ""),
                    "session-end": ("SessionEnd", ""),
                },
                {"timeout": 5},
            ),
            texts={
                USER: (("{claude}/skills/vaultmem/SKILL.md", "skill.md"),),
                PROJECT: (("{project}/.claude/skills/vaultmem/SKILL.md", "skill.md"),),
            },
            check=("mcp", "list"),
            good=r"^vaultmem: .*\bConnected\b",
            steps=("Start Claude Code anew; in a project's `.mcp.json` it asks you to approve.",),
        ),
        Host(
            name="claude-desktop",
            title="Claude Desktop",
            agent="claude",
            files={
                USER: (
                    "{local}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
                    "{app}/Claude/claude_desktop_config.json",
                )
            },
            keys=("mcpServers",),
            stdio=entries.plain,
            http=None,
            signs=("{local}/Packages/Claude_*", "{app}/Claude"),
            steps=("Quit Claude Desktop whole, and start it anew.",),
        ),
        Host(
            name="codex",
            title="Codex",
            agent="codex",
            files={USER: ("{codex}/config.toml",), PROJECT: ("{project}/.codex/config.toml",)},
            keys=("mcp_servers",),
            form="toml",
            stdio=entries.codex,
            http=entries.codex_http,
            program="codex",
            signs=("{codex}",),
            hooks=Hooks(
                {USER: "{codex}/hooks.json", PROJECT: "{project}/.codex/hooks.json"},
                {
                    "session-start": ("SessionStart", ""),
                    "prompt": ("UserPromptSubmit", ""),
                    "tool": ("PostToolUse", _OURS),
                    "compact": ("PreCompact", ""),
                    "stop": ("Stop", ""),
                },
                {"timeout": 5},
            ),
            check=("mcp", "list"),
            good=r"^vaultmem\s.*\benabled\b",
            steps=(
                "In Codex open `/hooks` and trust those of vaultmem: until then they are skipped.",
            ),
        ),
        Host(
            name="cursor",
            title="Cursor",
            agent="cursor",
            files={USER: ("{home}/.cursor/mcp.json",), PROJECT: ("{project}/.cursor/mcp.json",)},
            keys=("mcpServers",),
            form="jsonc",
            stdio=entries.plain,
            http=entries.http_bare("${env:%s}"),
            signs=("{home}/.cursor",),
            folder="${workspaceFolder}",
            hooks=Hooks(
                {USER: "{home}/.cursor/hooks.json", PROJECT: "{project}/.cursor/hooks.json"},
                {"session-start": ("sessionStart", "")},
                flat=True,
                seed='{\n  "version": 1\n}\n',
            ),
            texts={PROJECT: (("{project}/.cursor/rules/vaultmem.mdc", "rule.mdc"),)},
            steps=(
                "In Cursor's settings see that the server vaultmem is on.",
                "Run `vaultmem connect cursor --project` in each project: the rule that it writes "
                "there works where Cursor drops what a hook says.",
            ),
        ),
        Host(
            name="gemini-cli",
            title="Gemini CLI",
            agent="gemini",
            files={
                USER: ("{home}/.gemini/settings.json",),
                PROJECT: ("{project}/.gemini/settings.json",),
            },
            keys=("mcpServers",),
            form="jsonc",
            stdio=entries.plain,
            http=entries.gemini_http,
            program="gemini",
            signs=("{home}/.gemini",),
            hooks=Hooks(
                {
                    USER: "{home}/.gemini/settings.json",
                    PROJECT: "{project}/.gemini/settings.json",
                },
                {
                    "session-start": ("SessionStart", ""),
                    "prompt": ("BeforeAgent", ""),
                    "tool": ("AfterTool", "mcp_vaultmem_.*"),
                },
                {"timeout": 5000},
            ),
            check=("mcp", "list"),
            good=r"vaultmem: .*\bConnected\b",
            steps=(
                "Servers start in folders that you trust alone. Where Gemini runs without a "
                'terminal it hides tools that ask; `"trust": true` in the entry lets them all run.',
            ),
        ),
        Host(
            name="hermes",
            title="Hermes",
            agent="hermes",
            files={USER: ("{hermes}/config.yaml",)},
            keys=("mcp_servers",),
            form="yaml",
            stdio=entries.plain,
            http=entries.hermes_http,
            program="hermes",
            signs=("{hermes}",),
            check=("mcp", "test", NAME),
            good=r"Tools discovered: [1-9]",
            steps=("`pip install mcp==1.26.0` beside Hermes, if it says that MCP is missing.",),
            plugin_check=("memory", "status"),
            plugin_good=r"vaultmem\b.*\bactive\b",
            home="{hermes}",
        ),
        Host(
            name="openclaw",
            title="OpenClaw",
            agent="openclaw",
            files={USER: ("{openclaw_json}",)},
            keys=("mcp", "servers"),
            form="json5",
            stdio=entries.plain,
            http=entries.openclaw_http,
            program="openclaw",
            signs=("{openclaw_json}",),
            check=("mcp", "doctor", "--probe"),
            good=r"vaultmem\b.*\b(?:ok|healthy|connected|[1-9]\d* tools)\b",
            steps=("Restart the Gateway, so that it reads its settings.",),
            plugin_check=("plugins", "inspect", NAME, "--runtime"),
            plugin_good=r"^Status: loaded$",
            home="{openclaw}",
        ),
        Host(
            name="opencode",
            title="opencode",
            agent="opencode",
            files={
                USER: ("{config}/opencode/opencode.jsonc", "{config}/opencode/opencode.json"),
                PROJECT: ("{project}/opencode.jsonc", "{project}/opencode.json"),
            },
            keys=("mcp",),
            form="jsonc",
            stdio=entries.opencode,
            http=entries.opencode_http,
            program="opencode",
            signs=("{config}/opencode",),
            texts={
                USER: (("{config}/opencode/plugins/vaultmem.js", "opencode.js"),),
                PROJECT: (("{project}/.opencode/plugins/vaultmem.js", "opencode.js"),),
            },
            check=("mcp", "list"),
            good=r"vaultmem\b.*\bconnected\b",
            steps=("Start opencode anew.",),
        ),
        Host(
            name="vscode",
            title="VS Code",
            agent="copilot",
            files={USER: ("{app}/Code/User/mcp.json",), PROJECT: ("{project}/.vscode/mcp.json",)},
            keys=("servers",),
            form="jsonc",
            stdio=entries.typed,
            http=entries.http_typed("${env:%s}"),
            program="code",
            signs=("{app}/Code",),
            folder="${workspaceFolder}",
            hooks=Hooks(
                {USER: "{home}/.copilot/hooks/vaultmem.json"},
                {"session-start": ("SessionStart", "")},
                {"type": "command", "timeout": 5},
                flat=True,
                seed='{\n  "version": 1\n}\n',
            ),
            steps=("In VS Code start the server once by `MCP: List Servers`, and trust it.",),
        ),
    )
}
"""Every host by its name."""
