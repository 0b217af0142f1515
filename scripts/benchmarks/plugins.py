"""The figure of the plugins: real hosts load them, and put before their model what they should.

The hosts are installed once, into `hosts/` of `--data` or of the environment. Their model is an
endpoint on loopback that says what it is told to, so no model and no account is needed.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import canned
from benchmarks.canned import Canned
from benchmarks.measure import Row, all_of, none, program
from benchmarks.vaults import VAULTMEM

OPENCLAW, NODE = "openclaw@2026.9.6", "node@26"
HERMES = ("hermes-agent==0.19.0", "mcp==1.26.0")
PATIENCE = 600
FACT = (
    "Deploys wait for the bell",
    "No deploy of the shop starts before the bell in the hall rings.",
)
TOLD = {"title": "Tea is on Fridays", "content": "The team drinks its tea together on each Friday."}
STATED = {
    "title": "Staging has two disks",
    "content": "Only the second disk of staging is backed up.",
}
KEEPING = canned.called("vault_memorize", **TOLD)
STATING = canned.said(f"Noted.\n```retain\n{json.dumps(STATED)}\n```\n")
QUESTION = "When may a deploy of the shop start?"


def plugged(folder: Path) -> Iterator[Row]:
    """Install the plugin of each host that takes one, and have it live through two turns."""
    yield from _openclaw(folder / "openclaw")
    yield from _hermes(folder / "hermes")


def _cache() -> Path:
    data = os.environ.get("VAULTMEM_BENCH_DATA", "")
    return Path(data or Path(sys.prefix) / "bench") / "hosts"


def _installed(*words: str, **environ: str) -> bool:
    """Run an installer as the person, whose settings say where packages come from."""
    known = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir, **environ}
    return subprocess.run(words, env=known, capture_output=True, check=False).returncode == 0


def _openclaw_path() -> str:
    """Return a PATH with OpenClaw and a Node that runs it, empty if they cannot be had."""
    nodes, claws = _cache() / "node26", _cache() / "openclaw"
    node, claw = nodes / "node_modules" / "node" / "bin", claws / "node_modules" / ".bin"
    path = os.pathsep.join([str(node), str(claw), os.environ["PATH"]])
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix"]
    if not shutil.which("npm"):
        return path if (claw / "openclaw").exists() else ""
    if not (node / "node").exists():
        nodes.mkdir(parents=True, exist_ok=True)
        _installed(*npm, str(nodes), NODE)
        _installed("npm", "rebuild", "--foreground-scripts", "--prefix", str(nodes))
    if not (claw / "openclaw").exists():
        claws.mkdir(parents=True, exist_ok=True)
        _installed(*npm, str(claws), OPENCLAW, PATH=path)
    return path if (node / "node").exists() and (claw / "openclaw").exists() else ""


def _hermes_bin() -> Path | None:
    """Return the folder of Hermes' programs, None if it cannot be had."""
    programs = _cache() / "hermes" / "bin"
    if not (programs / "hermes").exists():
        venv.create(programs.parent, with_pip=True)
        _installed(str(programs / "pip"), "install", "-q", *HERMES)
    return programs if (programs / "hermes").exists() else None


