"""Verbs that ask the memory: remember, list."""

from __future__ import annotations

from typing import Any

import click

from vaultmem.doors import answers
from vaultmem.doors.cli.options import Door, verb, with_options
from vaultmem.memory import Question
from vaultmem.words.question import CONFIDENCES, DETAILS, INCLUDES, STATUSES
from vaultmem.words.safe import shown

_FILTERS = (
    click.option("--types", multiple=True, metavar="TYPE", help="Only these types."),
    click.option("--tags", multiple=True, metavar="TAG", help="Only with one of these tags."),
    click.option("--files", multiple=True, metavar="FILE", help="Only about one of these files."),
    click.option("--after", default="", metavar="DATE", help="Became true on or after this day."),
    click.option("--before", default="", metavar="DATE", help="Became true on or before this day."),
    click.option("--as-of", default="", metavar="DATE", help="Only what was true on this day."),
    click.option(
        "--agents", multiple=True, metavar="NAME", help="Only what one of these agents wrote."
    ),
)


@click.command()
@click.argument("query")
@click.option("--also", multiple=True, metavar="TEXT", help="The same in other words; up to 4.")
@click.option("--limit", default=5, show_default=True, help="Most hits, 1 to 20.")
@with_options(_FILTERS)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS",
    help=f"Only these: {', '.join(STATUSES)}. Archived notes answer only so.",
)
@click.option(
    "--min-confidence",
    default="weak",
    type=click.Choice(CONFIDENCES),
    show_default=True,
    help="Leave out what is less sure.",
)
@click.option(
    "--detail",
    default="passage",
    type=click.Choice(DETAILS),
    show_default=True,
    help="How much of a note to show.",
)
@click.option(
    "--include",
    default="memory",
    type=click.Choice(INCLUDES),
    show_default=True,
    help="Answer from outside documents too, or from them alone.",
)
@click.option("--explain", is_flag=True, help="Say what made each score.")
@click.option("--budget-tokens", default=0, help="Longest answer; 0 is the vault's setting.")
@verb
def remember(door: Door, **asked: Any) -> None:
    """Ask the memory; answers come with their source and how sure they are.

    \b
    vaultmem remember "how do we limit requests?"
    """
    found = door.memory().remember(Question(**asked))
    door.show(answers.answer(found), found.as_dict())


@click.command("list")
@with_options(_FILTERS)
@click.option("--status", default="", metavar="STATUS", help="working, pending or archived.")
@verb
def list_(door: Door, status: str, **filters: Any) -> None:
    """List memories, newest first.

    \b
    vaultmem list --types decision --after 2026-11-01
    """
    rows = door.memory().listing(Question("", **filters), status=status)
    lines = [f"{name}  {facts.title}  ({scope}, {facts.type})" for name, scope, facts in rows]
    value = [
        {
            "id": n,
            "scope": s,
            "title": f.title,
            "type": f.type,
            "path": f.path,
            "created": f.created,
        }
        for n, s, f in rows
    ]
    door.show(shown("\n".join(lines) or "No memories yet."), value)


COMMANDS = (remember, list_)
