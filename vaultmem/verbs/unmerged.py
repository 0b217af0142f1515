"""What git left unmerged is settled note by note: by what each note is, not by where it lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from posixpath import basename, dirname

from vaultmem.vault import files
from vaultmem.vault.clone import Clone, clone_of
from vaultmem.vault.stages import Stage, staged, unmerged
from vaultmem.vault.threeway import weave
from vaultmem.verbs.parts import Parts
from vaultmem.words.conflicts import conflicted
from vaultmem.words.errors import UnfitRepository, VaultmemError
from vaultmem.words.frontmatter import patched, split
from vaultmem.words.layout import Role
from vaultmem.words.links import wikilink
from vaultmem.words.merging import Merged, apart, merged
from vaultmem.words.note import Note, digest, parse
from vaultmem.words.slug import numbered

_OURS = frozenset(
    {
        *(Role.MEMORY, Role.CANDIDATE, Role.PROJECT, Role.KNOWLEDGE),
        *(Role.IDENTITY, Role.CHECKPOINT, Role.DETAIL),
    }
)
_BASE, _OUR, _THEIR = 1, 2, 3


@dataclass(frozen=True)
class Resolved:
    """What became of the notes that were unmerged."""

    merged: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Changed on one side and taken out on the other: the change is kept."""
    split: tuple[tuple[str, str], ...] = ()
    """Two notes of one path: where each lies now; the second says that they conflict."""
    removed: tuple[str, ...] = ()
    """Where notes lay that lie elsewhere now."""
    left: tuple[tuple[str, str], ...] = ()
    """What a person must look at, and why."""


@dataclass
class _One:
    """One note in its versions."""

    sides: dict[int, tuple[str, bytes]] = field(default_factory=dict)
    """Stage to path and bytes."""

    def path(self) -> str:
        """Return where it belongs: where the side that moved it put it."""
        places = {self.sides[side][0] for side in (_OUR, _THEIR) if side in self.sides}
        moved = places - {self.sides[_BASE][0]} if _BASE in self.sides else places
        return min(moved or places, key=lambda path: (len(path), path))

    def result(self) -> Merged:
        """Return what its sides make; a side that took it out gives way."""
        base = self.sides.get(_BASE, ("", b""))[1]
        if _OUR in self.sides and _THEIR in self.sides:
            return merged(base, self.sides[_OUR][1], self.sides[_THEIR][1], weave)
        return Merged(next(self.sides[side][1] for side in (_OUR, _THEIR) if side in self.sides))


@dataclass(frozen=True)
class _Placed:
    path: str
    done: Merged
    one: _One


def resolve(parts: Parts) -> Resolved:
    """Settle what git left unmerged of our notes, and tell git's index; nothing is committed.

    A note is known by its id wherever each side put it. Both notes that two sides added at one path
    are kept, linked by `conflicts`. What a side changed and the other took out is kept.

    Raises:
        GitError: there is no repository, or its index is locked.
    """
    root = parts.vault.root
    with parts.vault.lock.vault("resolve"):
        clone = clone_of(root)
        if (clone.git / "index.lock").exists():
            raise UnfitRepository("locked")
        stages = [s for s in unmerged(clone) if parts.vault.layout.role(s.path) in _OURS]
        by_hand = {s.path for s in stages if _by_hand(parts, s.path, stages)}
        stages = [stage for stage in stages if stage.path not in by_hand]
        found = _grouped(parts, stages)
        placed, split_up = _placed(parts, [one for one in found if one.sides.keys() - {_BASE}])
        result = _done(parts, clone, placed, {stage.path for stage in stages} | _sources(found))
        why = "it was edited since; `git add` it when it is right"
        return replace(
            result,
            split=tuple(split_up),
            left=(*result.left, *((path, why) for path in sorted(by_hand))),
        )


def _by_hand(parts: Parts, path: str, stages: Iterable[Stage]) -> bool:
    """Return whether a person has settled a note that both sides have: no marker is left in it.

    One that is as ours is may be what a driver that did not start has left.
    """
    sides = {stage.stage: stage.data for stage in stages if stage.path == path}
    if not {_OUR, _THEIR} <= sides.keys() or not parts.vault.exists(path):
        return False
    data = parts.vault.data(path)
    return data != sides[_OUR] and not conflicted(data)


