"""Verbs of a vault in git: its commits, its hook, and making one vault of two clones."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from vaultmem.doors.cli.options import Door, shared, verb
from vaultmem.memory import merge_files
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


@git_group.command("hook")
@verb
def git_hook(door: Door) -> None:
    """Let git check memory changes before each commit; a hook that is there stays.

    \b
    vaultmem git hook
    """
    path = door.memory().install_hook()
    door.show(shown(f"Made {path}."), {"path": path})


@git_group.command("setup")
@click.option("--undo", is_flag=True, help="Let git merge as it would without us.")
@verb
def git_setup(door: Door, undo: bool) -> None:
    """Let git merge notes property by property, on this clone.

    \b
    vaultmem git setup
    """
    changed = door.memory().set_up_git(undo=undo)
    told = "Git merges as it would without us" if undo else "Git merges notes property by property"
    text = f"{told} on this clone{'' if changed else ' already'}."
    door.show(shown(text), {"set_up": not undo, "changed": changed})


@git_group.command("resolve")
@verb
def git_resolve(door: Door) -> None:
    """Settle the notes that git left unmerged; what contradicts keeps its markers.

    \b
    vaultmem git resolve
    """
    done = door.memory().resolve()
    lines = [f"merged   {path}" for path in done.merged]
    lines += [f"kept     {path}" for path in done.kept]
    lines += [f"split    {path} and {other}, which conflict" for path, other in done.split]
    lines += [f"removed  {path}" for path in done.removed]
    lines += [f"left     {path}: {why}" for path, why in done.left]
    if lines and not done.left:
        lines.append("Finish with git, then `vaultmem refresh`.")
    door.show(shown("\n".join(lines) or "Nothing is unmerged."), asdict(done))
    if done.left:
        raise SystemExit(1)


@git_group.command("merge-driver", hidden=True)
@click.argument("files", nargs=3, type=click.Path(path_type=Path))
@click.argument("path")
@verb
def git_merge_driver(door: Door, files: tuple[Path, Path, Path], path: str) -> None:
    """Merge BASE, OURS and THEIRS of a note into OURS; git calls this.

    \b
    vaultmem git merge-driver BASE OURS THEIRS PATH
    """
    del door, path
    raise SystemExit(0 if merge_files(*files) else 1)


COMMANDS = (git_group,)
