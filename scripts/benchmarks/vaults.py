"""Vaults and projects to measure in, and the models to do it with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.measure import program

PYTHON = sys.executable
VAULTMEM = str(Path(sys.executable).with_name("vaultmem"))
REMOTE = "https://github.com/acme/api.git"
SCOPE = "github.com/acme/api"


def new_vault(root: Path, notes: int = 0) -> list[str]:
    """Make a vault with some notes of the corpus; return their paths."""
    program([VAULTMEM, "init", str(root)], root.parent)
    return corpus.write(root, notes) if notes else []


def lived_in(root: Path, memories: int) -> None:
    """Make a vault with memories, an identity, a checkpoint and a log that somebody wrote."""
    from vaultmem.memory import Memory, Telling, Wish

    new_vault(root)
    memory = Memory.open(str(root), agent="scout", scope=SCOPE)
    memory.introduce()
    for title, content in corpus.facts(memories):
        memory.memorize(Wish(title=title, content=content))
    memory.tell(Telling("checkpoint", "half way", detail="## Task\n\nMove the refund queue.\n"))
    other = memory.called(agent="scribe", session="another")
    for title, _ in corpus.facts(10, seed=3):
        other.tell(Telling("note", title))
    memory.refresh()
    memory.close()


def repository(folder: Path) -> Path:
    """Make a git repository with a remote and one commit."""
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# A project\n", encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", REMOTE)
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    return program(["git", *who, *arguments], folder)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Everything")


def fake_model() -> Any:
    """Return the tests' model, which takes no time to speak of."""
    from tests.conftest import FakeModel

    return FakeModel()


def opened(root: Path) -> Any:
    """Return a vault's memory as a person at the door sees it, with that model."""
    from vaultmem.memory import Memory

    return Memory.open(str(root), agent="scout", person=True, model=fake_model())


def real_model() -> Any:
    """Return the bundled model, opened."""
    from vaultmem.sidecar.embedder import BundledModel

    model = BundledModel(Path(os.environ["VAULTMEM_STATE_DIR"]) / "models")
    model.query("hello")
    return model


def plain_model() -> Any:
    """Return the bundled model as it comes, opened by fastembed alone."""
    from vaultmem.sidecar import embedder

    folder = Path(os.environ["VAULTMEM_STATE_DIR"]) / "models" / "all-MiniLM-L6-v2"
    return embedder._fastembed(embedder._assembled(folder), None)


OBSIDIAN = {
    ".obsidian/app.json": '{"alwaysUpdateLinks": true}\n',
    ".obsidian/workspace.json": '{"main": {"id": "a1", "type": "split"}}\n',
    ".obsidian/plugins/dataview/data.json": '{"refreshInterval": 2500}\n',
    "index.md": "---\nscope: mine\n---\n# Everything\n\n- [[Projects/Boat]]\n- [[Inbox/Today]]\n",
    "live-context.md": "# My own page of that name\n",
    "Inbox/Today.md": "- [ ] call the harbour master\n- [ ] #buy varnish\n",
    "Inbox/scout/Idea.md": "---\nstatus: approved\n---\nA boat cover made of old sails.\n",
    "Projects/Boat.md": "---\ntitle: Boat\nstatus: working\n---\n# Boat\n\nSanding the hull.",
    "Projects/index.md": "<!-- vaultmem:catalogue -->\nmy text\n<!-- /vaultmem:catalogue -->\n",
    "Templates/Daily.md": "---\ncreated: <% tp.date.now() %>\n---\n# {{title}}\n",
    "Templates/Meeting.md": "---\ntags: [{{tag}}]\nwith: [[{{person}}]]\n---\n",
    "memory/notes.md": "# About human memory\n\nSleep helps.\n",
    "attachments/plan.canvas": '{"nodes": [], "edges": []}\n',
    ".gitignore": ".obsidian/workspace.json\n",
}


def person_vault(root: Path) -> None:
    """Write a vault that a person made: some pages, the odd notes, and ordinary ones."""
    from tests.hostile.notes import write_odd

    for path, text in OBSIDIAN.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    write_odd(root / "Odd")
    for made in corpus.notes(60):
        target = root / "Archive" / made.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(made.text, encoding="utf-8")
