"""The plugin for OpenClaw, by Node's own test runner."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from vaultmem.hosts.plugins import plugin_files

TESTS = Path(__file__).parent / "openclaw" / "plugin.test.mjs"
OLDEST = 20
"""The first Node whose test runner these tests use. OpenClaw itself needs a newer one."""


def node() -> str:
    """Return the program that runs the tests, or skip."""
    found = shutil.which("node")
    if not found:
        pytest.skip("there is no node on this machine")
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    if int(version.lstrip("v").split(".")[0]) < OLDEST:
        pytest.skip(f"node is {version.strip()}, older than {OLDEST}")
    return found


def test_the_plugin_does_as_its_own_tests_say(tmp_path: Path) -> None:
    program = node()
    for name, data in plugin_files("openclaw").items():
        (tmp_path / name).write_bytes(data)
    known = {**os.environ, "PLUGIN": str(tmp_path), "TMPDIR": str(tmp_path)}
    known.pop("NODE_OPTIONS", None)

    done = subprocess.run(
        [program, "--test", str(TESTS)], env=known, capture_output=True, text=True, timeout=100
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout or "ℹ fail 0" in done.stdout
