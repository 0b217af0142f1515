"""What a repository holds as of a commit, read in few processes and without any filter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vaultmem.vault.clone import Clone
from vaultmem.vault.git import run
from vaultmem.words.errors import GitFailed

_FILES = ("100644", "100755")
MARKDOWN = ".md"


@dataclass(frozen=True)
class Moved:
    """One file that differs between two commits: its blob on each side, empty where it is not."""

    path: str
    before: str
    after: str


def blob_id(data: bytes, like: str) -> str:
    """Return the name that git gives some bytes, in the kind of hash that `like` is."""
    kind = hashlib.sha256 if len(like) == 64 else hashlib.sha1  # git's own naming
    return kind(b"blob %d\0" % len(data) + data).hexdigest()


def differing(clone: Clone, before: str, after: str) -> list[Moved]:
    """Return the markdown files of the vault that differ between two commits, by path."""
    return _raw(clone, "diff-tree", "-r", before, after)


def staged(clone: Clone, before: str) -> list[Moved]:
    """Return the markdown files of the vault that differ between a commit and the index."""
    return _raw(clone, "diff-index", "--cached", before)


def _raw(clone: Clone, *asked: str) -> list[Moved]:
    flags = ("-z", "--raw", "--no-renames", "--no-abbrev", "--no-textconv", "--no-ext-diff")
    raw = run(clone.top, asked[0], *flags, *asked[1:], "--", *_scope(clone), timeout=120)
    fields = raw.decode("utf-8", "surrogateescape").split("\0")
    return [
        Moved(path.removeprefix(clone.prefix), _blob(head[0], head[2]), _blob(head[1], head[3]))
        for stated, path in zip(fields[::2], fields[1::2], strict=False)
        if path.endswith(MARKDOWN) and (head := stated.lstrip(":").split(" "))
    ]


def _scope(clone: Clone) -> tuple[str, ...]:
    return (clone.prefix,) if clone.prefix else ()


def _blob(mode: str, blob: str) -> str:
    return blob if mode in _FILES else ""


def listed(clone: Clone, commit: str) -> dict[str, str]:
    """Return the markdown files of the vault as of a commit: path to blob."""
    found = run(clone.top, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *_scope(clone))
    files = {}
    for line in found.decode("utf-8", "surrogateescape").split("\0"):
        head, _, path = line.partition("\t")
        if path.endswith(MARKDOWN) and head.startswith(_FILES):
            files[path.removeprefix(clone.prefix)] = head.split(" ")[2]
    return files


def blobs(clone: Clone, names: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of some objects by the names they were asked by, without what is no file.

    A name is a blob's own, or `COMMIT:PATH` with no line end in it.
    """
    asked = [name for name in dict.fromkeys(names) if name and "\n" not in name]
    if not asked:
        return {}
    told = "".join(f"{name}\n" for name in asked).encode("utf-8", "surrogateescape")
    printed = run(clone.top, "cat-file", "--batch", "--buffer", stdin=told, timeout=120)
    return dict(_read(printed, asked))


def _read(printed: bytes, asked: list[str]) -> Iterator[tuple[str, bytes]]:
    at = 0
    for name in asked:
        end = printed.index(b"\n", at)
        head = printed[at:end]
        at = end + 1
        if head.endswith((b" missing", b" ambiguous")):
            continue
        try:
            kind, size = head.rsplit(b" ", 2)[1:]
            length = int(size)
        except ValueError:
            raise GitFailed(head.decode("utf-8", "replace")) from None
        if kind == b"blob":
            yield name, printed[at : at + length]
        at += length + 1


def stays(path: str) -> bool:
    """Return whether a path can be one of the vault's; git would follow any other out of it."""
    return not path.startswith("/") and ".." not in path.split("/") and "\n" not in path


def as_of(clone: Clone, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of those of some files of the vault that a commit has."""
    inside = filter(stays, paths)
    names: Mapping[str, str] = {f"{commit}:{clone.prefix}{path}": path for path in inside}
    return {names[name]: data for name, data in blobs(clone, names).items()}
