"""The verb that folds near-copies: sleep."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultmem.doors import answers
from vaultmem.doors.cli.options import Door, verb
from vaultmem.memory import SleepWish
from vaultmem.words.safe import shown


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be folded, and why.")
@click.option("--threshold", type=float, metavar="0.85..1", help="Least cosine. Default: 0.85.")
@click.option("--min-size", type=int, metavar="N", help="Least notes of a cluster. Default: 3.")
@click.option("--max-age", type=float, metavar="DAYS", help="Only notes changed since. 0: all.")
@click.option("--undo", metavar="ID", help="Take back one parent; its sources are as they were.")
@verb
def sleep(
    door: Door,
    dry_run: bool,
    threshold: float | None,
    min_size: int | None,
    max_age: float | None,
    undo: str | None,
) -> None:
    """Fold near-copies into one note that links to them; no source changes by a byte.

    \b
    vaultmem sleep --dry-run
    """
    memory = door.memory()
    if undo is not None:
        sources = memory.undo_sleep(undo)
        lines = [f"Took back {undo}. These stand for themselves again:"]
        door.show(
            shown("\n".join([*lines, *(f"- {path}" for path in sources)])), {"sources": sources}
        )
        return
    given = {"threshold": threshold, "min_size": min_size, "max_age": max_age}
    said = {name: value for name, value in given.items() if value is not None}
    wish = SleepWish(scope=memory.caller.scope, dry_run=dry_run, **said)  # type: ignore[arg-type]
    done = memory.sleep(wish)
    door.show(answers.slept(done, dry_run=dry_run), asdict(done))


COMMANDS = (sleep,)
