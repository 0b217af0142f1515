"""What a person asks to have written into their repository's own settings: hooks and drivers."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from vaultmem.vault.clone import Clone, clone_of
from vaultmem.vault.git import run
from vaultmem.words.errors import AlreadyThere, DiskFailed, UnfitRepository

_PRE_COMMIT = """#!/bin/sh
# Refuses a commit that would leave memories broken; `git commit --no-verify` skips it.
exec vaultmem --vault '{root}' diff --check --staged
"""

DRIVER = "vaultmem"
_BEGIN, _END = "# vaultmem: how memories are merged", "# /vaultmem"


def set_up(root: Path, home: str) -> Path:
    """Let this clone merge memories by their properties; return the file of attributes.

    What else stands in the clone's own settings and attributes stays.

    Raises:
        NoRepository, GitFailed, DiskFailed.
    """
    clone = clone_of(root)
    command = f"{shlex.quote(sys.executable)} -P -m vaultmem git merge-note %O %A %B"
    run(clone.top, "config", "--local", f"merge.{DRIVER}.name", "memories, key by key")
    run(clone.top, "config", "--local", f"merge.{DRIVER}.driver", command)
    told = run(clone.top, "rev-parse", "--path-format=absolute", "--git-common-dir")
    path = Path(told.decode("utf-8", "surrogateescape").strip()) / "info" / "attributes"
    _attribute(path, _lines(clone, home))
    return path


def _lines(clone: Clone, home: str) -> list[str]:
    """Return the attributes; what only grows, or is made anew, is united as without us."""
    at = f"/{clone.prefix}{home}/" if home else f"/{clone.prefix}"
    notes = [f"{at}{folder}/**/*.md merge={DRIVER}" for folder in ("memory", "inbox", "knowledge")]
    whole = ("**/index.md", "**/decisions.md")
    return [*notes, *(f"{at}memory/{name} merge=union" for name in whole)]


def _attribute(path: Path, lines: list[str]) -> None:
    """Put our lines into a file of attributes, in the place of those that were there."""
    try:
        os.makedirs(path.parent, exist_ok=True)  # noqa: PTH103
        known = path.read_text("utf-8", "surrogateescape").splitlines() if path.exists() else []
        if _BEGIN in known and _END in known:
            del known[known.index(_BEGIN) : known.index(_END) + 1]
        text = "\n".join([*known, _BEGIN, *lines, _END, ""])
        path.write_text(text, "utf-8", "surrogateescape")
    except OSError as error:
        raise DiskFailed(path, error) from error


def install(root: Path) -> Path:
    """Write the hook that checks memory changes before each commit; return its path.

    Raises:
        AlreadyThere: there is a hook of that name, which stays. DiskFailed.
        UnfitRepository: its hooks are kept elsewhere. NoRepository.
    """
    clone = clone_of(root)
    own = run(clone.top, "config", "--local", "--get", "core.hooksPath", fine=(0, 1))
    if own.strip():
        raise UnfitRepository("hooked")
    common = run(clone.top, "rev-parse", "--path-format=absolute", "--git-common-dir")
    folder = Path(common.decode("utf-8", "surrogateescape").strip()) / "hooks"
    path = folder / "pre-commit"
    text = _PRE_COMMIT.format(root=str(root).replace("'", "'\\''"))
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
    except FileExistsError:
        raise AlreadyThere(str(path)) from None
    except OSError as error:
        raise DiskFailed(path, error) from error
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path
