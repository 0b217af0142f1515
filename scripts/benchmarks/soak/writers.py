"""What one process does in a storm on the log: append and be killed, or read and compare."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vaultmem.memory import Memory, Telling

WORDS = ("harbour", "lantern", "ferry", "varnish", "rope", "größer", "灯台", "рыба", "tide")
LONGEST_SUMMARY, LONGEST_DETAIL = 300, 10_000
DETAILED = 12
"""One of so many entries has a detail."""
PAUSE = 0.003
"""Seconds between the two steps of such a line that arrives in two."""
BETWEEN = 0.02
"""Seconds between two looks of a reader."""


def said(writer: int, turn: int) -> Telling:
    """Return what a writer says in one of its turns; no two are alike."""
    from vaultmem.memory import Telling

    chance = random.Random(writer * 1_000_003 + turn)
    lead = f"{writer} says {turn}: "
    summary = lead + _words(chance, chance.choice((10, 60, 140, LONGEST_SUMMARY - len(lead))))
    detailed = chance.randrange(DETAILED) == 0
    detail = _words(chance, chance.choice((40, 900, LONGEST_DETAIL))) if detailed else ""
    return Telling("note", summary, detail=detail)


def _words(chance: random.Random, length: int) -> str:
    text = ""
    while len(text) < length:
        text += chance.choice(WORDS) + " "
    return text[:length].strip()


class Acked(NamedTuple):
    """An entry that was acknowledged to its writer."""

    turn: int
    mark: str
    path: str


class Diary:
    """What a writer has tried and what was acknowledged to it, in a file that outlives it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self.tried = -1
        self.acked: list[Acked] = []
        self.refused: list[str] = []

    def look(self) -> list[Acked]:
        """Read what was added since the last look; return what was acknowledged in it."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return []
        data = data[: data.rfind(b"\n") + 1]
        self._read += len(data)
        before = len(self.acked)
        for line in data.decode().splitlines():
            what, *more = line.split("\t")
            if what == "try":
                self.tried = int(more[0])
            elif what == "ack":
                self.acked.append(Acked(int(more[0]), *more[1:]))
            else:
                self.refused.append(line)
        return self.acked[before:]


def written(root: str, writer: int, diary: str, share: int, torn: int) -> None:
    """Append until `share` entries are acknowledged; die in the middle of a line after `torn`."""
    from vaultmem.memory import Memory
    from vaultmem.words.errors import VaultmemError

    known = Diary(Path(diary))
    known.look()
    name = f"writer-{writer}"
    memory = Memory.open(root, agent=name, session=name)
    handle = os.open(diary, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    turn, acked = known.tried + 1, len(known.acked)
    steps = Steps(random.Random(writer * 1_000_003 + turn))
    while acked < share:
        steps.deadly = bool(torn) and acked >= torn
        os.write(handle, f"try\t{turn}\n".encode())
        try:
            done = memory.tell(said(writer, turn))
            os.write(handle, f"ack\t{turn}\t{done.entry.mark}\t{done.path}\n".encode())
            acked += 1
        except VaultmemError as error:
            os.write(handle, f"{type(error).__name__} {error}\n".encode())
        turn += 1
    memory.close()


class Steps:
    """Lets lines of the log arrive in two steps, as where a page of memory ends; or only the first.

    A kill then falls into the middle of a line now and then, and a reader meets half a line.
    """

    def __init__(self, chance: random.Random) -> None:
        from vaultmem.vault import files

        self.deadly = False
        self._chance = chance
        self._whole = files._all
        files._all = self

    def __call__(self, handle: int, data: bytes) -> None:
        if data.lstrip(b"\n").startswith(b"- ") and (self.deadly or not self._chance.randrange(20)):
            first = self._chance.randrange(2, len(data) - 2)
            os.write(handle, data[:first])
            if self.deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(PAUSE)
            data = data[first:]
        self._whole(handle, data)


@dataclass
class Listened:
    """What a reader met while others wrote."""

    reads: int = 0
    backwards: int = 0
    """Looks that did not begin with all that the look before held."""
    missed: int = 0
    """Entries that were acknowledged before a look, and not in it."""
    odd: list[str] = field(default_factory=list)
    """Lines met as entries that their fingerprints do not prove to be whole."""


def listened(root: str, diaries: list[str], end: str, result: str) -> None:
    """Read the log again and again until the file `end` is there; write down what was met."""
    from vaultmem.memory import Memory

    memory = Memory.open(root, agent="reader", session=f"reader-{os.getpid()}")
    known, found = [Diary(Path(path)) for path in diaries], Listened()
    marks: list[str] = []
    odd: set[str] = set()
    while not Path(end).exists():
        acked = {one.mark for diary in known for one in diary.look()}
        before, marks = marks, _looked(memory, odd)
        found.reads += 1
        found.backwards += marks[: len(before)] != before
        found.missed += len(acked.difference(marks))
        time.sleep(BETWEEN)
    found.odd = sorted(odd)
    Path(result).write_text(json.dumps(asdict(found)), "utf-8")
    memory.close()


def _looked(memory: Memory, odd: set[str]) -> list[str]:
    """Return the marks of the log's entries; what is no whole entry is added to the odd ones."""
    marks = []
    for entry in memory.log.entries():
        if entry.signed:
            marks.append(entry.mark)
        else:
            odd.add(entry.line())
    return marks


def hurried(root: str, writer: int, begin: float, count: int, synced: bool) -> tuple[float, float]:
    """Append some entries, with fsync or without; return when that began and ended."""
    from vaultmem.memory import Memory

    if not synced:
        os.fsync = lambda handle: None
    name = f"hurried-{writer}"
    memory = Memory.open(root, agent=name, session=name)
    memory.tell(said(writer, 0))
    time.sleep(max(0.0, begin - time.time()))
    start = time.time()
    for turn in range(1, count + 1):
        memory.tell(said(writer, turn))
    return start, time.time()
