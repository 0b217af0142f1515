"""Verbs of a memory's life: strength, files."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultmem.doors import answers
from vaultmem.doors.cli.options import Door, verb


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


COMMANDS = (strength, files)
