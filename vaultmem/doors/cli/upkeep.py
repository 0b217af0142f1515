"""Verbs that keep a vault in order: init, refresh, watch, doctor, scope."""

from __future__ import annotations

import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vaultmem.doors import answers_doctor
from vaultmem.doors.cli.options import Bar, Door, shared, verb
from vaultmem.memory import in_git, init_vault, is_adoption, laid_ground
from vaultmem.words.safe import shown

if TYPE_CHECKING:
    from vaultmem.memory import Refreshed


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--home", metavar="DIR", help="Where our files go in an existing vault: Agents.")
@click.option("--own-notes", metavar="all|none|GLOB", help="Which of your notes agents may find.")
@click.option("--git", is_flag=True, help="Begin a git repository if the folder is in none.")
@verb
def init(door: Door, folder: Path, home: str | None, own_notes: str | None, git: bool) -> None:
    """Make a vault, or add a home for agents to the notes you have; no existing byte changes.

    \b
    vaultmem init ~/notes
    """
    if sys.stdin.isatty() and is_adoption(folder) and not (folder / ".vaultmem").exists():
        home = home or click.prompt("Folder for the agents' notes", "Agents", err=True)
        own_notes = own_notes or click.prompt(
            "Which of your own notes may agents find (all, none, or a glob)", "all", err=True
        )
    made = init_vault(folder, home, own_notes)
    what = f"{len(made.files)} files made" if made.files else "Everything is there already"
    lines = [f"{what} in {made.root / made.home}.", "Open the folder in Obsidian, or go on with:"]
    lines.append(f"  vaultmem memorize TITLE CONTENT --vault {made.root}")
    if git:
        began = in_git(made.root, made.files)
        lines.insert(1, "It is in git now." if began else "It is in git already.")
    door.show(shown("\n".join(lines)), {**asdict(made), "root": str(made.root)})


@click.command()
@click.option("--rebuild", is_flag=True, help="Read everything anew.")
@click.option("--no-embed", is_flag=True, help="Leave vectors for later.")
@verb
def refresh(door: Door, rebuild: bool, no_embed: bool) -> None:
    """Make the indexes and catalogues equal to the notes.

    \b
    vaultmem refresh
    """
    bar = Bar()
    try:
        done = door.memory().refresh(bar, embed=not no_embed, rebuild=rebuild)
    finally:
        bar.end()
    _say(done)
    door.show(shown(str(done)), asdict(done))


@click.command()
@verb
def watch(door: Door) -> None:
    """Keep indexes and catalogues fresh while you edit; ends with Ctrl-C.

    \b
    vaultmem watch
    """
    memory = door.memory()
    watcher = memory.watch(_told)
    watcher.start()
    click.echo(f"Watching {shown(str(memory.settings.root))}. End with Ctrl-C.", err=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        watcher.stop()


def _told(done: Refreshed) -> None:
    if done.paths:
        click.echo(shown(str(done)), err=True)


@click.command()
@click.option("--repair", is_flag=True, help="Mend what takes no text of yours away; say the rest.")
@verb
def doctor(door: Door, repair: bool) -> None:
    """Prove that notes, manifest and indexes agree; name what is odd and what mends it.

    \b
    vaultmem doctor
    vaultmem doctor --repair
    """
    if repair:
        before = laid_ground(door.flags["vault"] or "")
        done = door.memory().repair(before)
        found, mended = done.report, [asdict(item) for item in done.mended]
        text, more = answers_doctor.repaired(done), {"mended": mended}
    else:
        found = door.memory().doctor()
        text, more = answers_doctor.report(found), {}
    door.show(text, {**more, **asdict(found), "well": found.well})
    if not found.well:
        raise SystemExit(1)


@click.group()
@shared
def scope(**_: Any) -> None:
    """See which project a folder is, and bind one that has no git remote.

    \b
    vaultmem scope show
    """


@scope.command("show")
@verb
def scope_show(door: Door) -> None:
    """Show the scope of the working directory.

    \b
    vaultmem scope show
    """
    memory = door.memory()
    found = memory.caller.scope
    text = "none: this folder locks nothing" if found is None else found or "global"
    door.show(shown(text), {"scope": found})


@scope.command("list")
@verb
def scope_list(door: Door) -> None:
    """List the scopes of the vault and the folders bound on this machine.

    \b
    vaultmem scope list
    """
    memory = door.memory()
    scopes, bound = memory.scopes(), memory.bindings()
    lines = [name or "global" for name in scopes]
    lines += [f"{folder} -> {name}" for folder, name in bound.items()]
    door.show(shown("\n".join(lines)), {"scopes": scopes, "bindings": bound})


@scope.command("bind")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--name", default="", help="The scope. Default: local/<parent>/<folder>.")
@verb
def scope_bind(door: Door, folder: Path, name: str) -> None:
    """Bind a folder without a git remote to a scope, on this machine.

    \b
    vaultmem scope bind . --name local/thesis
    """
    got = door.memory().bind(folder, name)
    if name and got != name.strip().casefold():
        click.echo(shown(f"{name} belongs to another folder; this one is {got}."), err=True)
    door.show(shown(got), {"scope": got})


@scope.command("unbind")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@verb
def scope_unbind(door: Door, folder: Path) -> None:
    """Take back the binding of a folder.

    \b
    vaultmem scope unbind .
    """
    door.memory().unbind(folder)
    door.show("Unbound.", {"scope": None})


def _say(done: Refreshed) -> None:
    for path in done.waiting:
        click.echo(shown(f"{path} is being written just now; refresh again"), err=True)
    for path, why in done.unreadable.items():
        click.echo(shown(f"{path}: {why}"), err=True)


COMMANDS = (init, refresh, watch, doctor, scope)
