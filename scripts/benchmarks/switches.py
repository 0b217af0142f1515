"""Switching branches below a running server that is asked all the while."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import corpus, vaults
from benchmarks.measure import Row, at_most, none, program, told
from benchmarks.server import Server

SECONDS = 15.0
PATIENCE = 120.0
QUIET = 4.0
MOST_REFRESHES = 2
"""Of the index after a switch: that of the notes, and that of the catalogues that follow."""


def switched(folder: Path, notes: int = 10_000) -> Iterator[Row]:
    """Switch to a branch that differs in half of all notes, back, and there again."""
    root, work = folder / "vault", folder / "work"
    vaults.new_vault(root)
    paths = corpus.write(root, notes)
    counted(folder, work, "refresh", "--vault", str(root))
    vaults.git(root, "init", "-q", "-b", "main")
    vaults.commit(root)
    changed = _topic(root, paths[: notes // 2])
    command = [sys.executable, "-m", "benchmarks.counting_vaultmem", str(work)]
    with Asked([*command, "mcp", "--vault", str(root)], folder) as asked:
        asked.until("main")
        asked.settled(work)
        for number, branch in enumerate(("topic", "main", "topic")):
            before = _work(work)
            start = time.perf_counter()
            vaults.git(root, "checkout", "-q", branch)
            end = time.perf_counter()
            right = asked.until(branch, end)
            asked.settled(work)
            done = _work(work)[len(before) :]
            texts = [line.split()[1] for line in done if line.startswith("embedded")]
            refreshes = [line for line in done if line.startswith("refreshed")]
            known = {line.split()[1] for line in before if line.startswith("embedded")}
            name = f"{notes:,} notes, {changed:,} differ: {branch}" + (" again" * (number > 1))
            yield told(name, end - start, " s", "git checkout")
            yield at_most("  remember right after the last event", right, SECONDS, " s")
            yield none("  texts embedded that were seen", len(known & set(texts)))
            yield none("  texts embedded twice", len(texts) - len(set(texts)))
            yield told("  texts embedded", len(texts))
            sizes = ", ".join(line.split()[1] for line in refreshes)
            yield at_most("  changes of the index", len(refreshes), MOST_REFRESHES, "", sizes)
    yield told("questions asked meanwhile", asked.count, "", f"longest {asked.longest:.1f} s")
    yield none("  errors", len(asked.errors), "; ".join(asked.errors[:2]))


def counted(folder: Path, work: Path, *words: str) -> None:
    """Run vaultmem with its work counted in a file."""
    found_by_children()
    program([sys.executable, "-m", "benchmarks.counting_vaultmem", str(work), *words], folder)


def found_by_children() -> None:
    """Let new processes find these modules, and those of the tests, wherever they start."""
    scripts = Path(__file__).resolve().parents[1]
    os.environ["PYTHONPATH"] = f"{scripts.parent}{os.pathsep}{scripts}"


def _work(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.exists() else []


def _topic(root: Path, paths: list[str]) -> int:
    """Make a branch in which these notes are reworded, renamed, gone, or new; return to main."""
    vaults.git(root, "checkout", "-q", "-b", "topic")
    for number, path in enumerate(paths):
        note = root / path
        if number % 10 == 0:
            note.unlink()
        elif number % 10 == 1:
            note.rename(note.with_name(f"renamed-{note.name}"))
        elif number % 10 == 2:
            note.with_name(f"added-{note.name}").write_text(f"A new note, number {number}.\n")
        else:
            note.write_text(
                f"{note.read_text('utf-8')}\nSince then it is topic{number}.\n", "utf-8"
            )
    _flag(root, "topic")
    vaults.commit(root)
    vaults.git(root, "checkout", "-q", "main")
    _flag(root, "main")
    vaults.commit(root)
    corpus.age(root)
    return len(paths)


def _flag(root: Path, branch: str) -> None:
    """Write the note that tells the branches apart; each has its own, so no other will do."""
    text = f"The zebraflag is hoisted on {branch}.\n"
    (root / f"memory/global/flag-of-{branch}.md").write_text(text, "utf-8")


class Asked:
    """A server that a thread asks one question after the other; right is what it answered last."""

    def __init__(self, command: list[str], cwd: Path) -> None:
        self.count, self.longest, self.errors = 0, 0.0, list[str]()
        self._answers: list[tuple[float, float, str]] = []
        self._ended = threading.Event()
        self._asking = threading.Event()
        self._asking.set()
        self._server = Server(command, cwd)
        self._thread = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self) -> Asked:
        self._server.hello()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._asking.set()
        self._thread.join(PATIENCE)
        self._server.__exit__()

    def _ask(self) -> None:
        while self._asking.wait() and not self._ended.is_set():
            start = time.perf_counter()
            try:
                told: dict[str, Any] = self._server.ask("tools/call", _QUESTION)
                text = str(told["content"][0]["text"])
                if told.get("isError"):
                    self.errors.append(text)
            except Exception as error:
                self.errors.append(f"{type(error).__name__}: {error}")
                return
            end = time.perf_counter()
            self.count, self.longest = self.count + 1, max(self.longest, end - start)
            self._answers.append((start, end, text))

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Ask nothing meanwhile, so that what is compared is compared soon."""
        self._asking.clear()
        try:
            yield
        finally:
            self._asking.set()

    @property
    def times(self) -> list[float]:
        """The seconds that each answer took, in order."""
        return [end - start for start, end, _ in list(self._answers)]

    def until(self, branch: str, since: float = 0.0) -> float:
        """Wait for an answer that is right on a branch; return the seconds that it took."""
        since = since or time.perf_counter()
        while time.perf_counter() - since < PATIENCE and not self.errors:
            for _, end, text in list(self._answers)[-50:]:
                if end > since and f"hoisted on {branch}" in text:
                    return end - since
            time.sleep(0.05)
        return PATIENCE

    def settled(self, work: Path) -> None:
        """Wait until nothing was counted for some seconds in which it answered all the same."""
        known, quiet, answers = -1, time.perf_counter(), 0
        while time.perf_counter() - quiet < QUIET or self.count < answers + 3:
            now = work.stat().st_size
            if now != known:
                known, quiet, answers = now, time.perf_counter(), self.count
            time.sleep(0.1)


_QUESTION = {"name": "remember", "arguments": {"query": "where is the zebraflag hoisted?"}}
