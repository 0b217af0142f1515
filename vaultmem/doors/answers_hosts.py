"""What `connect` says: what was done to a host's files, what to do by hand, what a check found."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from vaultmem.words.safe import shown

if TYPE_CHECKING:
    from vaultmem.memory import Connected, FileChange, Proof


def connected(done: Connected) -> str:
    """Return what was done to each file, or the difference where nothing was to be done yet."""
    lines = [_difference(change) if done.dry_run else _done(change) for change in done.changes]
    for item in done.untouched:
        lines.append(f"Left as it is: {item.file}: {item.why}.")
        if item.paste:
            lines += ["Put this into it yourself:", "", item.paste.rstrip(), ""]
    if not lines:
        lines.append("Nothing to do.")
    elif not done.dry_run:
        lines += [f"Then: {step}" for step in done.steps]
    return shown("\n".join(lines))


def connected_value(done: Connected) -> dict[str, Any]:
    """Return what was done as an object."""
    return {
        "host": done.host,
        "dry_run": done.dry_run,
        "files": [{"path": str(c.file), "did": _did(c)} for c in done.changes],
        "untouched": [
            {"path": str(u.file), "why": u.why, "paste": u.paste} for u in done.untouched
        ],
        "steps": list(done.steps),
    }


def proofs(found: list[Proof]) -> str:
    """Return what each way of looking found."""
    lines = [f"{'well' if p.good else 'NOT WELL'}: {p.how}: {p.said}" for p in found]
    return shown("\n".join(lines))


def _did(change: FileChange) -> str:
    return "made" if change.old is None else "removed" if change.new is None else "changed"


def _done(change: FileChange) -> str:
    return f"{_did(change).capitalize()} {change.file}"


def _difference(change: FileChange) -> str:
    old = (change.old or "").splitlines()
    new = (change.new or "").splitlines()
    name = str(change.file)
    return "\n".join(difflib.unified_diff(old, new, name, name, lineterm="", n=1))
