"""The table of contents of a scope: a pure function of its notes, so two machines agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.links import wikilink
from vaultmem.words.standing import Standing

MARKER = "catalogue"


def listed(notes: Iterable[Facts], standing: Mapping[str, Standing]) -> list[Facts]:
    """Return the memories that a catalogue lists: pinned first, then by type, then by slug.

    Lowered, archived, pending and retracted ones are left out.
    """
    lowered = {path for path, stands in standing.items() if stands.lowered}
    shown = (
        note
        for note in notes
        if note.role == Role.MEMORY
        and note.status == "working"
        and not note.retracted
        and note.path not in lowered
    )
    return sorted(shown, key=lambda n: (not n.pinned, n.type, n.path.rpartition("/")[2], n.path))


def line(note: Facts) -> str:
    """Return the line of one memory."""
    about = _flat(note.description)
    said = f" — {about}" if about else ""
    return f"- {wikilink(note.path, note.title)}{said} · {_flat(note.type)}"


def lines(notes: list[Facts], most: int) -> list[str]:
    """Return the lines of a catalogue: at most `most`, then how many more there are."""
    shown = [line(note) for note in notes[:most]]
    if len(notes) > most:
        shown.append(f"- {len(notes) - most} more: ask `vaultmem remember` or `vaultmem list`")
    return shown


def root_lines(scopes: Mapping[str, tuple[str, int]], pinned: Iterable[Facts]) -> list[str]:
    """Return the lines of the root catalogue: the scopes, then what is pinned in any.

    `scopes` maps each scope to the path of its catalogue and the count of its memories.
    """
    found = []
    for scope in sorted(scopes):
        path, count = scopes[scope]
        noun = "memory" if count == 1 else "memories"
        found.append(f"- {wikilink(path, scope or 'global')} — {count} {noun}")
    return [*found, *(line(note) for note in pinned)]


def _flat(text: str) -> str:
    return " ".join(text.replace("<!--", "").replace("-->", "").split())
