"""The verb `agent`: tokens of agents that come over HTTP."""

from __future__ import annotations

from typing import Any

import click

from vaultmem.doors.answers_agents import bound_line, bound_value
from vaultmem.doors.cli.options import Door, shared, verb
from vaultmem.words.safe import shown

_ONCE = "This token is shown once. Put it where the agent's client reads it:"


@click.group()
@shared
def agent(**_: Any) -> None:
    """Give agents that come over HTTP their tokens, and take them away.

    \b
    vaultmem agent list
    """


@agent.command("add")
@click.argument("name")
@click.option("--read", "reads", multiple=True, metavar="SCOPE", help="May read it; * for all.")
@click.option("--write", "writes", multiple=True, metavar="SCOPE", help="May write it too.")
@click.option("--own-notes", is_flag=True, help="May see your other notes, as the vault allows.")
@click.option("--expires", "days", default=0, metavar="DAYS", help="Ends after so many days.")
@verb
def agent_add(door: Door, name: str, days: int, **bound: Any) -> None:
    """Give an agent a token. The global scope is read by all.

    \b
    vaultmem agent add scout --write github.com/acme/api --expires 90
    """
    token, made = door.memory().add_agent(name, days=days, **bound)
    click.echo(shown(f"{bound_line(made)}\n{_ONCE}"), err=True)
    door.show(token, {**bound_value(made), "token": token})


@agent.command("list")
@verb
def agent_list(door: Door) -> None:
    """List the agents that have a token, and what each is bound to.

    \b
    vaultmem agent list
    """
    found = door.memory().agents()
    text = "\n".join(bound_line(one) for one in found) or "No agent has a token."
    door.show(shown(text), [bound_value(one) for one in found])


@agent.command("rotate")
@click.argument("name")
@verb
def agent_rotate(door: Door, name: str) -> None:
    """Give an agent a new token, bound as before; the old one ends.

    \b
    vaultmem agent rotate scout
    """
    token = door.memory().rotate_agent(name)
    click.echo(_ONCE, err=True)
    door.show(token, {"agent": name, "token": token})


@agent.command("revoke")
@click.argument("name")
@verb
def agent_revoke(door: Door, name: str) -> None:
    """Take an agent's token away, at once.

    \b
    vaultmem agent revoke scout
    """
    door.memory().revoke_agent(name)
    door.show(shown(f"Revoked the token of {name}."), {"agent": name, "token": None})


COMMANDS = (agent,)
