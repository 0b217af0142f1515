"""Adding a commit of some files to the branch, beside whatever else a person has under way.

The commit is made from the newest one and the files named, never from the index; the index then
learns of those files alone. So what a person has staged or edited elsewhere stays as it is, and no
filter, hook or editor takes part. Either all of it happens or nothing.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from vaultmem.vault.clone import Clone
from vaultmem.vault.git import run
from vaultmem.vault.repository import inside
from vaultmem.vault.trees import blob_id
from vaultmem.words.errors import DiskFailed, GitFailed, UnfitRepository

MOST_NAMED = 1000
"""Paths that are given to git as words; a system takes only so many."""


@dataclass(frozen=True)
class Person:
    """Who is named in a commit."""

    name: str
    email: str

    def line(self, moment: float, zone: str) -> bytes:
        """Return the person as a commit states who and when."""
        name = _plain(self.name) or "vaultmem"
        return f"{name} <{_plain(self.email)}> {int(moment)} {zone}".encode("utf-8", "replace")


def _plain(text: str) -> str:
    return "".join(c for c in text if c not in "<>" and c.isprintable()).strip()


def person_of(clone: Clone) -> Person:
    """Return who commits here by git's own settings, vaultmem itself where nobody is named."""
    asking = ("config", "-z", "--get-regexp", r"^user\.(name|email)$")
    told = run(clone.top, *asking, fine=(0, 1), person=True).decode("utf-8", "replace")
    found = dict(line.split("\n", 1) for line in told.split("\0") if "\n" in line)
    name = found.get("user.name", "vaultmem")
    return Person(name, found.get("user.email", "vaultmem@localhost"))


def _setting(folder: Path, key: str) -> str:
    return run(folder, "config", "--get", key, fine=(0, 1), person=True).decode().strip()


def committable(clone: Clone, root: Path, paths: list[str], *, filtered: bool = False) -> list[str]:
    """Return those of some files of the vault that a person's git would take: not the ignored ones.

    Raises:
        UnfitRepository: a file lies in a repository of its own, or goes through a filter; not
            asked where `filtered` ones are fine too, since they are only read.
    """
    if not filtered:
        _refuse_foreign(clone, root, paths)
    ignored = _ignored(clone, [f"{clone.prefix}{path}" for path in paths])
    return [path for path in paths if f"{clone.prefix}{path}" not in ignored]


