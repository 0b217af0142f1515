"""Which tests prove which promise, read from the tests without running any."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

MOST = 5
"""Tests that are named of one promise."""


def promises(tests: Path) -> dict[str, str]:
    """Return the promises that `promises.py` in a folder of tests states: name to sentence."""
    for node in ast.parse((tests / "promises.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PROMISES":
            stated: dict[str, str] = ast.literal_eval(node.value)
            return stated
    return {}


def proofs(tests: Path) -> dict[str, list[str]]:
    """Return the tests below a folder that are marked, by the name of what they prove."""
    found: dict[str, list[str]] = {}
    for file in sorted(tests.rglob("*.py")):
        where = file.relative_to(tests.parent).as_posix()
        for name, test in _marked(ast.parse(file.read_text("utf-8")), where):
            found.setdefault(name, []).append(test)
    return found


def _marked(node: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            here = f"{where}::{inner.name}"
            yield from ((name, here) for mark in inner.decorator_list for name in _names(mark))
            yield from _marked(inner, here)


def _names(mark: ast.expr) -> list[str]:
    if not isinstance(mark, ast.Call) or ast.unparse(mark.func) != "promise":
        return []
    return [str(ast.literal_eval(argument)) for argument in mark.args]


def faults(stated: dict[str, str], proven: dict[str, list[str]]) -> list[str]:
    """Return a sentence for each promise that no test proves and each mark of none."""
    bare = [name for name in stated if name not in proven]
    strays = [(test, name) for name in proven.keys() - stated for test in proven[name]]
    found = [f'No test proves the promise {n!r}: mark one with @promise("{n}").' for n in bare]
    why = "tests/promises.py states no such promise."
    return [*found, *(f"{test} is marked {name!r}; {why}" for test, name in sorted(strays))]


def table(stated: dict[str, str], proven: dict[str, list[str]]) -> list[str]:
    """Return the promises as the lines of a table, each with tests of several files first."""
    rows = ["| promise | proven by, among others |", "|---|---|"]
    for name, sentence in stated.items():
        named = "<br>".join(f"`{test}`" for test in _chosen(proven.get(name, [])))
        rows.append(f"| {sentence} | {named} |")
    return rows


def _chosen(tests: list[str]) -> list[str]:
    """Return at most `MOST` tests, in order, from as many files as there are."""
    seen: dict[str, int] = {}
    ranked = []
    for test in tests:
        file = test.partition("::")[0]
        seen[file] = seen.get(file, 0) + 1
        ranked.append((seen[file], test))
    return sorted(test for _, test in sorted(ranked)[:MOST])
