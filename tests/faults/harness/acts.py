"""What is done to a vault while the disk fails, what it finds, and how to tell that it is done."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vaultmem.memory import Telling, Wish
from vaultmem.words.errors import NotFound, Refused

from .world import Verb, World


def note(world: World, title: str, **more: Any) -> str:
    with world.memory() as memory:
        content = f"{title}: what is known about it in one sentence."
        return memory.memorize(Wish(title=title, content=content, **more)).id


def titled(world: World, title: str) -> bool:
    with world.memory() as memory:
        memory.refresh()
        return any(title == facts.title for facts in memory._parts.sidecar.snapshot.facts.values())


def said(world: World, summary: str) -> bool:
    with world.memory() as memory:
        return any(summary in entry.summary for entry in memory.log.entries())


def told(kind: str, **more: Any) -> Verb:
    def act(world: World) -> None:
        with world.memory() as memory:
            memory.tell(Telling(kind, "The webhook retries now", **more))

    return Verb(act, two_notes, lambda world: said(world, "The webhook retries now"))


def telling(telling: Telling) -> Callable[[World], None]:
    def act(world: World) -> None:
        with world.memory() as memory:
            memory.tell(telling)

    return act


def checkpoint_of(summary: str, detail: str) -> Callable[[World], None]:
    return telling(Telling("checkpoint", summary, detail=detail))


def state_of(summary: str, detail: str) -> Callable[[World], None]:
    return telling(Telling("state", summary, detail=detail, scope="github.com/acme/api"))


PROJECT = "memory/github.com/acme/api/project.md"


def project(world: World) -> None:
    """Let a person keep words of their own beside a state."""
    state_of("The release is planned", "")(world)
    path = world.root / PROJECT
    path.write_bytes(path.read_bytes() + b"\nThe person's own words.\n")


def question(world: World) -> None:
    with world.memory() as memory:
        memory = memory.called(agent="scribe", session="s2")
        memory.tell(Telling("question", "Which port does staging use?", to="scout"))


def answer(world: World) -> None:
    with world.memory() as memory:
        asked = next(e.mark for e in memory.log.entries() if e.kind == "question")
        memory.tell(Telling("answer", "Staging uses 8443", to="scribe", ack=asked))


def two_notes(world: World) -> None:
    note(world, "Rate limiting uses a fixed window", importance=0.8)
    note(world, "The person prefers tabs", type="user_preference")


FIXED = "memory/global/rate-limiting-uses-a-fixed-window.md"
BUCKET = "memory/global/it-uses-a-bucket.md"
BY_HAND = "memory/global/by-hand.md"
TABS = "memory/global/the-person-prefers-tabs.md"


PARENT = "memory/global/where-the-backup-goes-3-notes.md"
GOAL = "memory/global/halve-the-latency.md"
CLOSING = "memory/global/halve-the-latency-what-was-found.md"


COPIES = (
    "The backup of the shop goes to the second host every night and is kept for a month.",
    "Every night the backup of the shop goes to the second host and is kept for a month.",
    "The backup of the shop goes to the second host every night, and is kept for a month.",
)


def three_copies(world: World) -> None:
    two_notes(world)
    for number, body in enumerate(COPIES):
        said = "title: Where the backup goes\nsource: agent_inferred"
        path = world.root / f"memory/global/backup-{number}.md"
        path.write_text(f"---\n{said}\n---\n{body}\n", "utf-8")
    with_memory("refresh")(world)


def sleep(world: World) -> None:
    with world.memory() as memory:
        if done := memory.sleep().skipped:
            raise Refused(str(done))


def goal(world: World) -> None:
    note(world, "Halve the latency", type="goal")
    note(world, "Batching saves a third", relates=(f"achieves: {GOAL}",))


def closes(world: World) -> bool:
    """Return whether any note closes the goal."""
    return (world.root / CLOSING).exists() and b"closes:" in (world.root / CLOSING).read_bytes()


def related(world: World) -> bool:
    return b"depends_on:" in (world.root / FIXED).read_bytes()


def once(
    wanted: Callable[[World], bool], act: Callable[[World], object]
) -> Callable[[World], object]:
    """Return an act that is not repeated where it was done."""
    return lambda world: act(world) if wanted(world) else None


def update(world: World) -> None:
    with world.memory() as memory:
        facts, note = memory.get(FIXED)
        memory.memorize(
            Wish(content="It is a bucket of tokens now.", id=facts.name, hash=note.hash)
        )


def with_memory(name: str, *args: Any) -> Callable[[World], object]:
    def act(world: World) -> object:
        with world.memory() as memory:
            return getattr(memory, name)(*args)

    return act


def edited(world: World) -> None:
    """Let a person write a note and change another."""
    folder = world.root / "memory/global"
    (folder / "by-hand.md").write_bytes(b"---\ntitle: Written by hand\n---\nRoses are red.\n")
    old = (world.root / FIXED).read_bytes()
    (world.root / FIXED).write_bytes(old.replace(b"fixed window\n", b"sliding window\n", 1))


def own_notes(world: World) -> None:
    for name in ("index.md", "Projects/Garden.md", "Inbox/idea.md", "Templates/daily.md"):
        path = world.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"# {name}\r\n\r\nThe person's own words.".encode())


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True)


def moved_file(world: World) -> None:
    """Let a memory name a file of a project that moved it since."""
    project = world.scratch / "project"
    project.mkdir()
    (project / "limit.py").write_text("limit = 100\n" * 20, "utf-8")
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    note(world, "The limit is 100", scope="local/shop", files=("limit.py",))
    git(project, "mv", "limit.py", "limits.py")
    git(project, "commit", "-qm", "two")


def follow(world: World) -> None:
    with world.memory() as memory:
        caller = replace(memory.caller, scope="local/shop", folder=world.scratch / "project")
        memory._parts = replace(memory._parts, caller=caller)
        if not memory.files(apply=True):
            raise NotFound("file that moved")  # an empty list acknowledges nothing


def followed(world: World) -> bool:
    return b"limits.py" in (world.root / "memory/local/shop/the-limit-is-100.md").read_bytes()


def has_status(world: World, status: bytes) -> bool:
    return b"status: " + status + b"\n" in (world.root / FIXED).read_bytes()


WAITS = "inbox/scout/the-staging-host-loses-its-clock-at-each-reboot.md"


def handed_in(world: World) -> None:
    two_notes(world)
    with_memory("retain", "- The staging host loses its clock at each reboot.\n")(world)


def typed(world: World) -> None:
    """Let a person approve what waits by typing it."""
    text = (world.root / WAITS).read_bytes()
    (world.root / WAITS).write_bytes(text.replace(b"status: pending", b"status: approved"))


def let_in(world: World) -> bool:
    notes = (world.root / "memory/global").glob("the-staging*.md")
    return [b"source: approved" in note.read_bytes() for note in notes] == [True]


def decide(name: str, *args: Any) -> Callable[[World], object]:
    def act(world: World) -> None:
        with world.memory() as memory:
            if left := getattr(memory, name)(*args).left:
                raise Refused(str(left))

    return act


def gone(world: World) -> bool:
    return not (world.root / FIXED).exists()


_LEFT = "memory/global/.vaultmem-0a1b2c3d.tmp"


def damaged(world: World) -> None:
    """Let a crash leave a file in the making, and a page be gone."""
    (world.root / _LEFT).write_bytes(b"half of a no")
    (world.root / ".gitattributes").unlink(missing_ok=True)


def repair(world: World) -> None:
    with world.memory() as memory:
        left = [finding for finding in memory.repair().report.findings if finding.ours]
        if left:
            raise Refused(left[0].mend)


def whole(world: World) -> bool:
    return (world.root / ".gitattributes").is_file() and not (world.root / _LEFT).exists()
