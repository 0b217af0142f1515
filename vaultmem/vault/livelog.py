"""The live log: what agents tell each other, appended and never edited, one file a month."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from vaultmem.vault import files
from vaultmem.vault.ledger import Ledger
from vaultmem.vault.readers import Reader, Readers
from vaultmem.vault.repository import committed, inside, merging
from vaultmem.vault.store import Vault
from vaultmem.words.entry import Entry, parse, signed
from vaultmem.words.errors import Busy, ChangedOnDisk, DiskFailed, NotFound, OutsideVault
from vaultmem.words.faults import Fault, fault, removed, signed_in
from vaultmem.words.frontmatter import composed
from vaultmem.words.markers import filled
from vaultmem.words.note import digest
from vaultmem.words.times import Clock, local, offset, parsed
from vaultmem.words.unions import There, merged

State = tuple[int, int, int]
Concluded = TypeVar("Concluded")
_UNDONE = 0.5
"""Seconds that a reader waits for the end of a line that is being appended."""
_SET_BACK = timedelta(minutes=1)
"""By how much a clock is set back without a person doing it."""


@dataclass(frozen=True)
class _Parsed:
    """The entries of one file, and the state and bytes of it that they are of."""

    state: State
    data: bytes
    entries: list[Entry]


_NOTHING = _Parsed((0, 0, 0), b"", [])


class LiveLog:
    """The log of one vault. Appending is one write; nothing acknowledged is lost."""

    def __init__(self, vault: Vault, ledger: Ledger, readers: Readers, clock: Clock) -> None:
        self._vault = vault
        self._ledger = ledger
        self._readers = readers
        self._clock = clock
        self._cache: dict[str, _Parsed] = {}
        self._tidied: dict[str, State] = {}
        self._offered: dict[Reader, list[str]] = {}
        """What answers carried to a session of this process that has not called again since."""
        self._concluded: tuple[tuple[object, ...], dict[Hashable, Any]] = ((), {})

    def append(self, entry: Entry, session: str = "") -> Entry:
        """Append an entry, its time set to now, and return it signed; its session has heard it.

        Raises:
            Busy: another process holds the vault. DiskFailed, NoVault.
        """
        self._vault.check()
        with self._vault.lock.vault("log"):
            stamped = self._stamped(entry)
            path = self._file(stamped.time[:7])
            files.append_line(self._vault.root, path, stamped.line())
            self._readers.wrote((stamped.agent, session), stamped.mark, path)
        return stamped

    def _stamped(self, entry: Entry) -> Entry:
        """Return the entry with a time and a fingerprint that no entry has yet."""
        machine = self._ledger.machine
        moment = self._moment()
        while True:
            timed = replace(entry, time=offset(moment, self._vault.zone))
            done = signed(timed, machine)
            if not self._ledger.knows(done.mark) and not self._ends_with(done):
                return done
            moment += timedelta(seconds=1)

    def _moment(self) -> datetime:
        """Return now; where the clock was set back a little, the time of the last entry.

        So the order of times is that of the file, and a refresh leaves it as it is.
        """
        now: datetime = self._clock()
        last = next(signed_in(self._tail(offset(now, self._vault.zone))), None)
        then = parsed(last.time) if last else None
        return then if then and timedelta() < then - now <= _SET_BACK else now

    def _ends_with(self, entry: Entry) -> bool:
        """Return whether an entry is there that a failing disk kept from being acknowledged."""
        return entry.mark.encode() in self._tail(entry.time)

    def _tail(self, time: str) -> bytes:
        """Return the end of the file that entries of a time go to."""
        return files.tail(self._vault.root, self._vault.layout.log(time[:7]), 4096)

    def _file(self, month: str) -> str:
        """Return the path of a month's file, made if it is missing."""
        path = self._vault.layout.log(month)
        if not self._vault.exists(path):
            created = local(self._clock(), self._vault.zone)
            title = f"Live context {month}"
            self._vault.create(path, composed({"title": title, "created": created}, ""))
            self._embed(path)
        return path

    def _embed(self, path: str) -> list[str]:
        """Let the log's page show a month, if it still has our markers; return what changed."""
        page = self._vault.layout.log_page
        try:
            data = self._vault.data(page)
        except (NotFound, OutsideVault):
            return []
        name = path.removesuffix(".md")
        text = filled(data.decode("utf-8", "surrogateescape"), "current", [f"![[{name}]]"])
        changed = None if text is None else text.encode("utf-8", "surrogateescape")
        if changed is None or changed == data:
            return []
        with self._vault.lock.vault("log"), suppress(ChangedOnDisk):
            self._vault.replace(page, changed, seen=digest(data))
        return [page]

    def months(self) -> list[str]:
        """Return the paths of the log's files, oldest first."""
        folder = self._vault.layout.log("0000-00").rsplit("/", 1)[0]
        place = self._vault.root / folder
        found = place.glob("[0-9][0-9][0-9][0-9]-[0-9][0-9].md")
        names = [item.name for item in found if not item.is_symlink()]
        return [f"{folder}/{name}" for name in sorted(names)]

    def lines(self, path: str) -> list[str]:
        """Return the lines of one file of the log."""
        return self._data(path).decode("utf-8", "surrogateescape").split("\n")

    def _data(self, path: str) -> bytes:
        """Return the bytes of one file of the log, never those of a line that is half appended.

        A reader meets such a line where it crosses a page of memory. Whether nobody writes a
        line without an end any more is known under the lock.
        """
        data = self._vault.data(path)
        if not data or data.endswith(b"\n"):
            return data
        with suppress(Busy, DiskFailed), self._vault.lock.vault("log", _UNDONE):
            return self._vault.data(path)
        return self._vault.data(path)

    def entries(self, months: int | None = None) -> list[Entry]:
        """Return the entries of the newest `months` files, or of all, in the file's order."""
        paths = self.months()
        chosen = paths if months is None else paths[-months:]
        return [entry for path in chosen for entry in self._parsed(path)]

    def lately(self) -> list[Entry]:
        """Return the entries of the last two months, and of any later than now: clocks go wrong."""
        return [entry for path in self._lately() for entry in self._parsed(path)]

    def _lately(self) -> list[str]:
        current = self._vault.layout.log(offset(self._clock(), self._vault.zone)[:7])
        months = self.months()
        past = [path for path in months if path <= current]
        return past[-2:] + months[len(past) :]

    def concluded(self, key: Hashable, conclude: Callable[[list[Entry]], Concluded]) -> Concluded:
        """Return what a function concludes from the entries of late.

        It is asked again for the same `key` only once one of their files has changed.
        """
        state = tuple((path, self._state(path)) for path in self._lately())
        if self._concluded[0] != state:
            self._concluded = (state, {})
        known = self._concluded[1]
        if key not in known:
            known[key] = conclude(self.lately())
        found: Concluded = known[key]
        return found

    def _parsed(self, path: str) -> list[Entry]:
        """Return the entries of one file; of a file that only grew, the new lines are parsed."""
        state = self._state(path)
        if state is None:
            return []
        known = self._cache.get(path)
        if known is None or known.state != state:
            data = self._data(path)
            grew = known is not None and known.data.endswith(b"\n")
            before = known if known and grew and data.startswith(known.data) else _NOTHING
            lines = data[len(before.data) :].decode("utf-8", "surrogateescape").split("\n")
            new = [entry for line in lines if (entry := parse(line))]
            known = self._cache[path] = _Parsed(state, data, before.entries + new)
        return known.entries

    def _state(self, path: str) -> State | None:
        try:
            stat = (self._vault.root / path).stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def unread(self, reader: Reader, keyed: Iterable[tuple[str, Entry]]) -> list[Entry]:
        """Return those of some entries, each with its `key_of`, that a session was not given."""
        heard = self._readers.heard(reader)
        offered = self._offered.get(reader, ())
        return [entry for key, entry in keyed if key not in heard and key not in offered]

    def offer(self, reader: Reader, entries: Iterable[Entry]) -> None:
        """Count entries as given by this process until `confirm`; they are if it dies before."""
        self._offered.setdefault(reader, []).extend(key_of(entry) for entry in entries)

    def confirm(self, reader: Reader) -> None:
        """Remember for good that what was offered to a session has arrived."""
        offered = self._offered.pop(reader, [])
        try:
            if offered:
                self._readers.hear(reader, offered)
        except DiskFailed:
            self._offered.setdefault(reader, []).extend(offered)
            raise

    def tidy(self, decisions: Iterable[str] = ()) -> list[str]:
        """Put files that a union merge left out of order into order; return their paths.

        In a vault in git that goes for the decision logs too. The log's page is made to show the
        current month. While git is merging nothing changes.
        """
        if merging(self._vault.root):
            return []
        months = self.months()
        logs = [*months, *(decisions if inside(self._vault.root) else ())]
        changed = [path for path in logs if self._is_untidy(path) and self._rewritten(path)]
        current = self._vault.layout.log(offset(self._clock(), self._vault.zone)[:7])
        shown = current if current in months else (months or [""])[-1]
        return changed + (self._embed(shown) if shown else [])

    def _is_untidy(self, path: str) -> bool:
        """Return whether a file is out of order; one that did not change is not read again."""
        state = self._state(path)
        if state is None or self._tidied.get(path) == state:
            return False
        if _tidy(self._vault.data(path), self._vault.leads_to):
            return True
        self._tidied[path] = state
        return False

    def _rewritten(self, path: str) -> bool:
        with self._vault.lock.vault("log"):
            data = self._vault.data(path)
            text = _tidy(data, self._vault.leads_to)
            if text is not None:
                self._vault.replace(path, text, seen=digest(data))
        return text is not None

    def verify(self) -> list[Fault]:
        """Return every entry that was edited, removed, typed by hand, doubled or torn."""
        faults: list[Fault] = []
        present: set[str] = set()
        for path in self.months():
            faults += self._checked(path, present)
        known, writers = dict(self._ledger.recorded()), self._readers.writers()
        for path in self.months():
            for entry in signed_in(committed(self._vault.root, path) or b""):
                known[entry.mark], writers[entry.mark] = path, entry.agent
        gone = sorted((path, mark) for mark, path in known.items() if mark not in present)
        return faults + [Fault(path, 0, removed(mark, writers.get(mark))) for path, mark in gone]

    def _checked(self, path: str, present: set[str]) -> list[Fault]:
        faults = []
        for number, line in enumerate(self.lines(path), 1):
            entry = parse(line)
            what = fault(line, entry, present)
            if what:
                typed = entry is not None and not entry.signed
                faults.append(Fault(path, number, what, harmless=typed))
            if entry and entry.mark:
                present.add(entry.mark)
        return faults


def _tidy(data: bytes, there: There) -> bytes | None:
    """Return a log's bytes in order, None if they are."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    ended = lines[:-1] if not lines[-1] else lines
    ordered = merged(ended, there)
    return (
        None if ordered == ended else "\n".join([*ordered, ""]).encode("utf-8", "surrogateescape")
    )


def key_of(entry: Entry) -> str:
    """Return what a session's reading is remembered by: the fingerprint, or the line itself."""
    return entry.mark or entry.line()
