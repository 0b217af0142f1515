"""The few ways in which the disk is touched: whole or not at all, and never outside."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from promises import promise

from vaultmem.vault import exchange, files, place
from vaultmem.words.errors import (
    AlreadyThere,
    ChangedOnDisk,
    DiskFailed,
    NotFound,
    OutsideVault,
)


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The system calls that change something, in the order in which they are made."""
    made: list[str] = []

    class Watched:
        def __getattr__(self, name: str) -> Any:
            real = getattr(os, name)
            if name not in ("write", "fsync", "replace", "rename", "link", "unlink", "mkdir"):
                return real

            def noted(*args: Any, **named: Any) -> Any:
                made.append(name)
                return real(*args, **named)

            return noted

    for module in (files, exchange, place):
        monkeypatch.setattr(module, "os", Watched())
    swap = exchange.swap
    monkeypatch.setattr(exchange, "swap", lambda *names: made.append("swap") or swap(*names))
    return made


def temporaries(root: Path) -> list[Path]:
    return list(root.rglob(".vaultmem-*"))


# Writing


def test_a_new_file_is_on_disk_before_its_name_and_its_name_before_the_return(
    tmp_path: Path, calls: list[str]
) -> None:
    files.create(tmp_path, "a.md", b"one\n")

    assert calls == ["write", "fsync", "link", "unlink", "fsync"]
    assert (tmp_path / "a.md").read_bytes() == b"one\n"


def test_a_new_folder_is_on_disk_before_the_file_in_it(tmp_path: Path, calls: list[str]) -> None:
    files.create(tmp_path, "a/b/c.md", b"one\n")

    assert calls == [
        *("mkdir", "fsync", "mkdir", "fsync"),
        *("write", "fsync", "link", "unlink", "fsync"),
    ]


def test_a_replaced_file_is_on_disk_before_it_takes_the_name(
    tmp_path: Path, calls: list[str]
) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")

    files.replace(tmp_path, "a.md", b"two\n", seen=hashed(b"one\n"))

    assert calls == ["write", "fsync", "swap", "unlink", "fsync"]
    assert (tmp_path / "a.md").read_bytes() == b"two\n"


def test_a_line_is_appended_by_one_write_and_is_on_disk_at_the_return(
    tmp_path: Path, calls: list[str]
) -> None:
    (tmp_path / "log.md").write_bytes(b"one\n")

    files.append_line(tmp_path, "log.md", "two")

    assert calls == ["write", "fsync"]
    assert (tmp_path / "log.md").read_bytes() == b"one\ntwo\n"


def test_moving_and_removing_reach_the_folders(tmp_path: Path, calls: list[str]) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")

    files.move(tmp_path, "a.md", "b.md")
    files.remove(tmp_path, "b.md", seen=hashed(b"one\n"))

    assert calls == ["rename", "fsync", "fsync", "unlink", "fsync"]
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_never_takes_a_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")

    with pytest.raises(AlreadyThere):
        files.create(tmp_path, "a.md", b"two\n")

    assert (tmp_path / "a.md").read_bytes() == b"one\n"
    assert temporaries(tmp_path) == []


def test_a_move_never_takes_a_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    (tmp_path / "b.md").write_bytes(b"two\n")

    with pytest.raises(AlreadyThere):
        files.move(tmp_path, "a.md", "b.md")

    assert (tmp_path / "a.md").read_bytes() == b"one\n"
    assert (tmp_path / "b.md").read_bytes() == b"two\n"


def test_a_file_that_changed_since_it_was_seen_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")

    with pytest.raises(ChangedOnDisk):
        files.replace(tmp_path, "a.md", b"three\n", seen=hashed(b"two\n"))

    assert (tmp_path / "a.md").read_bytes() == b"one\n"
    assert temporaries(tmp_path) == []


