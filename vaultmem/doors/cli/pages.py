"""Compiled pages, and what changed since a moment."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from vaultmem.doors.cli.notes import content_of
from vaultmem.doors.cli.options import Door, shared, verb
from vaultmem.words.safe import shown


@click.group()
@shared
def page(**_: Any) -> None:
    """Change a note of type page: its timeline grows, its sections are rewritten.

    \b
    vaultmem page add-event "Billing service" "Moved to port 9443"
    """


@page.command("add-event")
@click.argument("ref")
@click.argument("text")
@click.option("--source", default="", metavar="LINK", help="What says so: a link or an address.")
@verb
def add_event(door: Door, ref: str, text: str, source: str) -> None:
    """Add a dated line to the timeline of a page.

    \b
    vaultmem page add-event "Billing service" "Moved to port 9443" --source "[[guide]]"
    """
    done = door.memory().add_event(ref, text, source)
    door.show(shown(f"{done.line}\nAdded to {done.path} (hash {done.hash})."), asdict(done))


@page.command("edit-section")
@click.argument("ref")
@click.argument("heading")
@click.argument("content")
@click.option("--hash", "seen", required=True, metavar="HASH", help="The page as you read it.")
@verb
def edit_section(door: Door, ref: str, heading: str, content: str, seen: str) -> None:
    """Write another text under a heading; every other byte of the page stays.

    CONTENT is text, `-` for stdin, or `@FILE`.

    \b
    vaultmem page edit-section "Billing service" Ports "It listens on 9443." --hash 5f1c...
    """
    done = door.memory().edit_section(ref, heading, content_of(content), seen)
    door.show(shown(f"Wrote {heading} in {done.path} (hash {done.hash})."), asdict(done))


@click.command()
@click.option("--since", required=True, metavar="DATE", help="A day, or a moment.")
@verb
def delta(door: Door, since: str) -> None:
    """List the notes that are new or changed since a moment, newest first.

    \b
    vaultmem delta --since 2026-11-29T08:00
    """
    found = door.memory().delta(since)
    lines = [
        f"{one.when} {one.what} {one.title} ({one.scope}, {one.type}) {one.path}"
        for one in found.notes
    ]
    lines += [f"{found.more} more: name a later moment."] if found.more else []
    door.show(shown("\n".join(lines) or f"Nothing since {found.since}."), found.as_dict())


COMMANDS = (page, delta)
