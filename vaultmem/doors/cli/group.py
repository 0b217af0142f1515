"""All verbs of the command line, each from its room, which is entered only when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from vaultmem.doors.cli.options import shared

ROOMS = {
    "upkeep": "init refresh watch doctor scope",
    "notes": "memorize get update forget restore erase",
    "links": "relate unrelate retract graph goals consolidate reopen",
    "life": "strength files archive unarchive cleanup",
    "sleeping": "sleep",
    "review": "retain review",
    "asking": "remember list",
    "session": "brief log checkpoint mcp",
    "hosts": "connect hook",
    "moving": "import export",
    "knowledge": "knowledge",
    "pages": "page delta",
    "history": "diff history show revert",
    "git": "git",
    "agents": "agent",
}
"""The verbs of each room. It is said here too, so that one verb does not wait for all the others:
a hook starts before every prompt."""

_ROOM_OF = {verb: room for room, verbs in ROOMS.items() for verb in verbs.split()}


class Rooms(click.Group):
    """A group whose verbs are imported one room at a time."""

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Return a verb, None if there is none of that name."""
        if cmd_name not in self.commands and cmd_name in _ROOM_OF:
            room = import_module(f"vaultmem.doors.cli.{_ROOM_OF[cmd_name]}")
            for command in room.COMMANDS:
                self.add_command(command)
        return self.commands.get(cmd_name)

    def list_commands(self, ctx: click.Context | None) -> list[str]:
        """Return the names of all verbs."""
        del ctx
        return sorted(_ROOM_OF)

    def whole(self) -> dict[str, click.Command]:
        """Return every verb by its name."""
        for verb in _ROOM_OF:
            self.get_command(None, verb)
        return dict(self.commands)


@click.group(cls=Rooms, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="vaultmem", message="%(version)s")
@shared
def vaultmem(**_: Any) -> None:
    """A memory for agents that a person can open: a folder of markdown."""
