"""Keeping what a session brought: each fact becomes a candidate, or is dropped for a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from vaultmem.verbs.memorize import memorize
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import BadInput, InboxFull, SecretFound
from vaultmem.words.fleeting import ECHO, no_fact, without_echo
from vaultmem.words.hit import Receipt
from vaultmem.words.retained import Fact, completed
from vaultmem.words.wish import Wish

KNOWN = "the vault knows it already"
SECRET = "it holds a secret"  # noqa: S105  # a reason, no password
UNUSABLE = "it cannot be used"
FULL = "too many candidates wait already"


@dataclass(frozen=True)
class Kept:
    """A fact that waits for a person now, or that waited already and was said again."""

    id: str
    path: str
    title: str
    seen: int
    ignored: tuple[str, ...] = ()
    """Fields of it that mean nothing here."""


@dataclass(frozen=True)
class Dropped:
    """A fact that was not kept: which one, counted from 1, and why."""

    number: int
    title: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Retained:
    """What became of the facts of a session."""

    kept: tuple[Kept, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether something was refused that may be a fact."""
        return any(item.reason in (SECRET, UNUSABLE, FULL) for item in self.dropped)

    def as_dict(self) -> dict[str, Any]:
        """Return it with the number of facts dropped for each reason."""
        counts = Counter(item.reason for item in self.dropped)
        return {**asdict(self), "counts": {"kept": len(self.kept), **counts}}


def retain(parts: Parts, facts: Iterable[Fact]) -> Retained:
    """Make a candidate of each fact, and say of every other why it is none.

    What a candidate says already counts that one up; what a memory says already counts as said
    once more. A fact that is refused costs the others nothing.
    """
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    for number, fact in enumerate(facts, 1):
        done = _retained(parts, number, completed(fact))
        if isinstance(done, Kept):
            kept.append(done)
        else:
            dropped.append(done)
    return Retained(tuple(kept), tuple(dropped))


def _retained(parts: Parts, number: int, fact: Fact) -> Kept | Dropped:
    if fact.trouble:
        return Dropped(number, "", UNUSABLE, fact.trouble)
    content = without_echo(fact.content)
    if not content and fact.content:
        return Dropped(number, fact.title, ECHO)
    if reason := no_fact(content, fact.type):
        return Dropped(number, fact.title, reason)
    try:
        done = memorize(parts, _wish(replace(fact, content=content)))
    except SecretFound as error:
        return Dropped(number, "", SECRET, str(error))
    except BadInput as error:
        return Dropped(number, fact.title, UNUSABLE, str(error))
    except InboxFull as error:
        return Dropped(number, fact.title, FULL, str(error))
    return _kept(parts, number, fact, done)


def _kept(parts: Parts, number: int, fact: Fact, done: Receipt) -> Kept | Dropped:
    if not done.kept:
        parts.ledger.see(done.similar[0].id)
        return Dropped(number, fact.title, KNOWN, done.similar[0].id)
    if done.status not in ("pending", "approved"):
        return Dropped(number, fact.title, KNOWN, done.id)
    return Kept(done.id, done.path, fact.title, max(done.seen, 1), fact.unknown)


def _wish(fact: Fact) -> Wish:
    return Wish(
        title=fact.title,
        content=fact.content,
        type=fact.type,
        importance=fact.importance,
        tags=fact.tags or None,
        scope=fact.scope,
        review=True,
        quote=fact.quote,
        why=fact.why,
    )
