"""Flags that every command knows, before the verb and after it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from vaultmem.doors.answers import as_json
from vaultmem.memory import Memory
from vaultmem.words.safe import shown

Command = TypeVar("Command", bound=Callable[..., Any])

_SHARED = (
    click.option("--vault", metavar="DIR", help="The vault. Default: the nearest from here up."),
    click.option("--scope", metavar="NAME", help="Work in this scope; `global` for none."),
    click.option("--agent", metavar="NAME", help="Who is asking."),
    click.option("--session", metavar="ID", help="Which conversation is asking."),
    click.option("--json", "as_json", is_flag=True, default=None, help="Print JSON."),
)
_NAMES = ("vault", "scope", "agent", "session", "as_json")


def shared(command: Command) -> Command:
    """Add the flags that every command knows."""
    return functools.reduce(lambda inner, option: option(inner), reversed(_SHARED), command)


def verb(command: Callable[..., None]) -> Callable[..., None]:
    """Make a function a verb: it gets a `Door` first, and the shared flags are taken care of."""

    @shared
    @click.pass_context
    @functools.wraps(command)
    def inner(context: click.Context, /, **values: Any) -> None:
        given = {name: values.pop(name, None) for name in _NAMES}
        outer = context.parent
        while outer is not None:
            given = {n: outer.params.get(n) if given[n] is None else given[n] for n in _NAMES}
            outer = outer.parent
        door = Door(given)
        try:
            command(door, **values)
        finally:
            door.close()

    return inner


class Door:
    """What a verb needs: the memory, and a way to print."""

    def __init__(self, flags: dict[str, Any]) -> None:
        self.flags = flags
        self.json = bool(flags["as_json"])
        self._opened: list[Memory] = []

    def memory(
        self,
        *,
        person: bool = True,
        channel: str = "cli",
        cwd: Path | None = None,
        shared: bool = False,
    ) -> Memory:
        """Return the memory of the vault that the flags name."""
        memory = Memory.open(
            self.flags["vault"] or "",
            agent=self.flags["agent"] or "",
            session=self.flags["session"] or "",
            scope=self.flags["scope"],
            channel=channel,
            person=person,
            cwd=cwd,
            shared=shared,
        )
        self._opened.append(memory)
        return memory

    def close(self) -> None:
        """Let go of every memory that was opened."""
        for memory in self._opened:
            if memory.uncommitted:
                click.echo(shown(f"Not committed yet: {memory.uncommitted}"), err=True)
            memory.close()

    def show(self, text: str, value: Any) -> None:
        """Print an answer: JSON if it was asked for, else text. Both are safe for a terminal."""
        click.echo(as_json(value) if self.json else text)


def with_options(options: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return a decorator that adds some options."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


class Bar:
    """A progress bar on stderr that appears once the work turns out to be long."""

    LONG = 50

    def __init__(self) -> None:
        self._progress: Any = None
        self._task: Any = None
        self._what = ""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Show how far some work is."""
        if total < self.LONG:
            return
        if self._progress is None:
            self._begin()
        if what != self._what:
            self._what, self._task = what, self._progress.add_task(what, total=total)
        self._progress.update(self._task, completed=done, total=total)

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._progress.start()

    def end(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()
