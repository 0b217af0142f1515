"""Laying hostile things into a vault, and telling what went wrong in words."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from vaultmem.memory import Memory, Question, SleepWish
from vaultmem.words.errors import Refused, VaultmemError

from .item import Hostile

OURS = (".vaultmem", "index.md", "live-context.md")
LARGE = 4 * 1024 * 1024
KEY = "reviewed_by"


def lying(root: Path) -> dict[bytes, str]:
    """Return everything in a vault by its path: what it is, when it changed, and its bytes."""
    found: dict[bytes, str] = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        for name in (*folders, *names):
            path = os.path.join(folder, name)
            found[os.path.relpath(path, os.fsencode(root))] = _told(path)
    return found


def _told(path: bytes) -> str:
    try:
        state = os.lstat(path)
    except OSError as error:
        return str(error.errno)
    told = f"{state.st_mode} {state.st_mtime_ns} {state.st_size}"
    if not os.path.isfile(path) or os.path.islink(path):
        return f"{state.st_mode}"
    if state.st_size > LARGE or not os.access(path, os.R_OK):
        return told
    with open(path, "rb") as file:
        return told + hashlib.sha256(file.read()).hexdigest()


def read_through(memory: Memory, words: Iterable[str]) -> dict[str, list[str]]:
    """Read a vault in every way that changes nothing; return what each word found."""
    memory.refresh()
    found = {}
    for word in words:
        answer = memory.remember(Question(word, limit=20, detail="titles"))
        found[word] = [hit.path for hit in answer.hits]
    memory.brief("roses")
    memory.sleep(SleepWish(dry_run=True))
    return found


def faults(memory: Memory, items: Sequence[Hostile]) -> list[str]:
    """Return what goes wrong where some hostile things lie in a vault, in words.

    Whether its own word finds a note, and what an edit does, is tried where one lies there alone.
    """
    root, alone = memory.vault.root, len(items) == 1
    before = lying(root)
    found = read_through(memory, {items[0].word or "thistle"} if alone else {"thistle", "garden"})
    lines = [(finding.path, finding.what) for finding in memory.doctor().findings]
    after = lying(root)
    ours = (*OURS, *(item.path for item in items if item.seen == "mended"))
    wrong = [
        f"{os.fsdecode(path)}: it changed"
        for path in before
        if before[path] != after.get(path) and not os.fsdecode(path).endswith(ours)
    ]
    for item in items:
        wrong += _misread(memory, item, found, lines, alone=alone)
        wrong += _edited(memory, item) if alone and item.seen == "note" else []
    return wrong


def _misread(
    memory: Memory,
    item: Hostile,
    found: dict[str, list[str]],
    lines: Sequence[tuple[str, str]],
    *,
    alone: bool,
) -> list[str]:
    wrong = []
    facts = memory._parts.sidecar.snapshot.facts
    if (item.path in facts) != (item.seen in ("note", "log", "mended")):
        wrong.append(f"{item.path}: is no {item.seen}")
    said = [what for path, what in lines if path.startswith(item.place)]
    if item.said and not any(item.said in what for what in said):
        wrong.append(f"{item.path}: doctor does not say {item.said!r} but {said}")
    if alone and not item.said and said and not _may_be_unread(memory, item):
        wrong.append(f"{item.path}: doctor says {said} for nothing")
    if alone and item.word and item.path not in found[item.word]:
        wrong.append(f"{item.path}: {item.word!r} does not find it")
    return wrong


def _may_be_unread(memory: Memory, item: Hostile) -> bool:
    return not os.access(memory.vault.root / item.path, os.R_OK)


def _edited(memory: Memory, item: Hostile) -> list[str]:
    """Return what is wrong with setting one property: only its own lines may be new."""
    file = memory.vault.root / item.path
    if file.stat().st_size > LARGE or not os.access(file, os.R_OK):
        return []
    before = file.read_bytes()
    seen = hashlib.sha256(before).hexdigest()
    try:
        memory.vault.edit(item.path, {KEY: "me"}, seen=seen)
    except Refused as why:
        kept = file.read_bytes() == before
        said = "Mend them in an editor" in str(why)
        return [] if kept and said else [f"{item.path}: {why}"]
    except VaultmemError as why:
        return [f"{item.path}: {why}"]
    after = file.read_bytes()
    file.write_bytes(before)
    grown = len(after) - len(before)
    pairs = enumerate(zip(before, after, strict=False))
    start = next((at for at, (old, new) in pairs if old != new), len(before))
    inserted = grown > 0 and after[start + grown :] == before[start:] and KEY.encode() in after
    return [] if inserted else [f"{item.path}: an edit changed more than its own lines"]
