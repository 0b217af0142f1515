"""What is told of outside documents: readings, matches, lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vaultmem.words.outside import Matches, Reading, Refusal, Source, Taken
from vaultmem.words.safe import quoted, shown, titled


def reading(found: Reading) -> str:
    """Return a page of a source, quoted, under a line that says what it is."""
    first, last = found.lines
    where = f"{found.path}:{first}-{last}"
    more = f"page {found.page} of {found.pages}" if found.pages > 1 else "whole"
    head = f"**{titled(found.title)}** [OUTSIDE] {where} ({more})\n{found.origin} ({found.fetched})"
    return shown("\n\n".join(part for part in (head, quoted(found.text), found.note) if part))


def matches(found: Matches) -> str:
    """Return the lines that fit, under the documents that they are of."""
    lines: list[str] = []
    path = ""
    for one in found.found:
        if one.path != path:
            lines += [*([""] if lines else []), f"**{titled(one.title)}** [OUTSIDE] {one.path}"]
            path = one.path
        before = len(one.before)
        lines += [f"{one.line - before + n}- {text}" for n, text in enumerate(one.before)]
        lines.append(f"{one.line}: {one.text}")
        lines += [f"{one.line + n}- {text}" for n, text in enumerate(one.after, 1)]
    if not lines:
        lines = [f"No line of {found.documents} documents fits."]
    return shown("\n".join([*lines, *([found.note] if found.note else [])]))


def taken(done: Taken) -> str:
    """Return what became of a source."""
    verb = {
        "new": "Took in",
        "changed": "Took in anew",
        "unchanged": "Unchanged:",
        "old": "Not to be had now:",
    }[done.state]
    line = f"{verb} {done.title} ({done.origin}) as {done.path}"
    return shown("\n".join(part for part in (line, done.note) if part))


def folder(done: Sequence[Taken], refused: Sequence[Refusal]) -> str:
    """Return what became of the documents of a folder."""
    counts = Counter(item.state for item in done)
    states = [f"{counts[state]} {state}" for state in ("new", "changed", "unchanged", "old")]
    lines = [f"{len(done)} documents: {', '.join(states)}."]
    lines += [f"Left out {item.origin}: {item.why}" for item in refused]
    return shown("\n".join(lines))


def sources(found: Sequence[Source]) -> str:
    """Return all sources, one a line."""
    lines = [
        f"{one.title} ({one.scope}{', this session' if one.for_session else ''}, "
        f"{one.passages} passages)\n  {one.path or one.origin} from {one.origin}, {one.fetched}"
        for one in found
    ]
    return shown("\n".join(lines) or "No documents yet: `vaultmem knowledge index SOURCE`.")


def gone(found: Source) -> str:
    """Return what was taken away."""
    return shown(f"Removed {found.title} ({found.origin}).")