@promise("newest")
def test_a_file_that_changes_while_the_new_one_is_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    written = files._written

    def slow(*args: Any) -> str:
        done = written(*args)
        (tmp_path / "a.md").write_bytes(b"of a person\n")
        return done

    monkeypatch.setattr(files, "_written", slow)
    with pytest.raises(ChangedOnDisk):
        files.replace(tmp_path, "a.md", b"two\n", seen=hashed(b"one\n"))

    assert (tmp_path / "a.md").read_bytes() == b"of a person\n"
    assert temporaries(tmp_path) == []


def renamed_over(path: Path, data: bytes) -> None:
    path.with_name("beside").write_bytes(data)
    path.with_name("beside").replace(path)


def in_place(path: Path, data: bytes) -> None:
    path.write_bytes(data)


@promise("newest")
@pytest.mark.parametrize("save", [renamed_over, in_place])
@pytest.mark.parametrize("times", [1, 2])
def test_what_a_person_saves_between_the_last_look_and_the_rename_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path, bytes], None], times: int
) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    swap, saves = exchange.swap, [b"of a person\n", b"of a person, once more\n"][:times]

    def late(*names: Any) -> bool:
        if saves:
            save(tmp_path / "a.md", saves.pop(0))
        return swap(*names)

    if not swap_works(tmp_path):
        pytest.skip("this disk cannot exchange two names")
    monkeypatch.setattr(exchange, "swap", late)
    with pytest.raises(ChangedOnDisk):
        files.replace(tmp_path, "a.md", b"two\n", seen=hashed(b"one\n"))

    wanted = [b"of a person\n", b"of a person, once more\n"][times - 1]
    assert (tmp_path / "a.md").read_bytes() == wanted
    assert temporaries(tmp_path) == []


def test_an_editor_that_has_cut_the_file_and_not_yet_written_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    swap, editor = exchange.swap, []

    def late(*names: Any) -> bool:
        if not editor:
            editor.append((tmp_path / "a.md").open("wb"))
        return swap(*names)

    if not swap_works(tmp_path):
        pytest.skip("this disk cannot exchange two names")
    monkeypatch.setattr(exchange, "swap", late)
    with pytest.raises(ChangedOnDisk):
        files.replace(tmp_path, "a.md", b"two\n", seen=hashed(b"one\n"))
    with editor[0] as file:
        file.write(b"of a person\n")

    assert (tmp_path / "a.md").read_bytes() == b"of a person\n"


def swap_works(folder: Path) -> bool:
    names = ("swap-1", "swap-2")
    for name in names:
        (folder / name).write_bytes(b"")
    handle = os.open(folder, os.O_RDONLY)
    try:
        return exchange.swap(handle, *names)
    finally:
        os.close(handle)


def test_a_disk_that_cannot_exchange_names_replaces_the_file_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)

    files.replace(tmp_path, "a.md", b"two\n", seen=hashed(b"one\n"))

    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"two\n"


def test_a_file_that_changed_since_it_was_seen_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")

    with pytest.raises(ChangedOnDisk):
        files.remove(tmp_path, "a.md", seen=hashed(b"two\n"))

    assert (tmp_path / "a.md").read_bytes() == b"one\n"


