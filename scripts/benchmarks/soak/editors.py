"""Two agents and a person with an editor on one note: every paragraph that was saved stays."""

from __future__ import annotations

import fcntl
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.core import as_vim, atomically
from benchmarks.measure import Row, all_of, at_once, none, told
from benchmarks.vaults import fake_model, new_vault

AGENTS = 2
STYLES = ("atomic", "in place", "vim", "truncate, then write")
RENAMING = {"atomic": atomically, "vim": as_vim}
THINKING = 0.004
"""Seconds between two saves of the person at most."""


@contextmanager
def turnstile(path: Path) -> Iterator[None]:
    """Let one process at a time through: a look and the save that follows it are one step of the
    person's, as nobody could save at the same microsecond.
    """
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def agent(root: str, number: int, path: str, rounds: int) -> dict[str, Any]:
    """Add paragraphs to a note, each on the version last seen; return those acknowledged."""
    from vaultmem.memory import Memory, Wish
    from vaultmem.vault import exchange
    from vaultmem.words.errors import ChangedOnDisk, NotFound, VaultmemError

    swap, gate = exchange.swap, Path(root).with_name("turnstile")

    def in_turn(*names: Any) -> bool:
        with turnstile(gate):
            return swap(*names)

    exchange.swap = in_turn
    name = f"agent-{number}"
    memory = Memory.open(root, agent=name, session=name, model=fake_model())
    done: dict[str, Any] = {"kept": [], "old": 0, "wrong": []}
    while len(done["kept"]) < rounds:
        said = f"{name} says {len(done['kept'])}."
        try:
            note = memory.vault.read(path)
            if not note.id or not note.body.strip():
                continue  # an editor has cut it and not written yet
            body = f"{note.body.rstrip()}\n\n{said}\n"
            memory.memorize(Wish(id=note.id, hash=note.hash, content=body))
            done["kept"].append(said)
        except ChangedOnDisk:
            done["old"] += 1
        except NotFound:
            done["gone"] = done.get("gone", 0) + 1
        except VaultmemError as error:
            done["wrong"].append(f"{type(error).__name__} {error}")
            if len(done["wrong"]) > 50:
                break
    memory.close()
    return done


def person(root: str, path: str, rounds: int) -> dict[str, Any]:
    """Add paragraphs as editors do that notice a change on disk; return those saved."""
    chance, note = random.Random(5), Path(root, path)
    gate = Path(root).with_name("turnstile")
    done: dict[str, Any] = {"kept": [], "old": 0, "wrong": []}
    while len(done["kept"]) < rounds:
        time.sleep(chance.uniform(0.001, THINKING))
        said = f"person says {len(done['kept'])}."
        with suppress(FileNotFoundError):
            seen = note.read_text("utf-8")
            style = STYLES[len(done["kept"]) % len(STYLES)]
            if _saved(note, seen, f"{seen.rstrip()}\n\n{said}\n", style, gate):
                done["kept"].append(said)
            else:
                done["old"] += 1
    return done


def _saved(note: Path, seen: str, text: str, style: str, gate: Path) -> bool:
    """Save where the note is still as it was seen; return whether it is saved."""
    with turnstile(gate):
        if note.read_text("utf-8") != seen:
            return False
        if style in RENAMING:
            RENAMING[style](note, text)
            return True
        file = note.open("w", encoding="utf-8")
    with file:
        time.sleep(0.001 if style == "truncate, then write" else 0)
        file.write(text)
    return True


def edited(folder: Path, rounds: int = 500) -> Iterator[Row]:
    """Let two agents and a person each add so many paragraphs to one note, all at once."""
    root = folder / "vault"
    new_vault(root)
    path = "memory/global/minutes.md"
    head = "---\nid: k7f3q9xa\ntitle: Minutes\nsource: agent_inferred\n---\n"
    (root / path).write_text(f"{head}What was said.\n", "utf-8")
    begun = time.monotonic()
    given = [(str(root), number, path, rounds) for number in range(AGENTS + 1)]
    done = at_once(took_part, given)
    kept = [said for one in done for said in one["kept"]]
    name = f"{AGENTS} agents and a person edit one note"
    yield told(name, time.monotonic() - begun, " s", ", ".join(STYLES))
    yield all_of("  edits acknowledged", len(kept), rounds * (AGENTS + 1))
    yield told("  edits of an old version, refused", sum(one["old"] for one in done))
    wrong = [why for one in done for why in one["wrong"]]
    yield none("  other errors", len(wrong), wrong[0][:80] if wrong else "")
    lines = (root / path).read_text("utf-8").split("\n")
    lost = [said for said in kept if said not in lines]
    yield none("  paragraphs acknowledged and lost", len(lost), ", ".join(lost[:3]))
    yield none("  paragraphs that stand twice", sum(lines.count(said) > 1 for said in kept))
    left = [file.name for file in root.rglob(".vaultmem-*")]
    yield none("  files left in the making", len(left))


def took_part(root: str, number: int, path: str, rounds: int) -> dict[str, Any]:
    """Be one of the agents, or the person who comes after them."""
    if number < AGENTS:
        return agent(root, number, path, rounds)
    return person(root, path, rounds)
