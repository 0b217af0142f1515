"""The number of threads is measured once a machine and model, on a clock of our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vaultmem.sidecar.threads import Threads


class Machine:
    """A machine on which a batch takes as long as we say, by the number of threads."""

    def __init__(self, seconds: dict[int, float]) -> None:
        self.seconds = seconds
        self.now = 0.0
        self.runs: list[int] = []

    def prepared(self, threads: int) -> Callable[[], object]:
        def run() -> None:
            self.runs.append(threads)
            self.now += self.seconds[threads]

        return run

    def threads(self, folder: Path, cores: int) -> Threads:
        return Threads(folder, lambda: cores, lambda: self.now)


@pytest.mark.parametrize(
    ("seconds", "best"),
    [({1: 3, 4: 2, 8: 1}, 8), ({1: 3, 4: 1, 8: 2}, 4), ({1: 1, 4: 1, 8: 1}, 1)],
)
def test_one_half_and_all_of_the_cores_are_tried(
    tmp_path: Path, seconds: dict[int, float], best: int
) -> None:
    machine = Machine(seconds)

    assert machine.threads(tmp_path, 8).measure("m", machine.prepared) == best
    assert sorted(set(machine.runs)) == [1, 4, 8]
    assert len(machine.runs) == 9


def test_what_was_measured_is_kept_for_that_model_and_that_many_cores(tmp_path: Path) -> None:
    machine = Machine({1: 2, 2: 1})
    machine.threads(tmp_path, 2).measure("m", machine.prepared)

    assert machine.threads(tmp_path, 2).known("m") == 2
    assert machine.threads(tmp_path, 2).known("other") is None
    assert machine.threads(tmp_path, 4).known("m") is None


def test_two_models_are_kept_side_by_side(tmp_path: Path) -> None:
    machine = Machine({1: 2, 2: 1})
    first, second = machine.threads(tmp_path, 2), machine.threads(tmp_path, 2)
    first.measure("one", machine.prepared)
    second.measure("two", machine.prepared)

    assert machine.threads(tmp_path, 2).known("one") == 2
    assert machine.threads(tmp_path, 2).known("two") == 2


def test_one_core_needs_no_measuring(tmp_path: Path) -> None:
    machine = Machine({})

    assert machine.threads(tmp_path, 1).measure("m", machine.prepared) == 1
    assert machine.runs == []


@pytest.mark.parametrize("text", ["", "[1]", '{"m on 2": "many"}', '{"m on 2": 0}', "{"])
def test_a_damaged_file_is_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "threads.json").write_text(text)

    assert Threads(tmp_path, lambda: 2).known("m") is None


def test_where_nothing_can_be_kept_the_number_is_still_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    machine = Machine({1: 2, 2: 1})
    threads = machine.threads(tmp_path / "file", 2)

    assert threads.measure("m", machine.prepared) == 2
    assert threads.known("m") == 2
