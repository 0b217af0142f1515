"""Several writers and readers on one note: nobody sees half of it, and nothing saved is lost."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Opener
from promises import promise

from vaultmem.memory import Memory, Question, Wish
from vaultmem.vault import exchange, files
from vaultmem.words.errors import ChangedOnDisk, NotFound, VaultmemError

PATH = "memory/global/minutes.md"
HEAD = "---\nid: k7f3q9xa\ntitle: Minutes\nsource: agent_inferred\n---\n"


def renamed_over(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def in_place(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def as_vim_does(path: Path, text: str) -> None:
    backup = path.with_name(f"{path.name}~")
    path.rename(backup)
    path.write_text(text, "utf-8")
    backup.unlink()


def cut_then_written(path: Path, text: str) -> None:
    path.write_bytes(b"")
    path.write_text(text, "utf-8")


Save = Callable[[Path, str], None]
STYLES: list[Save] = [renamed_over, in_place, as_vim_does, cut_then_written]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proven here is order, not durability."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def minutes(root: Path, opener: Opener) -> Memory:
    (root / PATH).write_text(f"{HEAD}What was said.\n", "utf-8")
    memory = opener("scout", person=False)
    memory.refresh()
    return memory


@promise("whole")
@pytest.mark.usefixtures("quick")
def test_readers_see_whole_notes_while_two_replace_them(root: Path) -> None:
    texts = [f"{HEAD}{chr(97 + n) * 9_000 * (n + 1)}\n".encode() for n in range(4)]
    (root / PATH).write_bytes(texts[0])
    whole = {hashlib.sha256(text).hexdigest() for text in texts}
    odd: list[bytes] = []
    done = threading.Event()

    def replace(first: int) -> None:
        for turn in range(150):
            try:
                seen = files.fingerprint(root, PATH) or ""
                files.replace(root, PATH, texts[(first + turn) % 4], seen=seen)
            except ChangedOnDisk:
                continue

    def read() -> None:
        while not done.is_set():
            data = files.read(root, PATH)
            if hashlib.sha256(data).hexdigest() not in whole:
                odd.append(data)

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=replace, args=(n,)) for n in (0, 2)]
    for thread in [*readers, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()

    assert odd == []


def changed(memory: Memory, said: str) -> None:
    """Add a paragraph as an agent does: on the version it sees, again until it is taken."""
    for _ in range(10):
        note = memory.vault.read(PATH)
        try:
            memory.memorize(Wish(id="k7f3q9xa", hash=note.hash, content=f"{note.body}\n{said}\n"))
            return
        except ChangedOnDisk:
            continue
    raise AssertionError("it was never taken")


@promise("newest")
@pytest.mark.parametrize(
    ("save", "moment"),
    [(renamed_over, "before it writes"), *((style, "in the step itself") for style in STYLES)],
)
def test_what_a_person_saves_while_an_agent_edits_stands_beside_it(
    minutes: Memory,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    save: Save,
    moment: str,
) -> None:
    place, name = (exchange, "swap") if moment == "in the step itself" else (files, "_written")
    step, saved = getattr(place, name), []

    def meanwhile(*args: Any) -> Any:
        if not saved:
            saved.append(save)
            save(root / PATH, f"{(root / PATH).read_text('utf-8')}\nof a person\n")
        return step(*args)

    monkeypatch.setattr(place, name, meanwhile)
    changed(minutes, "of an agent")

    text = (root / PATH).read_text("utf-8")
    assert text.endswith("What was said.\n\nof a person\n\nof an agent\n")
    assert not list(root.rglob(".vaultmem-*.tmp"))


def test_an_edit_follows_a_note_that_a_person_renamed(minutes: Memory, root: Path) -> None:
    seen = minutes.vault.read(PATH).hash
    (root / PATH).rename(root / "memory/global/protocol.md")

    done = minutes.memorize(Wish(id="k7f3q9xa", hash=seen, content="More was said.\n"))

    assert done.path == "memory/global/protocol.md"
    assert not (root / PATH).exists()


def test_an_edit_of_a_note_that_a_person_deleted_brings_nothing_back(
    minutes: Memory, root: Path
) -> None:
    seen = minutes.vault.read(PATH).hash
    (root / PATH).unlink()

    with pytest.raises(NotFound):
        minutes.memorize(Wish(id="k7f3q9xa", hash=seen, content="More was said.\n"))

    assert not (root / PATH).exists()


@pytest.mark.usefixtures("quick")
def test_notes_of_one_title_that_are_kept_at_once_are_all_there(opener: Opener, root: Path) -> None:
    facts = ["Tea is drunk at four.", "The ferry leaves at nine.", "Ropes are checked on Mondays."]
    ready, done = threading.Barrier(3), []

    def keep(number: int) -> None:
        memory = opener(f"agent-{number}", session=f"s{number}", person=False)
        ready.wait()
        wish = Wish(title="Harbour rules", content=facts[number], allow_similar=True)
        done.append((memory.memorize(wish), facts[number]))

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({receipt.id for receipt, _ in done}) == len({r.path for r, _ in done}) == 3
    assert all(fact in (root / receipt.path).read_text("utf-8") for receipt, fact in done)


def test_notes_of_one_title_and_one_second_have_names_of_their_own(minutes: Memory) -> None:
    made = [minutes.vault.new_note("memory/global", "Tide", {"title": "Tide"}, "x")[0]
            for _ in range(40)]  # fmt: skip

    assert len(set(made)) == 40


def test_a_note_that_is_cut_for_a_moment_is_not_forgotten_by_who_asks(
    minutes: Memory, root: Path
) -> None:
    text = (root / PATH).read_bytes()
    (root / PATH).write_bytes(b"")
    found = minutes.remember(Question("minutes of what was said"))
    (root / PATH).write_bytes(text)

    assert [hit.path for hit in found.hits] == [PATH]


def test_a_full_lock_is_told_and_nothing_is_written(
    minutes: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = minutes.vault.lock
    monkeypatch.setattr(lock, "_wait", 0.05)
    before = (root / PATH).read_bytes()
    other = type(lock)(root, lock._state)
    with other.vault("sleep"), pytest.raises(VaultmemError, match="Try again"):
        changed(minutes, "of an agent")

    assert (root / PATH).read_bytes() == before