def _refuse_foreign(clone: Clone, root: Path, paths: list[str]) -> None:
    folders = {folder for path in paths for folder in list(Path(path).parents)[:-1]}
    if any((root / folder / ".git").exists() for folder in folders):
        raise UnfitRepository("nested")
    told = "".join(f"{clone.prefix}{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    asked = ("check-attr", "--stdin", "-z", "filter", "working-tree-encoding")
    facts = run(clone.top, *asked, stdin=told, person=True).split(b"\0")
    if any(value not in (b"unspecified", b"unset") for value in facts[2::3]):
        raise UnfitRepository("filtered")


def _ignored(clone: Clone, paths: list[str]) -> set[str]:
    """Return those of some paths that a person's git would not take.

    This one command takes no literal paths; the `./` keeps every path from being more than one.
    """
    told = "".join(f"./{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    env = {"GIT_LITERAL_PATHSPECS": "0"}
    asked = ("check-ignore", "--stdin", "-z")
    found = run(clone.top, *asked, stdin=told, env=env, fine=(0, 1), person=True)
    return {
        name.removeprefix("./") for name in found.decode("utf-8", "surrogateescape").split("\0")
    }


def commit(
    clone: Clone,
    files: Mapping[str, bytes | None],
    message: str,
    *,
    author: Person,
    committer: Person,
    first: bool = False,
) -> str:
    """Add one commit that sets some files of the vault, None taking one out; return its name.

    Only a `first` commit may have none before it.

    Raises:
        UnfitRepository: see `refuse_unwritable`; or the branch moved meanwhile.
        GitFailed, DiskFailed.
    """
    clone.refuse_unwritable(first=first)
    when = time.time()
    zone = time.strftime("%z", time.localtime(when))
    placed = {f"{clone.prefix}{path}": data for path, data in files.items()}
    with _index(clone) as index:
        follows = {
            path: "" if placed[path] is None else blob_id(placed[path] or b"", clone.head)
            for path in sorted(_following(clone, placed))
        }
        _announced(clone, follows)
        stream = b"".join(_stream(clone, placed, message, author, committer, when, zone))
        try:
            run(clone.top, "fast-import", "--quiet", "--done", stdin=stream, timeout=60)
        except GitFailed:
            now = run(clone.top, "rev-parse", "--verify", clone.branch, fine=(0, 128))
            if now.decode().strip() != clone.head:
                raise UnfitRepository("moved") from None
            raise
        told = run(clone.top, "rev-parse", "--verify", f"{clone.branch}^{{commit}}")
        _learned(clone, index, follows)
    return told.decode().strip()


def _stream(
    clone: Clone,
    files: Mapping[str, bytes | None],
    message: str,
    author: Person,
    committer: Person,
    when: float,
    zone: str,
) -> Iterator[bytes]:
    text = message.encode("utf-8", "replace")
    yield b"commit " + clone.branch.encode("utf-8", "surrogateescape") + b"\n"
    yield b"author " + author.line(when, zone) + b"\n"
    yield b"committer " + committer.line(when, zone) + b"\n"
    yield b"data %d\n" % len(text) + text + b"\n"
    if clone.head:
        yield b"from " + clone.head.encode() + b"\n"
    for path, data in sorted(files.items(), key=lambda item: item[1] is not None):
        if data is None:
            yield b"D " + _quoted(path) + b"\n"
        else:
            yield b"M 100644 inline " + _quoted(path) + b"\ndata %d\n" % len(data) + data + b"\n"
    yield b"done\n"


def _quoted(path: str) -> bytes:
    """Return a path in double quotes, as fast-import takes any."""
    raw = path.encode("utf-8", "surrogateescape")
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


@contextmanager
def _index(clone: Clone) -> Iterator[Path]:
    """Hold the index as git itself does; what is lent becomes the index if all goes well.

    What a commit of ours that was cut short left of it is mended first.
    """
    index, lock = clone.git / "index", clone.git / "index.lock"
    fresh = clone.git / f"vaultmem-{os.getpid()}.index"
    left = _listed(clone, _locked(clone, lock))
    if left:
        shutil.copyfile(index, fresh)
        _learned(clone, fresh, left)
        fresh.replace(index)
    try:
        if index.exists():
            shutil.copyfile(index, fresh)
        yield fresh
        if fresh.exists():
            fresh.replace(index)
    finally:
        for made in (fresh, lock):
            with suppress(OSError):
                made.unlink()


def _locked(clone: Clone, lock: Path) -> list[str]:
    """Lock the index; return the files that a commit which was cut short had not set in it."""
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        if clone.locked:
            raise UnfitRepository("locked") from None
        told = lock.read_bytes().removeprefix(clone.mark).decode("utf-8", "surrogateescape")
        return [path for path in told.split("\0") if path]
    except OSError as error:
        raise DiskFailed(lock, error) from error
    with os.fdopen(handle, "wb") as file:
        file.write(clone.mark)
    return []


def _announced(clone: Clone, paths: Iterable[str]) -> None:
    """Write into the lock which files the index is to have as the commit will."""
    with (clone.git / "index.lock").open("ab") as file:
        file.write("".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape"))
        file.flush()
        os.fsync(file.fileno())


def _listed(clone: Clone, paths: list[str]) -> dict[str, str]:
    """Return the blobs of some files as the newest commit has them, empty for one that is gone."""
    if not paths or not clone.head:
        return {}
    named = paths if len(paths) <= MOST_NAMED else ()
    told = run(clone.top, "ls-tree", "-r", "-z", "--full-tree", clone.head, "--", *named)
    lines = (line.partition("\t") for line in told.decode("utf-8", "surrogateescape").split("\0"))
    known = {path: head.split(" ")[2] for head, _, path in lines if path}
    return {path: known.get(path, "") for path in paths}


def _following(clone: Clone, files: Mapping[str, bytes | None]) -> set[str]:
    """Return the files that the index has as the newest commit does: no person staged them."""
    if not clone.head:
        return set(files)
    named = files if len(files) <= MOST_NAMED else ()
    asked = ("diff-index", "--cached", "-z", "--name-only", clone.head, "--", *named)
    listing = run(clone.top, *asked, timeout=120)
    staged = {name.decode("utf-8", "surrogateescape") for name in listing.split(b"\0") if name}
    return files.keys() - staged


def _learned(clone: Clone, index: Path, files: Mapping[str, str]) -> None:
    """Set the blobs of some files in an index; one with none is taken out."""
    if not files:
        return
    none = "0" * len(clone.head)
    lines = (
        f"{'100644' if blob else '0'} {blob or none}\t{path}\0" for path, blob in files.items()
    )
    told = "".join(lines).encode("utf-8", "surrogateescape")
    env = {"GIT_INDEX_FILE": str(index)}
    run(clone.top, "update-index", "-z", "--index-info", stdin=told, env=env)


def begin(root: Path) -> bool:
    """Make a repository of a vault that lies in none; return whether that was needed."""
    if inside(root):
        return False
    named = _setting(root, "init.defaultBranch") or "main"
    run(root, "init", "-q", "--template=", f"--initial-branch={named}")
    return True
