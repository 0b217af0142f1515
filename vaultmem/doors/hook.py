"""The door for hooks of hosts: it answers in time or says nothing, and never fails.

It knows no flags but its own and loads nothing that it does not need, so that a hook starts fast.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vaultmem.memory import Memory

SECONDS = 1.2
"""After which a hook ends, whatever it waits for; with Python's own start it stays within 1.5."""


def main(arguments: Sequence[str], seconds: float = SECONDS) -> None:
    """Answer one call of a hook on stdout and end the process, always with 0."""
    answer = _Answer()
    timer = threading.Timer(seconds, answer.end)
    timer.daemon = True
    timer.start()
    try:
        answered(arguments, sys.stdin.buffer.read(), answer)
    except BaseException as error:  # a hook that fails must not stop its host
        answer.failed(error)
    answer.end()


class _Answer:
    """What is printed when the process ends: whole, once, and the best that there is by then."""

    def __init__(self) -> None:
        self._once = threading.Lock()
        self._text = ""
        self._memory: Memory | None = None

    def __call__(self, text: str, memory: Memory) -> None:
        """Take what is to be printed unless something better comes in time."""
        self._text, self._memory = text, memory

    def failed(self, error: BaseException) -> None:
        sys.stderr.write(f"vaultmem hook: {type(error).__name__}: {str(error)[:300]}\n")

    def end(self) -> None:
        """Print and leave at once: nothing that hangs may hold the host."""
        self._once.acquire()
        try:
            if self._text:
                sys.stdout.buffer.write(self._text.encode("utf-8", "replace") + b"\n")
                sys.stdout.buffer.flush()
                self._confirmed()
        finally:
            os._exit(0)

    def _confirmed(self) -> None:
        if self._memory is not None:
            threading.Timer(SECONDS / 4, os._exit, (0,)).start()
            self._memory.confirm()


def answered(arguments: Sequence[str], given: bytes, answer: _Answer) -> None:
    """Hand what to print for `HOST EVENT --vault DIR --agent NAME` to an answer.

    Where a session's first prompt is known, the brief without it is handed over first.
    """
    from vaultmem.memory import Memory, hook_call

    host, event, *flags = arguments
    named = _named(flags)
    call = hook_call(host, event, given.decode("utf-8", "replace"))
    memory = Memory.open(
        named.get("--vault", ""),
        agent=named.get("--agent", ""),
        session=call.session,
        channel=host,
        cwd=call.folder if call.folder and call.folder.is_dir() else Path.cwd(),
    )
    for about in dict.fromkeys(("", call.prompt if event == "session-start" else "")):
        answer(call.reply(memory.spoken(event, call.source, about, call.longest)), memory)


def _named(flags: Sequence[str]) -> dict[str, str]:
    """Return the flags by name, written as `--name value` or `--name=value`."""
    words: list[str] = []
    for flag in flags:
        words += flag.split("=", 1) if flag.startswith("--") else [flag]
    return dict(zip(words[::2], words[1::2], strict=True))
