"""The figures of the core: indexing, finding what was saved, starting, and losing nothing."""

from __future__ import annotations

import hashlib
import json
import os
import random
import string
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks import corpus
from benchmarks.measure import (
    Row,
    at_most,
    in_child,
    interleaved,
    none,
    peak_memory,
    program,
    pss,
    timed,
    told,
)
from benchmarks.server import Server
from benchmarks.vaults import (
    PYTHON,
    VAULTMEM,
    commit,
    fake_model,
    git,
    lived_in,
    new_vault,
    person_vault,
    plain_model,
    real_model,
    repository,
)

if TYPE_CHECKING:
    from mcp import ClientSession

    from vaultmem.sidecar.seams import Vectors

# 1


class Timed:
    """A model that counts the time spent in it and keeps the texts it was given."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name: str = model.name
        self.dimension: int = model.dimension
        self.seconds = 0.0
        self.texts: list[str] = []

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        start = time.perf_counter()
        found: list[Vectors | None] = self._model.passages(texts)
        self.seconds += time.perf_counter() - start
        self.texts += texts
        return found

    def query(self, text: str) -> Vectors | None:
        found: Vectors | None = self._model.query(text)
        return found


def indexed(root: str) -> tuple[float, float, list[str], float]:
    """Index a vault; return seconds in all, seconds in the model, the passages, and peak MB."""
    from vaultmem.memory import Memory

    model = Timed(real_model())
    memory = Memory.open(root, model=model)
    total = timed(memory.refresh)
    memory.close()
    return total, model.seconds, model.texts, peak_memory()


def embedded_alone(texts: list[str]) -> float:
    """Return the seconds in which fastembed alone embeds the passages, in the product's batches.

    Its own batches of 256 need 12 GB for texts as long as these, and are slower.
    """
    from vaultmem.sidecar.embedder import BATCH

    plain = plain_model()
    return timed(lambda: list(plain.embed(texts, batch_size=BATCH)))


def indexed_by_keyword(root: str) -> tuple[float, float]:
    """Index a vault without vectors; return seconds, imports among them, and peak MB."""

    def act() -> None:
        from vaultmem.memory import Memory

        memory = Memory.open(root)
        memory.refresh(embed=False)
        memory.close()

    return timed(act), peak_memory()


def indexing(folder: Path, notes: int = 1000, runs: int = 3) -> Iterator[Row]:
    """Index 1,000 notes, beside the model alone."""
    outside, ratios, totals, peaks, words, word_peaks = [], [], [], [], [], []
    for run in range(runs):
        new_vault(folder / f"vault-{run}", notes)
        total, inside, texts, peak = in_child(indexed, str(folder / f"vault-{run}"))
        ratios.append(total / in_child(embedded_alone, texts))
        outside.append((total - inside) / notes * 1000)
        totals.append(total)
        peaks.append(peak)
        new_vault(folder / f"words-{run}", notes)
        seconds, peak = in_child(indexed_by_keyword, str(folder / f"words-{run}"))
        words.append(seconds)
        word_peaks.append(peak)
    name = f"index {notes:,} notes"
    yield at_most(f"{name}: a note, outside the model", median(outside), 3, " ms", _range(outside))
    yield at_most(f"{name}: against the model alone", median(ratios), 1.25, "x", _range(ratios))
    yield told(f"{name}: in all, {len(texts):,} passages", median(totals), " s", _range(totals))
    yield told(f"{name}: peak memory", max(peaks), " MB")
    yield at_most(f"{name}: by keyword only", median(words), 5, " s", _range(words))
    yield told(f"{name}: by keyword only, peak memory", max(word_peaks), " MB")


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


# 2


def walked(root: str) -> int:
    """Look at every file of a tree, as cheaply as Python can."""
    seen, folders = 0, [root]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    seen += 1
    return seen


def refreshed_again(root: str, times: int) -> tuple[float, float]:
    """Return the median seconds of a bare walk and of a refresh that finds nothing new."""
    from vaultmem.memory import Memory

    memory = Memory.open(root, model=fake_model())
    memory.refresh()
    corpus.age(Path(root), 30)
    for _ in range(2):
        memory.refresh()
    walk, again = interleaved(times, lambda: walked(root), memory.refresh)
    memory.close()
    return walk, again


def nothing_new(folder: Path) -> Iterator[Row]:
    """Refresh again when nothing has changed, beside a bare walk."""
    for notes, times in ((1000, 41), (10_000, 15)):
        root = folder / f"vault-{notes}"
        new_vault(root, notes)
        walk, again = in_child(refreshed_again, str(root), times)
        note = f"{again * 1000:.1f} of {walk * 1000:.1f} ms"
        name = f"nothing new, {notes:,} notes: against a bare walk"
        yield at_most(name, again / walk, 5, "x", note)


# 3


def atomically(path: Path, text: str) -> None:
    """Save as most editors do: write beside, then rename."""
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def in_place(path: Path, text: str) -> None:
    """Save as Obsidian does."""
    path.write_text(text, encoding="utf-8")


def as_vim(path: Path, text: str) -> None:
    """Save as vim does: the old file becomes a backup until the new one is written."""
    backup = path.with_name(f"{path.name}~")
    path.rename(backup)
    path.write_text(text, encoding="utf-8")
    backup.unlink()


SAVES: tuple[Callable[[Path, str], None], ...] = (atomically, in_place, as_vim)
PAUSES = (0.1, 0.7, 1.3, 2.6)
"""Seconds between a find and the next save: before, amid and after the watcher's quiet."""


