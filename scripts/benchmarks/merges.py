"""Two clones of one vault that live on their own for a while and are merged both ways."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import corpus, vaults
from benchmarks.measure import Row, at_least, none, told

SIDES = ("one", "two")
STEPS = 8
ACTS = ("add", "edit", "tag", "rename", "move", "supersede", "twin", "log", "log")


def merged(folder: Path, notes: int = 200) -> Iterator[Row]:
    """Let both clones change memories at random, merge, refresh, and count what is there."""
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[2])  # for the driver that git starts
    for drivers in (False, True):
        names = ("lost", "log", "faults", "apart", "again", "clean", "settled", "broken")
        counts = dict.fromkeys(names, 0)
        for seed in range(notes):
            place = folder / f"{drivers}-{seed}"
            for name, value in _one(place, seed, drivers=drivers).items():
                counts[name] += value
            shutil.rmtree(place)
        kind = "with the drivers" if drivers else "without drivers"
        yield told(f"{notes} histories, {kind}: merged by git alone", counts["clean"])
        yield told("  merged by git and `git resolve`", counts["settled"])
        yield none("  statements lost", counts["lost"])
        yield none("  log entries lost or doubled", counts["log"])
        yield none("  faults that `log verify` names", counts["faults"])
        yield none("  clones that differ after both merged and refreshed", counts["apart"])
        yield none("  merges that are not a no-op again", counts["again"])
        if drivers:
            yield at_least("  share without a person", counts["settled"] / notes, 0.9)
        yield none("  notes that cannot be read, though nobody left markers", counts["broken"])


def _one(place: Path, seed: int, *, drivers: bool) -> dict[str, int]:
    """Return the counts of one history."""
    chance = random.Random(seed)
    root = {name: place / name / "vault" for name in SIDES}
    for name in SIDES:
        (place / name).mkdir(parents=True)
    vaults.new_vault(root["one"])
    first = _opened(root["one"], place, "one")
    facts = list(corpus.facts(60, seed=seed))
    chance.shuffle(facts)
    said = [_kept(first, facts.pop()) for _ in range(12)]
    first.close()
    _repository(root["one"])
    vaults.git(place, "clone", "-q", str(root["one"]), str(root["two"]))
    told_by = []
    for name in SIDES:
        memory = _opened(root[name], place, name)
        if drivers:
            memory.set_up_git()
        told_by += _lived(
            memory, root[name], random.Random(seed * 2 + SIDES.index(name)), facts, said
        )
        memory.close()
        vaults.git(root[name], "add", "-A")
        vaults.git(root[name], "commit", "-qm", name, "--allow-empty")
    return _met(root, place, said, told_by)


def _lived(
    memory: Any, root: Path, chance: random.Random, facts: list[tuple[str, str]], said: list[str]
) -> list[str]:
    """Do some random acts in one clone; return the log entries made."""
    from vaultmem.memory import Telling, Wish
    from vaultmem.words.errors import VaultmemError

    made = []
    for _ in range(STEPS):
        act = chance.choice(ACTS)
        notes = [p for p in sorted((root / "memory").rglob("*.md")) if p.name != "index.md"]
        path = chance.choice(notes)
        try:
            if act == "add":
                said.append(_kept(memory, facts.pop()))
            elif act == "log":
                made.append(memory.tell(Telling("note", f"step {chance.random()}")).entry.mark)
            elif act == "rename":
                _renamed(root, path, path.with_name(f"renamed-{chance.randrange(10**6)}.md"))
            elif act == "move":
                folder = root / "memory/api"
                folder.mkdir(exist_ok=True)
                index = folder / "index.md"
                if not index.exists():
                    index.write_text("---\nscope: local/api\n---\n", "utf-8")
                _renamed(root, path, folder / path.name)
            elif act == "twin":
                claim = f"Limit {chance.randrange(10**9)} holds for all."
                title = f"The limit of area {chance.randrange(6)}"
                said.append(_kept(memory, (title, claim)))
            elif act == "edit":
                line = f"Noticed {chance.randrange(10**9)} by hand."
                path.write_text(path.read_text("utf-8") + f"\n{line}\n", "utf-8")
                said.append(line)
            else:
                memory.refresh(embed=False)
                facts_of, note = memory.get(path.relative_to(root).as_posix())
                if act == "tag":
                    tags = (*facts_of.tags, f"t{chance.randrange(100)}")
                    memory.memorize(Wish(id=facts_of.name, hash=note.hash, tags=tags))
                else:
                    title, content = facts.pop()
                    because = f"supersedes: {facts_of.name} because it changed"
                    memory.memorize(
                        Wish(title=title, content=content, relates=(because,), allow_similar=True)
                    )
                    said.append(content.split(".")[0])
        except (VaultmemError, FileExistsError):
            continue
    memory.refresh(embed=False)
    return made


def _renamed(root: Path, path: Path, to: Path) -> None:
    """Rename a note as Obsidian does: every link to it follows, in the log as well."""
    if to.exists():
        return
    path.rename(to)
    old, new = (p.relative_to(root).as_posix().removesuffix(".md") for p in (path, to))
    for file in root.rglob("*.md"):
        text = file.read_text("utf-8")
        moved = text.replace(f"[[{old}|", f"[[{new}|").replace(f"[[{old}]]", f"[[{new}]]")
        if moved != text:
            file.write_text(moved, "utf-8")


def _met(root: dict[str, Path], place: Path, said: list[str], told_by: list[str]) -> dict[str, int]:
    """Merge both ways, settle what is left as a person would, and count."""
    from benchmarks.measure import program

    one, two = root["one"], root["two"]
    program(["git", "fetch", "-q", str(two), "HEAD:refs/heads/theirs"], one)
    asked = ["git", "-c", "user.name=b", "-c", "user.email=b@c", "merge", "-q", "-m", "m", "theirs"]
    program(asked, one, allowed=(0, 1))
    unmerged = vaults.git(one, "diff", "--name-only", "--diff-filter=U")
    left = ""
    if unmerged.strip():
        memory = _opened(one, place, "one")
        memory.resolve()
        memory.close()
        left = vaults.git(one, "diff", "--name-only", "--diff-filter=U")
        vaults.git(one, "add", "-A")
        vaults.git(one, "commit", "-qm", "settled")
    _settled(one, place, "one")
    vaults.git(two, "pull", "-q", "--ff-only", str(one), "main")
    _settled(two, place, "two")
    memory = _opened(one, place, "one")
    faults = [fault for fault in memory.verify_log() if not fault.harmless]
    broken = [f.path for f in memory._parts.sidecar.snapshot.facts.values() if f.broken]
    memory.close()
    text = "\n".join(p.read_text("utf-8", "replace") for p in sorted(one.rglob("*.md")))
    log = "\n".join(p.read_text("utf-8") for p in sorted((one / "live-context").glob("*.md")))
    again = program(["git", "merge", "theirs"], one)
    return {
        "lost": sum(statement not in text for statement in said),
        "log": sum(log.count(f"^{mark}") != 1 for mark in told_by),
        "faults": len(faults),
        "apart": int(_files(one) != _files(two)),
        "again": int("up to date" not in again),
        "clean": int(not unmerged.strip()),
        "settled": int(not left.strip()),
        "broken": sum(path not in left for path in broken),
    }


def _settled(root: Path, place: Path, name: str) -> None:
    memory = _opened(root, place, name)
    memory.refresh(embed=False)
    memory.close()
    vaults.git(root, "add", "-A")
    vaults.git(root, "commit", "-qm", "refreshed", "--allow-empty")


def _files(root: Path) -> dict[str, bytes]:
    visible = (p for p in root.rglob("*.md") if ".git" not in p.parts)
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in visible}


def _kept(memory: Any, fact: tuple[str, str]) -> str:
    from vaultmem.memory import Wish

    memory.memorize(Wish(title=fact[0], content=fact[1], allow_similar=True))
    return fact[1].split(".")[0]


def _opened(root: Path, place: Path, name: str) -> Any:
    """Open a clone's memory on a machine of its own, by the same agent."""
    from vaultmem.memory import Memory

    os.environ["VAULTMEM_STATE_DIR"] = str(place / f"state-{name}")
    return Memory.open(str(root), agent="scout", person=True, model=vaults.fake_model())


def _repository(root: Path) -> None:
    vaults.git(root, "init", "-q", "-b", "main")
    vaults.commit(root)
