"""What is costly to open: opened at the first use, dropped once nobody used it for a while."""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

IDLE = 300.0
"""Seconds without a use after which a model's memory is given back."""

T = TypeVar("T")
Alarm = Callable[[float, Callable[[], None]], None]
"""Calls a function once, so many seconds from now."""


def daemon_alarm(seconds: float, ring: Callable[[], None]) -> None:
    """Call `ring` from a thread that does not keep the process alive."""
    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.name = "vaultmem idle"
    timer.start()


class Held(Generic[T]):
    """Something costly. Several threads may use it at once; it is never dropped under a use."""

    def __init__(
        self,
        opened: Callable[[], T],
        idle: float = IDLE,
        clock: Callable[[], float] = time.monotonic,
        alarm: Alarm = daemon_alarm,
    ) -> None:
        self._opened = opened
        self._idle = idle
        self._clock = clock
        self._alarm = alarm
        self._lock = threading.Lock()
        self._value: T | None = None
        self._users = 0
        self._last = 0.0
        self._armed = False

    @property
    def is_open(self) -> bool:
        """Whether it takes memory now."""
        return self._value is not None

    @contextmanager
    def use(self) -> Iterator[T]:
        """Give it, opened if need be, and keep it at least until the end of the block.

        Raises:
            Exception: whatever opening raised; the next use tries again.
        """
        with self._lock:
            if self._value is None:
                self._value = self._opened()
            value = self._value
            self._users += 1
        try:
            yield value
        finally:
            with self._lock:
                self._users -= 1
                self._last = self._clock()
                if not self._armed:
                    self._arm(self._idle)

    def drop(self) -> None:
        """Let go of it now; who uses it keeps what they have, the next use opens it anew."""
        with self._lock:
            self._value = None

    def _arm(self, seconds: float) -> None:
        self._armed = True
        self._alarm(seconds, _Ring(self))

    def ring(self) -> None:
        """Drop it if nobody has used it for long enough, else come back when that may be so."""
        with self._lock:
            self._armed = False
            rest = self._idle - (self._clock() - self._last)
            if self._users:  # the end of that use sets the next alarm
                return
            if rest > 0:
                self._arm(rest)
            else:
                self._value = None
                give_back()


def give_back() -> None:
    """Return freed memory to the system: the C library would keep a third of a model's."""
    with suppress(AttributeError, OSError, TypeError):  # other C libraries have no such call
        ctypes.CDLL(None).malloc_trim(0)


class _Ring:
    """The alarm's end of the string: it does not keep alive what nobody else needs."""

    def __init__(self, held: Held[T]) -> None:
        self._held = weakref.ref(held)

    def __call__(self) -> None:
        held = self._held()
        if held is not None:
            held.ring()