def embedded_vault(root: str) -> None:
    """Index a vault with the real model."""
    from vaultmem.memory import Memory

    memory = Memory.open(root)
    memory.refresh()
    memory.close()


PATIENCE = 20.0
"""Seconds after which a save counts as not found at all."""


def saved_and_found(root: Path, paths: Sequence[str], count: int) -> list[tuple[float, str]]:
    """Return how long each save took to be found through a running server, and its kind."""
    import anyio
    from mcp import ClientSession, StdioServerParameters, stdio_client

    parameters = StdioServerParameters(
        command=VAULTMEM,
        args=["mcp", "--vault", str(root), "--agent", "scout"],
        env=dict(os.environ),
        cwd=root.parent,
    )

    async def session() -> list[tuple[float, str]]:
        found = []
        async with (
            stdio_client(parameters) as (read, write),
            ClientSession(read, write) as client,
        ):
            await client.initialize()
            await _asked(client, "refund queue")  # opens the model
            await anyio.sleep(3)
            for number in range(count):
                save = SAVES[number % len(SAVES)]
                path = paths[number * 7 % len(paths)]
                word = _word(number)
                save(root / path, f"{(root / path).read_text()}\nThe new word is {word}.\n")
                found.append((await _found_after(client, word, path), save.__name__))
                await anyio.sleep(PAUSES[number % len(PAUSES)])
        return found

    return anyio.run(session)


async def _found_after(client: ClientSession, word: str, path: str) -> float:
    """Return the seconds until an answer holds the note with its new word."""
    import anyio

    start = time.perf_counter()
    while time.perf_counter() - start < PATIENCE:
        hits = await _asked(client, word)
        if any(hit["path"] == path and word in hit["text"] for hit in hits):
            break
        await anyio.sleep(0.01)
    return time.perf_counter() - start


async def _asked(client: ClientSession, query: str) -> list[dict[str, Any]]:
    """Return as many hits as there can be: how they are ranked is another benchmark's matter."""
    asked = {"query": query, "limit": 20, "budget_tokens": 20_000, "format": "json"}
    answer = await client.call_tool("remember", asked)
    text: str = answer.content[0].text
    if answer.is_error:
        raise RuntimeError(text)
    hits: list[dict[str, Any]] = json.loads(text)["hits"]
    return hits


