"""Verbs that bring another program's memory in, and write memories out for one."""

from __future__ import annotations

import click

from vaultmem.doors import answers_moving as answers
from vaultmem.doors.cli.options import Bar, Door, verb
from vaultmem.memory import ExportWish, ImportWish


@click.command("import")
@click.argument("words", nargs=-1, required=True, metavar="[FORMAT] SOURCE")
@click.option("--dry-run", is_flag=True, help="List what would be made, and write nothing.")
@click.option("--again", is_flag=True, help="Bring back what you put to the trash.")
@verb
def import_(door: Door, words: tuple[str, ...], dry_run: bool, again: bool) -> None:
    """Bring in another program's memory; its files are only read, and a second time adds nothing.

    A format is claude-code, openclaw, hermes, basic-memory, memsearch, letta or plain; left out, it
    is told by the folder. With --scope all of it goes there.

    \b
    vaultmem import ~/.claude/projects/-home-ann-api/memory --dry-run
    """
    if len(words) > 2:
        raise click.UsageError("Give a format, which may be left out, and one folder.")
    wish = ImportWish(
        source=words[-1],
        format=words[0] if len(words) == 2 else "",
        scope=door.flags["scope"],
        agent=door.flags["agent"] or "",
        dry_run=dry_run,
        again=again,
    )
    bar = Bar()
    try:
        done = door.memory().bring(wish, bar)
    finally:
        bar.end()
    door.show(answers.brought(done), done.as_dict())
    if "refused" in done.counts:
        raise SystemExit(1)


@click.command()
@click.argument("format_", metavar="FORMAT")
@click.argument("dest")
@click.option("--all", "everything", is_flag=True, help="Also what waits, is archived or replaced.")
@verb
def export(door: Door, format_: str, dest: str, everything: bool) -> None:
    """Write the memories of a scope, and the global ones, as plain files into a folder.

    `claude-code` makes MEMORY.md and a file for each memory, `plain` a folder of markdown. The
    folder is empty or an earlier export; a file in it that was changed since is never written over.

    \b
    vaultmem export plain ~/notes-for-ann --scope github.com/acme/api
    """
    wish = ExportWish(format_, dest, door.flags["scope"], everything)
    done = door.memory().export(wish)
    door.show(answers.exported(done), done.as_dict())


COMMANDS = (import_, export)
