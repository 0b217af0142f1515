"""What lies in folders beside notes, and names and files that no editor makes."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from .item import Hostile
from .notes import FLOWERS, titled

LINK = "it is a link"
NOT_REGULAR = "no regular file"


def beside(name: str, original: bytes, data: bytes) -> Callable[[Path], None]:
    """Return what makes a file and, in the same folder, the one that it is a copy of."""

    def make(path: Path) -> None:
        path.with_name(name).write_bytes(original)
        path.write_bytes(data)

    return make


def copies() -> Iterator[Hostile]:
    """Yield what sync tools, file managers and editors leave behind."""
    original, changed = titled("Plan"), titled("Plan", FLOWERS + "And a rake.\n")
    for row, names in {
        "copies by Syncthing": ("plan.sync-conflict-20261130-101500-ABCDEFG.md",),
        "copies by Obsidian": ("plan (Conflicted copy MyMac 202611301015).md",),
        "copies by Dropbox": (
            "plan (Anna's conflicted copy 2026-11-30).md",
            "plan (conflicted copy 2026-11-30 101500).md",
        ),
    }.items():
        for name in names:
            put = beside("plan.md", original, changed)
            yield Hostile(row, f"Copies/{name}", put, "copy", "a sync tool made it")
    for name in ("plan-LAPTOP.md", "plan 2.md", "plan (1).md", "plan - Copy.md"):
        put = beside("plan.md", original, changed)
        yield Hostile("copies that may be notes", f"Copies/{name}", put, word="rake")
    same = beside("plan.md", original, original)
    yield Hostile("copies that may be notes", "Copies/plan 3.md", same, "copy", "a sync tool")
    for name in (".syncthing.plan.md.tmp", "~syncthing~plan.md.tmp"):
        yield Hostile("files in the making", name, b"half a no", "ignored")
    yield Hostile(
        "what a cloud keeps",
        "Cloud/.plan.md.icloud",
        b"bplist00",
        "skipped",
        "is in iCloud",
        about="Cloud/plan.md",
    )
    for name in (
        *("~$plan.docx", ".~lock.plan.odt#", ".DS_Store", "desktop.ini", "Thumbs.db", "plan.md~"),
        *(
            ".plan.md.swp",
            "4913",
            "#plan.md#",
            "plan.md.orig",
            ".goutputstream-AB12",
            "plan.md.bak",
        ),
        *("plan.md.sb-fc8ad3a6-66GHcO", ".plan.md.12345.tmp", "plan.markdown~", "plan.md.part"),
    ):
        yield Hostile("what editors leave", name, b"---\ntitle: x\n---\nhalf", "ignored")
    yield Hostile(
        "what editors leave", ".#plan.md", lambda path: path.symlink_to("me@here.1"), "ignored"
    )
    for folder in (
        *(".obsidian/plugins/x", ".trash", ".git", ".stfolder", ".stversions", ".vscode"),
        *(".obsidian", ".dropbox.cache", ".sync", ".github"),
    ):
        yield Hostile("hidden folders", f"{folder}/plan.md", titled("Hidden"), "ignored")


def special() -> Iterator[Hostile]:
    """Yield what is no file, leads elsewhere, or cannot be read."""
    yield Hostile("a folder named like a note", "Folder.md/inside.md", titled("In"), word="thistle")
    yield Hostile("pipes, sockets, devices", "pipe.md", os.mkfifo, "skipped", NOT_REGULAR)
    yield Hostile("pipes, sockets, devices", "socket.md", _socket, "skipped", NOT_REGULAR)
    for name, to in {
        "device.md": "/dev/zero",
        "environment.md": "/proc/self/environ",
        "passwords.md": "/etc/passwd",
        "dangling.md": "nowhere.md",
        "itself.md": "itself.md",
        "above": "..",
        "root": "/",
    }.items():
        row = "pipes, sockets, devices" if to.startswith("/dev") else "links that lead elsewhere"
        yield Hostile(row, f"Links/{name}", _link(to), "skipped", LINK)
    yield Hostile("links that lead elsewhere", "Hops/0.md", _hops, said=LINK, about="Hops/40.md")
    yield Hostile(
        "folders without end",
        "Deep/plan.md",
        _deep,
        said="longer than other programs",
        about="Deep/d",
    )
    yield Hostile("second names", "Twice/second.md", _hard, "skipped", "it is a hard link")
    for name, mode in (("nobody.md", 0o000), ("write-only.md", 0o200), ("read-only.md", 0o444)):
        yield Hostile("rights", f"Rights/{name}", _with_mode(mode))
    year = 365 * 24 * 3600
    for name, at in {
        "1970": 0,
        "1901": -year * 69,
        "2107": year * 137,
        "2446": year * 475,
        "next-year": 1_830_000_000,
    }.items():
        yield Hostile("odd times", f"Times/{name}.md", _at(at), word="thistle")


def _link(to: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(to)


def _socket(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def _hops(path: Path) -> None:
    path.write_bytes(titled("The end of the chain"))
    for number in range(1, 42):
        path.with_name(f"{number}.md").symlink_to(f"{number - 1}.md")


def _deep(path: Path) -> None:
    """Make 300 folders in one another, whose path is longer than a path may be."""
    path.write_bytes(titled("At the top"))
    folder = os.open(path.parent, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d" * 20, dir_fd=folder)
        inner = os.open("d" * 20, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    note = os.open("deepest.md", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
    os.write(note, titled("At the bottom"))
    os.close(note)
    os.close(folder)


def _hard(path: Path) -> None:
    path.with_name("first.txt").write_bytes(titled("Of another"))
    path.hardlink_to(path.with_name("first.txt"))


def _with_mode(mode: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(titled("Rights"))
        path.chmod(mode)

    return make


def _at(seconds: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(titled("Times"))
        os.utime(path, (seconds, seconds))

    return make


def names() -> Iterator[Hostile]:
    """Yield notes whose names a disk, a shell or another system trips over."""
    for name in ("CON.md", "aux.md", "nul.md", "a:b.md", "x..md", "COM1.md", "LPT9.tar.md"):
        yield Hostile("names of Windows", f"Windows/{name}", titled("Windows"), word="thistle")
    for number in range(50):
        note = titled("Watering", f"Bed number {number}. {FLOWERS}")
        yield Hostile("one title for many", f"Same/bed-{number}.md", note, word="thistle")
