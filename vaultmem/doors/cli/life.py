"""Verbs of a memory's life: strength."""

from __future__ import annotations

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


COMMANDS = (strength,)
