"""All verbs of the command line, from their rooms."""

from __future__ import annotations

from typing import Any

import click

from vaultmem.doors.cli import (
    agents,
    asking,
    history,
    hosts,
    life,
    links,
    merging,
    moving,
    notes,
    review,
    session,
    sleeping,
    upkeep,
)
from vaultmem.doors.cli.options import shared


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="vaultmem", message="%(version)s")
@shared
def vaultmem(**_: Any) -> None:
    """A memory for agents that a person can open: a folder of markdown."""


ROOMS = (
    *(upkeep, notes, links, life, sleeping, review, asking, session),
    *(hosts, moving, history, merging, agents),
)

for room in ROOMS:
    for command in room.COMMANDS:
        vaultmem.add_command(command)
