"""Verbs for the hosts that agents run on: connect, hook."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from vaultmem.doors import answers_hosts as answers
from vaultmem.doors import hook as hooks
from vaultmem.doors.cli.options import Door, verb
from vaultmem.memory import ConnectWish, connector, found_vault, prove


@click.command()
@click.argument("host")
@click.option("--dry-run", is_flag=True, help="Only show how the files would differ.")
@click.option("--undo", is_flag=True, help="Take our part out; what nobody changed is as before.")
@click.option("--check", is_flag=True, help="Prove that the host reaches the memory.")
@click.option("--project", is_flag=True, help="In the settings of the project in this folder.")
@click.option("--user", is_flag=True, help="In your own settings; so it is without a flag too.")
@click.option("--http", default="", metavar="URL", help="A server elsewhere, and no hooks.")
@click.option(
    "--token-env",
    default="VAULTMEM_TOKEN",
    show_default=True,
    metavar="NAME",
    help="Environment variable that holds the token for --http.",
)
@click.option("--force", is_flag=True, help="Also where the host does not seem to be installed.")
@verb
def connect(
    door: Door,
    host: str,
    dry_run: bool,
    undo: bool,
    check: bool,
    project: bool,
    user: bool,
    http: str,
    token_env: str,
    force: bool,
) -> None:
    """Give the memory to an agent's host: its server, and the hooks that the host has.

    Hosts: claude-code, claude-desktop, codex, cursor, gemini-cli, hermes, openclaw, opencode,
    vscode. All else in their files stays as it is.

    \b
    vaultmem connect claude-code --vault ~/notes
    vaultmem connect claude-code --undo
    """
    if undo + check + dry_run > 1 and not (undo and dry_run):
        raise click.UsageError("Give one of --dry-run, --undo and --check, or --undo --dry-run.")
    if project and user:
        raise click.UsageError("Give --project or --user: not both.")
    agent = door.flags["agent"] or ""
    wish = ConnectWish(host, project, agent, http, token_env, dry_run, force)
    if check:
        found = prove(wish)
        door.show(answers.proofs(found), [asdict(proof) for proof in found])
        if not all(proof.good for proof in found):
            raise SystemExit(1)
        return
    if undo:
        done = connector().disconnect(wish)
    else:
        vault = None if http else found_vault(door.flags["vault"] or "", Path.cwd())
        done = connector().connect(wish, vault)
    door.show(answers.connected(done), answers.connected_value(done))
    if done.untouched:
        raise SystemExit(1)


@click.command()
@click.argument("host")
@click.argument("event")
@verb
def hook(door: Door, host: str, event: str) -> None:
    """Answer a hook of a host: its JSON comes on stdin, and what it expects goes to stdout.

    Events: session-start, prompt, tool, compact, stop, session-end. It never fails and never takes
    more than 1.5 seconds; where it has nothing to say it prints nothing.

    \b
    vaultmem hook claude-code prompt --vault ~/notes --agent claude
    """
    named = [f"--{name}={door.flags[name]}" for name in ("vault", "agent") if door.flags[name]]
    hooks.main([host, event, *named])


COMMANDS = (connect, hook)
