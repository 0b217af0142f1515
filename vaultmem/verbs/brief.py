"""What an agent reads at the start of a session, from files and the ledger alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vaultmem.verbs.listen import read
from vaultmem.verbs.parts import MULTILINGUAL, UNREADABLE, Parts
from vaultmem.words.errors import BadInput, NotFound
from vaultmem.words.frontmatter import split
from vaultmem.words.hit import Answer, fitting, tokens
from vaultmem.words.question import Question
from vaultmem.words.scope import GLOBAL

ABOUT_HITS = 5
LEAST = 40
"""Tokens below which a part of the brief is left out rather than cut."""


@dataclass(frozen=True)
class Part:
    """One part of a brief."""

    name: str
    text: str


@dataclass(frozen=True)
class Brief:
    """The parts in order, within the budget; `cut` names what did not fit whole."""

    parts: tuple[Part, ...]
    cut: tuple[str, ...] = ()


def brief(parts: Parts, about: str = "", budget: int = 0) -> Brief:
    """Return identity (never cut), checkpoint, memories for `about`, catalogues, unread log.

    Without `about` nothing is searched or refreshed. Log entries that are in the brief count as
    given to this session.

    Raises:
        BadInput: the budget is negative.
    """
    if budget < 0:
        raise BadInput("budget_tokens must not be negative.")
    left = budget or parts.vault.config.brief_tokens
    found: list[Part] = []
    cut: list[str] = []
    identity = _file(parts, parts.vault.layout.identity(parts.caller.agent))
    if identity:
        found.append(Part("Identity", identity))
        left -= tokens(identity)
    waiting = [
        ("Checkpoint", _file(parts, parts.vault.layout.checkpoint(parts.caller.agent))),
        ("Memories", _about(parts, about, left) if about.strip() and left >= LEAST else ""),
        *((f"Catalogue of {name}", text) for name, text in _catalogues(parts)),
    ]
    log_room = max(min(left // 3, 600), 0)
    for name, text in waiting:
        room = left - log_room
        if not text:
            continue
        if room < LEAST:
            cut.append(name)
            continue
        shown = fitting(text, room)
        cut += [name] if shown != text else []
        found.append(Part(name, shown))
        left -= tokens(shown)
    unread = parts.ledger.fact(UNREADABLE)
    if unread not in ("", "0"):
        found.append(
            Part("Languages", f"Notes that the model cannot read: {unread}; {MULTILINGUAL}.")
        )
        left -= tokens(found[-1].text)
    log, more = _log(parts, left)
    found += [Part("Unread log", log)] if log else []
    cut += [f"{more} more log entries"] if more else []
    return Brief(tuple(found), tuple(cut))


def _file(parts: Parts, path: str) -> str:
    """Return the body of a note, empty if there is none."""
    try:
        data = parts.vault.data(path)
    except NotFound:
        return ""
    return split(data).body.decode("utf-8", "replace").strip()


def _catalogues(parts: Parts) -> list[tuple[str, str]]:
    """Return the lines of the caller's catalogue and of the global one."""
    scope = parts.caller.scope
    wanted = [GLOBAL] if scope in (None, GLOBAL) else [scope, GLOBAL]
    found = []
    for name in wanted:
        folder = parts.vault.scope_folder(name or GLOBAL)
        if folder is not None:
            text = _file(parts, f"{folder}/index.md")
            lines = [line for line in text.splitlines() if line.startswith("- ")]
            found.append((name or "global", "\n".join(lines)))
    if scope is None:
        found.append(("the vault", _lines(_file(parts, parts.vault.layout.index))))
    return found


def _lines(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith("- "))


def _about(parts: Parts, about: str, room: int) -> str:
    from vaultmem.verbs.living import count_uses
    from vaultmem.verbs.remember import answered

    question = Question(about[:1000], limit=2 * ABOUT_HITS, budget_tokens=max(room // 2, 1))
    found = answered(parts, question)
    log = parts.vault.layout.at("live-context/")
    hits = [hit for hit in found.hits if not hit.path.startswith(log)][:ABOUT_HITS]
    count_uses(parts, hits)
    return _told(replace(found, hits=tuple(hits)))


def _told(answer: Answer) -> str:
    lines = []
    for hit in answer.hits:
        lines.append(f"- {hit.title} [{hit.label}, {hit.confidence}] ({hit.id})")
        lines += [f"  {line}" for line in hit.text.splitlines() if line.strip()]
    return "\n".join([*lines, *([answer.note] if answer.note else [])])


def _log(parts: Parts, room: int) -> tuple[str, int]:
    if room < LEAST:
        return "", 0
    entries, more = read(parts, room)
    return "\n".join(entry.line() for entry in entries), more