def _word(number: int) -> str:
    """Return a word that no note holds."""
    return "xq" + "".join(random.Random(number).choices(string.ascii_lowercase, k=9))


def saves(folder: Path, notes: int = 1000, count: int = 50) -> Iterator[Row]:
    """Save notes as editors do, and ask a running server until it finds them."""
    paths = new_vault(folder / "vault", notes)
    in_child(embedded_vault, str(folder / "vault"))
    corpus.age(folder / "vault")
    found = in_child(saved_and_found, folder / "vault", paths, count)
    name = f"a save is found by a server, {notes:,} notes"
    worst, kind = max(found)
    note = f"median {median(seconds for seconds, _ in found):.2f}; {kind}"
    yield at_most(f"{name}, worst of {len(found)}", worst, 1.5, " s", note)


# 4


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def serving(root: Path, *more: str) -> list[str]:
    return [VAULTMEM, "mcp", "--vault", str(root), *more]


def first_answer(root: Path, cwd: Path) -> float:
    """Return the seconds from the start of a server to its first list of tools."""
    start = time.perf_counter()
    with Server(serving(root), cwd) as server:
        server.hello()
        server.tools()
        return time.perf_counter() - start


def starting(folder: Path) -> Iterator[Row]:
    """Start a server, and look at what it sends and what it weighs."""
    root, project = folder / "vault", repository(folder / "project")
    in_child(lived_in, root, 50)
    for name, cwd in (("locked", project), ("unlocked", folder)):
        with Server(serving(root), cwd) as server:
            said = server.hello()["instructions"]
            tools = server.tools()
        schemas = [tool["inputSchema"]["properties"] for tool in tools]
        assert any("scope" in schema for schema in schemas) == (name == "unlocked"), name
        yield at_most(f"tools as sent, {name}", len(compact(tools)), 5999, " characters")
        yield at_most(f"instructions, {name}", len(said), 1499, " characters")
    yield from _start_time(root, project)
    with Server(serving(root), project) as server:
        server.hello()
        server.tools()
        time.sleep(3)
        yield at_most("server after 3 idle seconds", pss(server.pid), 150, " MB")


def _start_time(root: Path, project: Path, times: int = 9) -> Iterator[Row]:
    bare = [PYTHON, "-c", "from mcp.server import MCPServer"]
    first_answer(root, project)
    program(bare, project)
    rows = [
        (first_answer(root, project), timed(lambda: program(bare, project))) for _ in range(times)
    ]
    served, imported = (median(column) for column in zip(*rows, strict=True))
    note = f"{served * 1000:.0f} of {imported * 1000:.0f} ms"
    yield at_most("first tools/list against the SDK's import", served / imported, 1.5, "x", note)


# 5


def briefing(folder: Path, times: int = 15) -> Iterator[Row]:
    """Run `vaultmem brief` in a project, beside an empty Python."""
    root, project = folder / "vault", repository(folder / "project")
    in_child(lived_in, root, 50)
    asked = [VAULTMEM, "brief", "--vault", str(root), "--agent", "scout"]
    text = program(asked, project)
    assert "Identity" in text, text
    assert "Catalogue of github.com/acme/api" in text, text
    brief, empty = interleaved(
        times,
        lambda: program(asked, project),
        lambda: program([PYTHON, "-c", "pass"], project),
    )
    note = f"{brief * 1000:.0f} of {empty * 1000:.0f} ms"
    yield at_most("brief against an empty Python", brief / empty, 15, "x", note)


# 7


OUTSIDE = (".vaultmem", ".trash", "Agents")
"""What may change at an adoption: the rest is the person's."""


def fingerprints(root: Path, left_out: Iterable[str] = OUTSIDE) -> dict[str, str]:
    """Return the digest and time of every file outside of some folders."""
    found = {}
    skipped = set(left_out)
    for folder, _, names in os.walk(os.fsencode(root)):
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118  # names here may be any bytes
            short = os.fsdecode(os.path.relpath(path, os.fsencode(root)))
            if short.split("/")[0] in skipped:
                continue
            with open(path, "rb") as file:  # noqa: PTH123
                digest = hashlib.sha256(file.read()).hexdigest()
            found[short] = f"{digest} {os.stat(path).st_mtime_ns}"  # noqa: PTH116
    return found