def test_a_file_that_is_not_there_is_neither_replaced_nor_removed_nor_moved_nor_appended_to(
    tmp_path: Path,
) -> None:
    def appended() -> None:
        files.append_line(tmp_path, "a.md", "x")

    def moved() -> None:
        files.move(tmp_path, "a.md", "b.md")

    def read() -> None:
        files.read(tmp_path, "a.md")

    for act in (appended, moved, read):
        with pytest.raises(NotFound):
            act()
    with pytest.raises(ChangedOnDisk):
        files.replace(tmp_path, "a.md", b"x", seen=hashed(b""))
    with pytest.raises(ChangedOnDisk):
        files.remove(tmp_path, "a.md", seen=hashed(b""))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"new\n"),
        (b"one\n", b"one\nnew\n"),
        (b"one", b"one\nnew\n"),
        (b"one\n- 2026-11-30T02:1", b"one\n- 2026-11-30T02:1\nnew\n"),
        (b"one\r\n", b"one\r\nnew\n"),
        (b"\xff\xfe torn in a letter \xc3", b"\xff\xfe torn in a letter \xc3\nnew\n"),
    ],
)
def test_a_torn_last_line_is_closed_before_the_next_one(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    (tmp_path / "log.md").write_bytes(before)

    files.append_line(tmp_path, "log.md", "new")

    assert (tmp_path / "log.md").read_bytes() == after


def failing(monkeypatch: pytest.MonkeyPatch, name: str, code: int, after: int = 0) -> None:
    """Let a system call fail from the one `after` so many on."""
    left = [after]

    class Failing:
        def __getattr__(self, asked: str) -> Any:
            real = getattr(os, asked)
            if asked != name:
                return real

            def call(*args: Any, **named: Any) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    raise OSError(code, os.strerror(code))
                return real(*args, **named)

            return call

    monkeypatch.setattr(files, "os", Failing())


@pytest.mark.parametrize("before", [b"one\n", b"one\ntorn"])
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_failed_append_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes, call: str
) -> None:
    (tmp_path / "log.md").write_bytes(before)
    failing(monkeypatch, call, errno.ENOSPC)

    with pytest.raises(DiskFailed, match="The disk is full"):
        files.append_line(tmp_path, "log.md", "two")

    assert (tmp_path / "log.md").read_bytes() == before


def short_writes(monkeypatch: pytest.MonkeyPatch, most: int, room: int = 1 << 30) -> None:
    """Let a disk write only a few bytes at a time, and only so many in all."""
    left = [room]

    class Short:
        def __getattr__(self, name: str) -> Any:
            return self.write if name == "write" else getattr(os, name)

        def write(self, handle: int, data: bytes) -> int:
            count = min(most, left[0], len(data))
            left[0] -= count
            return os.write(handle, data[:count])

    monkeypatch.setattr(files, "os", Short())


def test_writes_that_are_cut_short_are_carried_on_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(range(256)) * 40
    (tmp_path / "log.md").write_bytes(b"one\n")
    short_writes(monkeypatch, most=7)

    files.create(tmp_path, "a.md", data)
    files.replace(tmp_path, "a.md", data[::-1], seen=hashed(data))
    files.append_line(tmp_path, "log.md", "a line of more than seven bytes")

    assert (tmp_path / "a.md").read_bytes() == data[::-1]
    assert (tmp_path / "log.md").read_bytes() == b"one\na line of more than seven bytes\n"


@promise("full")
def test_a_disk_that_fills_up_in_the_middle_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log.md").write_bytes(b"one\n")
    acts: list[Callable[[], None]] = [
        lambda: files.create(tmp_path, "a.md", b"a" * 100),
        lambda: files.replace(tmp_path, "log.md", b"a" * 100, seen=hashed(b"one\n")),
        lambda: files.append_line(tmp_path, "log.md", "a" * 100),
    ]
    for act in acts:
        short_writes(monkeypatch, most=30, room=60)
        with pytest.raises(DiskFailed, match="The disk is full"):
            act()

    assert [path.name for path in tmp_path.iterdir()] == ["log.md"]
    assert (tmp_path / "log.md").read_bytes() == b"one\n"


@promise("whole")
def test_a_disk_without_hard_links_still_gets_the_whole_file_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "link", errno.EPERM)

    files.create(tmp_path, "a.md", b"one\n")
    with pytest.raises(AlreadyThere):
        files.create(tmp_path, "a.md", b"two\n")

    assert (tmp_path / "a.md").read_bytes() == b"one\n"
    assert temporaries(tmp_path) == []


def test_a_name_that_cannot_be_asked_about_is_never_taken_for_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    (tmp_path / "b.md").write_bytes(b"two\n")
    failing(monkeypatch, "stat", errno.EMFILE, after=1)

    with pytest.raises(DiskFailed, match="Too many files are open"):
        files.move(tmp_path, "a.md", "b.md")
    with pytest.raises(DiskFailed, match="Too many files are open"):
        files.exists(tmp_path, "b.md")

    assert (tmp_path / "b.md").read_bytes() == b"two\n"


# Modes


