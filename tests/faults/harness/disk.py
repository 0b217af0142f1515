"""A disk that fails at the Nth call, and a process that dies there.

`Faulty` counts the system calls that our code makes on a vault and fails one of them, or all from
one on. `killed` ends a forked process at one of them.
"""

from __future__ import annotations

import errno as errnos
import faulthandler
import os
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any
from unittest import mock

from vaultmem.vault import exchange, files, locks, place

CALLS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "ftruncate")
MODULES = (files, exchange, place, locks)
"""The modules through which every write to a vault goes."""
ERRNOS = (errnos.EIO, errnos.ENOSPC, errnos.EACCES, errnos.EMFILE, errnos.EINTR)
KILLED = 137


class _Watched:
    """The module `os` as some of our modules see it: chosen calls go through a hook."""

    def __init__(self, hook: Callable[[str, Callable[..., Any], tuple[Any, ...]], Any]) -> None:
        self._hook = hook

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real
        return lambda *args, **named: self._hook(name, lambda *a: real(*a, **named), args)


class Faulty:
    """Counts our system calls on a vault and fails the `nth`, or every one `forever` from it on.

    With `short` a failing write first writes a half, as a disk does that fills up; with `whole`
    the other half goes through then.
    """

    def __init__(
        self,
        nth: int = 0,
        code: int = errnos.EIO,
        *,
        forever: bool = False,
        short: bool = False,
        whole: bool = False,
    ) -> None:
        self.nth, self.code, self.forever = nth, code, forever
        self.short, self.whole = short or whole, whole
        self.calls: list[str] = []
        self.before: Callable[[], None] = lambda: None
        self._owed = False

    def __enter__(self) -> Faulty:
        self._stack = ExitStack()
        for module in MODULES:
            self._stack.enter_context(mock.patch.object(module, "os", _Watched(self._call)))
        swap = partial(self._call, "swap", exchange.swap)
        self._stack.enter_context(mock.patch.object(exchange, "swap", lambda *args: swap(args)))
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def _call(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self.before()
        self.calls.append(name)
        now = len(self.calls)
        hit = now == self.nth or (self.forever and now > self.nth > 0)
        if self._owed and name == "write":
            self._owed = False
            hit = True
        elif hit and self.short and name == "write":
            self._owed = not self.whole
            return real(args[0], args[1][: len(args[1]) // 2])
        return self.failed(name, real, args) if hit else real(*args)

    def failed(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        raise OSError(self.code, os.strerror(self.code))


class _Deadly(Faulty):
    """Ends the process at the `nth` call, with `short` after half of a write."""

    def failed(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if self.short and name == "write":
            real(args[0], args[1][: len(args[1]) // 2])
        os._exit(KILLED)

    def _call(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self.calls.append(name)
        hit = len(self.calls) == self.nth
        return self.failed(name, real, args) if hit else real(*args)


def killed(act: Callable[[], object], nth: int, *, half: bool = False) -> int:
    """Do something in a forked process that ends at its `nth` call, and return how it ended.

    0: it was done and acknowledged. 1: it was refused. `KILLED`: it died.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    faulthandler.dump_traceback_later(60, exit=True)
    try:
        with _Deadly(nth, short=half):
            act()
        code = 0
    finally:
        os._exit(code)
