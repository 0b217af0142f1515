"""Storms of changes, a vault that goes and comes back, and branches, under a running server."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unicodedata import normalize

from benchmarks import vaults
from benchmarks.measure import Missing, Row, all_of, in_child, none, program, told
from benchmarks.soak.watched import Watched, hashes, held

FLIPS = 11
POLL = 30.0
"""Seconds after which a watcher that heard nothing looks by itself."""
FEW_WATCHES = (
    "unshare",
    "-Ur",
    "sh",
    "-c",
    'echo 50 >/proc/sys/user/max_inotify_watches; exec "$@"',
    "-",
)
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")


def storms(folder: Path, notes: int = 10_000) -> Iterator[Row]:
    """Change `notes` files at once, and all else that a watcher may miss."""
    folder.joinpath("first").mkdir()
    with Watched(folder / "first", notes // 5) as served:
        yield from served.tried(
            f"{notes:,} files made, edited, renamed, deleted", lambda: _storm(served.root, notes)
        )
        yield from _renamed(served)
        yield from _gone(served)
        yield from _flipped(served)
        times = sorted(served.asked.times)
    yield told("questions asked meanwhile", len(times), "", f"longest {times[-1]:.2f} s")
    yield told("  p99", times[int(len(times) * 0.99)], " s")
    folder.joinpath("second").mkdir()
    yield from _overflowed(folder / "second", notes // 5)
    folder.joinpath("third").mkdir()
    yield from _few_watches(folder / "third")


def _storm(root: Path, count: int) -> None:
    """Make, edit, rename and delete, a quarter each; the folders are many and the texts differ."""
    made = []
    for number in range(count // 4):
        path = root / f"Storm/{number % 50}/note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Storm {number}\n\nThe gust of number {number}.\n", "utf-8")
        made.append(path)
    for path in made:
        path.write_text(path.read_text("utf-8") + "\nIt was edited in the storm.\n", "utf-8")
    for path in made:
        path.rename(path.with_name(f"renamed-{path.name}"))
    for path in made[: len(made) // 2]:
        path.with_name(f"renamed-{path.name}").unlink()
    notes = sorted((root / "memory").rglob("*.md"))
    for path in [path for path in notes if path.stem not in ("index", "flag")][: count // 20]:
        path.unlink()


def _renamed(served: Watched) -> Iterator[Row]:
    """Move folders of 1,000 notes in, elsewhere and out; rename by case and by composition."""
    root = served.root
    outside = served.root.with_name("outside")
    outside.mkdir()
    for number in range(1_000):
        name, head = f"n{number}", f"---\nid: m{number:07d}\n---\n"
        (outside / f"{name}.md").write_text(f"{head}The keel of number {number}.\n", "utf-8")
    yield from served.tried(
        "a folder of 1,000 notes moved in", lambda: outside.rename(root / "Moved")
    )
    ids = _ids(served)
    yield from served.tried("  renamed", lambda: (root / "Moved").rename(root / "Renamed"))
    yield all_of("  ids that stayed", len(ids & _ids(served)), 1_000)
    yield from served.tried("  moved out", lambda: (root / "Renamed").rename(outside))
    (outside / "n1.md").write_text("It is none of the vault's any more.\n", "utf-8")
    yield from served.tried("  and back", lambda: outside.rename(root / "renamed"))
    yield from served.tried(
        "renamed by case alone", lambda: (root / "renamed").rename(root / "RENAMED")
    )
    yield from served.tried("names composed and decomposed", lambda: _composed(root))
    yield from served.tried("times of 1970 and of 2100", lambda: _dated(root))


def _ids(served: Watched) -> set[str]:
    """Return the ids of the moved notes, as they are indexed."""
    found = in_child(held, str(served.root), "")["files"].values()
    return {facts["id"] for facts in found if facts["id"].startswith("m0")}


def _composed(root: Path) -> None:
    for form in ("NFC", "NFD"):
        name = normalize(form, "RENAMED/Caf\u00e9.md")
        (root / name).write_text(f"The harbour caf\u00e9, in {form}.\n", "utf-8")


def _dated(root: Path) -> None:
    for path, moment in ((root / "RENAMED/n2.md", 0), (root / "RENAMED/n3.md", 4_102_444_800)):
        path.write_text(f"Written at another time than {moment}.\n", "utf-8")
        os.utime(path, (moment, moment))


def _gone(served: Watched) -> Iterator[Row]:
    """Move the vault away and back, put an empty folder in its place, restore it from a copy."""
    root, away = served.root, served.root.with_name("away")
    before, _ = hashes(str(root))

    def emptied() -> None:
        root.rename(away)
        root.mkdir()
        time.sleep(3)
        root.rmdir()
        away.rename(root)

    def returned() -> None:
        root.rename(away)
        time.sleep(3)
        away.rename(root)
        (root / "RENAMED/n4.md").write_text("It was edited once the vault was back.\n", "utf-8")

    def remade() -> None:
        shutil.copytree(root, away)
        shutil.rmtree(root / ".vaultmem")
        shutil.rmtree(root)
        away.rename(root)
        (root / "RENAMED/n5.md").write_text("It was edited in the copy.\n", "utf-8")

    for name, act in (
        ("an empty folder in the vault's place for 3 s", emptied),
        ("the vault moved away for 3 s and back", returned),
        ("the vault removed and restored from a copy", remade),
    ):
        yield from served.tried(name, act)
        now, there = hashes(str(root))
        yield none(
            "  notes deleted that nobody asked to delete",
            len(before.keys() - (now.keys() & there.keys())),
        )


def _flipped(served: Watched) -> Iterator[Row]:
    """Switch branches back and forth; 1,000 notes differ and 200 are gone on one of them."""
    root = served.root
    for number in range(2_000):
        path = root / f"Branch/{number % 20}/b{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The mast of number {number}.\n", "utf-8")
    vaults.git(root, "init", "-q", "-b", "main")
    vaults.commit(root)
    vaults.git(root, "checkout", "-q", "-b", "topic")
    for number in range(1_200):
        path = root / f"Branch/{number % 20}/b{number}.md"
        if number < 1_000:
            path.write_text(f"The mast of number {number}, on topic.\n", "utf-8")
        else:
            path.unlink()
    vaults.commit(root)
    vaults.git(root, "checkout", "-q", "main")
    served.equal()

    def flips() -> None:
        for number in range(FLIPS):
            vaults.git(root, "checkout", "-q", ("topic", "main")[number % 2])

    yield from served.tried(f"{FLIPS} branch flips of 1,000 changed, 200 deleted", flips)
    count = len(list((root / "Branch").rglob("*.md")))
    yield all_of("  notes of the branch that are there", count, 1_800)


@contextmanager
def _short_queue() -> Iterator[None]:
    """Let queues of events that are made meanwhile hold 64, as far as this machine may be set."""
    try:
        before = QUEUE.read_text()
        QUEUE.write_text("64")
    except OSError as error:
        raise Missing(f"{QUEUE} cannot be written; run it as root ({error.strerror})") from None
    try:
        yield
    finally:
        QUEUE.write_text(before)


def _overflowed(folder: Path, notes: int) -> Iterator[Row]:
    with _short_queue():
        served = Watched(folder, notes).__enter__()
    try:
        name = f"{notes:,} changes through a queue of 64 events"
        yield from served.tried(name, lambda: _storm(served.root, notes), POLL)
    finally:
        served.__exit__()


def _few_watches(folder: Path) -> Iterator[Row]:
    """Serve 200 folders where the system watches 50; each answer must be right at once."""
    root = folder / "vault"
    with Watched(folder, 200):
        for number in range(200):
            (root / f"Wide/{number}").mkdir(parents=True)
            (root / f"Wide/{number}/a.md").write_text(f"The rope {number}.\n", "utf-8")
    try:
        program([*FEW_WATCHES, "true"], folder)
    except RuntimeError:
        yield Row("user namespaces are not allowed here", "", "", good=None)
        return
    with Watched(folder, 200, FEW_WATCHES) as served:
        wrong = 0
        for number in range(0, 200, 10):
            word = f"flag{number}"
            path = root / f"Wide/{number}/flag.md"
            path.write_text(f"The zebraflag is hoisted on {word}.\n", "utf-8")
            wrong += served.asked.until(word, time.perf_counter()) > 5
            path.unlink()
            served.asked.until("main", time.perf_counter())
            if wrong:
                break

        def edited() -> None:
            (root / "Wide/199/a.md").write_text("The rope was cut.\n", "utf-8")

        yield none("of 20 notes in 200 folders with 50 watches, found late", wrong)
        yield from served.tried("  a change in a folder that is not watched", edited, POLL)
    said = program([vaults.VAULTMEM, "doctor", "--vault", str(root)], folder, (0, 1))
    yield all_of(
        "  named by the doctor with its setting", int("fs.inotify.max_user_watches" in said), 1
    )
