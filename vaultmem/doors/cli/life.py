"""Verbs of a memory's life: strength, files, archive, unarchive, cleanup."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultmem.doors import answers
from vaultmem.doors.cli.options import Door, verb
from vaultmem.words.safe import shown


@click.command()
@click.argument("ref")
@verb
def strength(door: Door, ref: str) -> None:
    """Show how alive a memory is, and what that is made of.

    \b
    vaultmem strength k7f3q9xa
    """
    found = door.memory().strength(ref)
    door.show(answers.strength(found), found.as_dict())


@click.command()
@click.option("--apply", is_flag=True, help="Write the new paths into the memories.")
@verb
def files(door: Door, apply: bool) -> None:
    """List files that this project's memories name and that moved or are gone.

    \b
    vaultmem files --apply
    """
    found = door.memory().files(apply=apply)
    door.show(answers.astray(found), [asdict(item) for item in found])


@click.command()
@click.argument("refs", nargs=-1)
@verb
def archive(door: Door, refs: tuple[str, ...]) -> None:
    """Put memories away: out of catalogue and search, in their place on disk.

    \b
    vaultmem archive k7f3q9xa
    """
    done = door.memory().archive(refs)
    door.show(answers.archived(done), [asdict(item) for item in done])


@click.command()
@click.argument("refs", nargs=-1)
@verb
def unarchive(door: Door, refs: tuple[str, ...]) -> None:
    """Bring memories back that were put away.

    \b
    vaultmem unarchive k7f3q9xa
    """
    done = door.memory().unarchive(refs)
    lines = [f"Back: {item.id} {item.title}" for item in done]
    door.show(shown("\n".join(lines)), [asdict(item) for item in done])


@click.command()
@click.option("--days", default=180, show_default=True, help="Unchanged for longer is old.")
@click.option("--dry-run", is_flag=True, help="List them alone; so it is without --yes too.")
@click.option("--yes", is_flag=True, help="Archive all that are listed.")
@verb
def cleanup(door: Door, days: int, dry_run: bool, yes: bool) -> None:
    """List memories that you may want to archive, each with its reasons.

    \b
    vaultmem cleanup --days 365
    """
    if dry_run and yes:
        raise click.UsageError("Give --dry-run or --yes: not both.")
    found = door.memory().cleanup(days, apply=yes)
    text = answers.archived(found) if yes and found else answers.faded(found)
    door.show(text, [asdict(item) for item in found])


COMMANDS = (strength, files, archive, unarchive, cleanup)
