"""Answers about candidates as short text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.doors.answers import first_line
from vaultmem.words.safe import shown

if TYPE_CHECKING:
    from vaultmem.memory import Approved, Decided, Queue, Retained, Shown, Undone, Waiting


def retained(done: Retained) -> str:
    """Return what became of each fact of a session, and the counts."""
    lines = []
    for item in done.kept:
        again = f", said {item.seen} times by now" if item.seen > 1 else ""
        ignored = f"; ignored: {', '.join(item.ignored)}" if item.ignored else ""
        lines.append(f"Waits: {item.id} {item.title} ({item.path}{again}){ignored}")
    for drop in done.dropped:
        what = f" {drop.title}" if drop.title else ""
        detail = f" ({drop.detail})" if drop.detail else ""
        lines.append(f"Dropped {drop.number}{what}: {drop.reason}{detail}")
    counts = done.as_dict()["counts"].items()
    lines.append(", ".join(f"{reason}: {count}" for reason, count in counts))
    return shown("\n".join(lines))


def queue(found: Queue) -> str:
    """Return what waits, numbered, each with the words it is known from."""
    if not found.items:
        return "Nothing waits for you."
    lines = []
    for number, item in enumerate(found.items, 1):
        lines += [f"{number}. {_head(item)}", *(f"   {line}" for line in _said(item))]
    if found.more:
        lines.append(f"{found.more} more wait: see --limit, or choose by --agent or --type.")
    lines.append("`vaultmem review show ID`, then approve, merge or reject.")
    return shown("\n".join(lines))


def _head(item: Waiting) -> str:
    again = f" · seen {item.seen} times" if item.seen > 1 else ""
    old = " · EXPIRED" if item.expired else ""
    return f"{item.id} {item.title} ({item.agent} · {item.type} · {item.scope}{again}{old})"


def _said(item: Waiting) -> list[str]:
    told = {"change": f"changes {item.about}", "contested": f"disputes {item.about}"}
    lines = [told[item.kind]] if item.kind in told else []
    lines += [f'"{item.quote}"'] if item.quote else []
    return [*lines, *([f"why: {item.why}"] if item.why else [])]


def candidate(found: Shown) -> str:
    """Return one that waits: its text or its difference, then what is near it."""
    lines = [_head(found.item), found.item.path, *_said(found.item), ""]
    lines += [found.difference or found.text, ""]
    for hit in found.near:
        lines.append(f"Near it: {hit.title} [{hit.label} · {hit.confidence}] {hit.id}")
        lines.append(f"   > {first_line(hit.text)}")
    return shown("\n".join(lines).rstrip())


def approved(done: Decided) -> str:
    """Return what was let in, and what was not, with the reason."""
    lines = [
        f"Changed {i.path} as {i.origin} says; the text before is {i.before or 'the same'}"
        if i.trash
        else f"Approved {i.id} {i.title}: {i.path}"
        for i in done.done
    ]
    return _all(lines, done.left, "Nothing was approved.")


def rejected(done: Decided) -> str:
    """Return what went to the trash."""
    lines = [f"Rejected {i.title}: {i.trash}" for i in done.done]
    return _all(lines, done.left, "Nothing was rejected.")


def _all(lines: list[str], left: tuple[tuple[str, str], ...], nothing: str) -> str:
    told = [*lines, *(f"Left: {path}: {why}" for path, why in left)] or [nothing]
    if lines:
        told.append("`vaultmem review undo` takes it back.")
    return shown("\n".join(told))


def merged(done: Approved) -> str:
    """Return into what a candidate was merged."""
    lines = [f"Merged into {done.path}; the candidate is {done.trash}"]
    return shown("\n".join([*lines, "`vaultmem review undo` takes it back."]))


def undone(done: Undone) -> str:
    """Return what was taken back."""
    lines = [f"Took back ({done.verb}): {path}" for path in done.paths]
    return shown("\n".join([*lines, *(f"Left: {path}: {why}" for path, why in done.left)]))
