"""Going through memory changes in git: one by one at a terminal, by options in a script."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from vaultmem.doors import answers_git
from vaultmem.doors.cli.options import Door
from vaultmem.memory import Memory
from vaultmem.words.errors import BadInput, NotFound, VaultmemError
from vaultmem.words.safe import shown

if TYPE_CHECKING:
    from vaultmem.memory import Step

OPTIONS = (
    click.option(
        "--git",
        "branch",
        is_flag=False,
        flag_value="",
        default=None,
        metavar="[BRANCH]",
        help="Go through memory changes in git: those not committed, or those of a branch.",
    ),
    click.option("--keep", multiple=True, metavar="ID", help="With --git: this one is good."),
    click.option("--drop", multiple=True, metavar="ID", help="With --git: take this one back."),
)


def gone_through(
    door: Door, memory: Memory, branch: str, keep: Sequence[str], drop: Sequence[str]
) -> None:
    """Decide as the options say; without any ask for each change, or list them in a script."""
    if not keep and not drop:
        found = memory.steps(branch)
        if at_terminal() and not door.json:
            return _walked(memory, branch, found)
        return door.show(answers_git.steps(found), answers_git.steps_value(found))
    if set(keep) & set(drop):
        raise BadInput("One change cannot be both kept and dropped. Name it once.")
    kept = memory.keep_steps(branch, keep) if keep else []
    dropped = memory.drop_steps(branch, drop) if drop else []
    lines = [f"{one.path}: {one.done} ({one.title})" for one in dropped]
    lines += [f"{one.change.path}: kept ({one.change.title})" for one in kept]
    value = {"dropped": [asdict(one) for one in dropped], "kept": [one.ref for one in kept]}
    return door.show(shown("\n".join(lines)), value)


def at_terminal() -> bool:
    """Return whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _walked(memory: Memory, branch: str, found: Sequence[Step]) -> None:
    left = [step for step in found if not step.kept]
    if not left:
        return click.echo(answers_git.steps(found))
    for number, step in enumerate(left, 1):
        click.echo(f"({number} of {len(left)})")
        if not _asked(memory, branch, step):
            return None
    return click.echo("That was the last one.")


def _asked(memory: Memory, branch: str, step: Step) -> bool:
    """Ask about one change until it is decided on; return whether to go on to the next."""
    words = "Keep, edit, drop or stop" if step.here else "Keep or stop"
    now: Step | None = step
    while now is not None:
        click.echo(answers_git.changes([now.change]))
        answer = click.prompt(words, type=click.Choice(list("keds" if step.here else "ks")))
        if answer == "s":
            return False
        try:
            now = _ANSWERS[answer](memory, branch, now)
        except VaultmemError as error:
            click.echo(shown(str(error)), err=True)
    return True


def _kept(memory: Memory, branch: str, step: Step) -> None:
    memory.keep_steps(branch, [step.ref])


def _dropped(memory: Memory, branch: str, step: Step) -> None:
    for done in memory.drop_steps(branch, [step.ref], step.fingerprint):
        click.echo(shown(f"{done.path}: {done.done}"))


def _edited(memory: Memory, branch: str, step: Step) -> Step | None:
    """Open the note in the person's editor; return what the change is then, None if none is."""
    path = step.change.path
    file = memory.settings.root / path
    if not file.is_file():
        raise NotFound(f"file {path}", "Keep or drop what became of it.")
    click.edit(filename=str(file))
    return next((one for one in memory.steps(branch) if one.change.path == path), None)


_ANSWERS: dict[str, Callable[[Memory, str, Step], Step | None]] = {
    "k": _kept,
    "e": _edited,
    "d": _dropped,
}
"""What each answer does; it returns the change that is still to be decided on."""
