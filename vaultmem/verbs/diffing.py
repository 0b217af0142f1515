"""The memory diff between two states of a vault in git, and whether the later may be merged."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vaultmem.vault.clone import Clone, clone_of
from vaultmem.vault.commits import committable
from vaultmem.vault.git import run
from vaultmem.vault.trees import Moved, blob_id, blobs, differing, listed, staged
from vaultmem.verbs.parts import Parts
from vaultmem.words.changes import Change, Side, changes
from vaultmem.words.errors import NoRevision, UnfitRepository
from vaultmem.words.layout import Layout
from vaultmem.words.note import parse
from vaultmem.words.unfit import Unfit, unfit


@dataclass(frozen=True)
class Between:
    """Two states of a vault, as far as they differ, and all notes of the later one."""

    before: Side
    after: Side
    blobs: dict[str, str]
    """Every note of the later state that git knows: path to blob."""
    clone: Clone
    end: str = ""
    """The later state's commit; empty where it is the files, or what is staged."""


def diff(parts: Parts, span: str = "", *, staged: bool = False) -> list[Change]:
    """Return what became of memories and the live log; see `between` for what is compared."""
    found = between(parts, span, index=staged)
    return changes(found.before, found.after, parts.vault.layout)


def check(parts: Parts, span: str = "", *, staged: bool = False) -> list[Unfit]:
    """Return what speaks against merging a change; raises as `between` does."""
    layout = parts.vault.layout
    found = between(parts, span, index=staged)
    known = blobs(found.clone, found.blobs.values())
    everything = {path: known[blob] for path, blob in found.blobs.items() if blob in known}
    everything.update(found.after.files)
    told = changes(found.before, found.after, layout)
    return unfit(found.before, found.after, told, everything, layout)


def between(parts: Parts, span: str = "", *, index: bool = False) -> Between:
    """Return two states of a vault: those of `A..B`, or of a commit and the files as they are.

    Without a span the commit is the newest one; `A...B` begins where the two parted; `index`
    compares with what is staged instead of the files.

    Raises:
        NoRepository, NoRevision, BadInput: there is no such state. GitError.
    """
    clone = clone_of(parts.vault.root)
    if not clone.head:
        raise UnfitRepository("unborn")
    first, dots, last = span.partition("...") if "..." in span else span.partition("..")
    start = clone.commit(first or "HEAD")
    if not dots:
        return _until_now(parts, clone, start, index=index)
    end = clone.commit(last or "HEAD")
    if dots == "...":
        start = _parted(clone, start, end)
    moved = _visible(differing(clone, start, end))
    return replace(_read(clone, moved, {}, listed(clone, end), parts.vault.layout), end=end)


def _parted(clone: Clone, one: str, other: str) -> str:
    base = run(clone.top, "merge-base", one, other, fine=(0, 1)).decode().strip()
    if not base:
        hint = UnfitRepository.ADVICE["shallow"] if clone.shallow else "They share no history."
        raise NoRevision(f"{one[:12]}...{other[:12]}", hint)
    return base


def _until_now(parts: Parts, clone: Clone, start: str, *, index: bool) -> Between:
    layout = parts.vault.layout
    if index:
        moved = _visible(staged(clone, start))
        known = listed(clone, start)
        gone = {one.path for one in moved if not one.after}
        known = {path: blob for path, blob in known.items() if path not in gone}
        known.update({one.path: one.after for one in moved if one.after})
        return _read(clone, moved, {}, known, layout)
    known = {path: blob for path, blob in listed(clone, start).items() if _seen(path)}
    now = {path: parts.vault.data(path) for path in parts.vault.scan().notes}
    fresh = [path for path in now if path not in known]
    taken = set(committable(clone, parts.vault.root, fresh, filtered=True)) if fresh else set()
    edited = {
        path: data for path, data in now.items() if path in taken or _differs(data, known.get(path))
    }
    moved = [Moved(path, known.get(path, ""), "now") for path in sorted(edited)]
    moved += [Moved(path, blob, "") for path, blob in known.items() if path not in now]
    kept = {path: blob for path, blob in known.items() if path in now}
    return _read(clone, moved, edited, kept, layout)


def _differs(data: bytes, blob: str | None) -> bool:
    """Return whether a file is another than its blob; line ends alone make no difference."""
    if blob is None or blob_id(data, blob) == blob:
        return False
    return blob_id(data.replace(b"\r\n", b"\n"), blob) != blob


def _visible(moved: list[Moved]) -> list[Moved]:
    return [one for one in moved if _seen(one.path)]


def _seen(path: str) -> bool:
    return not any(part.startswith(".") for part in path.split("/"))


def _read(
    clone: Clone,
    moved: list[Moved],
    now: dict[str, bytes],
    after: dict[str, str],
    layout: Layout,
) -> Between:
    """Return both sides, read from git but for what is given."""
    pages = [p for p in after if p.endswith("/index.md") and p.startswith(layout.at("memory/"))]
    wanted = {blob for one in moved for blob in (one.before, one.after) if blob}
    data = blobs(clone, [*wanted, *(after[page] for page in pages)])
    old = {one.path: data[one.before] for one in moved if one.before in data}
    new = {one.path: data[one.after] for one in moved if one.after in data} | now
    scopes = {page: data[after[page]] for page in pages if after[page] in data}
    late = {**scopes, **{p: d for p, d in new.items() if p.endswith("/index.md")}}
    early = {p: d for p, d in late.items() if not (p in new and p not in old)} | {
        p: d for p, d in old.items() if p.endswith("/index.md")
    }
    return Between(Side(old, _folders(early)), Side(new, _folders(late)), after, clone)


def _folders(pages: dict[str, bytes]) -> dict[str, str]:
    found = {}
    for path, data in pages.items():
        note = parse(path, data)
        if "scope" in note.properties:
            found[path.rpartition("/")[0]] = note.text("scope").casefold()
    return found
