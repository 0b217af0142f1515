"""The memory diff and a memory's history, for a terminal and for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from vaultmem.words.safe import shown
from vaultmem.words.worddiff import Piece, shortened, word_diff

if TYPE_CHECKING:
    from vaultmem.memory import Change, Step, Version

_COLOURS = {"+": "green", "-": "red", "~": "yellow"}
_SIGNS = {
    **dict.fromkeys(("added", "superseded", "consolidated", "approved", "handed in"), "+"),
    **dict.fromkeys(("forgotten", "rejected", "retracted", "log edited"), "-"),
    "logged": "+",
}
_LONGEST_LINES = 6
_ALWAYS = ("kind", "scope")
_BODIES = ("before", "after")


def changes(found: Sequence[Change]) -> str:
    """Return a memory diff as lines, coloured for a terminal."""
    return "\n".join(_lines(found)) or "No memory changed."


def _lines(found: Sequence[Change]) -> Iterator[str]:
    for group, members in groupby(_told(found), key=_group):
        yield click.style(shown(group), bold=True)
        for change in members:
            sign = _SIGNS.get(change.kind, "~")
            yield click.style(f"{sign} {shown(_head(change))}", fg=_COLOURS[sign])
            for field in _fields(change):
                yield f"    {shown(field)}"
            yield from _body(change)


def _told(found: Sequence[Change]) -> list[Change]:
    """Return the changes without the log entries by which vaultmem itself tells of the others."""
    return [one for one in found if one.kind != "logged" or one.title.split(" · ")[2] != "memory"]


def _group(change: Change) -> str:
    return f"{change.scope or 'global'} · {change.agent or 'a person'}"


def _head(change: Change) -> str:
    if change.kind in ("logged", "log edited"):
        return f"{change.kind}: {change.title.removeprefix('- ')}"
    name = f" {change.id}" if change.id else ""
    others = {"superseded": "supersedes", "consolidated": "consolidates"}.get(change.kind, "")
    more = f" {others} {', '.join(change.others)}" if others else ""
    place = f"{change.was} -> {change.path}" if change.was else change.path
    return f"{change.kind}{name} {change.title}{more} ({place})"


def _fields(change: Change) -> Iterator[str]:
    for field in change.fields:
        yield f"{field.key}: {field.before or '(none)'} -> {field.after or '(none)'}"


def _pieces(change: Change) -> list[Piece]:
    if (not change.before and not change.after) or change.kind in ("forgotten", "rejected"):
        return []
    if not change.before:
        return [Piece("+", change.after)]
    return shortened(word_diff(change.before, change.after))


def _body(change: Change) -> Iterator[str]:
    """Yield the words of the body that changed; of a new one only its first lines."""
    pieces = _pieces(change)
    if not pieces:
        return
    if not change.before:
        lines = shown(change.after).strip().splitlines()
        more = [f"... {len(lines) - _LONGEST_LINES} more lines"]
        cut = lines[:_LONGEST_LINES] + (more if len(lines) > _LONGEST_LINES else [])
        yield from (f"    {line}" for line in cut)
        return
    text = "".join(_worded(piece) for piece in pieces)
    yield from (f"    {line}" for line in text.strip().splitlines())


def _worded(piece: Piece) -> str:
    text = shown(piece.text)
    if piece.sign == " ":
        return text
    marked = f"[-{text}-]" if piece.sign == "-" else f"{{+{text}+}}"
    return click.style(marked, fg=_COLOURS[piece.sign])


def markdown(found: Sequence[Change]) -> str:
    """Return a memory diff as markdown for a pull request; nothing in it can be more than text."""
    blocks = ["### Memory changes" if _told(found) else "No memory changed."]
    for group, members in groupby(_told(found), key=_group):
        blocks.append(f"**{_inert(group)}**\n")
        for change in members:
            blocks.append(f"- {_inert(_head(change))}")
            blocks += [f"  - {_inert(field)}" for field in _fields(change)]
            if change.before and change.after:
                text = "".join(_plain(piece) for piece in _pieces(change))
                blocks.append(f"  - {_inert(text)}")
        blocks.append("")
    return "\n".join(blocks).rstrip()


def _plain(piece: Piece) -> str:
    return {"-": f"[-{piece.text}-]", "+": f"{{+{piece.text}+}}"}.get(piece.sign, piece.text)


def _inert(text: str) -> str:
    """Return text as code, the one form in which markdown makes nothing of it."""
    flat = " ".join(shown(text).split())
    longest = max((len(run) for run in _runs(flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _runs(text: str) -> Iterator[str]:
    return ("".join(group) for tick, group in groupby(text, key=lambda c: c == "`") if tick)


def changes_value(found: Sequence[Change]) -> dict[str, Any]:
    """Return a memory diff as plain values, bodies as word diffs."""
    return {"changes": [_value(change) for change in found]}


def _value(change: Change) -> dict[str, Any]:
    told = asdict(change).items()
    value = {key: item for key, item in told if (item and key not in _BODIES) or key in _ALWAYS}
    pieces = _pieces(change)
    return {**value, **({"body": [list(piece) for piece in pieces]} if pieces else {})}


def versions(found: Sequence[Version]) -> str:
    """Return a memory's versions, the newest first."""
    return "\n".join(line for version in found for line in _version(version)) or "No commit has it."


def _version(version: Version) -> Iterator[str]:
    who = version.agent or version.author
    head = f"{version.commit[:12]} {version.time} {who}: {version.why}"
    yield click.style(shown(head), bold=True)
    if version.change:
        yield f"    {shown(_head(version.change))}"
        yield from (f"    {shown(field)}" for field in _fields(version.change))
        yield from _body(version.change)


def versions_value(found: Sequence[Version]) -> dict[str, Any]:
    """Return a memory's versions as plain values."""
    told = []
    for version in found:
        change = _value(version.change) if version.change else None
        told.append({**{k: v for k, v in vars(version).items() if k != "change"}, "change": change})
    return {"versions": told}


def steps(found: Sequence[Step]) -> str:
    """Return the changes to decide on, those that were found good before only counted."""
    left = [step.change for step in found if not step.kept]
    kept = len(found) - len(left)
    lines = list(_lines(left)) or ["No change of a memory is left to decide on."]
    lines += [f"{kept} more were kept before."] if kept else []
    return "\n".join([*lines, *(["Choose by --keep ID and --drop ID."] if left else [])])


def steps_value(found: Sequence[Step]) -> dict[str, Any]:
    """Return the changes to decide on as plain values, each with what it is called by."""
    return {"steps": [{"ref": one.ref, "kept": one.kept, **_value(one.change)} for one in found]}
