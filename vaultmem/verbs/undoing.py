"""Taking back the last act of a review, as far as nobody has changed since what it made."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vaultmem.vault import files
from vaultmem.verbs.approving import announced
from vaultmem.verbs.deciding import LAST
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.review import refuse_agents
from vaultmem.words.errors import ChangedOnDisk, DiskFailed, NotFound, Refused, VaultmemError
from vaultmem.words.frontmatter import Written
from vaultmem.words.layout import Role
from vaultmem.words.note import digest


@dataclass(frozen=True)
class Undone:
    """What was taken back, by path, and what could not be, with the reason."""

    verb: str
    paths: tuple[str, ...]
    left: tuple[tuple[str, str], ...] = ()


def undo(parts: Parts) -> Undone:
    """Take back the last approval, merge or rejection: what waited waits again.

    Cut short and repeated, it goes on.

    Raises:
        NotFound: there is none to take back. DiskFailed: the rest is still to be taken back.
    """
    refuse_agents(parts)
    parts.sidecar.refresh()
    with parts.vault.lock.vault("review"):
        last = json.loads(parts.ledger.fact(LAST) or "{}")
        if not last:
            raise NotFound("act of a review to take back", "Only the last one can be.")
        paths: list[str] = []
        left: list[tuple[str, str]] = []
        for item in last["items"]:
            try:
                paths.append(_undone(parts, last["verb"], item))
            except DiskFailed:
                raise
            except VaultmemError as error:
                left.append((item["path"], str(error)))
        parts.ledger.note(LAST, "")
        scopes = {item["path"]: item["scope"] for item in last["items"]}
        said = f"a person took back what was decided on {len(paths)} notes"
        announced(parts, [(scope or "", said) for scope in sorted(set(scopes.values()))])
    return Undone(last["verb"], tuple(paths), tuple(left))


def _undone(parts: Parts, verb: str, item: dict[str, Any]) -> str:
    if verb == "approve" and not item["trash"]:
        return _waiting_again(parts, item)
    if verb != "reject":
        _put_back(parts, item)
    return _from_trash(parts, item["trash"], item["origin"])


def _waiting_again(parts: Parts, item: dict[str, Any]) -> str:
    """Let an approved memory be what it was: a candidate in the inbox, or not approved."""
    vault, origin = parts.vault, str(item["origin"])
    path = _now_at(parts, item)
    keys: dict[str, Written] = {"source": item["source"] or None}
    if origin == item["path"]:
        vault.edit(path, keys, seen=vault.read(path).hash)
        return path
    if vault.layout.role(path) == Role.CANDIDATE:
        origin = path
    else:
        if vault.exists(origin):
            origin = vault.free_path(origin.rpartition("/")[0], vault.read(path).title)
        files.move(vault.root, path, origin)
    scope, seen = item["scope_said"] or "global", int(item["seen"] or 1)
    keys |= {"status": "pending", "scope": scope, "seen": seen}
    vault.edit(origin, keys, seen=vault.read(origin).hash)
    return origin


def _now_at(parts: Parts, item: dict[str, Any]) -> str:
    """Return where an approved memory lies now; the disk may have kept it from being indexed."""
    try:
        return parts.sidecar.snapshot.find(item["id"])
    except NotFound:
        if parts.vault.exists(item["path"]):
            return str(item["path"])
        raise


def _put_back(parts: Parts, item: dict[str, Any]) -> None:
    """Give a note that was changed or merged into the bytes that it had."""
    vault, path, data = parts.vault, item["path"], parts.vault.data(item["path"])
    done = not vault.exists(item["before"]) if item["before"] else digest(data) == item.get("was")
    if done:
        return
    if digest(data) != item["hash"]:
        raise ChangedOnDisk(path)
    if "size" in item:
        before = data[: item["size"]]
        if digest(before) == item["was"]:
            vault.replace(path, before, seen=item["hash"])
        return
    if item["before"]:
        before = vault.data(item["before"])
        vault.replace(path, before, seen=item["hash"])
        files.remove(vault.root, item["before"], seen=digest(before))
        parts.ledger.untrashed(item["before"])


def _from_trash(parts: Parts, path: str, origin: str) -> str:
    """Move a note from the trash to where it was; a candidate waits again."""
    vault = parts.vault
    if not vault.exists(path) and vault.exists(origin):
        return origin  # it was moved before this was cut short
    note = vault.read(path)
    keys: dict[str, Written] = {"rejected": None} if note.text("rejected") else {}
    if note.status == "approved":
        keys["status"] = "pending"
    if keys:
        with suppress(Refused):  # it is broken, and was so before
            vault.edit(path, keys, seen=note.hash)
    if vault.exists(origin):
        origin = vault.free_path(origin.rpartition("/")[0], note.title)
    files.move(vault.root, path, origin)
    parts.ledger.untrashed(path)
    return origin
