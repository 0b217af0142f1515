"""What each session has heard, and how many calls it made since its last checkpoint."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from vaultmem.vault.calls import COMPACTED, UNUSED_SECONDS, Calls
from vaultmem.vault.ledger import Ledger
from vaultmem.vault.readers import Readers
from vaultmem.vault.transactions import Transactions
from vaultmem.words.errors import DiskFailed

ONE, TWO, OTHER = ("scout", "one"), ("scout", "two"), ("scribe", "one")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def readers(path: Path) -> Readers:
    return Readers(Ledger(path))


def test_each_session_has_its_own_set_of_what_it_heard(readers: Readers) -> None:
    assert readers.heard(ONE) == readers.heard(TWO) == set()
    readers.hear(ONE, ["a", "b"])
    readers.hear(ONE, ["b", "c"])
    readers.hear(TWO, [])

    assert readers.heard(ONE) == {"a", "b", "c"}
    assert readers.heard(TWO) == set()
    assert readers.heard(OTHER) == set()


def test_a_new_session_starts_from_what_its_agent_had_heard_by_then(
    readers: Readers, path: Path
) -> None:
    readers.hear(ONE, ["a"])
    readers.wrote(ONE, "mine", "2026-11.md")
    assert readers.heard(TWO) == {"a", "mine"}
    readers.hear(ONE, ["b"])

    assert readers.heard(TWO) == Readers(Ledger(path)).heard(TWO) == {"a", "mine"}
    assert readers.heard(("scout", "three")) == {"a", "mine", "b"}
    assert readers.heard(OTHER) == set()


def test_a_session_that_begins_by_writing_begins_there(readers: Readers) -> None:
    readers.wrote(TWO, "mine", "2026-11.md")
    readers.hear(ONE, ["b"])

    assert readers.heard(TWO) == {"mine"}


def test_what_was_written_is_known_whoever_wrote_it(readers: Readers, path: Path) -> None:
    ledger = Ledger(path)
    assert not ledger.knows("lc-a")
    readers.wrote(ONE, "lc-a", "2026-11.md")
    readers.wrote(("scout", ""), "lc-b", "2026-11.md")
    readers.wrote(OTHER, "lc-a", "2026-12.md")

    assert ledger.knows("lc-a")
    assert ledger.recorded() == {"lc-a": "2026-11.md", "lc-b": "2026-11.md"}
    assert readers.writers() == {"lc-a": "scout", "lc-b": "scout"}
    assert readers.heard(ONE) == {"lc-a"}


def test_an_unchanged_file_is_not_opened_again_and_a_changed_one_is(
    readers: Readers, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers.hear(ONE, ["a"])
    for file in path.parent.glob(f"{path.name}*"):
        then = file.stat().st_mtime_ns - 5_000_000_000
        os.utime(file, ns=(then, then))
    assert readers.heard(ONE) == {"a"}
    with monkeypatch.context() as closed:
        closed.setattr(Transactions, "opened", _refused)

        assert readers.heard(ONE) == {"a"}
        with pytest.raises(DiskFailed):
            readers.heard(OTHER)

    Readers(Ledger(path)).hear(ONE, ["b"])
    assert readers.heard(ONE) == {"a", "b"}


def _refused(*_: object, **__: object) -> None:
    raise DiskFailed(Path("ledger.db"), OSError(0, "it was opened"))


def test_a_ledger_that_was_taken_away_is_begun_anew(readers: Readers, path: Path) -> None:
    readers.hear(ONE, ["a"])
    assert readers.heard(ONE) == {"a"}
    kept = path.rename(path.with_suffix(".old"))

    assert readers.heard(ONE) == set()
    assert kept.exists()


def test_calls_are_counted_by_session_until_a_checkpoint(tmp_path: Path) -> None:
    calls = Calls(tmp_path / "calls")
    assert calls.since(ONE) == (0, False)
    for _ in range(3):
        calls.count(ONE)
    calls.count(TWO, COMPACTED)

    assert Calls(tmp_path / "calls").since(ONE) == (3, False)
    assert calls.since(TWO) == (0, True)
    calls.done(ONE)
    calls.done(OTHER)
    assert calls.since(ONE) == (0, False)


def test_counts_of_sessions_long_gone_are_dropped(tmp_path: Path) -> None:
    calls = Calls(tmp_path / "calls")
    calls.count(ONE)
    (old,) = (tmp_path / "calls").iterdir()
    os.utime(old, (0, time.time() - UNUSED_SECONDS - 9))

    calls.count(TWO)

    assert calls.since(ONE) == (0, False)
    assert calls.since(TWO) == (1, False)


def test_a_disk_that_cannot_count_refuses_no_call(tmp_path: Path) -> None:
    (tmp_path / "calls").write_text("a file")
    calls = Calls(tmp_path / "calls")

    calls.count(ONE)
    calls.done(ONE)

    assert calls.since(ONE) == (0, False)


def test_a_process_that_serves_many_sessions_keeps_few_of_them_in_memory(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultmem.vault.readers.MOST_KNOWN", 2)
    sessions = [(f"agent-{number}", "one") for number in range(5)]
    for number, session in enumerate(sessions):
        readers.hear(session, [f"m{number}"])
        assert readers.heard(session) == {f"m{number}"}

    assert len(readers._known) == 2
    assert [readers.heard(session) for session in sessions] == [{f"m{n}"} for n in range(5)]
