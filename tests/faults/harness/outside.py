"""Verbs that bring in what others wrote: documents, pages, other programs' memories."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from vaultmem.documents import source
from vaultmem.documents.extracting import child
from vaultmem.documents.extracting.extractor import Extractor
from vaultmem.memory import ImportWish, Memory
from vaultmem.verbs.parts import Once
from vaultmem.words.errors import Refused

from .acts import once, two_notes
from .world import Verb, World

GUIDE = "# Retry guide\n\nRetries are limited to five attempts.\n\n## Ports\n\nPort 8443.\n"
TAKEN = "knowledge/retry-guide.md"
KEPT = "knowledge/the-plan.md"
PAGE = "memory/global/billing.md"
IMPORTED = "memory/global/webhooks.md"


@contextmanager
def at_desk(world: World) -> Iterator[Memory]:
    """Open the memory for a caller whose documents lie in a folder, taken apart in this process."""

    def asked(_: Extractor, request: bytes, name: str) -> dict[str, Any]:
        head, _, data = request.partition(b"\n")
        return child.answer(json.loads(head), data)

    desk = (world.scratch / "desk").resolve()
    with (
        world.memory() as memory,
        mock.patch.object(Extractor, "_asked", asked),
        mock.patch.object(child, "timed", lambda _: None),
    ):
        here = replace(memory._parts.access, roots=(desk,), folder=desk)
        memory._parts = replace(memory._parts, made_access=Once(lambda: here))
        yield memory


def desk(world: World) -> None:
    two_notes(world)
    folder = world.scratch / "desk"
    folder.mkdir(exist_ok=True)
    (folder / "guide.md").write_text(GUIDE, "utf-8")


def rewritten(world: World) -> None:
    """Let a document that was taken in say something else."""
    guide = world.scratch / "desk/guide.md"
    guide.write_text(GUIDE.replace("five", "seven"), "utf-8")


def of_desk(name: str, *args: Any, **more: Any) -> Callable[[World], object]:
    def act(world: World) -> object:
        with at_desk(world) as memory:
            return getattr(memory, name)(*args, **more)

    return act


def holds(path: str, text: bytes) -> Callable[[World], bool]:
    return lambda world: text in _data(world, path)


def _data(world: World, path: str) -> bytes:
    file = world.root / path
    return file.read_bytes() if file.exists() else b""


def stored(text: str) -> Callable[[World], bool]:
    def holds(world: World) -> bool:
        with at_desk(world) as memory:
            return text in memory.read("the plan").text

    return holds


def page(world: World) -> None:
    two_notes(world)
    said = "---\ntitle: Billing\ntype: page\n---\n# Billing\n\n## Ports\n\nOn 8443.\n"
    (world.root / PAGE).write_text(f"{said}\n<!-- vaultmem:timeline -->\n- 2026 begun\n", "utf-8")


def edit_section(world: World) -> None:
    with world.memory() as memory:
        seen = memory.get(PAGE)[1].hash
        memory.edit_section(PAGE, "Ports", "On 9443.\n", seen)


def others(world: World) -> None:
    """Let another program have a memory of its own."""
    two_notes(world)
    folder = world.scratch / "claude"
    folder.mkdir()
    for name in ("webhooks", "refunds"):
        said = f"---\nname: {name}\ntype: project\n---\nWhat is known of {name}, in one sentence.\n"
        (folder / f"{name}.md").write_text(said, "utf-8")
        os.utime(folder / f"{name}.md", (1_750_000_000, 1_750_000_000))


def bring(world: World) -> None:
    """Import from a disk on which nothing fails: what is not read there is only left out."""

    def read(root: Path, path: str, limit: int | None = None) -> bytes:
        return (root / path).read_bytes()[:limit]

    other = mock.patch.object(source, "files", SimpleNamespace(read=read))
    with world.memory() as memory, other:
        memory.bring(ImportWish(str(world.scratch / "claude"), scope=""))


def take_in_folder(world: World) -> None:
    with at_desk(world) as memory:
        if refused := memory.take_in_folder(".")[1]:
            raise Refused(str(refused))


OUTSIDE: dict[str, Verb] = {
    "knowledge index": Verb(
        of_desk("take_in", "guide.md"), desk, done=holds(TAKEN, b"five"), logged=False
    ),
    "knowledge index again": Verb(
        of_desk("take_in", "guide.md"),
        lambda world: (desk(world), of_desk("take_in", "guide.md")(world)),
        rewritten,
        holds(TAKEN, b"seven"),
        logged=False,
    ),
    "knowledge index of a folder": Verb(
        take_in_folder, desk, done=holds(TAKEN, b"five"), logged=False
    ),
    "knowledge remove": Verb(
        once(holds(TAKEN, b"five"), of_desk("remove_source", TAKEN)),
        lambda world: (desk(world), of_desk("take_in", "guide.md")(world)),
        done=lambda world: not _data(world, TAKEN),
    ),
    "knowledge store": Verb(
        of_desk("store", "the plan", "First the tests, then the rest.\n"),
        desk,
        done=stored("First the tests"),
    ),
    "knowledge store for all": Verb(
        of_desk("store", "the plan", "First the tests, then the rest.\n", keep=True),
        desk,
        done=holds(KEPT, b"First the tests"),
        logged=False,
    ),
    "page add-event": Verb(
        once(lambda w: not holds(PAGE, b"Moved")(w), of_desk("add_event", PAGE, "Moved to 9443")),
        page,
        done=holds(PAGE, b"Moved to 9443"),
    ),
    "page edit-section": Verb(edit_section, page, done=holds(PAGE, b"On 9443.")),
    "import": Verb(bring, others, done=holds(IMPORTED, b"What is known of webhooks")),
}
