"""Verbs for what stands between notes: relations, retraction, the graph, goals."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultmem.doors import answers
from vaultmem.doors.cli.options import Door, verb
from vaultmem.words.life import RELATIONS
from vaultmem.words.safe import shown

_KIND = click.argument("kind", metavar="KIND")
_KINDS = f"A kind is one of: {', '.join(RELATIONS)}."


@click.command(epilog=_KINDS)
@click.argument("ref")
@_KIND
@click.argument("other")
@click.option("--because", "why", default="", metavar="WHY", help="Becomes a line of the note.")
@verb
def relate(door: Door, ref: str, kind: str, other: str, why: str) -> None:
    """Add a relation to a memory: REF KIND OTHER.

    \b
    vaultmem relate k7f3q9xa supersedes m2p8w4rt --because "the limit changed"
    """
    done = door.memory().relate(ref, kind, other, why)
    door.show(answers.receipt(done, "Related"), done.as_dict())


@click.command(epilog=_KINDS)
@click.argument("ref")
@_KIND
@click.argument("other")
@verb
def unrelate(door: Door, ref: str, kind: str, other: str) -> None:
    """Take a relation out of a memory; OTHER may be a note that is gone.

    \b
    vaultmem unrelate k7f3q9xa supersedes m2p8w4rt
    """
    done = door.memory().unrelate(ref, kind, other)
    door.show(answers.receipt(done, "Unrelated"), done.as_dict())


@click.command()
@click.argument("ref")
@click.option("--because", "why", default="", metavar="WHY", help="Why it is wrong.")
@click.option("--undo", is_flag=True, help="It holds again.")
@verb
def retract(door: Door, ref: str, why: str, undo: bool) -> None:
    """Say that a memory is wrong; what was built on it is marked as stale.

    \b
    vaultmem retract k7f3q9xa --because "it was measured on the old machines"
    """
    if undo == bool(why.strip()):
        raise click.UsageError("Give --because WHY, or --undo.")
    done = door.memory().retract(ref, why)
    door.show(answers.receipt(done, "Holds again:" if undo else "Retracted"), done.as_dict())


@click.command()
@click.argument("ref")
@click.option("--depth", default=1, metavar="N", help="How many links away; 1 to 6.")
@verb
def graph(door: Door, ref: str, depth: int) -> None:
    """Show the notes around one, relations both ways.

    \b
    vaultmem graph k7f3q9xa --depth 2
    """
    found = door.memory().graph(ref, depth)
    nodes = [{"id": name, "title": title} for name, title in found.titles.items()]
    edges = [{"from": e.source, "as": e.kind, "to": e.target} for e in found.edges]
    value = {"start": found.start, "notes": nodes, "links": edges, "more": found.more}
    door.show(answers.graph(found), value)


@click.command()
@verb
def goals(door: Door) -> None:
    """List the goals with what each has gathered.

    \b
    vaultmem goals
    """
    found = door.memory().goals()
    door.show(answers.goals(found), [asdict(goal) for goal in found])


@click.command()
@click.argument("goal")
@verb
def consolidate(door: Door, goal: str) -> None:
    """Close a goal with a note made of all that achieved it.

    \b
    vaultmem consolidate k7f3q9xa
    """
    done = door.memory().consolidate(goal)
    door.show(answers.receipt(done, "Closed by"), done.as_dict())


@click.command()
@click.argument("goal")
@verb
def reopen(door: Door, goal: str) -> None:
    """Open a goal again; the note that closed it stays as a memory.

    \b
    vaultmem reopen k7f3q9xa
    """
    closing = door.memory().reopen(goal)
    lines = [f"Open again; {path} closes it no more." for path in closing]
    door.show(shown("\n".join(lines)), {"closed_by": closing})


COMMANDS = (relate, unrelate, retract, graph, goals, consolidate, reopen)
