"""Verbs of a vault in git, and what a merge of two clones leaves to be done."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from vaultmem.memory import Memory

from .acts import FIXED, TABS, git, note, once, two_notes, with_memory
from .world import LOG, Verb, World

NEW = "memory/global/retries-carry-a-key.md"


def committed(world: World, said: str = "a change") -> None:
    git(world.root, "add", "-A")
    git(world.root, "commit", "-qm", said)


def in_git(world: World) -> None:
    git(world.root, "init", "-q", "-b", "main")
    two_notes(world)
    committed(world)


def changed(world: World) -> None:
    """Commit another text of one note."""
    in_git(world)
    path = world.root / FIXED
    path.write_bytes(path.read_bytes().replace(b"in one sentence", b"in two sentences"))
    committed(world, "say it twice")


def holds(path: str, text: bytes) -> Callable[[World], bool]:
    return lambda world: text in (world.root / path).read_bytes()


def revert(memory: Memory) -> object:
    return memory.revert("HEAD")


def _of_memory(act: Callable[[Memory], object]) -> Callable[[World], object]:
    def acted(world: World) -> object:
        with world.memory() as memory:
            return act(memory)

    return acted


def edited(world: World) -> None:
    """Leave an edit of one note and a new one uncommitted."""
    path = world.root / FIXED
    path.write_bytes(path.read_bytes().replace(b"in one sentence", b"in two sentences"))


def drop(memory: Memory) -> object:
    return memory.drop_steps("", [step.ref for step in memory.steps() if step.change.path == FIXED])


def diverged(world: World) -> None:
    """Let two branches say different things: of the log, of one note's tags, of one sentence."""
    in_git(world)
    git(world.root, "branch", "other")
    note(world, "Retries carry a key")
    _tagged(world, TABS, "ours")
    committed(world)
    git(world.root, "checkout", "-q", "other")
    note(world, "Refunds are idempotent")
    _tagged(world, TABS, "theirs")
    committed(world)
    git(world.root, "checkout", "-q", "main")


def _tagged(world: World, path: str, tag: str) -> None:
    file = world.root / path
    file.write_bytes(file.read_bytes().replace(b"type:", f"tags:\n  - {tag}\ntype:".encode(), 1))


def merged(world: World) -> None:
    """Merge, and leave to us what git cannot settle."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    command = ["git", *who, "-C", str(world.root), "merge", "-q", "--no-edit", "other"]
    subprocess.run(command, check=False, capture_output=True)


def shuffled(world: World) -> None:
    """Let a union merge leave the log's lines out of order, some of them twice."""
    path = world.root / LOG.replace("12", "11")
    lines = path.read_bytes().splitlines(keepends=True)
    entries = [line for line in lines if line.startswith(b"- ")]
    head = [line for line in lines if not line.startswith(b"- ")]
    path.write_bytes(b"".join([*head, *reversed(entries), entries[0]]))


def each_once(world: World) -> bool:
    lines = (world.root / LOG.replace("12", "11")).read_bytes().splitlines()
    entries = [line for line in lines if line.startswith(b"- ")]
    return len(set(entries)) == len(entries)


IN_GIT: dict[str, Verb] = {
    "refresh of a merged log": Verb(with_memory("refresh"), two_notes, shuffled, each_once),
    "merge": Verb(
        with_memory("resolve"),
        diverged,
        merged,
        lambda w: holds(TABS, b"- ours")(w) and holds(TABS, b"- theirs")(w),
    ),
    "revert": Verb(
        once(holds(FIXED, b"two sentences"), _of_memory(revert)),
        changed,
        done=holds(FIXED, b"one sentence"),
    ),
    "review drop": Verb(
        once(holds(FIXED, b"two sentences"), _of_memory(drop)),
        in_git,
        edited,
        holds(FIXED, b"one sentence"),
    ),
}
