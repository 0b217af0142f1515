"""The figures of a vault in git: what commits and diffs cost, and that nothing else is run.

`--notes N` changes figures 2, 3 and 4 (notes of the vault).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import corpus, every_verb, hostile, merges, switches, vaults
from benchmarks.measure import Row, at_most, interleaved, none, told

# 2


def diffs(folder: Path, notes: int = 10_000) -> Iterator[Row]:
    """Change a tenth of a vault's notes in every way, then compare both diffs of that."""
    root = folder / "vault"
    vaults.new_vault(root)
    corpus.write(root, notes)
    _begun(root)
    changed = _mixed(root, notes // 10)
    vaults.commit(root)
    memory = vaults.opened(root)
    found = memory.diff("HEAD~1..HEAD")
    own = [one for one in found if one.kind != "logged"]
    yield told(f"{notes:,} notes, {changed:,} changed: memory changes told", len(own))
    bare, ours = interleaved(
        5,
        lambda: vaults.git(root, "diff", "HEAD~1", "HEAD"),
        lambda: memory.diff("HEAD~1..HEAD"),
    )
    memory.close()
    yield told("  git diff", bare * 1000, " ms")
    yield at_most("  memory diff, times git diff", ours / bare, 10, "x", f"{ours * 1000:.0f} ms")


def _mixed(root: Path, count: int) -> int:
    """Change memories: their text, a property, their name, or take them out; return how many."""
    paths = sorted((root / "memory").rglob("b*.md")) or sorted((root / "memory").rglob("*-*.md"))
    paths = [path for path in paths if path.name != "index.md"][:count]
    for number, path in enumerate(paths):
        text = path.read_text("utf-8")
        if number % 5 == 0:
            path.unlink()
        elif number % 5 == 1:
            path.rename(path.with_name(f"renamed-{path.name}"))
        elif number % 5 == 2:
            path.write_text(text.replace("---\n", "---\nimportance: 0.9\n", 1), "utf-8")
        else:
            path.write_text(text.replace(" the ", " one ", 3) + "\nAnd a line more.\n", "utf-8")
    return len(paths)


# 3


def commits(folder: Path, notes: int = 10_000) -> Iterator[Row]:
    """Keep a memory in each of two equal vaults, and commit it: by us, and by git alone."""
    from vaultmem.memory import Wish

    ours, bare = folder / "ours", folder / "bare"
    vaults.new_vault(ours)
    corpus.write(ours, notes)
    shutil.copytree(ours, bare)
    config = (bare / ".vaultmem/config.toml").read_text("utf-8")
    (bare / ".vaultmem/config.toml").write_text(config.replace('id = "', 'id = "b'), "utf-8")
    for root in (ours, bare):
        _begun(root)
    _wanted("session")
    first = vaults.opened(ours)
    _wanted("off")
    second = vaults.opened(bare)
    assert first._parts.git.commit == "session"
    facts = iter(corpus.facts(100))

    def keep(memory: Any) -> None:
        title, content = next(facts)
        memory.memorize(Wish(title=title, content=content, allow_similar=True))

    times: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(9):
        keep(first)
        keep(second)
        one, other = interleaved(1, first.commit_owed, lambda: vaults.commit(bare))
        times["ours"].append(one)
        times["bare"].append(other)
    one, other = (sorted(found)[len(found) // 2] for found in times.values())
    clean = vaults.git(ours, "status", "--porcelain")
    first.close()
    second.close()
    yield told(f"{notes:,} notes: git add and git commit", other * 1000, " ms")
    yield at_most("  our commit, times that", one / other, 3, "x", f"{one * 1000:.0f} ms")
    yield none("  files that git finds uncommitted after ours", len(clean.splitlines()))


# 5


def attacked(folder: Path) -> Iterator[Row]:
    """Call every verb that touches git in a repository full of traps, and count what they ran."""
    for attributes in (False, True):
        root, traces = folder / f"vault-{attributes}", folder / f"traces-{attributes}"
        _wanted("each")
        vaults.new_vault(root)
        for name in hostile.ODD_NAMES:
            (root / "memory/global" / name).write_text("An oddly named note.\n", "utf-8")
        _begun(root)
        hostile.arm(root, traces, attributes=attributes)
        ran = every_verb.called(root, folder / f"others-{attributes}")
        found = hostile.traces_of(traces)
        kind = "settings, hooks and attributes" if attributes else "settings and hooks"
        yield told(f"{kind}: verbs called", ran)
        yield none("  programs run", len(found), ", ".join(found[:3]))
        subprocess.run(["git", "-C", str(root), "status"], capture_output=True, check=False)
        subprocess.run(["git", "-C", str(root), "add", "-A"], capture_output=True, check=False)
        subprocess.run(
            ["git", "-C", str(root), "commit", "-m", "x"], capture_output=True, check=False
        )
        yield told("  programs that plain git then runs", len(hostile.traces_of(traces)))


def _begun(root: Path) -> None:
    vaults.git(root, "init", "-q", "-b", "main")
    vaults.git(root, "config", "user.name", "Bench")
    vaults.git(root, "config", "user.email", "bench@example.org")
    vaults.commit(root)


def _wanted(commit: str) -> None:
    file = Path(os.environ["XDG_CONFIG_HOME"]) / "vaultmem/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[git]\ncommit = "{commit}"\n', encoding="utf-8")


FIGURES = {1: merges.merged, 2: diffs, 3: commits, 4: switches.switched, 5: attacked}
