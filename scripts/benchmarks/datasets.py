"""Retrieval data in BEIR's form, read from a folder and written as the notes of a vault."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measure import Missing
from benchmarks.vaults import new_vault

Judged = dict[str, int]
"""How relevant each document is to one query, from 1; documents not named are not."""


@dataclass(frozen=True)
class Document:
    """One document; `group` is the conversation it belongs to, empty where there is none."""

    id: str
    title: str
    text: str
    group: str = ""


@dataclass(frozen=True)
class Query:
    """One question, which is put to its own group alone."""

    id: str
    text: str
    group: str = ""
    category: int = 0


@dataclass(frozen=True)
class DataSet:
    """Documents, the queries of one split, and what answers them."""

    name: str
    documents: list[Document]
    queries: list[Query]
    relevant: dict[str, Judged] = field(default_factory=dict)


def place() -> Path:
    """Return the folder of data sets.

    Raises:
        Missing: nobody named one.
    """
    said = os.environ.get("VAULTMEM_BENCH_DATA", "")
    if not said:
        raise Missing("Give the folder of data sets with --data or VAULTMEM_BENCH_DATA.")
    return Path(said)


def load(folder: Path, name: str, split: str = "test") -> DataSet:
    """Return a data set of which a folder holds `corpus.jsonl`, `queries.jsonl` and `qrels/`.

    Queries that nothing answers are left out.

    Raises:
        Missing: it is not there.
    """
    place = folder / name
    if not (place / "corpus.jsonl").is_file():
        raise Missing(f"{place} holds no corpus.jsonl; give the folder of data sets with --data.")
    documents = [
        Document(row["_id"], row.get("title") or "", row["text"], _group(row))
        for row in _rows(place / "corpus.jsonl")
    ]
    relevant = _judged(place / "qrels" / f"{split}.tsv")
    queries = [
        Query(row["_id"], row["text"], _group(row), row.get("metadata", {}).get("category", 0))
        for row in _rows(place / "queries.jsonl")
    ]
    return DataSet(name, documents, [q for q in queries if q.id in relevant], relevant)


def _group(row: dict[str, Any]) -> str:
    return str(row.get("metadata", {}).get("conversation", ""))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _judged(path: Path) -> dict[str, Judged]:
    found: dict[str, Judged] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            found.setdefault(query, {})[document] = int(grade)
    return found


def scope_of(group: str) -> str:
    """Return the scope that holds a group's notes; without a group it is the global one."""
    return f"local/bench/{group.lower()}" if group else ""


def paths(data: DataSet) -> list[str]:
    """Return the path that each document gets as a memory."""
    scopes = [scope_of(document.group) or "global" for document in data.documents]
    return [f"memory/{scope}/d{number:05}.md" for number, scope in enumerate(scopes)]


def write(data: DataSet, root: Path) -> None:
    """Make a vault of the documents, one memory each."""
    new_vault(root)
    for path, document in zip(paths(data), data.documents, strict=True):
        _scoped((root / path).parent, document.group)
        title = f"title: {json.dumps(document.title, ensure_ascii=False)}\n"
        head = f"---\n{title if document.title else ''}created: 2026-01-01T00:00:00\n---\n"
        (root / path).write_text(f"{head}{document.text}\n", encoding="utf-8")


def _scoped(folder: Path, group: str) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True)
        (folder / "index.md").write_text(f"---\nscope: {scope_of(group)}\n---\n", encoding="utf-8")
