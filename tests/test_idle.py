"""What is costly is opened once and dropped when idle, on a clock and an alarm of our own."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable

import pytest

from vaultmem.sidecar.idle import Held, daemon_alarm


class Costly:
    """Something that counts how often it was opened."""

    opened = 0

    def __init__(self) -> None:
        Costly.opened += 1


class House:
    """A clock that stands, and alarms that ring when told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.alarms: list[tuple[float, Callable[[], None]]] = []
        Costly.opened = 0
        self.held = Held(Costly, 300, lambda: self.now, lambda s, r: self.alarms.append((s, r)))

    def used_at(self, now: float) -> None:
        self.now = now
        with self.held.use():
            pass

    def ring_at(self, now: float) -> None:
        self.now = now
        self.alarms.pop(0)[1]()


@pytest.fixture
def house() -> House:
    return House()


def test_it_is_opened_at_the_first_use_and_once(house: House) -> None:
    assert not house.held.is_open

    house.used_at(0)
    house.used_at(10)

    assert house.held.is_open
    assert Costly.opened == 1
    assert [seconds for seconds, _ in house.alarms] == [300]


def test_it_is_dropped_after_five_idle_minutes_and_opened_again(house: House) -> None:
    house.used_at(0)

    house.ring_at(300)

    assert not house.held.is_open
    assert house.alarms == []
    house.used_at(301)
    assert Costly.opened == 2
    assert len(house.alarms) == 1


def test_a_use_in_between_puts_it_off_by_what_is_left(house: House) -> None:
    house.used_at(0)
    house.used_at(200)

    house.ring_at(300)

    assert house.held.is_open
    assert [seconds for seconds, _ in house.alarms] == [200]
    house.ring_at(500)
    assert not house.held.is_open


def test_it_is_never_dropped_under_a_use(house: House) -> None:
    house.used_at(0)

    with house.held.use():
        house.ring_at(1_000)
        assert house.held.is_open

    assert [seconds for seconds, _ in house.alarms] == [300]
    house.ring_at(1_300)
    assert not house.held.is_open


def test_threads_that_come_at_once_open_it_once(house: House) -> None:
    gate = threading.Barrier(8)

    def use() -> None:
        gate.wait()
        with house.held.use():
            pass

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Costly.opened == 1
    assert len(house.alarms) == 1


def test_what_could_not_be_opened_is_tried_again() -> None:
    answers = iter([OSError("gone"), Costly()])

    def opened() -> Costly:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    held = Held(opened, alarm=lambda seconds, ring: None)
    with pytest.raises(OSError, match="gone"), held.use():
        pass

    with held.use() as value:
        assert isinstance(value, Costly)


def test_the_alarm_does_not_keep_it_alive(house: House) -> None:
    house.used_at(0)
    gone = weakref.ref(house.held)

    del house.held
    gc.collect()

    assert gone() is None
    house.ring_at(300)


def test_the_thread_of_the_alarm_does_not_keep_the_process_alive() -> None:
    before = set(threading.enumerate())
    daemon_alarm(300, lambda: None)

    (timer,) = set(threading.enumerate()) - before
    assert timer.daemon
    assert isinstance(timer, threading.Timer)
    timer.cancel()
    timer.join()