def _grouped(parts: Parts, stages: Iterable[Stage]) -> list[_One]:
    """Return each note with its versions; one that a side moved unseen by git is found by id."""
    nameless = {s.path for s in stages if s.stage == _BASE and not parse(s.path, s.data).id}
    found: dict[str, _One] = {}
    for stage in stages:
        known = "" if stage.path in nameless else parse(stage.path, stage.data).id
        one = found.setdefault(known or f"at {stage.path}", _One())
        one.sides.setdefault(stage.stage, (stage.path, stage.data))
    lost = {
        name: one
        for name, one in found.items()
        if _BASE in one.sides and len(one.sides) == 2 and not name.startswith("at ")
    }
    taken = {stage.path for stage in stages}
    for path in sorted(parts.vault.scan().notes) if lost else ():
        if path in taken or parts.vault.layout.role(path) not in _OURS:
            continue
        note = parts.vault.read(path)
        if note.id in lost:
            one = lost.pop(note.id)
            side = _THEIR if _OUR in one.sides else _OUR
            one.sides[side] = (path, parts.vault.data(path))
    return list(found.values())


def _sources(found: Iterable[_One]) -> set[str]:
    return {path for one in found for path, _ in one.sides.values()}


def _placed(parts: Parts, ones: Iterable[_One]) -> tuple[list[_Placed], list[tuple[str, str]]]:
    """Return where each note goes; of several at one path the older stays there."""
    placed: list[_Placed] = []
    pairs: list[tuple[str, str]] = []
    first: dict[str, Note] = {}
    for one in sorted(_parted(ones), key=_age):
        path, done = one.path(), one.result()
        holder = first.get(path)
        if holder is None:
            first[path] = parse(path, done.data)
            placed.append(_Placed(path, done, one))
            continue
        free = _free(parts, path, {item.path for item in placed})
        done = replace(done, data=_linked(done.data, holder))
        placed.append(_Placed(free, done, one))
        pairs.append((path, free))
    return placed, pairs


def _parted(ones: Iterable[_One]) -> Iterable[_One]:
    """Yield the notes, one that both sides added with other words as two."""
    for one in ones:
        both = _OUR in one.sides and _THEIR in one.sides and _BASE not in one.sides
        if both and apart(one.sides[_OUR][1], one.sides[_THEIR][1]):
            yield from (_One({side: one.sides[side]}) for side in (_OUR, _THEIR))
        else:
            yield one


def _age(one: _One) -> tuple[str, str, bytes]:
    path, data = next(one.sides[side] for side in (_OUR, _THEIR) if side in one.sides)
    note = parse(path, data)
    return note.text("created") or "9", note.id, data


def _free(parts: Parts, path: str, taken: set[str]) -> str:
    stem, number = basename(path).removesuffix(".md"), 2
    while True:
        free = f"{dirname(path)}/{numbered(stem, number)}.md"
        if free not in taken and not parts.vault.exists(free):
            return free
        number += 1


def _linked(data: bytes, other: Note) -> bytes:
    """Return a note that says that it conflicts with another; as it is, if that cannot be said."""
    note = parse("", data)
    links = [*note.texts("conflicts"), wikilink(other.path, other.title)]
    try:
        return patched(split(data), "conflicts", links).join()
    except VaultmemError:
        return data


def _done(parts: Parts, clone: Clone, placed: Iterable[_Placed], touched: set[str]) -> Resolved:
    """Write every note to its place, and let the index know what is settled."""
    merged_ones, kept, left = [], [], []
    index: dict[str, bytes | None] = dict.fromkeys(touched)
    for item in placed:
        _write(parts, item.path, item.done.data)
        if not item.done.clean:
            left.append((item.path, "both sides stand in it between markers; make one of them"))
            for path, _ in item.one.sides.values():
                if path == item.path:
                    index.pop(path, None)
            continue
        index[item.path] = item.done.data
        whole = {_OUR, _THEIR} <= item.one.sides.keys()
        if whole or _BASE not in item.one.sides:
            merged_ones.append(item.path)
        else:
            kept.append(item.path)
    used = {item.path for item in placed}
    removed = []
    for path in sorted(touched - used):
        if parts.vault.exists(path):
            files.remove(parts.vault.root, path, seen=digest(parts.vault.data(path)))
            removed.append(path)
    staged(clone, index)
    return Resolved(tuple(merged_ones), tuple(kept), (), tuple(removed), tuple(left))


def _write(parts: Parts, path: str, data: bytes) -> None:
    if parts.vault.exists(path):
        before = parts.vault.data(path)
        if before != data:
            parts.vault.replace(path, data, seen=digest(before))
    else:
        parts.vault.create(path, data)