@pytest.mark.parametrize(
    ("folder", "file"), [(0o700, 0o600), (0o755, 0o644), (0o775, 0o664), (0o777, 0o666)]
)
def test_a_new_file_has_the_mode_of_its_folder_whatever_the_umask(
    tmp_path: Path, folder: int, file: int
) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    root.chmod(folder)
    before = os.umask(0o077)
    try:
        files.create(root, "new/a.md", b"one\n")
    finally:
        os.umask(before)

    assert stat.S_IMODE((root / "new").stat().st_mode) == folder
    assert stat.S_IMODE((root / "new/a.md").stat().st_mode) == file


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_replaced_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    (tmp_path / "a.md").chmod(mode)

    files.replace(tmp_path, "a.md", b"two\n", seen=hashed(b"one\n"))

    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == mode


# What is no file of the vault


ESCAPES = [
    "",
    "/etc/passwd",
    "../secret.md",
    "a/../../secret.md",
    "a/./b.md",
    "a//b.md",
    "a/",
    ".",
    "..",
    "a\\b.md",
    "..\\secret.md",
    "C:\\secret.md",
    "nul\x00.md",
    "line\nbreak.md",
    "escape\x1b.md",
]


def every_way(root: Path, path: str) -> list[Callable[[], object]]:
    """Return each way to touch a path."""
    return [
        lambda: files.read(root, path),
        lambda: files.create(root, path, b"x"),
        lambda: files.replace(root, path, b"x", seen=hashed(b"secret\n")),
        lambda: files.append_line(root, path, "x"),
        lambda: files.remove(root, path, seen=hashed(b"secret\n")),
        lambda: files.fingerprint(root, path),
        lambda: files.tail(root, path, 10),
        lambda: files.touch_same(root, path),
    ]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the vault, which nothing may reach."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.md").write_bytes(b"secret\n")
    (tmp_path / "secret.md").write_bytes(b"secret\n")
    return folder


@pytest.fixture
def vault(tmp_path: Path, outside: Path) -> Path:
    root = tmp_path / "vault"
    (root / "a").mkdir(parents=True)
    (root / "note.md").write_bytes(b"note\n")
    return root


def untouched(outside: Path) -> bool:
    beside = outside.parent / "secret.md"
    return (
        [path.name for path in outside.iterdir()] == ["secret.md"]
        and (outside / "secret.md").read_bytes() == b"secret\n"
        and beside.read_bytes() == b"secret\n"
    )


@promise("inside")
@pytest.mark.parametrize("path", ESCAPES)
def test_no_path_leads_out_of_the_vault(vault: Path, outside: Path, path: str) -> None:
    for act in every_way(vault, path):
        with pytest.raises(OutsideVault):
            act()
    with pytest.raises(OutsideVault):
        files.move(vault, "note.md", path)
    with pytest.raises(OutsideVault):
        files.move(vault, path, "new.md")

    assert not files.exists(vault, path)
    assert untouched(outside)


@pytest.mark.parametrize("target", ["../outside/secret.md", "{outside}/secret.md", "note.md"])
def test_a_link_is_never_followed(vault: Path, outside: Path, target: str) -> None:
    (vault / "link.md").symlink_to(target.format(outside=outside))

    for act in every_way(vault, "link.md"):
        with pytest.raises((OutsideVault, AlreadyThere)):
            act()

    assert untouched(outside)
    assert (vault / "note.md").read_bytes() == b"note\n"
    assert (vault / "link.md").is_symlink()


@pytest.mark.parametrize("target", ["../outside", "{outside}", "a"])
def test_a_folder_that_is_a_link_is_never_entered(vault: Path, outside: Path, target: str) -> None:
    (vault / "link").symlink_to(target.format(outside=outside), target_is_directory=True)

    for path in ("link/secret.md", "link/new.md", "link/deeper/new.md"):
        for act in every_way(vault, path):
            with pytest.raises(OutsideVault):
                act()
        with pytest.raises(OutsideVault):
            files.move(vault, "note.md", path)

    assert untouched(outside)
    assert list((vault / "a").iterdir()) == []


