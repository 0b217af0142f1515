"""Every verb that writes, while the disk fails at each of its calls or the process dies there.

Each call fails once and for ever, and is died at; of the kinds of failure one is tried a call, in
turn. `matrix` in the harness tries them all.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from promises import promise

from .harness import (
    ERRNOS,
    KILLED,
    LOG,
    VERBS,
    Faulty,
    Verb,
    World,
    every_failure,
    every_kill,
    killed,
    read_all,
    scratch,
)

STEP = 120
"""Of the long lists of calls every so many are tried, another share in each kind of fault."""


@pytest.fixture(params=sorted(VERBS), scope="module")
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    with scratch() as folder:
        yield World(folder, VERBS[request.param])


def sampled(world: World, first: int) -> range:
    return range(1 + (first * 41) % STEP, len(world.calls) + 1, STEP)


def broken(found: list[list[str]]) -> list[list[str]]:
    return [wrong for wrong in found if wrong]


def test_a_call_that_fails_once_leaves_the_vault_old_or_new(world: World) -> None:
    runs = [
        world.run(nth, code) for first, code in enumerate(ERRNOS) for nth in sampled(world, first)
    ]

    assert broken(runs) == []


@promise("full")
def test_a_disk_that_fails_for_ever_leaves_the_vault_old_or_new(world: World) -> None:
    runs = [world.run(nth, errno.ENOSPC, forever=True) for nth in sampled(world, 4)]

    assert broken(runs) == []


@promise("whole")
def test_a_write_that_is_cut_short_leaves_the_vault_old_or_new(world: World) -> None:
    writes = [nth for nth, call in enumerate(world.calls, 1) if call == "write"][-2:]
    runs = [world.run(nth, errno.ENOSPC, short=True, forever=nth % 2 == 0) for nth in writes]
    runs += [world.run(nth, errno.ENOSPC, whole=True) for nth in writes[-1:]]

    assert broken(runs) == []


@promise("kept")
def test_a_process_that_dies_leaves_the_vault_old_or_new(world: World) -> None:
    runs = [world.run_killed(nth) for nth in sampled(world, 5)]
    writes = [nth for nth, call in enumerate(world.calls, 1) if call == "write"][-1:]
    runs += [world.run_killed(nth, half=True) for nth in writes]

    assert broken(runs) == []


def test_a_verb_without_a_fault_passes(world: World) -> None:
    assert world.run(len(world.calls) + 1, errno.EIO) == []
    assert world.run_killed(len(world.calls) + 1) == []


# The harness itself


def test_every_call_of_a_verb_has_its_runs() -> None:
    with scratch() as folder:
        world = World(folder, VERBS["introduce"])
        failures, kills = list(every_failure(world)), list(every_kill(world))

    writes = world.calls.count("write")
    assert writes >= 1
    assert len(failures) == len(world.calls) * 2 * len(ERRNOS) + 3 * writes + 1
    assert len(kills) == len(world.calls) + writes


def test_a_failing_call_is_counted_and_fails_with_the_error_asked_for(tmp_path: Path) -> None:
    from vaultmem.vault import files
    from vaultmem.words.errors import DiskFailed

    with Faulty() as watched:
        files.create(tmp_path, "a.md", b"one\n")
    assert watched.calls == ["open", "open", "write", "fsync", "link", "unlink", "fsync"]

    with Faulty(3, errno.ENOSPC) as once, pytest.raises(DiskFailed, match="disk is full"):
        files.create(tmp_path, "b.md", b"one\n")
    assert once.calls == ["open", "open", "write", "unlink"]

    with Faulty(3, errno.EIO, forever=True), pytest.raises(DiskFailed):
        files.create(tmp_path, "c.md", b"one\n")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".md", ".tmp"]


def test_a_death_comes_at_the_call_asked_for_and_half_a_write_is_on_disk(tmp_path: Path) -> None:
    from vaultmem.vault import files

    (tmp_path / "log.md").write_bytes(b"")

    def act() -> None:
        files.append_line(tmp_path, "log.md", "123456789")

    assert killed(act, 3) == KILLED
    assert (tmp_path / "log.md").read_bytes() == b""
    assert killed(act, 3, half=True) == KILLED
    assert (tmp_path / "log.md").read_bytes() == b"12345"
    assert killed(act, 9) == 0
    assert (tmp_path / "log.md").read_bytes() == b"12345\n123456789\n"
    assert killed(lambda: os.stat(tmp_path / "gone"), 9) == 1


@pytest.mark.parametrize(
    ("damage", "promise"),
    [
        ({"memory/global/the-person-prefers-tabs.md": b"half a no"}, "neither old nor new"),
        ({"memory/global/the-person-prefers-tabs.md": None}, "neither old nor new"),
        ({LOG: b"half a li"}, "neither old nor new"),
        ({"memory/global/stranger.md": b"not of this verb"}, "neither old nor new"),
        ({"memory/global/index.md": b"without its markers"}, "neither old nor new"),
    ],
)
def test_the_harness_sees_a_broken_promise(damage: dict[str, bytes | None], promise: str) -> None:
    with scratch() as folder:
        world = World(folder, VERBS["log note"])
        for path, data in damage.items():
            file = world.root / path
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data) if data is not None else file.unlink()

        assert any(promise in line for line in world.judged(acked=False))


def test_the_harness_sees_an_acknowledgement_without_the_deed() -> None:
    with scratch() as folder:
        world = World(folder, VERBS["log note"])
        world.back()

        assert world.judged(acked=True) == ["what was acknowledged is not all there"]


def test_the_harness_sees_files_of_different_moments() -> None:
    with scratch() as folder:
        world = World(folder, VERBS["log decision"])
        world.back()
        last = world.states[-1]
        (world.root / "memory/global/decisions.md").write_bytes(last["memory/global/decisions.md"])
        assert any("live-context" in path for path in last.keys() - world.states[0].keys())

        assert "the files are of different moments" in world.judged(acked=False)


def test_a_verb_puts_back_what_it_found() -> None:
    with scratch() as folder:
        world = World(folder, Verb(lambda w: (w.root / "new.md").write_bytes(b"x")))
        before = world.states[0]
        world.back()

        assert read_all(world.root) == before
