"""Taking back what became of one memory, or one night's folding; never anything else."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.vault.clone import Clone, clone_of
from vaultmem.vault.git import run
from vaultmem.vault.threeway import woven
from vaultmem.vault.trees import blobs, differing
from vaultmem.verbs.forget import forget
from vaultmem.verbs.history import show_at
from vaultmem.verbs.memorize import announced, writable
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.review import refuse_agents
from vaultmem.words.errors import NotFound, Refused
from vaultmem.words.layout import Role, scope_of
from vaultmem.words.note import digest, parse

_FOLLOWING = (Role.LOG, Role.LOG_PAGE, Role.CATALOGUE, Role.DECISIONS, Role.CHECKPOINT)


@dataclass(frozen=True)
class Reverted:
    """What was taken back: a note, and what happened to it."""

    path: str
    title: str
    done: str
    """`restored`, `brought back` or `moved to the trash`."""


def revert(parts: Parts, what: str) -> list[Reverted]:
    """Take back a commit, or bring one memory to its state at one, `ID@REV`.

    All of it happens or nothing; the live log and the catalogues say so and are not rewound.

    Raises:
        Refused: the commit changes anything but one memory or what one sleep folded, the memory
            was changed since in the same place, or an agent asks. NotFound, NoRevision, GitError.
    """
    refuse_agents(parts)
    ref, _, revision = what.rpartition("@")
    with parts.vault.lock.vault("revert"):
        parts.sidecar.refresh()
        if ref and not revision.startswith("{"):
            return [_brought(parts, ref, revision)]
        return _undone(parts, what)


def _brought(parts: Parts, ref: str, revision: str) -> Reverted:
    then, data = show_at(parts, ref, revision)
    if parts.vault.layout.role(then) not in (Role.MEMORY, Role.CANDIDATE):
        raise Refused(f"{then} is no memory. Use git itself for it.")
    try:
        path = writable(parts, ref)
    except NotFound:
        path = then
    return _set(parts, path, data)


def _set(parts: Parts, path: str, data: bytes) -> Reverted:
    """Write a note as it was, where it is or was, and tell of it."""
    done = written_back(parts, path, data)
    scope = scope_of(path, parts.vault.scope_folders())
    announced(parts, scope, "reverted", path, done.title)
    return done


def written_back(parts: Parts, path: str, data: bytes) -> Reverted:
    """Write a note as it was; what follows from it is not yet up to date."""
    vault = parts.vault
    there = vault.exists(path)
    if there:
        vault.replace(path, data, seen=digest(vault.data(path)))
    else:
        vault.create(path, data)
    return Reverted(path, parse(path, data).title, "restored" if there else "brought back")


def _undone(parts: Parts, name: str) -> list[Reverted]:
    clone = clone_of(parts.vault.root)
    commit = clone.commit(name)
    plan = _plan(parts, clone, commit)
    gone = [path for path, data in plan.items() if data is None]
    done = [_set(parts, path, data) for path, data in plan.items() if data is not None]
    trashed = forget(parts, gone) if gone else []
    return done + [Reverted(one.path, one.title, "moved to the trash") for one in trashed]


def _plan(parts: Parts, clone: Clone, commit: str) -> dict[str, bytes | None]:
    """Return what each note that a commit changed is to be: its bytes, or None for the trash."""
    parents = run(clone.top, "rev-list", "--parents", "-n", "1", commit).decode().split()[1:]
    if len(parents) != 1:
        raise Refused(f"{commit[:12]} is a merge or the first commit. Use ID@REV for one memory.")
    layout = parts.vault.layout
    moved = [
        one
        for one in differing(clone, parents[0], commit)
        if layout.role(one.path) not in _FOLLOWING
    ]
    data = blobs(clone, [blob for one in moved for blob in (one.before, one.after)])
    _refuse_more(parts, clone, (parents[0], commit), [one.path for one in moved])
    folded = all(not one.before and _folds(one.path, data[one.after]) for one in moved)
    if not moved or (len(moved) > 1 and not folded):
        what = f"{len(moved)} notes" if moved else "no memory"
        raise Refused(
            f"{commit[:12]} changes {what}. Only one memory or one sleep is taken back at once: "
            f"name one with ID@{commit[:12]}^."
        )
    return {
        one.path: taken_back(parts, one.path, data.get(one.before), data.get(one.after))
        for one in moved
    }


def _folds(path: str, data: bytes) -> bool:
    return bool(parse(path, data).texts("consolidates"))


def _refuse_more(parts: Parts, clone: Clone, span: tuple[str, str], notes: list[str]) -> None:
    """Raise `Refused` if a commit changes files that are neither memories nor follow from them."""
    layout = parts.vault.layout
    told = run(clone.top, "diff-tree", "-r", "-z", "--name-only", "--no-renames", *span)
    for name in told.decode("utf-8", "surrogateescape").strip("\0").split("\0"):
        path = name.removeprefix(clone.prefix)
        inside = name.startswith(clone.prefix) and path.endswith(".md")
        role = layout.role(path)
        memory = path in notes and role in (Role.MEMORY, Role.CANDIDATE)
        if not inside or not (memory or role in _FOLLOWING):
            raise Refused(
                f"That commit changes {name} too, which is no memory. Use `git revert`, "
                "or name one memory with ID@REV."
            )


def taken_back(parts: Parts, path: str, before: bytes | None, after: bytes | None) -> bytes | None:
    """Return what a note is to be once a change of it is taken back, None if it is to go.

    Raises:
        Refused: the same place of it was changed since.
    """
    now = parts.vault.data(path) if parts.vault.exists(path) else None
    if now == after:
        return before
    if now is not None and before is not None and after is not None:
        merged = woven(after, now, before)
        if merged is not None:
            return merged
    raise Refused(
        f"{path} was changed since in the same place. Edit it, or bring it to a state of your "
        "choice with `vaultmem revert ID@REV`."
    )
