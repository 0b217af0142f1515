"""The watcher: what wakes it, what it vouches for, and what it outlives."""

from __future__ import annotations

import errno
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from conftest import FakeModel
from promises import promise
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileClosedNoWriteEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileOpenedEvent,
    FileSystemEvent,
)

from vaultmem.memory import Memory, Question
from vaultmem.sidecar import limits, sidecar
from vaultmem.sidecar import watch as module
from vaultmem.sidecar.refresh import Refreshed
from vaultmem.sidecar.watch import Watch
from vaultmem.vault.repository import LONGEST_WRITING, writing
from vaultmem.verbs import watching as watching_verb
from vaultmem.verbs.freshen import Embedding
from vaultmem.words.errors import Busy, NoVault

DEADLINE = 5.0


def until(what: Callable[[], object]) -> bool:
    """Wait until something is so, at most five seconds; return whether it became so."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.005)
    return bool(what())


class Refresher:
    """Stands for the refresh: counts, may be held up, may fail."""

    def __init__(self) -> None:
        self.count = 0
        self.gate = threading.Event()
        self.gate.set()
        self.answers: list[Refreshed | Exception] = []

    def __call__(self) -> Refreshed:
        self.count += 1
        assert self.gate.wait(DEADLINE)
        answer = self.answers.pop(0) if self.answers else Refreshed()
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def refresher() -> Refresher:
    return Refresher()


Maker = Callable[..., Watch]


@pytest.fixture
def watching(root: Path, refresher: Refresher) -> Iterator[Maker]:
    """Makes watchers that are stopped after the test."""
    made: list[Watch] = []

    def make(**wishes: object) -> Watch:
        watch = Watch(root, refresher, **{"quiet": 0.01, **wishes})  # type: ignore[arg-type]
        made.append(watch)
        return watch

    yield make
    refresher.gate.set()
    for watch in made:
        watch.stop()


@pytest.fixture
def quiet(watching: Maker, refresher: Refresher) -> Watch:
    """A running watcher that has come to rest and vouches."""
    watch = watching()
    watch.start()
    assert until(lambda: watch.vouches)
    return watch


# What wakes it: events are handed to a watcher that does not run


def wakes(watch: Watch, event: FileSystemEvent) -> bool:
    watch.on_any_event(event)
    return watch._dirty_since > 0


@pytest.mark.parametrize("kind", [FileCreatedEvent, FileModifiedEvent, FileDeletedEvent])
def test_a_note_written_or_removed_wakes_it(
    watching: Maker, root: Path, kind: type[FileSystemEvent]
) -> None:
    assert wakes(watching(), kind(f"{root}/Notes/a.md"))


@pytest.mark.parametrize("kind", [FileOpenedEvent, FileClosedNoWriteEvent, FileClosedEvent])
def test_reading_a_note_does_not_wake_it(
    watching: Maker, root: Path, kind: type[FileSystemEvent]
) -> None:
    assert not wakes(watching(), kind(f"{root}/Notes/a.md"))


def test_the_system_does_not_even_tell_it_of_reading(
    quiet: Watch, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    hear = Watch.dispatch
    monkeypatch.setattr(
        Watch, "dispatch", lambda self, event: (told.append(event.event_type), hear(self, event))
    )
    (root / "index.md").read_bytes()
    (root / "a.md").write_text("What is written is heard.", encoding="utf-8")

    assert until(lambda: "modified" in told)
    assert not {"opened", "closed", "closed_no_write"} & set(told)


def test_a_note_saved_by_an_atomic_replace_wakes_it(watching: Maker, root: Path) -> None:
    assert wakes(watching(), FileMovedEvent(f"{root}/.a.md.tmp", f"{root}/a.md"))


def test_a_note_moved_away_wakes_it(watching: Maker, root: Path) -> None:
    assert wakes(watching(), FileMovedEvent(f"{root}/a.md", "/elsewhere/a.md"))


@pytest.mark.parametrize(
    "name",
    [
        ".a.md",
        ".obsidian/workspace.md",
        ".git/x.md",
        ".trash/a.md",
        "Notes/.a.md.swp",
        "a.txt",
        "a.md~",
        ".vaultmem/other.toml",
    ],
)
def test_hidden_names_and_other_files_do_not_wake_it(
    watching: Maker, root: Path, name: str
) -> None:
    assert not wakes(watching(), FileModifiedEvent(f"{root}/{name}"))


def test_a_note_in_a_vault_below_a_hidden_folder_wakes_it(
    refresher: Refresher, tmp_path: Path
) -> None:
    watch = Watch(tmp_path / ".private/vault", refresher)

    assert wakes(watch, FileModifiedEvent(f"{tmp_path}/.private/vault/a.md"))


def test_a_folder_made_moved_or_removed_wakes_it(watching: Maker, root: Path) -> None:
    assert wakes(watching(), DirCreatedEvent(f"{root}/Notes"))
    assert wakes(watching(), DirMovedEvent(f"{root}/Notes", f"{root}/Old"))
    assert wakes(watching(), DirDeletedEvent(f"{root}/Notes"))
    assert wakes(watching(), DirDeletedEvent(str(root)))


def test_a_folder_whose_times_change_does_not_wake_it(watching: Maker, root: Path) -> None:
    assert not wakes(watching(), DirModifiedEvent(f"{root}/Notes"))


def test_a_touch_of_the_settings_is_a_sign_of_life_and_no_change(
    watching: Maker, root: Path
) -> None:
    watch = watching()

    assert not wakes(watch, FileModifiedEvent(f"{root}/.vaultmem/config.toml"))
    assert watch._proven


# What it vouches for


def test_a_watcher_that_was_never_started_vouches_for_nothing(watching: Maker) -> None:
    assert not watching().vouches


def test_it_vouches_once_it_has_refreshed_and_a_sign_of_life_came_back(
    quiet: Watch, refresher: Refresher
) -> None:
    assert quiet.vouches
    assert refresher.count == 1


def test_it_does_not_vouch_while_a_change_waits(
    watching: Maker, root: Path, refresher: Refresher
) -> None:
    watch = watching()
    watch.start()
    assert until(lambda: watch.vouches)
    watch._quiet = 60

    watch.on_any_event(FileModifiedEvent(f"{root}/a.md"))

    assert not watch.vouches


def test_it_does_not_vouch_while_it_refreshes(
    quiet: Watch, root: Path, refresher: Refresher
) -> None:
    refresher.gate.clear()
    quiet.on_any_event(FileModifiedEvent(f"{root}/a.md"))
    assert until(lambda: refresher.count == 2)

    assert not quiet.vouches
    refresher.gate.set()
    assert until(lambda: quiet.vouches)


def test_it_does_not_vouch_after_it_was_stopped(quiet: Watch) -> None:
    quiet.stop()

    assert not quiet.vouches


def test_lost_events_disturb_it(quiet: Watch, refresher: Refresher) -> None:
    refresher.gate.clear()

    logging.getLogger("watchdog.observers").warning("Inotify queue overflowed; events were lost")

    assert not quiet.vouches
    refresher.gate.set()
    assert until(lambda: refresher.count >= 2 and quiet.vouches)


def test_another_folder_in_the_vaults_place_is_not_vouched_for_and_watched_at_once(
    quiet: Watch, root: Path, refresher: Refresher
) -> None:
    copy = shutil.copytree(root, root.with_name("copy"))
    root.rename(root.with_name("away"))
    copy.rename(root)

    assert not quiet.vouches
    assert until(lambda: quiet.vouches)
    count = refresher.count
    (root / "a.md").write_text("Roses.\n")
    assert until(lambda: refresher.count > count)


def test_an_observer_that_died_is_replaced_at_the_next_question(
    quiet: Watch, root: Path, refresher: Refresher
) -> None:
    quiet._observer.stop()
    quiet._observer.join()

    assert not quiet.vouches
    assert until(lambda: quiet.vouches)
    count = refresher.count
    (root / "a.md").write_text("Roses.\n")
    assert until(lambda: refresher.count > count)


def test_after_it_was_stopped_lost_events_do_not_reach_it(quiet: Watch) -> None:
    quiet.stop()
    before = quiet._dirty_since

    logging.getLogger("watchdog.observers").warning("Inotify queue overflowed")

    assert quiet._dirty_since == before


# What it does


def test_many_changes_at_once_make_one_refresh(
    quiet: Watch, root: Path, refresher: Refresher
) -> None:
    quiet._quiet = 0.1
    for number in range(100):
        quiet.on_any_event(FileModifiedEvent(f"{root}/{number}.md"))

    assert until(lambda: quiet.vouches)
    assert refresher.count == 2


def test_changes_that_never_pause_are_not_waited_for_without_end(
    quiet: Watch, root: Path, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultmem.sidecar import watch

    monkeypatch.setattr(watch, "LONGEST_WAIT", 0.05)
    quiet._quiet = 60

    quiet.on_any_event(FileModifiedEvent(f"{root}/a.md"))

    assert until(lambda: refresher.count == 2)


def test_without_any_event_it_looks_by_itself(watching: Maker, refresher: Refresher) -> None:
    watching(look_every=0.02).start()

    assert until(lambda: refresher.count >= 4)


def test_a_note_that_was_being_written_is_looked_at_again(
    watching: Maker, refresher: Refresher
) -> None:
    refresher.answers = [Refreshed(waiting=["a.md"]), Refreshed(waiting=["a.md"]), Refreshed()]
    watch = watching()
    watch.start()

    assert until(lambda: watch.vouches)
    assert refresher.count == 3


def test_what_each_refresh_did_is_told(watching: Maker, refresher: Refresher) -> None:
    told: list[Refreshed] = []
    refresher.answers = [Refreshed(paths=["a.md"]), Refreshed()]
    watch = watching(told=told.append)
    watch.start()
    assert until(lambda: watch.vouches)
    watch.disturb()

    assert until(lambda: refresher.count == 2 and watch.vouches)
    assert [done.paths for done in told] == [["a.md"], []]


# What it outlives


@pytest.mark.parametrize("error", [NoVault("/away"), RuntimeError("odd")], ids=["said", "odd"])
def test_a_refresh_that_fails_does_not_end_it_but_it_does_not_vouch(
    watching: Maker, refresher: Refresher, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    refresher.answers = [error]
    watch = watching()
    watch.start()
    assert until(lambda: caplog.records)
    assert until(lambda: not watch._working)
    assert not watch.vouches

    watch.disturb()

    assert until(lambda: watch.vouches)
    assert refresher.count == 2


def test_while_another_holds_the_lock_it_comes_again(watching: Maker, refresher: Refresher) -> None:
    refresher.answers = [Busy("process 7", 10), Refreshed()]
    watch = watching()
    watch.start()

    assert until(lambda: watch.vouches)
    assert refresher.count == 2


def test_a_listener_that_fails_does_not_end_it(
    watching: Maker, refresher: Refresher, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(done: Refreshed) -> None:
        raise RuntimeError("no model")

    refresher.answers = [Refreshed(paths=["a.md"])]
    watch = watching(told=fails)
    watch.start()
    assert until(lambda: caplog.records)

    watch.disturb()

    assert until(lambda: refresher.count == 2 and watch.vouches)


def test_a_root_that_was_removed_and_made_again_is_watched_again(
    watching: Maker, root: Path, refresher: Refresher
) -> None:
    watch = watching(look_every=0.05)
    watch.start()
    assert until(lambda: watch.vouches)
    away = root.with_name("away")
    root.rename(away)
    assert until(lambda: not watch.vouches)
    (root / ".vaultmem").mkdir(parents=True)
    (root / ".vaultmem/config.toml").write_text((away / ".vaultmem/config.toml").read_text())

    assert until(lambda: watch.vouches)
    watch._look_every = 60
    assert until(lambda: not watch._working)
    count = refresher.count
    (root / "a.md").write_text("Roses.\n")
    assert until(lambda: refresher.count > count)


def test_a_vault_that_cannot_be_watched_is_looked_at(
    root: Path,
    refresher: Refresher,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:

    class Refused:
        def schedule(self, *_: object, **__: object) -> None:
            raise OSError(28, "inotify watch limit reached")

        def is_alive(self) -> bool:
            return False

    monkeypatch.setattr(module, "Observer", Refused)
    watch = Watch(root, refresher, quiet=0.01, look_every=0.02)
    watch.start()
    try:
        assert until(lambda: refresher.count >= 3)
        assert not watch.vouches
        assert "inotify watch limit reached" in caplog.text
    finally:
        watch.stop()


# What the system does not watch


@pytest.mark.parametrize(
    ("number", "setting"),
    [
        (errno.ENOSPC, "fs.inotify.max_user_watches"),
        (errno.EMFILE, "fs.inotify.max_user_instances"),
        (errno.ENOENT, ""),
    ],
)
def test_a_limit_of_the_system_is_told_by_its_setting(number: int, setting: str) -> None:
    assert setting in limits.reason(number)
    assert bool(setting) == bool(limits.reason(number))


def test_no_limit_is_said_to_be_met_where_nothing_can_be_watched_at_all(tmp_path: Path) -> None:
    assert limits.refused(tmp_path / "nowhere") == ""


def test_a_vault_of_more_folders_than_the_system_watches_is_told_and_not_vouched_for(
    watching: Maker, root: Path, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    full = limits.reason(errno.ENOSPC)
    monkeypatch.setattr(module, "refused", lambda root: full)
    watch = watching(troubled=told.append)
    watch.start()
    assert until(lambda: told and watch._proven and not watch._working)
    assert not watch.vouches
    monkeypatch.setattr(module, "refused", lambda root: "")

    watch.on_any_event(FileModifiedEvent(f"{root}/a.md"))

    assert until(lambda: watch.vouches)
    assert (told[0], told[-1], len(told)) == (full, "", 2)


def test_a_new_folder_that_the_system_does_not_watch_is_not_vouched_for(
    quiet: Watch, root: Path, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "refused", lambda root: limits.reason(errno.ENOSPC))

    (root / "Notes").mkdir()

    assert until(lambda: refresher.count > 1 and not quiet._working)
    assert not quiet.vouches


class Deaf:
    """An observer of a drive that tells of nothing."""

    def schedule(self, *_: object, **__: object) -> None: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def join(self, *_: object) -> None: ...

    def is_alive(self) -> bool:
        return True


@promise("equal")
def test_a_drive_that_tells_of_no_change_is_found_out_and_looked_at_by_each_question(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Observer", Deaf)
    note = partial(watching_verb.note, memory._parts)
    watch = Watch(root, Refresher(), troubled=note, quiet=0.01, look_every=0.02, patience=0.01)
    memory._parts.sidecar.vouched = lambda: watch.vouches
    watch.start()
    try:
        (root / "a.md").write_text("Roses are red.\n")
        assert [hit.path for hit in memory.remember(Question("roses")).hits] == ["a.md"]
        assert until(lambda: module.UNHEARD in watching_verb.trouble(memory._parts))
    finally:
        watch.stop()

    report = memory.doctor()
    assert any(module.UNHEARD in finding.what for finding in report.findings)
    assert report.well


def test_what_was_said_of_a_vault_that_is_watched_again_is_taken_back(
    memory: Memory, root: Path
) -> None:
    watching_verb.note(memory._parts, "so it was yesterday")
    note = partial(watching_verb.note, memory._parts)
    watch = Watch(root, Refresher(), troubled=note, quiet=0.01)
    watch.start()
    try:
        assert until(lambda: not watching_verb.trouble(memory._parts))
    finally:
        watch.stop()


# A question while much is being read


def test_a_question_does_not_wait_while_the_watcher_reads_many_changes(
    memory: Memory, root: Path, watching: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidecar, "MOST_WAITED_FOR", 3)
    (root / "a.md").write_text("Roses are red.\n")
    memory.refresh()
    watch = watching()
    watch.start()
    assert until(lambda: watch.vouches)
    memory._parts.sidecar.hurried = watch.hurry
    for number in range(4):
        (root / f"{number}.md").write_text(f"Roses of kind {number}.\n")

    answer = memory.remember(Question("roses"))

    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert answer.note.endswith("notes changed and are being read; this is from before. Ask again.")
    memory.refresh()
    assert len(memory.remember(Question("roses")).hits) == 5


def test_a_question_reads_many_changes_itself_where_no_watcher_runs(
    memory: Memory, root: Path, watching: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidecar, "MOST_WAITED_FOR", 3)
    memory.refresh()
    memory._parts.sidecar.hurried = watching().hurry
    for number in range(4):
        (root / f"{number}.md").write_text(f"Roses of kind {number}.\n")

    answer = memory.remember(Question("roses"))

    assert len(answer.hits) == 4
    assert not answer.note


# The real thing


@promise("equal")
def test_a_saved_note_is_found_without_asking_for_a_refresh(
    memory: Memory, root: Path, model: FakeModel
) -> None:
    watch = memory.watch()
    memory._parts.sidecar.vouched = lambda: watch.vouches
    watch.start()
    try:
        assert until(lambda: watch.vouches)
        (root / "a.md").write_text("Roses are red.\n")
        assert until(lambda: "a.md" in memory._parts.sidecar.snapshot.facts)
        assert until(lambda: watch.vouches)
        assert [hit.path for hit in memory.remember(Question("roses")).hits] == ["a.md"]
    finally:
        watch.stop()


def test_a_branch_is_looked_at_when_all_of_it_is_there(
    watching: Maker, root: Path, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([True, True, True, False])
    monkeypatch.setattr(module, "writing", lambda *_: next(looks, False))
    watch = watching()
    watch.start()

    assert until(lambda: refresher.count == 1)
    assert next(looks, None) is None


def test_a_lock_that_git_left_behind_holds_nobody(root: Path) -> None:
    (root / ".git").mkdir()
    assert not writing(root, 0.0)
    (root / ".git/index.lock").touch()
    now = (root / ".git/index.lock").stat().st_mtime

    assert writing(root, now + 1)
    assert not writing(root, now + LONGEST_WRITING)


def test_what_a_question_saw_first_is_embedded_in_the_background(
    memory: Memory, root: Path, model: FakeModel
) -> None:
    embedding = Embedding(memory._parts)
    embedding(memory.refresh())
    for number in range(70):
        (root / f"note-{number}.md").write_text(f"Note of number {number}.\n")
    memory.remember(Question("number"))
    assert not model.embedded[70:]
    embedding(memory.refresh(embed=False))

    assert len(set(model.embedded)) >= 70