class Home:
    """A home of its own for one host, with a vault that knows one fact."""

    def __init__(self, folder: Path, agent: str, **environ: str) -> None:
        self.vault, self.home, self.agent = folder / "vault", folder / "home", agent
        self.home.mkdir(parents=True)
        self.environ = {**os.environ, "HOME": str(self.home), **environ}
        self.environ.pop("PYTHONPATH", None)
        program([VAULTMEM, "init", str(self.vault)], folder)
        program([VAULTMEM, "memorize", *FACT, "--vault", str(self.vault)], folder)

    def run(self, *words: str) -> str:
        """Run a program of the host to its end and return all that it said."""
        done = subprocess.run(
            words,
            cwd=self.home,
            env=self.environ,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
        return done.stdout + done.stderr

    def settings(self) -> dict[str, Any]:
        from vaultmem.hosts.plugins import plugin_settings

        return plugin_settings(str(self.vault), self.agent, [VAULTMEM])

    def waiting(self) -> int:
        """Return how many candidates wait, as soon as one does."""
        inbox = self.vault / "inbox" / self.agent
        for _ in range(200):
            if list(inbox.glob("*.md")):
                break
            time.sleep(0.1)
        return len(list(inbox.glob("*.md")))


def _held(name: str, good: bool, note: str = "") -> Row:
    return all_of(name, int(good), 1, note)


def _turns(
    host: str, home: Home, model: Canned, turn: Sequence[str], more: Sequence[str]
) -> Iterator[Row]:
    """Yield what the model was asked with in a first turn, and in a later one of the session."""
    model.script = [KEEPING, STATING]
    home.run(*turn)
    asked = list(model.asked)
    if len(asked) < 2:
        yield _held(f"{host}: a turn", good=False, note=f"{len(asked)} requests")
        return
    whole = "\n".join(canned.texts(asked[0], "system", "developer", "user"))
    offered = canned.tool_names(asked[0])
    yield _held(f"{host}: the brief, marked, before the model", whole.count("<vaultmem>\n") == 1)
    yield _held("  with the memory that the prompt is about", FACT[1] in whole)
    yield _held("  the habits in its system prompt", "Keep with vault_memorize" in whole)
    yield all_of(
        "  tools that it is offered", sum(name.startswith("vault_") for name in offered), 4
    )
    answered = "\n".join(canned.texts(asked[1], "tool"))
    kept = list(_told_notes(home))
    yield _held("  its call of a tool is carried out", "Kept " in answered and len(kept) == 1)
    yield all_of("  facts in a `retain` block that wait for a person", home.waiting(), 1)
    later = _later(home, model, more)
    yield _held("  the brief once in a later turn", later.count("<vaultmem>\n") == 1)
    yield all_of("  facts that wait after it", home.waiting(), 1)


def _told_notes(home: Home) -> Iterator[Path]:
    """Yield the notes, catalogues left out, that hold what the model was told to keep."""
    for path in (home.vault / "memory" / "global").glob("*.md"):
        if path.name != "index.md" and TOLD["content"] in path.read_text("utf-8"):
            yield path


def _later(home: Home, model: Canned, turn: Sequence[str]) -> str:
    model.asked.clear()
    home.run(*turn)
    return "\n".join(canned.texts(model.asked[-1], "system", "developer", "user"))


def _openclaw(folder: Path) -> Iterator[Row]:
    from vaultmem.hosts.plugins import PLUGINS, plugin_files

    path = _openclaw_path()
    if not path:
        yield Row("openclaw: the plugin", "could not be installed here")
        return
    home, plugin = Home(folder, "openclaw", PATH=path), folder / "plugin"
    plugin.mkdir()
    for name, data in plugin_files("openclaw").items():
        (plugin / name).write_bytes(data)
    with canned.canned() as model:
        settings = home.home / ".openclaw" / "openclaw.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps(_openclaw_settings(model.url)), "utf-8")
        told = PLUGINS["openclaw"]
        home.run(*told.install, str(plugin))
        own = {**home.settings(), "deadlineMs": 14_000}  # a busy machine starts a server slowly
        written = [*told.config, (told.settings_key, own)]
        for keys, value in written:
            home.run(
                "openclaw", "config", "set", ".".join(keys), json.dumps(value), "--strict-json"
            )
        inspected, doctor = (home.run(*check) for check in told.check)
        loaded = "Status: loaded" in inspected and "before_prompt_build" in inspected
        yield _held("openclaw: `plugins inspect --runtime` shows it loaded", loaded)
        faults = [line for line in doctor.splitlines() if "vaultmem" in line]
        yield none("  faults of it that `plugins doctor` names", len(faults), *faults[:1])
        turn = ("openclaw", "agent", "--local", "--session-id", "s1", "-m")
        yield from _turns("openclaw", home, model, (*turn, QUESTION), (*turn, "Thank you."))
        key = ".".join((*told.settings_key, "command"))
        home.run("openclaw", "config", "set", key, '["/nowhere/vaultmem"]', "--strict-json")
        model.script = [canned.said("gone on")]
        said = home.run(*turn[:-2], "s2", "-m", QUESTION)
        yield _held("  without a server the turn goes on", "gone on" in said)


def _openclaw_settings(url: str) -> dict[str, Any]:
    model = {"id": "canned", "name": "canned", "contextWindow": 200_000, "maxTokens": 8_000}
    provider = {"baseUrl": url, "apiKey": "none", "api": "openai-completions", "models": [model]}
    return {
        "models": {"mode": "replace", "providers": {"canned": provider}},
        "agents": {"defaults": {"model": {"primary": "canned/canned"}}},
    }


def _hermes(folder: Path) -> Iterator[Row]:
    from vaultmem.hosts.plugins import PLUGINS, plugin_files

    programs = _hermes_bin()
    if programs is None:
        yield Row("hermes: the plugin", "could not be installed here")
        return
    hermes, told = folder / "home" / ".hermes", PLUGINS["hermes"]
    home = Home(folder, "hermes", HERMES_HOME=str(hermes))
    (hermes / told.folder).mkdir(parents=True)
    for name, data in plugin_files("hermes").items():
        (hermes / told.folder / name).write_bytes(data)
    own = hermes / told.settings_file
    own.parent.mkdir()
    own.write_text(json.dumps(home.settings()), "utf-8")
    with canned.canned() as model:
        lines = ["model:", "  default: canned", "  provider: custom", f"  base_url: {model.url}"]
        lines += ["  api_key: none", "memory:", "  provider: vaultmem", ""]
        (hermes / "config.yaml").write_text("\n".join(lines), "utf-8")
        status = home.run(str(programs / "hermes"), "memory", "status")
        chosen = any("vaultmem" in line and "active" in line for line in status.splitlines())
        yield _held(
            "hermes: `memory status` shows it available", chosen and "available ✓" in status
        )
        code = "from plugins.memory import load_memory_provider as l; print(l('vaultmem').name)"
        loaded = home.run(str(programs / "python"), "-c", code)
        yield _held("  its own loader loads it", loaded.strip().endswith("vaultmem"))
        turn = (str(programs / "hermes"), "-z", QUESTION)
        more = (str(programs / "hermes"), "--continue", "-z", "Thank you.")
        yield from _turns("hermes", home, model, turn, more)
        own.write_text(json.dumps({"command": "/nowhere/vaultmem"}), "utf-8")
        model.script = [canned.said("gone on")]
        yield _held("  without a server the turn goes on", "gone on" in home.run(*turn))
