"""What imports and exports print."""

from __future__ import annotations

from vaultmem.words.moving import TOLD, Brought, Exported, Fate, Item
from vaultmem.words.safe import shown

_QUIET = (Fate.NEW, Fate.IMPORTED)
"""What is only counted once it is done."""


def brought(done: Brought) -> str:
    """Return what an import did, or each note that it would make."""
    by = ", by its looks" if done.detected else ""
    lines = [f"{done.folder} is a memory of {done.format}{by}."]
    counts = done.counts
    for fate in Fate:
        if fate.value not in counts:
            continue
        lines.append(f"{counts[fate.value]} {TOLD[fate]}")
        if fate not in _QUIET or (done.dry_run and fate == Fate.NEW):
            lines += [f"- {_told(item)}" for item in done.of(fate)]
    if done.dry_run:
        lines.append("Nothing was written; leave out --dry-run to import.")
    return shown("\n".join(lines))


def _told(item: Item) -> str:
    if item.fate == Fate.LEFT:
        return f"{item.source}: {item.why}"
    where = f" → {item.path}" if item.path else ""
    why = f": {item.why}" if item.why else ""
    if not item.title:
        return f"an entry of {item.source}{why}"
    return f"{item.title} ({item.scope or 'global'}, {item.type}){where}{why}"


def exported(done: Exported) -> str:
    """Return what an export wrote."""
    files = len(done.written)
    said = f"{files} files written" if files != 1 else "1 file written"
    lines = [f"{done.notes} memories stand in {done.folder} for {done.format}: {said}."]
    if done.removed:
        lines.append(f"Taken out, since the vault has them no more: {', '.join(done.removed)}")
    if done.unlisted:
        lines.append(f"{done.unlisted} have a file but no line in MEMORY.md, which is full.")
    return shown("\n".join(lines))
