"""The command line: exit codes, what goes where, what it loads, and what its help says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from vaultmem.doors.cli.group import ROOMS, vaultmem

HEAVY = "numpy onnxruntime whoosh mcp fastembed watchdog rich"
SHARED = ("--vault", "--scope", "--agent", "--session", "--json")
VERBS = {
    "diff",
    "git",
    "history",
    "revert",
    "show",
    "agent",
    "archive",
    "brief",
    "checkpoint",
    "cleanup",
    "connect",
    "consolidate",
    "doctor",
    "erase",
    "export",
    "files",
    "forget",
    "get",
    "goals",
    "graph",
    "hook",
    "import",
    "init",
    "list",
    "log",
    "mcp",
    "memorize",
    "refresh",
    "relate",
    "remember",
    "reopen",
    "restore",
    "retain",
    "retract",
    "review",
    "scope",
    "sleep",
    "strength",
    "unarchive",
    "unrelate",
    "update",
    "watch",
}


def run(*args: object, given: bytes = b"", **environ: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "vaultmem", *map(str, args)],
        input=given,
        capture_output=True,
        env={**os.environ, **environ},
        timeout=60,
    )
    out, said = (data.decode("utf-8", "replace") for data in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(args, done.returncode, out, said)


def commands(
    group: dict[str, click.Command], path: str = "vaultmem"
) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.items():
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command.commands, f"{path} {name}")


COMMANDS = dict(commands(vaultmem.whole()))


def test_the_verbs_are_these() -> None:
    assert set(vaultmem.list_commands(None)) == set(vaultmem.whole()) == VERBS


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_the_verbs_by_which_it_is_found(room: str) -> None:
    found = import_module(f"vaultmem.doors.cli.{room}").COMMANDS

    assert " ".join(command.name for command in found) == ROOMS[room]


@pytest.mark.parametrize("path", COMMANDS)
def test_the_help_of_a_command_is_a_sentence_and_an_example(path: str) -> None:
    sentence, *more = (COMMANDS[path].help or "").split("\n\n")
    lines = [line.strip() for part in more for line in part.splitlines()]

    assert re.fullmatch(r"[A-Z][^\n]+\.", sentence)
    assert any(line == path or line.startswith(f"{path} ") for line in lines)


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_takes_the_shared_flags(path: str) -> None:
    taken = {flag for parameter in COMMANDS[path].params for flag in parameter.opts}

    assert taken >= set(SHARED)


def test_every_option_says_what_it_does() -> None:
    silent = [
        f"{path} {parameter.name}"
        for path, command in COMMANDS.items()
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]

    assert silent == []


def test_what_is_done_ends_with_0_and_prints_data_alone(root: Path) -> None:
    done = run("log", "note", "Hello", "--vault", root, "--json")

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["summary"] == "Hello"


def test_what_is_refused_ends_with_1_and_a_sentence_on_stderr(root: Path) -> None:
    done = run("log", "note", "", "--vault", root)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("vaultmem: A log entry needs a summary")


def test_a_wrong_use_ends_with_2_and_talk_on_stderr(root: Path) -> None:
    done = run("log", "--vault", root)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: vaultmem log ")


def test_no_verb_shows_the_help_and_ends_with_2() -> None:
    done = run()

    assert (done.returncode, done.stdout) == (2, "")
    assert "memorize" in done.stderr


def test_help_is_data_and_needs_no_vault() -> None:
    done = run("--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert all(verb in done.stdout for verb in VERBS)


def test_the_version_is_one_line() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run("--version").stdout)


def loaded(*args: object) -> set[str]:
    """Return the heavy modules that a command line loads."""
    code = f"""
import atexit, sys
from vaultmem.doors.cli import main
heavy = set({HEAVY!r}.split())
atexit.register(lambda: print(*heavy & set(sys.modules), file=sys.stderr))
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def test_brief_loads_nothing_heavy(root: Path) -> None:
    run("log", "note", "Hello", "--vault", root, "--agent", "scribe")

    assert loaded("brief", "--vault", root, "--agent", "scout") == set()


def test_the_help_loads_nothing_heavy() -> None:
    assert loaded("--help") == set()


def test_log_loads_nothing_heavy(root: Path) -> None:
    assert loaded("log", "read", "--vault", root) == set()
    assert loaded("log", "unread", "--vault", root) == set()
    assert loaded("checkpoint", "--due", "--vault", root) == set()


def test_a_content_that_is_no_text_is_refused(root: Path) -> None:
    given = b"not \xff\xfe text at all"

    done = run("memorize", "From stdin", "-", "--vault", root, given=given, PYTHONUTF8="1")

    assert (done.returncode, done.stdout) == (1, "")
    assert "stdin cannot be read" in done.stderr


def test_an_argument_that_is_no_text_does_no_harm(root: Path) -> None:
    odd = os.fsdecode(b"not \xff\xfe text")

    done = [
        run("log", "note", odd, "--vault", root),
        run("memorize", odd, f"The content is {odd}", "--vault", root),
        run("get", odd, "--vault", root),
    ]

    assert ["Traceback" in each.stderr for each in done] == [False] * 3
    assert run("log", "verify", "--vault", root).returncode == 0


def test_a_terminal_that_cannot_show_a_letter_shows_its_number(root: Path) -> None:
    said = {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}

    done = run("log", "note", "รถไฟ", "--vault", root, **said)

    assert done.returncode == 0
    assert "\\u0e23" in done.stdout


def test_a_reader_that_stops_reading_gets_no_traceback(root: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "vaultmem", "scope", "list", "--vault", root],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )

    assert "Traceback" not in done.stderr


def test_the_environment_names_vault_agent_scope_and_session(root: Path) -> None:
    said = {
        "VAULTMEM_VAULT": str(root),
        "VAULTMEM_AGENT": "scribe",
        "VAULTMEM_SCOPE": "local/thesis",
        "VAULTMEM_SESSION": "one",
    }
    entry = json.loads(run("log", "checkpoint", "Halfway", "--json", **said).stdout)
    text = (root / entry["path"]).read_text("utf-8")

    assert (entry["agent"], entry["scope"]) == ("scribe", "local/thesis")
    assert "session: one" in text


def test_flags_win_over_the_environment(root: Path) -> None:
    said = {"VAULTMEM_VAULT": "/nowhere", "VAULTMEM_AGENT": "scribe", "VAULTMEM_SCOPE": "local/a"}
    flags = ("--vault", root, "--agent", "scout", "--scope", "global")

    entry = json.loads(run("log", "note", "Hello", "--json", *flags, **said).stdout)

    assert (entry["agent"], entry["scope"]) == ("scout", "")


def test_the_server_names_a_vault_that_is_missing_and_ends(tmp_path: Path) -> None:
    done = run("mcp", "--vault", tmp_path / "nowhere")

    assert (done.returncode, done.stdout) == (1, "")
    assert "is not a vault" in done.stderr


def test_python_m_is_called_by_its_name_too() -> None:
    assert run("lsit").stderr.startswith("Usage: vaultmem ")
