"""The small durable state: bindings, uses, where things in the trash came from."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from vaultmem.vault.ledger import Ledger
from vaultmem.vault.readers import Readers
from vaultmem.vault.transactions import Transactions
from vaultmem.words.errors import DiskFailed

context = multiprocessing.get_context("spawn")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


def test_the_machine_mark_is_made_once(ledger: Ledger, tmp_path: Path) -> None:
    mark = ledger.machine

    assert len(mark) == 2
    assert ledger.machine == mark
    assert Ledger(tmp_path / "ledger.db").machine == mark


def test_a_binding_is_found_changed_and_taken_back(ledger: Ledger) -> None:
    assert ledger.binding("/a") is None
    assert ledger.bind("/a", "local/x/a") == "local/x/a"
    assert ledger.binding("/a") == "local/x/a"
    assert ledger.bind("/a", "local/y") == "local/y"
    assert ledger.bindings() == {"/a": "local/y"}
    assert ledger.unbind("/a")
    assert not ledger.unbind("/a")
    assert ledger.bindings() == {}


def test_a_scope_that_another_folder_has_gets_a_number(ledger: Ledger) -> None:
    assert ledger.bind("/a", "local/x") == "local/x"
    assert ledger.bind("/b", "local/x") == "local/x-2"
    assert ledger.bind("/c", "local/x") == "local/x-3"
    assert ledger.bind("/b", "local/x") == "local/x-2"
    assert ledger.bind("/a", "local/x") == "local/x"


def test_an_unchanged_file_is_not_opened_again_and_a_changed_one_is(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.use(["n"], 0.0)
    _aged(tmp_path / "ledger.db")
    known = dict(ledger.uses())
    with monkeypatch.context() as closed:
        closed.setattr(Transactions, "opened", _refused)

        assert ledger.uses() == known
        with pytest.raises(DiskFailed):
            ledger.bindings()

    other = Ledger(tmp_path / "ledger.db")
    other.use(["m"], 0.0)
    assert set(ledger.uses()) == {"n", "m"}


def _aged(path: Path) -> None:
    """Make a ledger look as if it was changed a while ago."""
    for file in path.parent.glob(f"{path.name}*"):
        then = file.stat().st_mtime_ns - 5_000_000_000
        os.utime(file, ns=(then, then))


def _refused(*_: object, **__: object) -> None:
    raise DiskFailed(Path("ledger.db"), OSError(0, "it was opened"))


def test_where_a_note_in_the_trash_came_from_is_remembered_until_it_leaves(ledger: Ledger) -> None:
    ledger.trashed(".trash/a.md", "memory/global/a.md")
    ledger.trashed(".trash/a.md", "memory/x/a.md")

    assert ledger.origin(".trash/a.md") == "memory/x/a.md"
    ledger.untrashed(".trash/a.md")
    assert ledger.origin(".trash/a.md") is None


def test_odd_text_is_kept_as_it_is(ledger: Ledger) -> None:
    odd = "a'; DROP TABLE facts; -- \u2028 日本 \n"
    ledger.bind(odd, odd)

    assert ledger.bindings() == {odd: odd}


def test_a_damaged_ledger_says_so(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"not a database, but long enough to be looked at" * 40)

    with pytest.raises(DiskFailed, match=r"ledger\.db is damaged"):
        Ledger(tmp_path / "ledger.db").bindings()


def test_a_ledger_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    with pytest.raises(DiskFailed, match=r"ledger\.db could not be used"):
        Ledger(tmp_path / "gone/ledger.db").bind("/a", "b")


def _bound(path: Path, folder: str) -> None:
    ledger = Ledger(path)
    assert len(ledger.machine) == 2
    ledger.bind(folder, "local/same")
    Readers(ledger).wrote(("scout", "s"), folder, "2026-11.md")


def test_processes_that_meet_at_a_new_ledger_all_get_what_they_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    processes = [context.Process(target=_bound, args=(path, f"/{n}")) for n in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0] * 6
    ledger = Ledger(path)
    assert sorted(ledger.bindings()) == [f"/{n}" for n in range(6)]
    assert sorted(ledger.bindings().values()) == [
        "local/same",
        *(f"local/same-{n}" for n in range(2, 7)),
    ]
    assert Readers(ledger).heard(("scout", "s")) == {f"/{n}" for n in range(6)}


def test_what_was_forgotten_is_not_in_the_log_of_changes(ledger: Ledger, tmp_path: Path) -> None:
    ledger.use(["rosegarden"], 0.0)

    ledger.unused(["rosegarden"])

    held = [file.read_bytes() for file in tmp_path.glob("ledger.db*")]
    assert len(held) == 3
    assert not any(b"rosegarden" in data for data in held)


def _bound_in_a_child(ledger: Ledger) -> None:
    ledger.bind("/child", "local/child")


def test_a_child_that_was_forked_opens_the_file_for_itself(ledger: Ledger) -> None:
    ledger.bind("/parent", "local/parent")
    child = multiprocessing.get_context("fork").Process(target=_bound_in_a_child, args=(ledger,))
    child.start()
    child.join()

    assert child.exitcode == 0
    ledger.bind("/later", "local/later")
    assert len(ledger.bindings()) == 3


def test_a_ledger_that_another_process_is_making_at_this_moment_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses at once, whatever it was told to wait, while a file becomes one with a log."""
    refusals = [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY, sqlite3.SQLITE_IOERR]

    class Refusing(sqlite3.Connection):
        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
            if "journal_mode" in sql and refusals:
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = refusals.pop(0)
                raise error
            return super().execute(sql, *values)  # type: ignore[arg-type]

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", partial(connect, factory=Refusing))
    with pytest.raises(DiskFailed, match="locked"):
        Ledger(tmp_path / "ledger.db").note("a", "b")
    assert refusals == []
    monkeypatch.undo()

    ledger = Ledger(tmp_path / "ledger.db")
    ledger.note("a", "b")
    assert ledger.fact("a") == "b"
