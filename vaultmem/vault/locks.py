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


class Lock:
    """A lock that a thread may take again while it holds it."""

    def __init__(self, root: Path, state: Path, wait: float = WAIT) -> None:
        self._root = root
        self._state = state
        self._wait = wait
        self._thread = threading.RLock()
        self._depth = 0
        self._file: FileLock | None = None
        self._handle: int | None = None
        self.checked: Callable[[], None] = lambda: None
        """Raises where the vault that is to be written is not the one that was opened."""

    @contextmanager
    def sidecar(self, why: str) -> Iterator[None]:
        """Hold the right to write what is derived: the person's own lock alone."""
        if not self._thread.acquire(timeout=self._wait):
            raise Busy("another task of this process", self._wait)
        try:
            if not self._depth:
                self._file = self._acquired(why)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth and self._file:
                    self._file.release()
        finally:
            self._thread.release()

    @contextmanager
    def vault(self, why: str) -> Iterator[None]:
        """Hold the right to write the vault.

        Raises:
            Busy: it was not free within 10 s; the message names the holder.
            NoVault, OtherVault: the vault is not there any more.
            DiskFailed: the state folder or the vault cannot be locked.
        """
        with self.sidecar(why):
            self.checked()
            if self._handle is not None or _fcntl is None:
                yield
                return
            self._handle = self._flocked()
            try:
                yield
            finally:
                os.close(self._handle)
                self._handle = None

    def _acquired(self, why: str) -> FileLock:
        lock = _same_file(self._state / "lock", self._busy, time.monotonic() + self._wait)
        with suppress(OSError):
            holder = f"process {os.getpid()} ({why})"
            (self._state / "holder").write_text(holder, encoding="utf-8")
        return lock

    def _flocked(self) -> int:
        """Return a descriptor of the vault's `.vaultmem` folder that holds its lock."""
        assert _fcntl is not None
        deadline = time.monotonic() + self._wait
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
                    raise Busy("another user or container", self._wait) from None
                time.sleep(POLL * random.uniform(0.5, 1.5))
            except OSError:
                return handle  # this file system has no flock; the person's own lock stands

    def _busy(self) -> Busy:
        try:
            holder = (self._state / "holder").read_text(encoding="utf-8")
        except OSError:
            holder = "another process"
        return Busy(holder, self._wait)


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
