"""Committing what a verb changed, if the person wants that: its own changes and nothing beside."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from vaultmem.vault.touched import Before, is_recording, recording
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import NotFound, VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.note import digest

if TYPE_CHECKING:
    from vaultmem.vault.clone import Clone
    from vaultmem.words.changes import Change

Given = ParamSpec("Given")
Result = TypeVar("Result")
_OURS = frozenset({Role.LOG, Role.LOG_PAGE, Role.CATALOGUE, Role.DECISIONS, Role.CHECKPOINT})
"""The roles that vaultmem alone writes, or only adds to: their files are committed whole."""


class _Asked(Protocol):
    _parts: Parts


Self = TypeVar("Self", bound=_Asked)


def writes(
    method: Callable[Concatenate[Self, Given], Result],
) -> Callable[Concatenate[Self, Given], Result]:
    """Make a verb one that is committed as the person's settings say."""

    @wraps(method)
    def inner(self: Self, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        parts = self._parts
        if parts.git.commit == "off" or is_recording():
            return method(self, *args, **kwargs)
        with recording(parts.vault.root) as before:
            try:
                return method(self, *args, **kwargs)
            finally:
                _after(parts, before)

    return inner


def _after(parts: Parts, before: Before) -> None:
    """Commit what was written, or remember it; what hinders a commit harms no verb."""
    found = {
        path: data
        for path, data in before.items()
        if path.endswith(".md") and not path.startswith(".") and _now(parts, path) != data
    }
    if not found:
        return
    roles = {parts.vault.layout.role(path) for path in found}
    if parts.git.commit == "session" and Role.CHECKPOINT not in roles:
        _owe(parts, found)
        return
    try:
        _committed(parts, found)
    except VaultmemError as error:
        _owe(parts, found)
        parts.ledger.note(_key(parts, "uncommitted"), str(error))


def commit_owed(parts: Parts) -> str:
    """Commit what verbs changed and no commit holds yet; return the commit, empty if nothing is.

    Raises:
        GitError: the repository is not fit for it; all stays remembered.
    """
    return _committed(parts, {}) if owed(parts) else ""


def end_session(parts: Parts) -> None:
    """Commit what is owed, if the person wants commits; what hinders that harms nothing."""
    if parts.git.commit == "off":
        return
    try:
        commit_owed(parts)
    except VaultmemError as error:
        parts.ledger.note(_key(parts, "uncommitted"), str(error))


def uncommitted(parts: Parts) -> str:
    """Return why the last commit could not be made, empty if it was or none was wanted."""
    return parts.ledger.fact(_key(parts, "uncommitted")) if parts.git.commit != "off" else ""


def owed(parts: Parts) -> dict[str, str]:
    """Return the files changed by verbs that no commit holds yet, and their hashes before."""
    said = parts.ledger.fact(_key(parts, "owed"))
    found: dict[str, str] = json.loads(said) if said else {}
    return found


def _owe(parts: Parts, before: Before) -> None:
    hashes = {path: digest(data) if data is not None else "" for path, data in before.items()}
    parts.ledger.note(_key(parts, "owed"), json.dumps({**hashes, **owed(parts)}))


def _key(parts: Parts, name: str) -> str:
    copy = hashlib.sha256(str(parts.vault.root).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name}:{copy[:16]}"


def _now(parts: Parts, path: str) -> bytes | None:
    try:
        return parts.vault.data(path)
    except NotFound:
        return None


def _committed(parts: Parts, before: Before) -> str:
    """Commit the files that were written, and those owed; return the commit."""
    from vaultmem.vault.clone import clone_of
    from vaultmem.vault.commits import committable
    from vaultmem.vault.trees import as_of

    root, earlier = parts.vault.root, owed(parts)
    with parts.vault.lock.vault("commit"):
        clone = clone_of(root)
        clone.refuse_unwritable()
        paths = committable(clone, root, list({**before, **earlier}))
        heads = as_of(clone, clone.head, paths)
        files: Before = {}
        besides = []
        for path in paths:
            now, head = _now(parts, path), heads.get(path)
            if now != head:
                known = earlier[path] if path in earlier else before[path]
                files[path], whole = _ours(parts, path, known, now, head)
                besides += [path] if whole else []
        made = _added(parts, clone, files, heads, besides) if files else ""
        parts.ledger.note_all({_key(parts, "owed"): "", _key(parts, "uncommitted"): ""})
    return made


def _ours(
    parts: Parts, path: str, before: bytes | str | None, now: bytes | None, head: bytes | None
) -> tuple[bytes | None, bool]:
    """Return what of a file is to be committed, and whether a person's edits are in it too.

    `before` is what the verb found: bytes, their hash, or nothing. Where a person had edited the
    file, our change alone is put upon what is committed, if git can tell the two apart.
    """
    from vaultmem.vault.threeway import woven

    found = before if isinstance(before, str) else (digest(before) if before is not None else "")
    if (
        found == (digest(head) if head is not None else "")
        or parts.vault.layout.role(path) in _OURS
    ):
        return now, False
    if isinstance(before, bytes) and now is not None and head is not None:
        alone = woven(before, now, head)
        if alone is not None:
            return alone, False
    return now, True


def _added(
    parts: Parts,
    clone: Clone,
    files: Before,
    heads: dict[str, bytes],
    besides: list[str],
) -> str:
    from vaultmem.vault.commits import Person, commit, person_of
    from vaultmem.words.subject import message

    caller, person = parts.caller, person_of(clone)
    named = parts.git.author == "agent"
    author = Person(caller.agent, f"{caller.agent}@vaultmem.invalid") if named else person
    text = message(_effect(parts, files, heads), caller.agent, caller.channel, besides)
    return commit(clone, files, text, author=author, committer=person)


def _effect(parts: Parts, files: Before, heads: dict[str, bytes]) -> list[Change]:
    from vaultmem.words.changes import Side, changes

    opened = parts.made_sidecar.made
    folders = parts.sidecar.snapshot.folders if opened else parts.vault.scope_folders()
    now = {path: data for path, data in files.items() if data is not None}
    was = {path: heads[path] for path in files if path in heads}
    return changes(Side(was, folders), Side(now, folders), parts.vault.layout)
