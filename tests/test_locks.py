"""The right to write: one holder at a time, between threads and processes, whatever sync does."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from vaultmem.vault.locks import Lock
from vaultmem.words.errors import Busy, DiskFailed

SHORT = 0.2
context = multiprocessing.get_context("spawn")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault/.vaultmem").mkdir(parents=True)
    return tmp_path / "vault"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


def _hold(vault: Path, state: Path, kind: str, pipe: Connection) -> None:
    with getattr(Lock(vault, state), kind)("sleep"):
        pipe.send(os.getpid())
        pipe.recv()


@contextmanager
def held(vault: Path, state: Path, kind: str = "vault") -> Iterator[int]:
    """Let another process hold a lock; its id is yielded."""
    here, there = context.Pipe()
    process = context.Process(target=_hold, args=(vault, state, kind, there))
    process.start()
    try:
        yield here.recv()
    finally:
        here.send("done")
        process.join()
    assert process.exitcode == 0


@pytest.mark.parametrize("kind", ["vault", "sidecar"])
def test_a_second_process_is_told_who_holds_the_lock(vault: Path, state: Path, kind: str) -> None:
    with (
        held(vault, state, kind) as process,
        pytest.raises(Busy, match=rf"being written by process {process} \(sleep\)"),
        Lock(vault, state, SHORT).vault("memorize"),
    ):
        pass

    with Lock(vault, state, SHORT).vault("memorize"):
        pass


def test_another_user_with_a_state_folder_of_their_own_is_kept_out_of_the_vault(
    vault: Path, state: Path, tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    with held(vault, tmp_path / "theirs"):
        with (
            pytest.raises(Busy, match="another user or container"),
            Lock(vault, state, SHORT).vault("memorize"),
        ):
            pass
        with Lock(vault, state, SHORT).sidecar("refresh"):
            pass


def _counted(vault: Path, state: Path, counter: Path, turns: int) -> None:
    lock = Lock(vault, state, 60)
    for _ in range(turns):
        with lock.vault("count"):
            counter.write_text(str(int(counter.read_text()) + 1))


def test_processes_that_take_turns_lose_no_turn(vault: Path, state: Path, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    processes = [
        context.Process(target=_counted, args=(vault, state, counter, 50)) for _ in range(3)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert counter.read_text() == "150"


def test_threads_that_share_a_lock_take_turns(vault: Path, state: Path) -> None:
    lock, inside, most = Lock(vault, state), [0], [0]

    def work() -> None:
        for _ in range(20):
            with lock.vault("count"):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1]


def test_another_thread_is_told_that_the_lock_is_held(vault: Path, state: Path) -> None:
    lock, found = Lock(vault, state, SHORT), []

    def work() -> None:
        try:
            with lock.sidecar("refresh"):
                found.append("held")
        except Busy as busy:
            found.append(str(busy))

    with lock.vault("memorize"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    assert len(found) == 1
    assert "being written by another task of this process" in found[0]


def test_a_thread_may_take_again_what_it_holds(vault: Path, state: Path) -> None:
    lock = Lock(vault, state, SHORT)
    with (
        lock.sidecar("a"),
        lock.vault("b"),
        lock.vault("c"),
        lock.sidecar("d"),
        pytest.raises(Busy),
        Lock(vault, state, 0).sidecar("other"),
    ):
        pass

    with Lock(vault, state, SHORT).vault("other"):
        pass


def test_a_lock_is_free_after_its_holder_failed(vault: Path, state: Path) -> None:
    lock = Lock(vault, state, SHORT)
    for kind in (lock.vault, lock.sidecar):
        with pytest.raises(ValueError, match="oops"), kind("fail"):
            raise ValueError("oops")

    with Lock(vault, state, SHORT).vault("other"):
        pass


def test_a_lock_is_free_after_its_holder_was_killed(vault: Path, state: Path) -> None:
    here, there = context.Pipe()
    process = context.Process(target=_hold, args=(vault, state, "vault", there))
    process.start()
    here.recv()
    process.kill()
    process.join()

    with Lock(vault, state, 5).vault("memorize"):
        pass


def replaced(path: Path) -> None:
    path.with_name("new").write_bytes(b"")
    path.with_name("new").replace(path)


def removed(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [replaced, removed])
def test_a_lock_file_replaced_under_its_holder_lets_nobody_write_the_vault(
    vault: Path, state: Path, damage: Callable[[Path], None]
) -> None:
    with held(vault, state):
        damage(state / "lock")
        with pytest.raises(Busy), Lock(vault, state, SHORT).vault("memorize"):
            pass


def test_a_lock_that_is_taken_on_a_file_that_is_gone_is_taken_again(
    vault: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening the lock file and locking it, somebody replaces it."""
    import filelock

    acquire, times = filelock.FileLock.acquire, []

    def late(self: filelock.FileLock, *args: object, **named: object) -> object:
        done = acquire(self, *args, **named)
        times.append(self.lock_file)
        if len(times) == 1:
            replaced(state / "lock")
        return done

    monkeypatch.setattr(filelock.FileLock, "acquire", late)
    with Lock(vault, state, SHORT).sidecar("refresh"):
        monkeypatch.undo()
        with pytest.raises(Busy), Lock(vault, state, SHORT).sidecar("other"):
            pass

    assert len(times) == 2


