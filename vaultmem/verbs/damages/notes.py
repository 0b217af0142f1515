"""What is odd about one note: its properties, its relations, its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.damages.table import Finding, found
from vaultmem.words.conflicts import MARKED
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.life import RELATIONS, Grade
from vaultmem.words.note import body_of
from vaultmem.words.safe import defused
from vaultmem.words.secrets import secrets_in
from vaultmem.words.standing import LOWERING

ODD = (
    ("its properties cannot be read", "unreadable", rb"\A"),
    ("its properties have no closing", "unclosed", rb"\A"),
    ("its properties are over", "too long", rb"\A"),
    (MARKED, "conflict", rb"^(?:<{7}|>{7}) "),
    ("type ", "type", rb"^type *:"),
    ("status ", "status", rb"^status *:"),
    ("source ", "source", rb"^source *:"),
    ("importance ", "importance", rb"^importance *:"),
    ("id ", "id", rb"^id *:"),
    ("created ", "date", rb"^created *:"),
    ("updated ", "date", rb"^updated *:"),
    ("valid_from ", "date", rb"^valid_from *:"),
    ("valid_until ", "date", rb"^valid_until *:"),
    ("it has ", "tags", rb"^tags *:"),
    ("it is UTF-16", "utf-16", b""),
    ("it is not UTF-8", "not utf-8", b""),
    ("it is not text", "not text", b""),
    ("it holds NUL", "nul", rb"\x00"),
    ("it is ", "too large", b""),
)
"""How the oddities of a note begin, of which kind they are, and what stands where they are."""
_THEIRS = frozenset({"type", "status", "source", "importance", "id"})
"""Properties that mean in a person's own note what that person wants."""
_BROUGHT = frozenset({Role.MEMORY, Role.CANDIDATE, Role.KNOWLEDGE, Role.DETAIL, Role.CHECKPOINT})
"""The roles of notes that agents write."""
_IMAGE = (
    rb"!\[[^\]\n]{0,200}\]\(\s{0,9}<?https?://|<img\s[^>]{0,200}src\s{0,9}=\s{0,9}[\"']?https?://"
)
_SIGNS = (b"<", b"`", b"~~~", b"](", b"]:")
"""One of these stands in every text that a plugin would run."""
_UNKEPT = frozenset({Role.TEMPLATE, Role.CATALOGUE})


def of_note(snapshot: Snapshot, facts: Facts, data: bytes) -> Iterator[Finding]:
    """Yield all that is odd about a note whose bytes are `data`, which may be empty."""
    if facts.role == Role.TEMPLATE:
        return
    yield from _odd(facts, data)
    yield from _copied(snapshot, facts, data)
    if facts.role in (Role.MEMORY, Role.CANDIDATE):
        yield from _related(snapshot, facts, data)
    yield from _standing(snapshot, facts)
    yield from _said(facts, data)


def line_of(data: bytes, pattern: bytes) -> int:
    """Return the first line on which a pattern is found, 0 if on none."""
    match = re.search(pattern, data, re.MULTILINE | re.IGNORECASE) if pattern else None
    return 1 + data.count(b"\n", 0, match.start()) if match else 0


def _odd(facts: Facts, data: bytes) -> Iterator[Finding]:
    for oddity in facts.oddities:
        rows = (row for row in ODD if oddity.startswith(row[0]))
        _, kind, pattern = next(rows, ("", "odd", b""))
        if facts.role != Role.OWN or kind not in _THEIRS:
            yield found(kind, facts.path, oddity, line_of(data, pattern))


def _copied(snapshot: Snapshot, facts: Facts, data: bytes) -> Iterator[Finding]:
    owner = snapshot.owners.get(facts.id, facts.path)
    if owner != facts.path:
        what = f"it has the id of {owner}, so it goes by its path"
        both = {facts.role, snapshot.facts[owner].role}
        kind = "copied id" if both == {Role.MEMORY} else "another's id"
        yield found(kind, facts.path, what, line_of(data, rb"^id *:"))


def _related(snapshot: Snapshot, facts: Facts, data: bytes) -> Iterator[Finding]:
    own = snapshot.scope(facts.path)
    for kind, target in facts.relations:
        if kind not in RELATIONS or kind == "related_to":
            continue
        line = line_of(data, re.escape(target.encode("utf-8", "replace")))
        there = snapshot.names.resolve(target, facts.path)
        if there is None:
            name = "source gone" if kind == "consolidates" else "dangling"
            what = f"{kind} [[{target}]], which is not there"
            yield found(name, facts.path, what, line, relation=kind, target=target)
            continue
        scope = snapshot.scope(there)
        if scope is not None and scope != own and (scope or kind in LOWERING):
            what = f"{kind} [[{target}]] of the scope {scope or 'global'}, which is not its own"
            yield found("other scope", facts.path, what, line)


def _standing(snapshot: Snapshot, facts: Facts) -> Iterator[Finding]:
    standing = snapshot.stands(facts.path)
    if standing.circular:
        yield found("circle", facts.path, "it replaces itself by way of other notes")
    if standing.stale:
        what = "it was built on a note that is gone or was retracted"
        yield found("stale", facts.path, what)


def _said(facts: Facts, data: bytes) -> Iterator[Finding]:
    """Yield what a note says that it should not."""
    if facts.role in _UNKEPT or not data:
        return
    kinds = secrets_in(data.decode("utf-8", "replace"))
    if kinds:
        yield found("secret", facts.path, f"it holds a credential ({', '.join(kinds)})")
    if facts.role not in _BROUGHT or facts.grade == Grade.APPROVED:
        return
    line = line_of(data, _IMAGE)
    if line:
        what = "it shows a picture from the network, which learns when you read the note"
        yield found("remote image", facts.path, what, line)
    if not any(sign in data for sign in _SIGNS):
        return
    begin, body = body_of(data)
    after = defused(body)
    if after != body:
        same = zip(body.split("\n"), after.split("\n"), strict=False)
        at = next((n for n, (was, now) in enumerate(same) if was != now), 0)
        what = "an agent brought text that a plugin of Obsidian would run"
        yield found("active", facts.path, what, begin + at)
