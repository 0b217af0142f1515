"""What is odd about the live log, the decisions, and what belongs to them."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault.repository import merging
from vaultmem.verbs.damages.catalogues import marked
from vaultmem.verbs.damages.table import Finding, found
from vaultmem.verbs.parts import Parts
from vaultmem.words import tears
from vaultmem.words.entry import Entry, parse
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.markers import filled
from vaultmem.words.times import offset, parsed

_FAULTS = (
    ("is torn", "torn"),
    ("typed by hand", "typed"),
    ("was edited", "edited"),
    ("stands twice", "doubled"),
    ("was removed", "removed"),
)
"""Words of what the log says of itself, and of which kind it is."""


def of_log(parts: Parts, snapshot: Snapshot, entries: list[Entry]) -> Iterator[Finding]:
    """Yield all that is odd about the log, the decisions, the details and the checkpoints."""
    grown: set[tuple[str, int]] = set()
    for path in [*parts.log.months(), *decisions(snapshot)]:
        for finding in _grown(parts, path):
            if finding.kind != "unended":
                grown.add((path, finding.line))
            yield finding
    for fault in parts.log.verify():
        kind = next((kind for words, kind in _FAULTS if words in fault.what), "torn")
        if (fault.file, fault.line) not in grown:
            yield found(kind, fault.file, fault.what, fault.line)
    if not merging(parts.vault.root):
        yield from _disordered(parts)
        yield from _month(parts)
    marks = {entry.mark[-2:] for entry in entries if entry.signed} - {parts.ledger.machine}
    if marks:
        what = f"entries of another machine ({', '.join(sorted(marks))}) are in it"
        yield found("elsewhere", "log", what)
    yield from marked(parts, snapshot.layout.log_page, "current")
    yield from _belonging(parts, snapshot, entries)


def decisions(snapshot: Snapshot) -> list[str]:
    """Return the paths of the decision logs."""
    return [path for path, facts in snapshot.facts.items() if facts.role == Role.DECISIONS]


def _grown(parts: Parts, path: str) -> Iterator[Finding]:
    """Yield what crashes left of a file that only grows."""
    try:
        lines = parts.log.lines(path)
    except VaultmemError:
        return
    for number in tears.glued(lines):
        yield found("glued", path, "two entries are on one line", number)
    for number in tears.nul_lines(lines):
        yield found("nul line", path, "it holds NUL characters", number)
    if parts.vault.layout.role(path) == Role.DECISIONS:
        for number in tears.torn_decisions(lines):
            yield found("torn decision", path, "the line is torn", number)
    if lines[-1]:
        yield found("unended", path, "its last line has no end", len(lines))


def _disordered(parts: Parts) -> Iterator[Finding]:
    for path in parts.log.months():
        before = 0.0
        for number, line in enumerate(parts.log.lines(path), 1):
            entry = parse(line)
            moment = parsed(entry.time) if entry else None
            if moment and moment.timestamp() < before:
                yield found("disordered", path, "its entries are not in order of time", number)
                break
            before = moment.timestamp() if moment else before


def _month(parts: Parts) -> Iterator[Finding]:
    """Yield whether the log's page shows another month than the current one."""
    page, months = parts.vault.layout.log_page, parts.log.months()
    current = parts.vault.layout.log(offset(parts.clock(), parts.vault.zone)[:7])
    shown = current if current in months else (months or [""])[-1]
    try:
        text = parts.vault.data(page).decode("utf-8", "surrogateescape")
    except VaultmemError:
        return
    wanted = filled(text, "current", [f"![[{shown.removesuffix('.md')}]]"])
    if shown and wanted not in (None, text):
        yield found("month", page, f"it does not show {shown}")


def _belonging(parts: Parts, snapshot: Snapshot, entries: list[Entry]) -> Iterator[Finding]:
    """Yield the details and checkpoints that belong to no entry and no agent."""
    said = "\n".join(entry.summary for entry in entries)
    agents = {entry.agent for entry in entries}
    for path, facts in snapshot.facts.items():
        name = basename(path).removesuffix(".md")
        if facts.role == Role.IDENTITY:
            agents.add(name)
        elif facts.role == Role.DETAIL and f"detail/{name}" not in said:
            yield found("orphan", path, "no entry of the log links to it")
    for path, facts in snapshot.facts.items():
        name = basename(path).removesuffix(".md")
        if facts.role == Role.CHECKPOINT and name not in agents:
            yield found("nobody", path, f"no agent {name} ever wrote to the log")