def test_a_vault_whose_root_is_a_link_works(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "shortcut").symlink_to(vault)

    files.create(tmp_path / "shortcut", "new/a.md", b"one\n")

    assert (vault / "new/a.md").read_bytes() == b"one\n"


def test_a_pipe_is_refused_and_never_waited_for(vault: Path) -> None:
    os.mkfifo(vault / "pipe.md")

    for act in every_way(vault, "pipe.md"):
        with pytest.raises((OutsideVault, AlreadyThere, DiskFailed)):
            act()

    assert stat.S_ISFIFO((vault / "pipe.md").stat().st_mode)


def test_a_folder_is_no_file_and_asking_leaks_nothing(vault: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    for act in every_way(vault, "a"):
        with pytest.raises((OutsideVault, AlreadyThere, DiskFailed)):
            act()

    if before:
        assert len(os.listdir("/proc/self/fd")) == before
    assert (vault / "a").is_dir()


def test_a_file_in_the_way_of_a_folder_is_refused(vault: Path) -> None:
    for act in every_way(vault, "note.md/new.md"):
        with pytest.raises(OutsideVault):
            act()

    assert (vault / "note.md").read_bytes() == b"note\n"


@promise("inside")
def test_a_folder_swapped_for_a_link_leads_nowhere(vault: Path, outside: Path) -> None:
    """Somebody swaps a folder for a link to the outside and back while we read and write."""
    swapped = vault / "swap"
    stop = threading.Event()

    def emptied() -> None:
        for path in list(swapped.iterdir()):
            path.unlink()
        swapped.rmdir()

    def swap() -> None:
        steps = (
            lambda: swapped.symlink_to(outside, target_is_directory=True),
            swapped.unlink,
            swapped.mkdir,
            emptied,
        )
        while not stop.is_set():
            for step in steps:
                with suppress(OSError):
                    if step is not emptied or not swapped.is_symlink():
                        step()

    thread = threading.Thread(target=swap)
    thread.start()
    read: set[bytes] = set()
    try:
        for number in range(500):
            try:
                files.create(vault, f"swap/{number}.md", b"ours\n")
                read.add(files.read(vault, f"swap/{number}.md"))
            except (OutsideVault, NotFound, AlreadyThere, DiskFailed):
                pass
            try:
                read.add(files.read(vault, "swap/secret.md"))
                files.append_line(vault, "swap/secret.md", "ours")
            except (OutsideVault, NotFound, DiskFailed):
                pass
    finally:
        stop.set()
        thread.join()

    assert read <= {b"ours\n"}
    assert untouched(outside)


# Reading


def test_reading_stops_at_the_limit(vault: Path) -> None:
    assert files.read(vault, "note.md", 3) == b"not"
    assert files.read(vault, "note.md") == b"note\n"


def test_the_tail_of_a_file_is_its_last_bytes(vault: Path) -> None:
    assert files.tail(vault, "note.md", 3) == b"te\n"
    assert files.tail(vault, "note.md", 300) == b"note\n"
    assert files.tail(vault, "gone.md", 3) == b""


def test_a_fingerprint_is_the_hash_of_the_bytes(vault: Path) -> None:
    assert files.fingerprint(vault, "note.md") == hashed(b"note\n")
    assert files.fingerprint(vault, "gone.md") is None


def test_a_sign_of_life_changes_nothing(vault: Path) -> None:
    before = (vault / "note.md").stat()

    files.touch_same(vault, "note.md")

    after = (vault / "note.md").stat()
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "The disk is full"),
        (errno.EROFS, "The disk is read-only"),
        (errno.EACCES, "Permission is denied"),
        (errno.EMFILE, "Too many files are open"),
        (errno.EIO, "The disk reports an error"),
    ],
)
def test_what_the_disk_refuses_is_said_in_a_sentence(
    vault: Path, monkeypatch: pytest.MonkeyPatch, code: int, said: str
) -> None:
    failing(monkeypatch, "open", code)

    with pytest.raises(DiskFailed, match=said):
        files.create(vault, "new.md", b"x")
