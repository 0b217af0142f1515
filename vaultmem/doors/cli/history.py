"""Verbs of a vault in git: what became of memories, and their way back."""

from __future__ import annotations

from typing import Any

import click

from vaultmem.doors.cli.options import Door, shared, verb
from vaultmem.words.safe import shown


@click.group("git")
@shared
def git_group(**_: Any) -> None:
    """Keep the vault's history in git.

    \b
    vaultmem git commit
    """


@git_group.command("commit")
@verb
def git_commit(door: Door) -> None:
    """Commit what verbs changed and no commit holds yet; for a hook at a session's end.

    \b
    vaultmem git commit
    """
    made = door.memory().commit_owed()
    door.show(
        shown(f"Committed as {made[:12]}." if made else "Nothing to commit."), {"commit": made}
    )


COMMANDS = (git_group,)
