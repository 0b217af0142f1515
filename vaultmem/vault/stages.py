"""What git's index holds of a merge that is under way: each side of each file, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vaultmem.vault.clone import Clone
from vaultmem.vault.git import run
from vaultmem.vault.trees import MARKDOWN, blobs
from vaultmem.words.errors import UnfitRepository


@dataclass(frozen=True)
class Stage:
    """One side of an unmerged note: 1 is what both grew from, 2 ours, 3 theirs."""

    path: str
    stage: int
    data: bytes


def unmerged(clone: Clone) -> list[Stage]:
    """Return the sides of every unmerged markdown file of the vault, by path."""
    scope = (clone.prefix,) if clone.prefix else ()
    told = run(clone.top, "ls-files", "-u", "-z", "--full-name", "--", *scope)
    rows = []
    for line in told.decode("utf-8", "surrogateescape").split("\0"):
        head, _, path = line.partition("\t")
        if path.endswith(MARKDOWN) and head.startswith("100"):
            _, blob, stage = head.split(" ")
            rows.append((path.removeprefix(clone.prefix), int(stage), blob))
    known = blobs(clone, (blob for _, _, blob in rows))
    return [Stage(path, stage, known[blob]) for path, stage, blob in rows if blob in known]


def staged(clone: Clone, files: Mapping[str, bytes | None]) -> None:
    """Let the index hold some files of the vault, merged; None takes one out.

    Raises:
        UnfitRepository: a file goes through a filter.
    """
    if not files:
        return
    placed = {f"{clone.prefix}{path}": data for path, data in files.items()}
    told = "".join(f"{path}\0" for path in placed).encode("utf-8", "surrogateescape")
    asking = ("check-attr", "--stdin", "-z", "filter", "working-tree-encoding")
    facts = run(clone.top, *asking, stdin=told, person=True).split(b"\0")
    if any(value not in (b"unspecified", b"unset") for value in facts[2::3]):
        raise UnfitRepository("filtered")
    lines = []
    for path, data in placed.items():
        lines.append(f"0 {'0' * (len(clone.head) or 40)}\t{path}\0")
        if data is not None:
            blob = run(clone.top, "hash-object", "-w", "--stdin", stdin=data).decode().strip()
            lines.append(f"100644 {blob}\t{path}\0")
    told = "".join(lines).encode("utf-8", "surrogateescape")
    run(clone.top, "update-index", "-z", "--index-info", stdin=told)
