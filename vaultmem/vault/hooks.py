"""What a person asks to have written into their repository's own settings: hooks and drivers."""

from __future__ import annotations

import os
from pathlib import Path

from vaultmem.vault.clone import clone_of
from vaultmem.vault.git import run
from vaultmem.words.errors import AlreadyThere, DiskFailed, UnfitRepository

_PRE_COMMIT = """#!/bin/sh
# Refuses a commit that would leave memories broken; `git commit --no-verify` skips it.
exec vaultmem --vault '{root}' diff --check --staged
"""


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
