"""A person goes through what became of memories in git, change by change: kept, or taken back."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from vaultmem.vault import files
from vaultmem.vault.clone import Clone, clone_of
from vaultmem.vault.repository import merging
from vaultmem.verbs.approving import announced
from vaultmem.verbs.diffing import Between, between
from vaultmem.verbs.forget import forget
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.reverting import Reverted, taken_back, written_back
from vaultmem.verbs.review import refuse_agents
from vaultmem.words.changes import Change, changes
from vaultmem.words.errors import (
    AlreadyThere,
    Ambiguous,
    ChangedOnDisk,
    NoRevision,
    NotFound,
    Refused,
    UnfitRepository,
)
from vaultmem.words.layout import Role, scope_of
from vaultmem.words.links import wikilink
from vaultmem.words.note import digest

KEPT = "changes kept"
"""Under this name the ledger keeps the fingerprints of the changes that a person found good."""
MOST_KEPT = 1000
_WHOLE = ("origin/HEAD", "main", "master")
"""What a branch is usually merged into, the likeliest first."""


@dataclass(frozen=True)
class Step:
    """One change of a memory or a candidate, and whether a person found it good before."""

    ref: str
    """The memory's id; its path where it has none, or several changes are of that id."""
    change: Change
    fingerprint: str
    """The same for the same change alone."""
    kept: bool
    here: bool
    """Whether the files are of the state that it led to, so that it can be edited or dropped."""


def steps(parts: Parts, branch: str = "") -> list[Step]:
    """Return what a branch changes in memories, or without one the work that is not committed.

    A branch counts from where it parted from HEAD; one that is checked out, from where it parted
    from the main one. `A..B` and `A...B` are understood as `diff` does.

    Raises:
        Refused: an agent asks, or it cannot be told where the branch began. As `between` does.
    """
    refuse_agents(parts)
    return _steps(parts, _between(parts, branch))


def keep(parts: Parts, branch: str, refs: Sequence[str]) -> list[Step]:
    """Remember that changes are good as they are, so that they are not asked about again.

    Raises:
        NotFound, Ambiguous: one of them is none; nothing is remembered. As `steps` does.
    """
    found = [_meant(steps(parts, branch), ref) for ref in dict.fromkeys(refs)]
    known = [*_kept(parts), *(step.fingerprint for step in found)]
    parts.ledger.note(KEPT, json.dumps(list(dict.fromkeys(known))[-MOST_KEPT:]))
    return found


def drop(parts: Parts, branch: str, refs: Sequence[str], seen: str = "") -> list[Reverted]:
    """Take changes back in the files, all of them or none: each memory is what it was before.

    `seen` is the fingerprint of the only change that is meant, as it was shown.

    Raises:
        ChangedOnDisk: it is another change by now. AlreadyThere: its old name is taken.
        Refused: the branch is not checked out, or the same place was changed since.
        UnfitRepository: a merge is under way. NotFound, Ambiguous. As `steps` does.
    """
    refuse_agents(parts)
    with parts.vault.lock.vault("review"):
        parts.sidecar.refresh()
        found = _between(parts, branch)
        known = _steps(parts, found)
        meant = [_meant(known, ref) for ref in dict.fromkeys(refs)]
        if seen and [step.fingerprint for step in meant] != [seen]:
            raise ChangedOnDisk(meant[0].change.path)
        if not all(step.here for step in meant):
            raise _elsewhere(found.clone, branch)
        if merging(found.clone.top):
            raise UnfitRepository("merging")
        plan = [(step.change, _planned(parts, found, step.change)) for step in meant]
        done = [_written(parts, found, one, data) for one, data in plan if data is not None]
        announced(parts, [entry for _, entries in done for entry in entries])
        gone = [change.path for change, data in plan if data is None]
        trashed = forget(parts, gone) if gone else []
    told = [one for one, _ in done]
    return told + [Reverted(one.path, one.title, "moved to the trash") for one in trashed]


def _between(parts: Parts, branch: str) -> Between:
    if not branch or ".." in branch:
        return between(parts, branch)
    clone = clone_of(parts.vault.root)
    tip = clone.commit(branch)
    return between(parts, f"{_began(clone, branch) if tip == clone.head else 'HEAD'}...{branch}")


def _began(clone: Clone, branch: str) -> str:
    """Return what a branch that is checked out is to be merged into."""
    for name in _WHOLE:
        with suppress(NoRevision):
            if clone.commit(name) != clone.head:
                return name
    raise Refused(
        f"{branch} is checked out, and no other branch is known that it goes into. Name both: "
        f"`vaultmem review --git {shlex.quote(f'BASE...{branch}')}`."
    )


def _steps(parts: Parts, found: Between) -> list[Step]:
    told = [
        change
        for change in changes(found.before, found.after, parts.vault.layout)
        if change.role in (Role.MEMORY, Role.CANDIDATE)
    ]
    kept, here = set(_kept(parts)), found.end in ("", found.clone.head)
    named = Counter(change.id for change in told)
    return [
        Step(one.id if one.id and named[one.id] == 1 else one.path, one, known, known in kept, here)
        for one in told
        for known in (_fingerprint(found, one),)
    ]


def _fingerprint(found: Between, change: Change) -> str:
    sides = (_before(found, change), found.after.files.get(change.path))
    told = [change.was, change.path, *(digest(data) if data is not None else "" for data in sides)]
    return digest(json.dumps(told).encode())[:16]


def _before(found: Between, change: Change) -> bytes | None:
    return found.before.files.get(change.was or change.path)


def _kept(parts: Parts) -> list[str]:
    found: list[str] = json.loads(parts.ledger.fact(KEPT) or "[]")
    return found


def _meant(known: Sequence[Step], ref: str) -> Step:
    found = [step for step in known if ref in (step.ref, step.change.path)]
    found = found or [step for step in known if ref == step.change.id]
    if not found:
        raise NotFound(f"change of {ref!r}", "`vaultmem review --git` lists those that are there.")
    if len(found) > 1:
        raise Ambiguous(ref, [step.change.path for step in found])
    return found[0]


def _elsewhere(clone: Clone, branch: str) -> Refused:
    """Return the refusal to change files that are not those of a branch."""
    here = clone.branch.removeprefix("refs/heads/") or clone.head[:12]
    tip = branch.rpartition("..")[2]
    span = shlex.quote(branch if ".." in branch else f"{here}...{branch}")
    return Refused(
        f"{tip} is not checked out, so its files cannot be changed. Run `git switch "
        f"{shlex.quote(tip)}`, then `vaultmem review --git {span}`."
    )


def _planned(parts: Parts, found: Between, change: Change) -> bytes | None:
    """Return what a note is to be, None for the trash."""
    before, after = _before(found, change), found.after.files.get(change.path)
    if change.was and parts.vault.exists(change.was):
        raise AlreadyThere(change.was)
    return taken_back(parts, change.path, before, after)


def _written(
    parts: Parts, found: Between, change: Change, data: bytes
) -> tuple[Reverted, list[tuple[str, str]]]:
    """Write a note as it was, where it was; return what to tell the log, by scope."""
    vault, path = parts.vault, change.was or change.path
    scope = scope_of(path, dict(found.before.folders))
    if vault.layout.role(path) == Role.MEMORY and scope_of(path, vault.scope_folders()) != scope:
        vault.made_scope_folder(scope)
    if change.was:
        files.move(vault.root, change.path, path)
    done = written_back(parts, path, data)
    said = f"reverted {wikilink(path, done.title)}"
    return done, [(scope, said)] if scope == change.scope else [(scope, said), (change.scope, said)]
