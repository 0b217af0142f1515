"""The figure of connecting: each host's own word that it works, and files that come back whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, none, program
from benchmarks.vaults import VAULTMEM, repository

PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.332",
    "codex": "@openai/codex@0.171.0",
    "gemini": "@google/gemini-cli@0.61.0",
    "opencode": "opencode-ai@1.18.33",
}
"""What npm calls a host's program; `openclaw` and `hermes` are used where they are on the PATH."""
BEFORE = {
    "json": '{"theme":"dark" ,\n\t"list": [ 1,2 ],\n      "é": "ü"\n}',
    "jsonc": '{\r\n\t// mine\r\n\t"$schema": "x", /* so */\r\n}\r\n',
    "json5": "// mine\n{\n  ui: {}, // so\n}\n",
    "toml": '# mine\nmodel = "o"   # so\n\n[history]\npersistence = "none"',
    "yaml": "# mine\nmodel:   {default: a}\nmcp_servers:  # all\n",
}


def programs() -> str:
    """Return a PATH on which the hosts' programs are, installed by npm if they were not."""
    data = os.environ.get("VAULTMEM_BENCH_DATA", "")
    folder = Path(data or Path(sys.prefix) / "bench") / "hosts"
    folder.mkdir(parents=True, exist_ok=True)
    there = folder / "node_modules" / ".bin"
    wanted = [package for name, package in PACKAGES.items() if not (there / name).exists()]
    if wanted and shutil.which("npm"):
        npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *wanted]
        subprocess.run(npm, check=False, capture_output=True)
    return os.pathsep.join([str(there), str(folder / "bin"), os.environ["PATH"]])


def connecting(folder: Path) -> Iterator[Row]:
    """Connect each host in a home of its own that holds odd settings, prove it, and undo it."""
    from vaultmem.hosts.table import HOSTS

    program([VAULTMEM, "init", str(folder / "vault")], folder)
    project, path = repository(folder / "project"), programs()
    for name in HOSTS:
        home = folder / name
        home.mkdir()
        person = {**os.environ, "HOME": str(home), "PATH": path}
        person |= {"VAULTMEM_STATE_DIR": str(home / "state"), "GEMINI_CLI_TRUST_WORKSPACE": "true"}
        person.pop("XDG_CONFIG_HOME", None)
        yield from _connected(name, _Run(folder / "vault", project, home, person))


class _Run:
    """Runs `vaultmem connect` for one home."""

    def __init__(self, vault: Path, project: Path, home: Path, person: dict[str, str]) -> None:
        self.vault, self.project, self.home, self.person = vault, project, home, person

    def __call__(self, *words: str) -> str:
        words = (VAULTMEM, "connect", *words, "--force", "--vault", str(self.vault))
        done = subprocess.run(
            words, cwd=self.project, env=self.person, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def files(self) -> dict[str, bytes]:
        found = [path for path in self.home.rglob("*") if path.is_file()]
        return {str(p): p.read_bytes() for p in found if self.home / "state" not in p.parents}


def _connected(name: str, run: _Run) -> Iterator[Row]:
    from vaultmem.hosts.table import HOSTS

    host = HOSTS[name]
    run(name)
    made = run.files()
    run(name, "--undo")
    left = len(run.files())
    for path in made:
        if "vaultmem/" not in path.removeprefix(str(run.home)) and not path.endswith(".js"):
            form = "json" if path.endswith(("settings.json", "hooks.json")) else host.form
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(BEFORE[form].encode())
    before = run.files()
    run(name)
    written = run.files()
    again = run(name)
    said = _checked(name, run) if shutil.which(host.program, path=run.person["PATH"]) else ""
    for path, data in written.items():
        Path(path).write_bytes(data)
    run(name, "--undo")
    after = {path: data for path, data in run.files().items() if path in before}
    differing = sum(before[path] != after.get(path) for path in before)
    kept = sum("vaultmem" in data.decode() for data in written.values())
    note = f"{len(made)} made, {len(before)} there before, {kept} with ours"
    yield none(f"{name}: files left, or not as before, after undo", left + differing, note)
    if again.strip() != "Nothing to do.":
        yield Row(f"{name}: connected twice", again[:60], "nothing to do", good=False)
    yield from _proofs(name, said)


def _checked(name: str, run: _Run) -> str:
    """Return what a check says, at best of three: Gemini gives a server 5 seconds to start."""
    said = ""
    for _ in range(3):
        said = run(name, "--check")
        if "NOT WELL" not in said:
            break
    return said


def _proofs(name: str, said: str) -> Iterator[Row]:
    from vaultmem.hosts.table import HOSTS

    host = HOSTS[name]
    command = host.plugin_check or host.check
    own = f"`{host.program} {' '.join(command)}`" if command else "no command of its own"
    if not command:
        yield Row(f"{name}: {own}", "could not be run here")
    elif not said:
        yield Row(f"{name}: {own}", "not installed here")
    else:
        lines = said.strip().splitlines()
        good = all(line.startswith("well:") for line in lines)
        bad = next((line for line in lines if not line.startswith("well:")), "")
        yield Row(f"{name}: {own}", bad[:80] or "it works", "it works", good)
