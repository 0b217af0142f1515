"""The figure of hooks: how long a session's start and each prompt wait for them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, at_most, in_child, interleaved, none, program
from benchmarks.vaults import PYTHON, VAULTMEM, lived_in, repository


def called(event: str, root: Path, project: Path, session: str) -> str:
    """Call a hook as Claude Code does and return what it prints."""
    words = [VAULTMEM, "hook", "claude-code", event, "--vault", str(root), "--agent", "scout"]
    told = {"session_id": session, "cwd": str(project), "hook_event_name": event}
    done = subprocess.run(
        words, cwd=project, input=json.dumps(told).encode(), capture_output=True, check=True
    )
    return done.stdout.decode()


def starting(folder: Path, times: int = 25) -> Iterator[Row]:
    """Call the hooks of a session from cold, beside an empty Python."""
    root, project = folder / "vault", repository(folder / "project")
    in_child(lived_in, root, 50)
    first = called("session-start", root, project, "s1")
    assert "Catalogue of github.com/acme/api" in first, first
    silent = called("prompt", root, project, "s1")
    unread = [VAULTMEM, "log", "unread", "--vault", str(root), "--agent", "scout"]
    unread += ["--session", "s1"]
    start, prompt, plain, empty = interleaved(
        times,
        lambda: called("session-start", root, project, "s1"),
        lambda: called("prompt", root, project, "s1"),
        lambda: program(unread, project),
        lambda: program([PYTHON, "-c", "pass"], project),
    )
    for name, seconds, most in (
        ("hook at a session's start", start, 15),
        ("hook before a prompt, nothing unread", prompt, 12),
        ("`log unread` by hand, nothing unread", plain, 0),
    ):
        note = f"{seconds * 1000:.0f} of {empty * 1000:.0f} ms"
        row = at_most(f"{name}: against an empty Python", seconds / empty, most, "x", note)
        yield row if most else Row(row.name, row.value)
    yield none("bytes printed where nothing is unread", len(silent))
