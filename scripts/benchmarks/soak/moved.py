"""A vault moved, restored, cloned, opened on a second machine, or replaced by another one."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import corpus, vaults
from benchmarks.measure import Row, all_of, at_least, at_once, in_child, none, program
from benchmarks.server import Server

FACTS = 40
COPIES = "The nightly backup goes to the cellar", "The backup of the night goes to the cellar"


class Seen(NamedTuple):
    """What a vault says where it lies."""

    right: int
    uses: int
    parents: int
    unread: int
    sleeps: bool
    said: str
    """What the doctor says of other machines."""
    well: bool


def lived(root: str) -> None:
    """Keep facts, use each, hear the log, and sleep: what a day leaves in notes and ledger."""
    from vaultmem.memory import Memory, Question, Telling, Wish

    memory = Memory.open(root, agent="scout", session="day", model=vaults.fake_model())
    for title, content in corpus.facts(FACTS):
        memory.memorize(Wish(title=title, content=content, allow_similar=True))
    other = memory.called(agent="scribe", session="other")
    for number in range(10):
        other.tell(Telling("note", f"Handed over, part {number}"))
    for number in range(3):
        said = f"---\ntitle: Backup\nsource: agent_inferred\n---\n{COPIES[0]}{'!' * number}\n"
        (Path(root) / f"memory/global/backup-{number}.md").write_text(said, "utf-8")
    for title, _ in corpus.facts(FACTS):
        memory.remember(Question(title, limit=1))
    while memory.read_log().entries:
        memory.log.confirm(memory.caller.reader)
    memory.sleep_daily().join()
    memory.close()


def seen(root: str, state: str) -> Seen:
    """Return what the vault says at a place, with the state of a machine."""
    os.environ["VAULTMEM_STATE_DIR"] = state
    from vaultmem.memory import Memory, Question

    memory = Memory.open(root, agent="scout", session="day", model=vaults.fake_model(), person=True)
    parents = len(list(Path(root).rglob("*notes*.md")))
    right = sum(
        title in [hit.title for hit in memory.remember(Question(title, limit=3)).hits]
        for title, _ in corpus.facts(FACTS)
    )
    uses = sum(use.count > 0 for use in memory._parts.ledger.uses().values())
    unread = len(memory.read_log().entries)
    memory.sleep_daily().join()
    sleeps = len(list(Path(root).rglob("*notes*.md"))) != parents
    report = memory.doctor()
    said = [finding.what for finding in report.findings if "another machine" in finding.what]
    memory.close()
    return Seen(right, uses, parents, unread, sleeps, " ".join(said), report.well)


def kept(root: str, word: str, count: int) -> tuple[int, int]:
    """Keep notes that name a word; return how many are found, and how many of the other's are."""
    from vaultmem.memory import Memory, Question, Wish

    memory = Memory.open(root, agent=word, model=vaults.fake_model())
    for number in range(count):
        title = f"The {word} of number {number}"
        memory.memorize(Wish(title=title, content=f"It is the {word}.", allow_similar=True))
    other = {"heron": "osprey", "osprey": "heron"}[word]
    own = sum(
        any(hit.title == title for hit in memory.remember(Question(title)).hits)
        for title in (f"The {word} of number {number}" for number in range(count))
    )
    hits = memory.remember(Question(f"The {other} of number 7", limit=20)).hits
    foreign = sum(other in hit.title for hit in hits)
    memory.close()
    return own, foreign


def moved(folder: Path) -> Iterator[Row]:
    """Put a vault where it was not, and ask it what it knew."""
    root = folder / "vault"
    state = os.environ["VAULTMEM_STATE_DIR"]
    vaults.new_vault(root)
    in_child(lived, str(root))
    vaults.git(root, "init", "-q", "-b", "main")
    vaults.commit(root)
    usual = in_child(seen, str(root), state)
    yield all_of("facts that answer where they were kept", usual.right, FACTS)
    yield at_least("  of them used by an agent", usual.uses, FACTS)
    yield all_of("  notes that the day's sleep made", usual.parents, 1)
    places = {name: folder / name for name in ("copied", "cloned", "moved")}
    program(["cp", "-a", str(root), str(places["copied"])], folder)
    vaults.git(folder, "clone", "-q", str(root), str(places["cloned"]))
    shutil.copytree(root, folder / "second")
    shutil.move(root, places["moved"])
    for name, place in places.items():
        yield from _known(name, in_child(seen, str(place), state), usual)
    elsewhere = in_child(seen, str(folder / "second"), str(folder / "second-state"))
    yield all_of("on a second machine: facts that answer", elsewhere.right, FACTS)
    lost = elsewhere.uses < usual.uses or elsewhere.unread > 0
    unsaid = lost and not elsewhere.said
    yield none("  uses and reading lost and not said to be", int(unsaid), elsewhere.said[:24])
    yield none("  second sleeps of the day", int(elsewhere.sleeps))
    shutil.move(places["moved"], root)
    copies = [(str(root), "heron", 20), (str(places["copied"]), "osprey", 20)]
    (own, foreign), (others, strange) = at_once(kept, copies)
    yield all_of("two copies at once: notes that each finds of its own", own + others, 40)
    yield none("  notes of the other that it finds", foreign + strange)
    yield from _replaced(folder, root, Path(state))


def _known(name: str, now: Seen, usual: Seen) -> Iterator[Row]:
    yield all_of(f"{name}: facts that answer", now.right, FACTS)
    yield none("  notes whose uses were lost", max(usual.uses - now.uses, 0))
    yield none("  entries of the log given again", max(now.unread - usual.unread, 0))
    yield none("  second sleeps of the day", int(now.sleeps))
    yield none("  findings of the doctor", int(not now.well))


def _replaced(folder: Path, root: Path, state: Path) -> Iterator[Row]:
    """Put another vault in the place of one that is served, and ask and write there."""
    other = folder / "other"
    vaults.new_vault(other)
    (other / "memory/global/flag.md").write_text("The pelican is hoisted.\n", "utf-8")
    held = _states(state)
    with Server([vaults.VAULTMEM, "mcp", "--vault", str(root)], folder) as server:
        server.hello()
        _asked(server, "remember", query="pelican")
        root.rename(folder / "away")
        other.rename(root)
        before = _digests(root)
        fact = {"title": "The pelican flew", "content": "It flew away in the night."}
        answers = [
            _asked(server, "remember", query="pelican"),
            _asked(server, "memorize", **fact),
            _asked(server, "log", kind="note", summary="The pelican flew"),
            _asked(server, "brief"),
        ]
        foreign = sum("is hoisted" in text for text in answers)
        silent = sum("Another vault lies in" not in text for text in answers)
        yield none("another vault in its place: texts of it that were told", foreign)
        yield none("  calls that did not say so", silent, answers[0][:24])
        yield none("  bytes of it that changed", int(before != _digests(root)))
    in_child(seen, str(root), str(state))
    yield all_of("  states made for it alone", len(_states(state) - held), 1)


def _states(state: Path) -> set[str]:
    return {path.parent.name for path in state.glob("*/ledger.db")}


def _asked(server: Server, name: str, **arguments: str) -> str:
    told = server.ask("tools/call", {"name": name, "arguments": arguments})
    return str(told["content"][0]["text"])


def _digests(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
