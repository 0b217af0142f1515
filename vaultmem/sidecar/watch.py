"""Watching the vault: a hint that something changed, never the proof that nothing did.

Watchdog loses events in storms, hides the system's watch limit and dies with the root, so the
watcher also looks by itself every half a minute, and only vouches for the sidecar while it is
proven alive. Where it is not, every question looks at the whole vault.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from watchdog import events
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from vaultmem.sidecar.limits import refused
from vaultmem.sidecar.refresh import Refreshed
from vaultmem.vault import files
from vaultmem.vault.repository import writing
from vaultmem.words.errors import Busy, VaultmemError
from vaultmem.words.layout import CONFIG

QUIET = 0.3
LONGEST_WAIT = 2.0
LOOK_EVERY = 30.0
PATIENCE = 2.0
"""Seconds after which a sign of life that has not come back will not come."""
UNHEARD = "the system tells of no change in it, as on network drives, in WSL and under FUSE"
_TELLING = ("created", "modified", "moved", "deleted")
_HEARD: list[type[FileSystemEvent]] = [
    *(events.FileCreatedEvent, events.FileModifiedEvent, events.FileMovedEvent),
    *(events.FileDeletedEvent, events.FileAttribEvent),
    *(events.DirCreatedEvent, events.DirMovedEvent, events.DirDeletedEvent),
]
"""What the system is asked to tell; the sign of life is a change of attributes. By itself it would
tell of every file and folder opened too: dozens for each question, whose answer waits meanwhile."""
_log = logging.getLogger("vaultmem.watch")


class Watch(FileSystemEventHandler):
    """Refreshes after changes, once they pause. Start it, and stop it at the end.

    `told` is given what each refresh did, `troubled` why the vault cannot be watched: an empty
    text once it can.
    """

    def __init__(
        self,
        root: Path,
        refresh: Callable[[], Refreshed],
        told: Callable[[Refreshed], None] | None = None,
        troubled: Callable[[str], None] | None = None,
        *,
        quiet: float = QUIET,
        look_every: float = LOOK_EVERY,
        patience: float = PATIENCE,
    ) -> None:
        self._root = root
        self._refresh = refresh
        self._told = told
        self._troubled = troubled
        self._trouble: str | None = None
        self._quiet = quiet
        self._look_every = look_every
        self._patience = patience
        self._wake = threading.Condition(threading.RLock())
        self._dirty_since = 0.0
        self._last_event = 0.0
        self._proven = False
        """Whether a sign of life that we made has come back as an event."""
        self._asked = 0.0
        """When we made one that has not come back, 0 if none is awaited."""
        self._well = True
        """Whether the last refresh did what it should."""
        self._working = False
        self._ended = False
        self._observer: Any = None
        self._place = (0, 0)
        """Device and inode of the folder that is watched."""
        self._refused = ""
        """Why the system does not watch every folder of it."""
        self._grown = False
        """Whether a folder came since it was asked."""
        self._thread = threading.Thread(target=self._work, name="vaultmem-watch", daemon=True)
        self._listener = _Overflow(self.disturb)

    def start(self) -> None:
        """Begin watching; refreshes once at the start."""
        logging.getLogger("watchdog").addHandler(self._listener)
        self.disturb()
        self._thread.start()

    def stop(self) -> None:
        """End watching."""
        with self._wake:
            self._ended = True
            self._wake.notify_all()
        logging.getLogger("watchdog").removeHandler(self._listener)
        if self._thread.is_alive():
            self._thread.join(5)
        self._disarm()

    def disturb(self) -> None:
        """Act as if something had changed."""
        with self._wake:
            self._proven = False
            self._touched()

    def hurry(self) -> bool:
        """Refresh soon, whatever was heard; return whether that will be."""
        with self._wake:
            if self._ended or not self._thread.is_alive():
                return False
            if not (self._dirty_since or self._working):
                self.disturb()
            return True

    @property
    def vouches(self) -> bool:
        """Whether the sidecar is known to be as new as the vault."""
        with self._wake:
            if not self._proven or self._refused:
                return False
            if self._place != self._where() or not self._alive:
                self.disturb()
            return self._well and not (self._dirty_since or self._working)

    @property
    def _alive(self) -> bool:
        return self._observer is not None and self._observer.is_alive()

    def _where(self) -> tuple[int, int]:
        """Return what tells the vault's folder from another at its path."""
        try:
            found = self._root.stat()
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take note of a change of a visible note, and of the sign of life that we made."""
        paths = [str(path) for path in (event.src_path, event.dest_path) if path]
        if any(path.endswith(CONFIG) for path in paths):
            with self._wake:
                self._proven, self._asked = True, 0.0
                self._wake.notify_all()
            self._say(self._refused)
            return
        if event.event_type in _TELLING and self._visible(event, paths):
            self._grown |= event.is_directory and event.event_type in ("created", "moved")
            self._touched()

    def _touched(self) -> None:
        """Note that something changed just now."""
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

    def _work(self) -> None:
        while True:
            looked = self._waited()
            if self._ended:
                return
            if self._grown or self._refused:
                self._counted()
            if looked or not (self._proven and self._well):
                self._ask()
            try:
                self._well = False
                done = self._refresh()
                self._well = True
                if self._told:
                    self._told(done)
                if done.waiting:  # somebody was writing; look again once that pauses
                    self._touched()
            except Busy:
                self._touched()  # whoever holds the lock may not have seen all of it
            except VaultmemError as error:
                _log.warning("%s", error)
            except Exception:  # the watcher must outlive whatever one refresh met
                _log.exception("a refresh failed")
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
                if min(quiet, longest) > 0:
                    self._wake.wait(min(quiet, longest))
                elif writing(self._root, time.time()):
                    self._wake.wait(self._quiet)  # one look at a branch, when all of it is there
                else:
                    break
            self._dirty_since = 0.0
            self._working = True
            return looked

    def _ask(self) -> None:
        """Ask for a sign of life. Watch anew where the last one never came, or the root is new."""
        with self._wake:
            asked, self._proven, self._asked = self._asked, False, time.monotonic()
        if asked and self._asked - asked > self._patience and self._alive and self._well:
            self._say(self._refused or UNHEARD)
        try:
            place = self._where()
            if not (self._alive and not asked and place == self._place):
                self._disarm()
                self._place, self._observer = place, Observer()
                self._observer.schedule(self, str(self._root), recursive=True, event_filter=_HEARD)
                self._observer.start()
                self._refused = refused(self._root)
            files.touch_same(self._root, CONFIG)
        except (OSError, VaultmemError) as error:
            self._say(refused(self._root) or str(error))

    def _counted(self) -> None:
        """Find out whether new folders are watched too; watch anew once all can be."""
        self._grown, before = False, self._refused
        self._refused = refused(self._root)
        if before and not self._refused:
            self._disarm()
        self._say(self._refused)

    def _say(self, trouble: str) -> None:
        """Tell once why the vault cannot be watched, and once that it can be again."""
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble:
            _log.warning(
                "The vault cannot be watched: %s. Each question looks at all of it.", trouble
            )
        if self._troubled:
            self._troubled(trouble)

    def _disarm(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None and observer.is_alive():
            observer.stop()
            observer.join(5)


class _Overflow(logging.Handler):
    """Hears watchdog say that it lost events."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        """Act on any warning of watchdog's."""
        del record
        self._lost()
