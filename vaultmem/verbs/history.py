"""Every version of one memory, wherever it lay, and what it said at a commit."""

from __future__ import annotations

from dataclasses import dataclass, field

from vaultmem.vault.clone import Clone, clone_of
from vaultmem.vault.git import run
from vaultmem.vault.trees import Moved, as_of, blobs, differing, stays
from vaultmem.verbs.choosing import found
from vaultmem.verbs.parts import Parts
from vaultmem.words.changes import Change, Side, changes
from vaultmem.words.errors import GitFailed, NotFound, UnfitRepository
from vaultmem.words.layout import Layout
from vaultmem.words.note import parse

_FORMAT = "%x1e%H%x1f%P%x1f%aI%x1f%an%x1f%s%x1f%(trailers:key=Agent,valueonly,separator=%x2c)%x1f"


@dataclass(frozen=True)
class Version:
    """One state of a memory, and the commit that made it."""

    commit: str
    time: str
    author: str
    agent: str
    """The agent by the commit's trailer, empty if a person made it."""
    why: str
    """The commit's subject."""
    path: str
    change: Change | None = field(compare=False)
    """What the commit did to the memory; None where it is one with what was before."""


@dataclass(frozen=True)
class _Step:
    """One commit that touched a path."""

    commit: str
    parent: str
    time: str
    author: str
    why: str
    agent: str
    before: str
    after: str


def history(parts: Parts, ref: str) -> list[Version]:
    """Return the versions of a memory, the newest first, through renames and moves.

    Raises:
        NotFound: neither the vault nor its history has it. NoRepository, GitError.
    """
    clone = _readable(parts)
    path, note_id = _named(parts, clone, ref)
    versions: list[Version] = []
    end = clone.head
    while path:
        steps = _steps(clone, end, path)
        versions += [_version(clone, step, path, parts.vault.layout) for step in steps]
        last = steps[-1] if steps else None
        path = _earlier(clone, last, note_id) if last and not last.before else ""
        if last and path:
            versions[-1] = _moved(clone, last, path, versions[-1], parts.vault.layout)
            end = last.parent
    return [version for version in versions if version.change]


def _readable(parts: Parts) -> Clone:
    clone = clone_of(parts.vault.root)
    if not clone.head:
        raise UnfitRepository("unborn")
    if clone.shallow:
        raise UnfitRepository("shallow")
    return clone


def _named(parts: Parts, clone: Clone, ref: str) -> tuple[str, str]:
    """Return the path and the id of a memory, of one that is gone as it was last."""
    parts.sidecar.refresh(trust=True)
    try:
        path = found(parts, ref)
    except NotFound:
        path = _last_path(clone, ref)
        if not path:
            raise
        return path, ref if "/" not in ref else ""
    return path, parts.sidecar.snapshot.facts[path].id


def _last_path(clone: Clone, ref: str) -> str:
    """Return where a memory lay that is gone by now, by its id or its path; empty if never."""
    flags = ("--no-renames", "--diff-filter=D", "--no-textconv", "--no-ext-diff")
    log = ("log", "-1", "--format=", "--name-only", "-z", *flags)
    if not stays(ref):
        return ""
    if ref.endswith(".md"):
        told = run(clone.top, *log, clone.head, "--", f"{clone.prefix}{ref}")
    else:
        told = run(clone.top, *log, f"-Sid: {ref}", clone.head, timeout=120)
    names = told.decode("utf-8", "surrogateescape").strip("\n\0").split("\0")
    paths = [name.removeprefix(clone.prefix) for name in names if name.endswith(".md")]
    return next((path for path in paths if ref in (path, _id_before(clone, path))), "")


def _id_before(clone: Clone, path: str) -> str:
    """Return the id that a path's note had when it was last there."""
    log = ("log", "-1", "--format=%H", "--no-renames", "--diff-filter=D", clone.head)
    commit = run(clone.top, *log, "--", f"{clone.prefix}{path}").decode().strip()
    data = as_of(clone, f"{commit}^", [path]) if commit else {}
    return parse(path, data[path]).id if path in data else ""


