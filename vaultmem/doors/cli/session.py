"""Verbs of a session: brief, log, and the server that agents talk to."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultmem.doors import answers
from vaultmem.doors.cli.options import Door, verb
from vaultmem.memory import Telling
from vaultmem.words.entry import KINDS
from vaultmem.words.safe import shown


@click.command()
@click.option("--about", default="", metavar="TEXT", help="Add the best memories for this.")
@click.option("--budget-tokens", default=0, help="Longest brief; 0 is the vault's setting.")
@verb
def brief(door: Door, about: str, budget_tokens: int) -> None:
    """Show what an agent reads at the start: identity, checkpoint, catalogue, unread log.

    \b
    vaultmem brief --agent scout
    """
    found = door.memory().brief(about, budget_tokens)
    door.show(answers.brief(found), asdict(found))


@click.command()
@click.argument("kind", type=click.Choice([*KINDS[:-1], "read", "verify"]))
@click.argument("summary", default="")
@click.option("--because", default="", metavar="TEXT", help="Why; for a decision.")
@click.option("--to", default="", metavar="AGENT", help="Whom it is for.")
@click.option("--ack", default="", metavar="MARK", help="The entry this one acknowledges.")
@click.option("--detail", default="", metavar="TEXT", help="More; a checkpoint's own text.")
@verb
def log(door: Door, kind: str, summary: str, because: str, to: str, ack: str, detail: str) -> None:
    """Append to the live log, read what others wrote, or verify it.

    \b
    vaultmem log handoff "Merged PR 12" --agent scout
    vaultmem log read --agent scribe
    """
    memory = door.memory()
    if kind == "read":
        found, more = memory.read_log()
        value = {"entries": [asdict(entry) for entry in found], "more": more}
        door.show(answers.entries(found, more), value)
    elif kind == "verify":
        faults = memory.verify_log()
        lines = [f"{f.file}{f':{f.line}' if f.line else ''}: {f.what}" for f in faults]
        text = "\n".join(lines) or "Every entry is as it was written."
        door.show(shown(text), [asdict(f) for f in faults])
        if not all(fault.harmless for fault in faults):
            raise SystemExit(1)
    else:
        done = memory.tell(Telling(kind, summary, because, to, ack, detail))
        door.show(answers.told(done), {**asdict(done.entry), "path": done.path})


@click.command()
@click.option("--channel", default="mcp", show_default=True, help="How this agent is reached.")
@verb
def mcp(door: Door, channel: str) -> None:
    """Serve the memory to an agent over MCP, on stdin and stdout.

    \b
    vaultmem mcp --agent scout --vault ~/notes
    """
    from vaultmem.doors import mcp_stdio

    memory = door.memory(person=False, channel=channel)
    named = bool(door.flags["agent"] or memory.settings.agent)
    mcp_stdio.serve(memory, named=named, session=door.flags["session"] or memory.settings.session)


COMMANDS = (brief, log, mcp)
