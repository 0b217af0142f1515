"""Watching the vault: a hint that something changed, never the proof that nothing did.

Watchdog loses events in storms, hides the system's watch limit and dies with the root, so the
watcher also looks by itself every half a minute, and only vouches for the sidecar while it is
proven alive.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from vaultmem.sidecar.refresh import Refreshed
from vaultmem.vault import files
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import CONFIG

QUIET = 0.3
LONGEST_WAIT = 2.0
LOOK_EVERY = 30.0
_TELLING = ("created", "modified", "moved", "deleted")
_log = logging.getLogger("vaultmem.watch")


class Watch(FileSystemEventHandler):
    """Refreshes after changes, once they pause. Start it, and stop it at the end."""

    def __init__(
        self,
        root: Path,
        refresh: Callable[[], Refreshed],
        changed: Callable[[Refreshed], None] | None = None,
        *,
        quiet: float = QUIET,
        look_every: float = LOOK_EVERY,
    ) -> None:
        self._root = root
        self._refresh = refresh
        self._changed = changed
        self._quiet = quiet
        self._look_every = look_every
        self._wake = threading.Condition()
        self._dirty_since = 0.0
        self._last_event = 0.0
        self._proven = False
        self._working = False
        self._ended = False
        self._observer: Any = None
        self._inode = 0
        self._thread = threading.Thread(target=self._work, name="vaultmem-watch", daemon=True)
        self._listener = _Overflow(self.disturb)

    def start(self) -> None:
        """Begin watching; refreshes once at the start."""
        logging.getLogger("watchdog").addHandler(self._listener)
        self._arm()
        self.disturb()
        self._thread.start()

    def stop(self) -> None:
        """End watching."""
        with self._wake:
            self._ended = True
            self._wake.notify_all()
        logging.getLogger("watchdog").removeHandler(self._listener)
        if self._observer is not None:
            self._observer.stop()
        if self._thread.is_alive():
            self._thread.join(5)

    def disturb(self) -> None:
        """Act as if something had changed."""
        with self._wake:
            now = time.monotonic()
            self._dirty_since = self._dirty_since or now
            self._last_event = now
            self._proven = False
            self._wake.notify_all()

    @property
    def vouches(self) -> bool:
        """Whether the sidecar is known to be as new as the vault."""
        with self._wake:
            alive = self._observer is not None and self._observer.is_alive()
            return self._proven and alive and not (self._dirty_since or self._working)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take note of a change of a visible note, and of the sign of life that we made."""
        paths = [str(path) for path in (event.src_path, event.dest_path) if path]
        if any(path.endswith(CONFIG) for path in paths):
            with self._wake:
                self._proven = True
                self._wake.notify_all()
            return
        if event.event_type in _TELLING and self._visible(event, paths):
            with self._wake:
                now = time.monotonic()
                self._dirty_since = self._dirty_since or now
                self._last_event = now
                self._wake.notify_all()

    def _visible(self, event: FileSystemEvent, paths: list[str]) -> bool:
        for path in paths:
            try:
                inside = Path(path).relative_to(self._root)
            except ValueError:
                continue
            hidden = any(part.startswith(".") for part in inside.parts)
            folder = event.is_directory and event.event_type != "modified"
            if not hidden and (folder or inside.suffix.lower() == ".md"):
                return True
        return False

    def _arm(self) -> None:
        """Watch the root that is there now; without one, or without watches, only look."""
        try:
            self._inode = self._root.stat().st_ino
            self._observer = Observer()
            self._observer.schedule(self, str(self._root), recursive=True)
            self._observer.start()
            files.touch_same(self._root, CONFIG)
        except (OSError, VaultmemError) as error:
            _log.warning("the vault cannot be watched (%s); looking every half minute", error)
            self._observer = None

    def _work(self) -> None:
        while True:
            looked = self._waited()
            if self._ended:
                return
            if looked:
                self._rearm()
            try:
                done = self._refresh()
            except VaultmemError as error:
                _log.warning("%s", error)
            except Exception:  # the watcher must outlive whatever one refresh met
                _log.exception("a refresh failed")
            else:
                if self._changed and done.paths:
                    self._changed(done)
            finally:
                self._working = False

    def _waited(self) -> bool:
        """Wait until changes pause; return whether it was merely time for a look."""
        with self._wake:
            looked = not self._wake.wait_for(
                lambda: self._ended or self._dirty_since, self._look_every
            )
            while not self._ended and self._dirty_since:
                now = time.monotonic()
                quiet = self._last_event + self._quiet - now
                longest = self._dirty_since + LONGEST_WAIT - now
                if min(quiet, longest) <= 0:
                    break
                self._wake.wait(min(quiet, longest))
            self._dirty_since = 0.0
            self._working = True
            return looked

    def _rearm(self) -> None:
        """Watch anew if the root is another folder than the one watched; ask for a sign of life."""
        try:
            same = self._root.stat().st_ino == self._inode
            if same and self._observer is not None and self._observer.is_alive():
                self._proven = False
                files.touch_same(self._root, CONFIG)
                return
        except (OSError, VaultmemError):
            return
        if self._observer is not None:
            self._observer.stop()
        self._arm()


class _Overflow(logging.Handler):
    """Hears watchdog say that it lost events."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        """Act on any warning of watchdog's."""
        del record
        self._lost()
