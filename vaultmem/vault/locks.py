"""The right to write: one lock a vault, between threads, processes, users and containers.

Two locks are taken together: the person's own in the state folder, and one on the vault's
`.vaultmem` folder, which also keeps out other users. Neither is a file in the vault, since a
sync tool or `git clean` would replace that under the holder's feet.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from vaultmem.words.errors import Busy, DiskFailed
from vaultmem.words.layout import MARKER

if TYPE_CHECKING:
    from filelock import FileLock

_fcntl: ModuleType | None
try:
    import fcntl as _fcntl
except ImportError:  # Windows: the person's own lock is all there is
    _fcntl = None

WAIT = 10.0
POLL = 0.005
_NAMED = 80
"""Bytes in which a holder is named."""


class Lock:
    """A lock that a thread may take again while it holds it; a forked child does not hold it."""

    def __init__(self, root: Path, state: Path, wait: float = WAIT) -> None:
        self._root = root
        self._state = state
        self._wait = wait
        self._free()

    def _free(self) -> None:
        """Hold nothing, whatever the process held from which this one was forked."""
        self._process = os.getpid()
        self._thread = threading.RLock()
        self._depth = 0
        self._file: FileLock | None = None
        self._handle: int | None = None
        self.checked: Callable[[], None] = lambda: None
        """Raises where the vault that is to be written is not the one that was opened."""

    @contextmanager
    def sidecar(self, why: str, wait: float | None = None) -> Iterator[None]:
        """Hold the right to write what is derived: the person's own lock alone."""
        wait, here = self._wait if wait is None else wait, os.getpid()
        if self._process != here:
            self._free()
        if not self._thread.acquire(timeout=wait):
            raise Busy("another task of this process", wait)
        try:
            if not self._depth:
                self._file = self._acquired(why, wait)
            self._depth += 1
            try:
                yield
            finally:
                if os.getpid() == here:
                    self._depth -= 1
                    if not self._depth and self._file:
                        self._file.release()
        finally:
            if os.getpid() == here:
                self._thread.release()

    @contextmanager
    def vault(self, why: str, wait: float | None = None) -> Iterator[None]:
        """Hold the right to write the vault.

        Raises:
            Busy: it was not free within `wait`, 10 s if not said; the message names the holder.
            NoVault, OtherVault: the vault is not there any more.
            DiskFailed: the state folder or the vault cannot be locked.
        """
        wait = self._wait if wait is None else wait
        with self.sidecar(why, wait):
            self.checked()
            if self._handle is not None or _fcntl is None:
                yield
                return
            handle = self._handle = self._flocked(wait)
            try:
                yield
            finally:
                os.close(handle)
                if self._handle == handle:
                    self._handle = None

    def _acquired(self, why: str, wait: float) -> FileLock:
        busy = partial(self._busy, wait)
        lock = _same_file(self._state / "lock", busy, time.monotonic() + wait)
        with suppress(OSError):
            self._sign(f"process {os.getpid()} ({why})")
        return lock

    def _sign(self, holder: str) -> None:
        """Write who holds the lock over who held it: cutting a file first costs a disk more."""
        path, data = self._state / "holder", holder.ljust(_NAMED).encode("utf-8", "replace")
        try:
            with path.open("r+b", buffering=0) as file:
                file.write(data)
        except FileNotFoundError:
            path.write_bytes(data)

    def _flocked(self, wait: float) -> int:
        """Return a descriptor of the vault's `.vaultmem` folder that holds its lock."""
        assert _fcntl is not None
        deadline = time.monotonic() + wait
        try:
            handle = os.open(self._root / MARKER, os.O_RDONLY)
        except OSError as error:
            raise DiskFailed(self._root / MARKER, error) from error
        while True:
            try:
                _fcntl.flock(handle, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(handle)
                    raise Busy("another user or container", wait) from None
                time.sleep(POLL * random.uniform(0.5, 1.5))
            except OSError:
                return handle  # this file system has no flock; the person's own lock stands

    def _busy(self, wait: float) -> Busy:
        try:
            holder = (self._state / "holder").read_text(encoding="utf-8").strip()
        except OSError:
            holder = "another process"
        return Busy(holder, wait)


def _same_file(path: Path, busy: Callable[[], Busy], deadline: float) -> FileLock:
    """Return a held lock whose file is still the one at its path."""
    from filelock import FileLock, Timeout

    while True:
        inodes: list[int] = []
        lock = FileLock(
            path,
            mode=0o600,
            thread_local=False,
            poll_interval=POLL * random.uniform(0.5, 1.5),
            fallback_to_soft=False,
            on_acquired=lambda handle, found=inodes: found.append(os.fstat(handle).st_ino),  # type: ignore[misc]
        )
        try:
            lock.acquire(timeout=max(0.0, deadline - time.monotonic()))
        except Timeout:
            raise busy() from None
        except OSError as error:
            raise DiskFailed(path, error) from error
        with suppress(OSError):
            if path.stat().st_ino == inodes[0]:
                return lock
        lock.release()
