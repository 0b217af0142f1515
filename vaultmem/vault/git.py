"""Git, run so that it runs nothing else: no program that a repository names is ever started.

Hooks, pagers, editors, signing, watchers of files and credential helpers are switched off by name.
Filters, text conversion and diff programs are out of play since only commands are used here that
never bring bytes between the index and the files, nor print a patch. A person's own settings are
read where they are needed (who commits, what is ignored), and start nothing either.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from vaultmem.words.errors import GitFailed, NoGit, NotYours

_OWN = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # a missing object is never fetched by the repository's commands
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
_ALONE = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
_OFF = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.sshCommand": "false",
    "core.askPass": "",
    "core.alternateRefsCommand": "false",
    "core.quotePath": "false",
    "credential.helper": "",
    "commit.gpgSign": "false",
    "gpg.program": "false",
    "log.showSignature": "false",
    "log.follow": "false",
    "log.mailmap": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}
_FLAGS = ("--no-pager", *(part for item in _OFF.items() for part in ("-c", "=".join(item))))


def run(
    folder: Path,
    *arguments: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    fine: Sequence[int] = (0,),
    person: bool = False,
    timeout: float = 30,
) -> bytes:
    """Return what git prints about the repository of a folder.

    `person` lets a person's own settings count beside the repository's; `env` adds to git's
    environment; `fine` are the exit codes that are no failure.

    Raises:
        NoGit: it is not installed. NotYours: git mistrusts the repository's owner.
        GitFailed: anything else, or it took longer than `timeout` seconds.
    """
    done = _done(folder, (), arguments, stdin, env, person, timeout)
    if _mistrusted(done):
        trusted = [
            part for name in _safe_folders(folder) for part in ("-c", f"safe.directory={name}")
        ]
        done = _done(folder, trusted, arguments, stdin, env, person, timeout) if trusted else done
        if _mistrusted(done):
            raise NotYours(folder)
    if done.returncode not in fine:
        raise GitFailed(done.stderr.decode("utf-8", "replace"))
    return done.stdout


def asked(folder: Path, *arguments: str, timeout: float = 10) -> bytes | None:
    """Return what git prints, None if it fails or is not installed."""
    try:
        return run(folder, *arguments, timeout=timeout)
    except (NoGit, NotYours, GitFailed):
        return None


def _done(
    folder: Path,
    trusted: Sequence[str],
    arguments: Sequence[str],
    stdin: bytes,
    env: Mapping[str, str] | None,
    person: bool,
    timeout: float,
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", *_FLAGS, *trusted, "-C", str(folder), *arguments],
            capture_output=True,
            input=stdin,
            env={**_without_git(os.environ), **_OWN, **({} if person else _ALONE), **(env or {})},
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        raise NoGit from None
    except subprocess.TimeoutExpired:
        raise GitFailed(f"it did not end within {timeout:g} s") from None
    except (OSError, ValueError) as error:
        raise GitFailed(str(error)) from None


def _mistrusted(done: subprocess.CompletedProcess[bytes]) -> bool:
    return done.returncode != 0 and b"dubious ownership" in done.stderr


def _safe_folders(folder: Path) -> list[str]:
    """Return the repositories of others that the person trusts, by their own settings alone."""
    try:
        listed = _done(
            Path(folder.anchor or os.sep),
            (),
            ("config", "--get-all", "-z", "safe.directory"),
            b"",
            {"GIT_DIR": os.devnull},
            person=True,
            timeout=10,
        )
    except (NoGit, GitFailed):
        return []
    return [name for name in listed.stdout.decode("utf-8", "replace").split("\0") if name]


def _without_git(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what a git hook that started us would impose."""
    return {name: value for name, value in environ.items() if not name.startswith("GIT_")}
