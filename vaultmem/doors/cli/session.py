"""Verbs of a session: brief, log, and the server that agents talk to."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vaultmem.doors import answers_log as answers
from vaultmem.doors.cli.options import Door, verb
from vaultmem.memory import Telling
from vaultmem.words.entry import KINDS
from vaultmem.words.safe import shown

if TYPE_CHECKING:
    from vaultmem.memory import Memory


@click.command()
@click.option("--about", default="", metavar="TEXT", help="Add the best memories for this.")
@click.option("--budget-tokens", default=0, help="Longest brief; 0 is the vault's setting.")
@verb
def brief(door: Door, about: str, budget_tokens: int) -> None:
    """Show what an agent reads at the start: identity, checkpoint, catalogue, unread log.

    \b
    vaultmem brief --agent scout
    """
    memory = door.memory()
    found = memory.brief(about, budget_tokens)
    door.show(answers.brief(found), answers.brief_value(found))
    memory.confirm()


@click.command()
@click.argument("kind", type=click.Choice([*KINDS[:-1], "read", "unread", "verify"]))
@click.argument("summary", default="")
@click.option("--because", default="", metavar="TEXT", help="Why; for a decision.")
@click.option("--to", default="", metavar="AGENT", help="Whom it is for.")
@click.option("--ack", default="", metavar="MARK", help="The entry this one acknowledges.")
@click.option("--detail", default="", metavar="TEXT", help="More; a checkpoint's own text.")
@verb
def log(door: Door, kind: str, summary: str, because: str, to: str, ack: str, detail: str) -> None:
    """Append to the live log, read what others wrote, or verify it.

    `unread` is `read` for a hook: it prints nothing at all where nothing is unread.

    \b
    vaultmem log handoff "Merged PR 12" --agent scout
    vaultmem log read --agent scribe
    """
    memory = door.memory()
    if kind in ("read", "unread"):
        found = memory.read_log()
        if found or kind == "read":
            door.show(answers.heard(found), answers.heard_value(found))
        memory.confirm()
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
@click.option("--due", is_flag=True, help="Print one line if a checkpoint is due, else nothing.")
@click.option("--compacted", is_flag=True, help="Note that the conversation was cut down.")
@verb
def checkpoint(door: Door, due: bool, compacted: bool) -> None:
    """Show an agent's checkpoint, or for a hook whether its session should write one.

    \b
    vaultmem checkpoint --agent scout
    vaultmem checkpoint --due --agent scout --session s1
    """
    memory = door.memory()
    if compacted:
        memory.compacted()
    if due:
        said = memory.checkpoint_due()
        if said:
            door.show(said, {"due": said})
    elif not compacted:
        text = memory.checkpoint()
        door.show(shown(text or "There is no checkpoint yet."), {"checkpoint": text})


@click.command()
@click.option("--channel", default="mcp", show_default=True, help="How this agent is reached.")
@click.option("--folder", default="", metavar="DIR", help="The project, if not the working folder.")
@click.option("--http", default="", metavar="HOST:PORT", help="Serve many agents over HTTP.")
@click.option("--no-auth", is_flag=True, help="Over HTTP, on this machine: let in without a token.")
@verb
def mcp(door: Door, channel: str, folder: str, http: str, no_auth: bool) -> None:
    """Serve the memory to an agent over MCP, on stdin and stdout, or to many over HTTP.

    \b
    vaultmem mcp --agent scout --vault ~/notes
    vaultmem mcp --http 127.0.0.1:8765 --vault ~/notes
    """
    memory = door.memory(person=False, channel=channel, cwd=real_folder(folder), shared=bool(http))
    named = bool(door.flags["agent"] or memory.settings.agent)
    if http:
        _serve_http(memory, http, no_auth=no_auth, named=named)
    else:
        from vaultmem.doors import mcp_stdio

        session = door.flags["session"] or memory.settings.session
        mcp_stdio.serve(memory, named=named, session=session)


def _serve_http(memory: Memory, http: str, *, no_auth: bool, named: bool) -> None:
    from vaultmem.doors import http_gate, mcp_http

    where, tokens = http_gate.address(http), bool(memory.agents())
    http_gate.refuse_open(where, tokens=tokens, no_auth=no_auth)
    listener = http_gate.listening(where)
    mcp_http.serve(memory, where, listener, auth=tokens, named=named)


def real_folder(said: str) -> Path | None:
    """Return the folder that a host names, None if it left its own variable as it was."""
    path = Path(said)
    return path if said and not said.startswith("${") and path.is_dir() else None


COMMANDS = (brief, log, checkpoint, mcp)