def asked_often(root: str, times: int = 200) -> int:
    """Ask a vault about everything; return how many hits that gave."""
    from vaultmem.memory import Memory, Question

    memory = Memory.open(root)
    queries = [f"{title} {text[:40]}" for title, text in corpus.facts(times, seed=9)]
    hits = sum(len(memory.remember(Question(query)).hits) for query in queries)
    memory.close()
    return hits


def watched(root: Path) -> None:
    """Run the watcher for a while and end it as a person would."""
    watcher = subprocess.Popen(
        [VAULTMEM, "watch", "--vault", str(root)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(4)
    watcher.send_signal(2)
    watcher.wait(20)


def adoption(folder: Path) -> Iterator[Row]:
    """Adopt a person's vault and use it; and ask a new vault that is in git."""
    root = folder / "vault"
    person_vault(root)
    before = fingerprints(root)
    for arguments in (("init", str(root), "--home", "Agents"), ("refresh", "--vault", str(root))):
        program([VAULTMEM, *arguments], folder)
    watched(root)
    hits = in_child(asked_often, str(root))
    program([VAULTMEM, "brief", "--vault", str(root)], folder)
    program([VAULTMEM, "doctor", "--vault", str(root)], folder, allowed=(0, 1))
    after = fingerprints(root)
    changed = [p for p in before.keys() | after.keys() if before.get(p) != after.get(p)]
    note = f"of {len(before)}; {hits} hits" + "".join(f"; {p}" for p in sorted(changed)[:3])
    yield none("adopted vault: a person's files changed, made or gone", len(changed), note)
    yield from _clean_in_git(folder)


def _clean_in_git(folder: Path) -> Iterator[Row]:
    root = folder / "new"
    in_child(lived_in, root, 30)
    git(root, "init", "-q")
    commit(root)
    hits = in_child(asked_often, str(root))
    status = git(root, "status", "--porcelain").splitlines()
    note = f"{hits} hits" + "".join(f"; {line}" for line in status[:3])
    yield none("new vault in git: lines of git status after 200 remembers", len(status), note)


# 8


def asked_in_thai(root: str) -> tuple[int, int, list[str]]:
    """Memorize Thai facts; return how many are kept, how many found first, which were not."""
    from vaultmem.memory import Memory, Question, Wish

    memory = Memory.open(root)
    paths = [memory.memorize(Wish(title=t.title, content=t.fact)).path for t in corpus.THAI]
    kept = sum(
        thai.fact in memory.vault.read(path).body
        for thai, path in zip(corpus.THAI, paths, strict=True)
    )
    missed = []
    for thai, path in zip(corpus.THAI, paths, strict=True):
        assert thai.shared in thai.fact
        assert thai.shared in thai.question
        assert thai.question not in thai.fact
        hits = memory.remember(Question(thai.question)).hits
        if not hits or hits[0].path != path:
            missed.append(thai.question)
    memory.close()
    return len(set(paths)) and kept, len(paths) - len(missed), missed


def thai(folder: Path) -> Iterator[Row]:
    """Keep facts in Thai and ask for them in other words."""
    new_vault(folder / "vault")
    kept, first, missed = in_child(asked_in_thai, str(folder / "vault"))
    wanted = len(corpus.THAI)
    yield Row("Thai facts kept", str(kept), str(wanted), kept == wanted)
    note = f" ({missed[0]})" if missed else ""
    yield Row("Thai facts found first", f"{first}{note}", str(wanted), first == wanted)


FIGURES = {
    1: indexing,
    2: nothing_new,
    3: saves,
    4: starting,
    5: briefing,
    7: adoption,
    8: thai,
}