def _steps(clone: Clone, end: str, path: str) -> list[_Step]:
    """Return the commits up to one that touched a path, the newest first."""
    flags = ("--raw", "-z", "--no-renames", "--no-abbrev", "--no-textconv", "--no-ext-diff")
    asked = ("log", f"--format={_FORMAT}", *flags, "--no-color", end)
    told = run(clone.top, *asked, "--", f"{clone.prefix}{path}", timeout=120)
    steps = []
    for record in told.decode("utf-8", "surrogateescape").split("\x1e")[1:]:
        commit, parents, time, author, why, agent, raw = record.split("\x1f", 6)
        head = raw.strip("\n\0").split("\0")[0].lstrip(":").split(" ")
        if len(head) < 5:
            continue
        before, after = (blob if blob.strip("0") else "" for blob in head[2:4])
        who = " ".join(agent.split())
        steps.append(_Step(commit, parents.split(" ")[0], time, author, why, who, before, after))
    return steps


def _version(clone: Clone, step: _Step, path: str, layout: Layout) -> Version:
    data = blobs(clone, [step.before, step.after])
    return _told(step, path, _change(data, path, path, step, layout))


def _change(
    data: dict[str, bytes], was: str, path: str, step: _Step, layout: Layout
) -> Change | None:
    before = {was: data[step.before]} if step.before in data else {}
    after = {path: data[step.after]} if step.after in data else {}
    return next(iter(changes(Side(before, {}), Side(after, {}), layout)), None)


def _told(step: _Step, path: str, change: Change | None) -> Version:
    return Version(step.commit, step.time, step.author, step.agent, step.why, path, change)


def _earlier(clone: Clone, step: _Step, note_id: str) -> str:
    """Return the path from which a commit brought a memory, empty if it made it."""
    if not step.parent:
        return ""
    moved = differing(clone, step.parent, step.commit)
    gone = [one for one in moved if one.before and not one.after]
    same = [one.path for one in gone if one.before == step.after]
    if same or not note_id:
        return same[0] if same else ""
    data = blobs(clone, [one.before for one in gone])
    return next((one.path for one in gone if _has_id(data, one, note_id)), "")


def _has_id(data: dict[str, bytes], one: Moved, note_id: str) -> bool:
    return one.before in data and parse(one.path, data[one.before]).id == note_id


def _moved(clone: Clone, step: _Step, was: str, version: Version, layout: Layout) -> Version:
    """Return the version that a move made, told as a move."""
    before = as_of(clone, step.parent, [was])
    after = blobs(clone, [step.after])
    sides = Side(before, {}), Side({version.path: after[step.after]}, {})
    change = next(iter(changes(*sides, layout)), version.change)
    return _told(step, version.path, change)


def show_at(parts: Parts, ref: str, revision: str) -> tuple[str, bytes]:
    """Return where a memory lay as of a commit, and its bytes then.

    Raises:
        NotFound: it was not there then. NoRevision, BadInput, NoRepository, GitError.
    """
    clone = clone_of(parts.vault.root)
    return _at(parts, clone, ref, clone.commit(revision))


def _at(parts: Parts, clone: Clone, ref: str, commit: str) -> tuple[str, bytes]:
    parts.sidecar.refresh(trust=True)
    try:
        path = found(parts, ref)
        note_id = parts.sidecar.snapshot.facts[path].id
    except NotFound:
        path, note_id = ref if ref.endswith(".md") else f"{ref}.md", ref
    there = as_of(clone, commit, [path])
    if path in there and (not note_id or note_id in (ref, parse(path, there[path]).id)):
        return path, there[path]
    for name in _holding(clone, commit, note_id):
        data = as_of(clone, commit, [name])
        if name in data and parse(name, data[name]).id == note_id:
            return name, data[name]
    raise NotFound(f"note {ref!r} at {commit[:12]}", "`vaultmem history` shows where it was.")


def _holding(clone: Clone, commit: str, note_id: str) -> list[str]:
    """Return the notes as of a commit in which a line may be that id."""
    if not note_id:
        return []
    try:
        asked = ("grep", "-l", "-z", "-F", "--no-textconv", "-e", f"id: {note_id}", commit, "--")
        told = run(clone.top, *asked, fine=(0, 1), timeout=120)
    except GitFailed:
        return []
    names = told.decode("utf-8", "surrogateescape").split("\0")
    paths = [name.removeprefix(f"{commit}:") for name in names if name.endswith(".md")]
    return [path.removeprefix(clone.prefix) for path in paths if path.startswith(clone.prefix)]
