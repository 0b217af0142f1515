"""What a save costs until it is acknowledged, beside a bare one of the same bytes."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks import corpus
from benchmarks.measure import Row, at_most, in_child, told
from benchmarks.shared_server import quantile
from benchmarks.vaults import fake_model, new_vault

TIMES, NOTES = 120, 300
BARE, REPLACED, EDITED, LESS, WHOLE = (
    "bare write, fsync, rename, fsync of the folder",
    "a file replaced",
    "a note edited under the lock",
    "memorize, less embedding and index",
    "memorize, all of it",
)


def bare(path: Path, data: bytes) -> None:
    """Save bytes for good, as plainly as it can be done."""
    beside = path.with_name(f".{path.name}.bare")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(handle, data)
    os.fsync(handle)
    os.close(handle)
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


class Stopwatch:
    """Adds up the time that some functions take, counting what calls itself once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    def around(self, function: Callable[..., object]) -> Callable[..., object]:
        def watched(*args: object, **named: object) -> object:
            start, self._depth = time.perf_counter(), self._depth + 1
            try:
                return function(*args, **named)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds += time.perf_counter() - start

        return watched


def taken(root: str) -> dict[str, list[float]]:
    """Return the seconds of each kind of save, taken by turns so that all meet one load."""
    from vaultmem.memory import Memory, Wish
    from vaultmem.sidecar.meaning import Meaning
    from vaultmem.sidecar.sidecar import Sidecar
    from vaultmem.vault import files

    memory = Memory.open(root, agent="scout", person=True, model=fake_model())
    memory.refresh()
    derived = Stopwatch()
    for place, names in ((Sidecar, ("refresh",)), (Meaning, ("passages", "query"))):
        for name in names:
            if hasattr(place, name):
                setattr(place, name, derived.around(getattr(place, name)))
    folder, found = "memory/global", {name: [] for name in (BARE, REPLACED, EDITED, LESS, WHOLE)}
    for name in ("bare", "replaced", "edited"):
        text = f"---\ntitle: {name}\n---\nThe first version.\n"
        (Path(root) / folder / f"{name}.md").write_text(text, "utf-8")

    def timed(name: str, act: Callable[[], object]) -> float:
        start = time.perf_counter()
        act()
        found[name].append(time.perf_counter() - start)
        return found[name][-1]

    for turn, (title, content) in enumerate(corpus.facts(TIMES, seed=77)):
        data = f"---\ntitle: {title}\n---\n{content}\n".encode()
        timed(BARE, lambda data=data: bare(Path(root, folder, "bare.md"), data))
        seen = hashlib.sha256(Path(root, folder, "replaced.md").read_bytes()).hexdigest()
        path = f"{folder}/replaced.md"
        timed(REPLACED, lambda d=data, p=path, s=seen: files.replace(Path(root), p, d, seen=s))
        path = f"{folder}/edited.md"
        seen = memory.vault.read(path).hash

        def edit(path: str = path, seen: str = seen, text: str = content) -> None:
            with memory.vault.lock.vault("memorize"):
                memory.vault.edit(path, {"description": str(len(text))}, seen=seen, body=text)

        timed(EDITED, edit)
        wish = Wish(title=f"{title} {turn}", content=content, allow_similar=True)
        derived.seconds = 0.0
        whole = timed(WHOLE, lambda wish=wish: memory.memorize(wish))
        found[LESS].append(whole - derived.seconds)
    memory.close()
    return found


def saves(folder: Path) -> Iterator[Row]:
    """Time saves of one kind after the other, and compare their medians with the bare one's."""
    root = folder / "vault"
    new_vault(root, NOTES)
    found = in_child(taken, str(root))
    half = median(found[BARE])
    yield told(f"{BARE}: median", 1000 * half, " ms", _late(found[BARE]))
    for name in (REPLACED, EDITED):
        yield at_most(
            f"{name}: median over that", median(found[name]) / half, 3, "x", _late(found[name])
        )
    for name in (LESS, WHOLE):
        yield told(f"{name}: median over that", median(found[name]) / half, "x", _late(found[name]))


def _late(seconds: list[float]) -> str:
    middle, late = 1000 * median(seconds), 1000 * quantile(seconds, 0.99)
    return f"p50 {middle:.2f} ms, p99 {late:.2f} ms"
