"""What an agent reads at the start of a session, from files and the ledger alone."""

from __future__ import annotations

import os
from dataclasses import replace

from vaultmem.verbs.listen import READ_TOKENS, collisions, fitting_entries, pending, unread
from vaultmem.verbs.parts import MULTILINGUAL, UNREADABLE, Parts
from vaultmem.words import entry as entries
from vaultmem.words.access import File, may_read
from vaultmem.words.briefing import LEAST, SMALLEST_BUDGET, Brief, Page, Part
from vaultmem.words.entry import Entry
from vaultmem.words.errors import BadInput, NotFound
from vaultmem.words.frontmatter import split
from vaultmem.words.hit import Answer
from vaultmem.words.layout import Role
from vaultmem.words.question import Question
from vaultmem.words.safe import shown, titled
from vaultmem.words.scope import GLOBAL

ABOUT_HITS = 5
MEMORIES, UNREAD = "Memories", "Unread log"
ASKED, TO_ACK = "Questions to you", "Waiting for your ack"
RECONCILE, CANDIDATES, LANGUAGES = "Reconcile", "Candidates", "Languages"
SHARES = {MEMORIES: 0.2, UNREAD: 0.2}
"""The part of the room that is kept for some parts whatever comes before; 0.08 for the others."""


def brief(parts: Parts, about: str = "", budget: int = 0) -> Brief:
    """Return identity, checkpoint, memories for `about`, catalogues, and what waits, in this order.

    What waits: unread log entries of others, what to reconcile, open questions to this agent,
    entries that it has not acknowledged, how many candidates there are, and how many notes the
    model cannot read. The whole has at most `budget` tokens, as markdown and with what a server
    says around it; an identity that is longer is given alone. Without `about` nothing is searched
    or refreshed. Log entries in the brief count as given to this session.

    Raises:
        BadInput: the budget is smaller than 10 tokens, and not 0. NoVault: it has vanished.
    """
    parts.vault.check()
    if budget and budget < SMALLEST_BUDGET:
        raise BadInput(
            f"budget_tokens must not be under {SMALLEST_BUDGET}; 0 stands for the vault's setting."
        )
    limit = budget or parts.vault.config.brief_tokens
    page = Page(limit)
    agent, layout = parts.caller.agent, parts.vault.layout
    identity = _file(parts, layout.identity(agent))
    if identity and not page.fits("Identity", identity):
        note = f"The identity alone passes the budget of {limit} tokens: raise budget_tokens."
        return Brief((Part("Identity", shown(identity)),), note=note)
    page.whole("Identity", identity)
    _filled(parts, page, about)
    return page.done()


def _filled(parts: Parts, page: Page, about: str) -> None:
    """Fill a page with all that follows the identity. Each part has room for its share at least."""
    waiting, new = pending(parts), unread(parts)
    fresh = {entry.mark for entry in new if entry.signed}
    listed = {
        UNREAD: new,
        ASKED: [entry for entry in waiting.questions if entry.mark not in fresh],
        TO_ACK: [entry for entry in waiting.to_ack if entry.mark not in fresh],
    }
    lines = {name: _first(entries) for name, entries in listed.items()}
    lines[RECONCILE] = collisions(parts)
    catalogues = {f"Catalogue of {name}": text for name, text in _catalogues(parts)}
    ends = {CANDIDATES: _candidates(parts), LANGUAGES: _unreadable(parts)}
    texts = {**catalogues, **{name: "\n".join(found) for name, found in lines.items()}, **ends}
    for name, text in texts.items():
        page.keep(name, text, SHARES.get(name, 0.08))
    if about.strip():
        page.keep(MEMORIES, "x" * parts.vault.config.brief_tokens, SHARES[MEMORIES])

    page.add("Checkpoint", _file(parts, parts.vault.layout.checkpoint(parts.caller.agent)))
    room = page.room(MEMORIES) if about.strip() else 0
    page.add(MEMORIES, _about(parts, about, room // 4) if room >= LEAST else "")
    for name, text in catalogues.items():
        page.add(name, text)
    for name in (UNREAD, RECONCILE, ASKED, TO_ACK):
        count = page.lines(name, lines[name], len(listed.get(name, lines[name])))
        parts.log.offer(parts.caller.reader, new[:count] if name == UNREAD else [])
    for name, text in ends.items():
        page.add(name, text)


def _first(entries: list[Entry]) -> list[str]:
    """Return the lines of the first entries, as many as one answer may hold."""
    return [entry.line() for entry in entries[: fitting_entries(entries, READ_TOKENS)]]


def _file(parts: Parts, path: str) -> str:
    """Return the body of a note, empty if there is none."""
    try:
        data = parts.vault.data(path)
    except NotFound:
        return ""
    return split(data).body.decode("utf-8", "replace").strip()


def _catalogues(parts: Parts) -> list[tuple[str, str]]:
    """Return the lines of the catalogues that the caller reads, the global one last."""
    caller, scope = parts.caller, parts.caller.scope
    named = sorted(caller.grant.reads or ()) if scope is None and not caller.told_all else [scope]
    wanted = [*(name for name in named if name), GLOBAL]
    found = []
    for name in wanted:
        folder = parts.vault.scope_folder(name or GLOBAL)
        if folder is not None:
            found.append((name or "global", _lines(_file(parts, f"{folder}/index.md"))))
    if scope is None and caller.told_all:
        found.append(("the vault", _lines(_file(parts, parts.vault.layout.index))))
    return found


def index(parts: Parts) -> str:
    """Return the root catalogue; where the caller sees a part, the catalogues of that."""
    if parts.caller.told_all:
        return parts.vault.data(parts.vault.layout.index).decode("utf-8", "replace")
    return "\n\n".join(f"# {name}\n\n{text}" for name, text in _catalogues(parts))


def identity(parts: Parts, agent: str) -> str:
    """Return who an agent is, in its own words; raises `NotFound`."""
    path, caller = parts.vault.layout.identity(entries.name(agent, "an agent")), parts.caller
    if not (caller.person or may_read(caller.grant, caller.agent, File(Role.IDENTITY, "", agent))):
        raise NotFound(f"file {path}")
    return parts.vault.data(path).decode("utf-8", "replace")


def _lines(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith("- "))


def _candidates(parts: Parts) -> str:
    layout, caller = parts.vault.layout, parts.caller
    inbox = parts.vault.root / (
        layout.at("inbox") if caller.told_all else layout.inbox(caller.agent)
    )
    count = sum(
        name.endswith(".md") and not name.startswith(".")
        for _, _, names in os.walk(inbox)
        for name in names
    )
    return f"Candidates that wait for a person's approval: {count}." if count else ""


def _unreadable(parts: Parts) -> str:
    count = parts.ledger.fact(UNREADABLE)
    if count in ("", "0") or not parts.caller.told_all:
        return ""
    return f"Notes that the model cannot read: {count}; {MULTILINGUAL}."


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
        lines.append(f"- {titled(hit.title)} [{hit.label}, {hit.confidence}] ({hit.id})")
        lines += [f"  > {line}" for line in hit.text.splitlines() if line.strip()]
    return "\n".join([*lines, *([answer.note] if answer.note else [])])
