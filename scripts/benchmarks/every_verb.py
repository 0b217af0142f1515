"""Every verb that could make git run, called once, whatever comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import vaults
from benchmarks.hostile import ODD_NAMES

Act = Callable[[], object]


def called(root: Path, others: Path) -> int:
    """Call them in a vault, with a folder for what lies outside of it; return how many ran."""
    from vaultmem.memory import Wish
    from vaultmem.words.errors import VaultmemError

    others.mkdir(parents=True)
    memory = vaults.opened(root)
    kept = memory.memorize(Wish(title="Use tabs", content="Indent with tabs everywhere."))
    acts = [*_told(memory), *_asked(memory, kept.id), *_decided(memory, root, kept.id)]
    acts += [*_moved(memory, root, others), *_upkeep(memory, root), *_at_the_door(root, others)]
    for act in acts:
        try:
            act()
        except VaultmemError:
            continue
    memory.end_session()
    memory.close()
    return len(acts) + 2


def _told(memory: Any) -> Iterator[Act]:
    from vaultmem.memory import Telling, Wish

    yield lambda: memory.tell(Telling("note", "hello"))
    yield lambda: memory.tell(Telling("decision", "tabs it is", because="we asked all"))
    yield lambda: memory.tell(Telling("checkpoint", "half way", detail="Task: a."))
    yield lambda: memory.retain([])
    yield lambda: memory.memorize(
        Wish(title="Deploy daily", content="Deploys happen each day.", files=("a.py",), review=True)
    )
    yield memory.commit_owed


def _asked(memory: Any, note_id: str) -> Iterator[Act]:
    spans = ("", "HEAD~1..HEAD", "HEAD~1...HEAD", "--output=stolen", "main", "$(touch stolen)")
    for span in spans:
        yield lambda span=span: memory.diff(span)  # type: ignore[misc]
        yield lambda span=span: memory.check_diff(span)  # type: ignore[misc]
        yield lambda span=span: memory.steps(span)  # type: ignore[misc]
        yield lambda span=span: memory.show_at(note_id, span)  # type: ignore[misc]
    yield lambda: memory.diff(staged=True)
    yield lambda: memory.check_diff(staged=True)
    for ref in (note_id, "nosuchid", *(f"memory/global/{name}" for name in ODD_NAMES)):
        yield lambda ref=ref: memory.history(ref)  # type: ignore[misc]


def _decided(memory: Any, root: Path, note_id: str) -> Iterator[Act]:
    yield lambda: memory.forget([note_id])
    yield lambda: memory.revert("HEAD")
    yield lambda: memory.revert(f"{note_id}@HEAD")
    yield lambda: memory.history(note_id)
    yield lambda: (root / f"memory/global/{ODD_NAMES[0]}").write_text("Changed.\n", "utf-8")
    yield lambda: memory.keep_steps("", [f"memory/global/{ODD_NAMES[0]}"])
    yield lambda: memory.drop_steps("", [f"memory/global/{ODD_NAMES[0]}"])
    yield lambda: memory.approve(all_=True)
    yield memory.undo_review
    yield lambda: memory.archive([note_id])
    yield lambda: memory.unarchive([note_id])
    yield memory.sleep
    yield lambda: memory.erase(note_id)


def _moved(memory: Any, root: Path, others: Path) -> Iterator[Act]:
    from vaultmem.memory import ExportWish, ImportWish

    (others / "old").mkdir()
    (others / "old/spaces.md").write_text("# Use spaces\n\nIndent with spaces.\n", "utf-8")
    yield lambda: memory.bring(ImportWish(str(others / "old"), "plain"))
    yield lambda: memory.bring(ImportWish(str(root), "plain"))
    yield lambda: memory.export(ExportWish("plain", str(others / "out")))
    yield lambda: memory.export(ExportWish("plain", str(root / "out")))


def _upkeep(memory: Any, root: Path) -> Iterator[Act]:
    yield memory.install_hook
    yield memory.set_up_git
    yield memory.resolve
    yield lambda: memory.set_up_git(undo=True)
    yield memory.doctor
    yield memory.verify_log
    yield memory.files
    yield lambda: memory.files(apply=True)
    yield lambda: memory.bind(root)
    yield memory.refresh
    yield memory.brief
    yield lambda: memory.spoken("session-start")
    yield lambda: memory.spoken("session-end")


def _at_the_door(root: Path, others: Path) -> Iterator[Act]:
    """Yield commands of their own, started in the hostile repository itself."""
    from benchmarks.measure import program
    from benchmarks.vaults import VAULTMEM

    lines = (
        ("init", str(root), "--git"),
        ("init", str(others / "new"), "--git"),
        ("agent", "add", "guest"),
        ("connect", "claude-code", "--project", "--force"),
        ("connect", "claude-code", "--project", "--undo"),
        ("scope", "show"),
        ("review", "--git"),
        ("hook", "claude-code", "session-start"),
        ("git", "commit"),
    )
    for line in lines:
        yield lambda line=line: program([VAULTMEM, *line], root, range(256))  # type: ignore[misc]
