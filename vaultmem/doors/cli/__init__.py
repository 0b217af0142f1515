"""The command line: `vaultmem VERB`. Data on stdout, talk on stderr, exit code 0, 1 or 2."""

from __future__ import annotations

import sys
from typing import Any

import click

from vaultmem.doors.cli import (
    asking,
    history,
    life,
    links,
    merging,
    notes,
    review,
    session,
    sleeping,
    upkeep,
)
from vaultmem.doors.cli.options import shared
from vaultmem.words.errors import VaultmemError
from vaultmem.words.safe import shown


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="vaultmem", message="%(version)s")
@shared
def vaultmem(**_: Any) -> None:
    """A memory for agents that a person can open: a folder of markdown."""


for room in (upkeep, notes, links, life, sleeping, review, asking, session, history, merging):
    for command in room.COMMANDS:
        vaultmem.add_command(command)


def main() -> None:
    """Run the command line. A refusal is one sentence on stderr and exit code 1."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        vaultmem(prog_name="vaultmem")
    except VaultmemError as error:
        click.echo(f"vaultmem: {shown(str(error))}", err=True)
        sys.exit(1)