def test_a_vault_that_is_gone_cannot_be_locked(state: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(DiskFailed, match="vaultmem could not be used"),
        Lock(tmp_path / "gone", state).vault("memorize"),
    ):
        pass

    with Lock(tmp_path / "gone", state, SHORT).sidecar("refresh"):
        pass


def test_a_state_folder_that_is_none_cannot_be_locked(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"a file")

    with (
        pytest.raises(DiskFailed, match="could not be used"),
        Lock(vault, tmp_path / "state", SHORT).sidecar("refresh"),
    ):
        pass


def test_the_lock_file_belongs_to_the_person_alone(vault: Path, state: Path) -> None:
    with Lock(vault, state).vault("memorize"):
        pass

    assert (state / "lock").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in vault.rglob("*")] == [".vaultmem"]


def in_child(act: Callable[[], object]) -> int:
    """Do something in a forked process and return 0, or 1 if it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        child = os.fork()
    if not child:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_that_is_forked_while_a_lock_is_held_does_not_hold_it(
    vault: Path, state: Path
) -> None:
    lock = Lock(vault, state, SHORT)

    def take() -> None:
        with pytest.raises(Busy), lock.vault("child"):
            pass

    with lock.vault("parent"):
        assert in_child(take) == 0
        with pytest.raises(Busy), Lock(vault, state, SHORT).vault("other"):
            pass
    assert in_child(lambda: lock.vault("child").__enter__()) == 0


def test_a_child_that_leaves_the_block_of_its_parent_lets_nobody_in(
    vault: Path, state: Path
) -> None:
    held_by_parent = Lock(vault, state).vault("parent")
    held_by_parent.__enter__()

    assert in_child(lambda: held_by_parent.__exit__(None, None, None)) == 0
    with pytest.raises(Busy), Lock(vault, state, SHORT).vault("other"):
        pass
    held_by_parent.__exit__(None, None, None)
    with Lock(vault, state, SHORT).vault("other"):
        pass


def test_a_holder_that_was_stopped_is_named_and_goes_on_where_it_stood(
    vault: Path, state: Path
) -> None:
    with held(vault, state) as process:
        os.kill(process, signal.SIGSTOP)
        try:
            with (
                pytest.raises(Busy, match=rf"process {process} \(sleep\).*if that process hangs"),
                Lock(vault, state, SHORT).vault("memorize"),
            ):
                pass
        finally:
            os.kill(process, signal.SIGCONT)

    with Lock(vault, state, SHORT).vault("memorize"):
        pass
