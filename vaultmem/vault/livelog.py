"""The live log: what agents tell each other, appended and never edited, one file a month."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from vaultmem.vault import files
from vaultmem.vault.ledger import Ledger
from vaultmem.vault.repository import committed
from vaultmem.vault.store import Vault
from vaultmem.words.entry import Entry, merged, parse, signed
from vaultmem.words.errors import NotFound
from vaultmem.words.frontmatter import composed
from vaultmem.words.markers import filled
from vaultmem.words.times import Clock, local, offset


@dataclass(frozen=True)
class Fault:
    """Something in the log that is not as it was written."""

    file: str
    line: int
    """0 where the entry is gone."""
    what: str


class LiveLog:
    """The log of one vault. Appending is one write; nothing acknowledged is lost."""

    def __init__(self, vault: Vault, ledger: Ledger, clock: Clock) -> None:
        self._vault = vault
        self._ledger = ledger
        self._clock = clock
        self._cache: dict[str, tuple[tuple[int, int, int], list[Entry]]] = {}

    def append(self, entry: Entry) -> Entry:
        """Append an entry, its time set to now, and return it signed.

        Raises:
            Busy: another process holds the vault. DiskFailed, NoVault.
        """
        self._vault.check()
        with self._vault.lock.vault("log"):
            stamped = self._stamped(entry)
            path = self._file(stamped.time[:7])
            files.append_line(self._vault.root, path, stamped.line())
            self._ledger.record([stamped.mark], path)
        return stamped

    def _stamped(self, entry: Entry) -> Entry:
        """Return the entry with a time and a fingerprint that no entry has yet."""
        machine = self._ledger.machine
        moment: datetime = self._clock()
        while True:
            timed = replace(entry, time=offset(moment, self._vault.zone))
            done = signed(timed, machine)
            if not self._ledger.knows(done.mark):
                return done
            moment += timedelta(seconds=1)

    def _file(self, month: str) -> str:
        """Return the path of a month's file, made if it is missing."""
        path = self._vault.layout.log(month)
        if not self._vault.exists(path):
            created = local(self._clock(), self._vault.zone)
            title = f"Live context {month}"
            self._vault.create(path, composed({"title": title, "created": created}, ""))
            self._embed(path)
        return path

    def _embed(self, path: str) -> None:
        """Let the log's page show the current month, if it still has our markers."""
        page = self._vault.layout.log_page
        try:
            data = self._vault.data(page)
        except NotFound:
            return
        name = path.removesuffix(".md")
        text = filled(data.decode("utf-8", "surrogateescape"), "current", [f"![[{name}]]"])
        changed = None if text is None else text.encode("utf-8", "surrogateescape")
        if changed is not None and changed != data:
            from vaultmem.words.note import digest

            self._vault.replace(page, changed, seen=digest(data))

    def months(self) -> list[str]:
        """Return the paths of the log's files, oldest first."""
        folder = self._vault.layout.log("0000-00").rsplit("/", 1)[0]
        place = self._vault.root / folder
        names = [item.name for item in place.glob("[0-9][0-9][0-9][0-9]-[0-9][0-9].md")]
        return [f"{folder}/{name}" for name in sorted(names)]

    def lines(self, path: str) -> list[str]:
        """Return the lines of one file of the log."""
        return self._vault.data(path).decode("utf-8", "surrogateescape").split("\n")

    def entries(self, months: int | None = None) -> list[Entry]:
        """Return the entries of the newest `months` files, or of all, in the file's order."""
        paths = self.months()
        chosen = paths if months is None else paths[-months:]
        return [entry for path in chosen for entry in self._parsed(path)]

    def _parsed(self, path: str) -> list[Entry]:
        """Return the entries of one file, parsed anew only if it changed."""
        stat = (self._vault.root / path).stat()
        state = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        known = self._cache.get(path)
        if known is None or known[0] != state:
            found = [entry for line in self.lines(path) if (entry := parse(line))]
            known = self._cache[path] = (state, found)
        return known[1]

    def unread(self, session: str, agent: str, *, memory: bool = False) -> list[Entry]:
        """Return the others' entries of the last two months that a session was not given."""
        given = self._ledger.given(session)
        return [
            entry
            for entry in self.entries(2)
            if entry.agent != agent
            and (memory or entry.kind != "memory")
            and key_of(entry) not in given
        ]

    def give(self, session: str, entries: Iterable[Entry]) -> None:
        """Remember that a session has been given some entries."""
        self._ledger.give(session, [key_of(entry) for entry in entries])

    def tidy(self) -> list[str]:
        """Put files that a union merge left out of order into order; return their paths."""
        changed = []
        for path in self.months():
            lines = self.lines(path)
            if merged(lines) != lines:
                with self._vault.lock.vault("log"):
                    changed += self._rewritten(path)
        return changed

    def _rewritten(self, path: str) -> list[str]:
        from vaultmem.words.note import digest

        data = self._vault.data(path)
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        ended = lines[:-1] if lines and not lines[-1] else lines
        text = "\n".join([*merged(ended), ""]).encode("utf-8", "surrogateescape")
        if text == data:
            return []
        self._vault.replace(path, text, seen=digest(data))
        return [path]

    def verify(self) -> list[Fault]:
        """Return every entry that was edited, removed, typed by hand, doubled or torn."""
        faults: list[Fault] = []
        present: set[str] = set()
        for path in self.months():
            faults += self._checked(path, present)
        known = dict(self._ledger.recorded())
        for path in self.months():
            known |= _marks(path, committed(self._vault.root, path) or b"")
        gone = sorted((path, mark) for mark, path in known.items() if mark not in present)
        return faults + [Fault(path, 0, f"the entry {mark} was removed") for path, mark in gone]

    def _checked(self, path: str, present: set[str]) -> list[Fault]:
        faults = []
        for number, line in enumerate(self.lines(path), 1):
            entry = parse(line)
            what = _fault(line, entry, present)
            if what:
                faults.append(Fault(path, number, what))
            if entry and entry.mark:
                present.add(entry.mark)
        return faults


def key_of(entry: Entry) -> str:
    """Return what a session's reading is remembered by: the fingerprint, or the line itself."""
    return entry.mark or entry.line()


def _fault(line: str, entry: Entry | None, present: set[str]) -> str:
    if entry is None:
        return "the line is torn" if line.startswith(("- 2", "- 1")) else ""
    if not entry.signed:
        return f"the entry of {entry.agent} was typed by hand (unsigned, which is fine)"
    if not entry.genuine:
        return f"the entry of {entry.agent} was edited"
    return f"the entry of {entry.agent} stands twice" if entry.mark in present else ""


def _marks(path: str, data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    parsing: Callable[[str], Entry | None] = parse
    for line in data.decode("utf-8", "replace").split("\n"):
        entry = parsing(line)
        if entry and entry.mark:
            found[entry.mark] = path
    return found
