"""Verbs about candidates: retain makes them, review decides on them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click

from vaultmem.doors import answers_review as answers
from vaultmem.doors.cli import review_git
from vaultmem.doors.cli.options import Door, verb, with_options
from vaultmem.memory import Memory
from vaultmem.words.errors import BadInput

_CHOICE = (
    click.option("--type", "kind", default="", metavar="TYPE", help="All of this type."),
    click.option("--all", "all_", is_flag=True, help="All that wait."),
)


@click.command()
@verb
def retain(door: Door) -> None:
    """Hand in what a session brought, on stdin; it waits in the inbox for a person.

    Worth it: decisions with their why, facts that are not obvious, failures with their fix, and
    preferences that the person confirmed. One JSON object a line, with title, content, type, why,
    quote, importance, tags, scope; or a markdown list. What is no fact, or known, is dropped.

    \b
    vaultmem retain --agent scout < facts.jsonl
    """
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"What came in on stdin cannot be read: {error}.") from None
    done = door.memory(person=False).retain(text)
    door.show(answers.retained(done), done.as_dict())
    if done.refused:
        raise SystemExit(1)


def _person(door: Door) -> tuple[Memory, str]:
    """Return the memory as a person sees it, and the agent whose candidates are meant."""
    agent = str(door.flags["agent"] or "")
    door.flags["agent"] = "person"
    return door.memory(), agent


@click.group(invoke_without_command=True)
@click.option("--type", "kind", default="", metavar="TYPE", help="Only of this type.")
@click.option("--limit", default=50, show_default=True, help="Most that are listed; 0: all.")
@with_options(review_git.OPTIONS)
@verb
def review(
    door: Door,
    kind: str,
    limit: int,
    branch: str | None,
    keep: tuple[str, ...],
    drop: tuple[str, ...],
) -> None:
    """Decide on what agents want to keep: list what waits, then approve, merge or reject it.

    Candidates, changes of notes that you approved, and memories that dispute others are listed.
    Here --agent means: only what this agent handed in. With --git, what git knows of memory
    changes is gone through instead: those not committed, or those of a branch.

    \b
    vaultmem review --agent scout
    vaultmem review --git topic
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    memory, agent = _person(door)
    if branch is not None:
        review_git.gone_through(door, memory, branch, keep, drop)
    elif keep or drop:
        raise BadInput("--keep and --drop choose among changes in git. Say --git too.")
    else:
        found = memory.queue(agent, kind, limit)
        door.show(answers.queue(found), asdict(found))


@review.command("show")
@click.argument("ref")
@verb
def review_show(door: Door, ref: str) -> None:
    """Show one that waits, what it would change, and the memories near it.

    \b
    vaultmem review show k7f3q9xa
    """
    found = _person(door)[0].waiting(ref)
    value = {**asdict(found), "near": [hit.as_dict() for hit in found.near]}
    door.show(answers.candidate(found), value)


@review.command("approve")
@click.argument("refs", nargs=-1)
@with_options(_CHOICE)
@click.option("--edit", is_flag=True, help="Open each in your editor first.")
@verb
def review_approve(door: Door, refs: tuple[str, ...], kind: str, all_: bool, edit: bool) -> None:
    """Let candidates in: by id, or all of an --agent, of a --type, or --all that are not expired.

    \b
    vaultmem review approve k7f3q9xa --edit
    """
    memory, agent = _person(door)
    for ref in refs if edit else ():
        path = memory.waiting(ref).item.path
        click.edit(filename=str(memory.settings.root / path))
        memory.waiting(path)  # what the editor left is what the person has seen
    _decided(door, memory.approve(refs, agent, kind, all_=all_), answers.approved)


@review.command("merge")
@click.argument("ref")
@click.argument("into")
@verb
def review_merge(door: Door, ref: str, into: str) -> None:
    """Add what a candidate says to a memory, as a paragraph; the candidate goes to the trash.

    \b
    vaultmem review merge k7f3q9xa m2x8w4rt
    """
    done = _person(door)[0].merge(ref, into)
    door.show(answers.merged(done), asdict(done))


@review.command("reject")
@click.argument("refs", nargs=-1)
@with_options(_CHOICE)
@click.option("--because", required=True, metavar="WHY", help="The agents can read it in the log.")
@verb
def review_reject(door: Door, refs: tuple[str, ...], kind: str, all_: bool, because: str) -> None:
    """Move candidates to the trash with the reason: by id, or all of an --agent, --type, or --all.

    \b
    vaultmem review reject k7f3q9xa --because "it was a test"
    """
    memory, agent = _person(door)
    done = memory.reject(refs, because, agent, kind, all_=all_)
    _decided(door, done, answers.rejected)


@review.command("undo")
@verb
def review_undo(door: Door) -> None:
    """Take back the last approval, merge or rejection.

    \b
    vaultmem review undo
    """
    done = _person(door)[0].undo_review()
    door.show(answers.undone(done), asdict(done))


def _decided(door: Door, done: Any, told: Callable[[Any], str]) -> None:
    door.show(told(done), asdict(done))
    if done.left:
        raise SystemExit(1)


COMMANDS = (retain, review)
