"""How alive a memory is: what its strength is made of, and the uses that keep it up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.choosing import found
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import DiskFailed
from vaultmem.words.hit import Hit
from vaultmem.words.layout import Role
from vaultmem.words.life import BOOST, DAMPED, LEAST_STRENGTH, Life, Use, share
from vaultmem.words.standing import FOLDED
from vaultmem.words.times import offset, seconds

_DAY = 86_400.0
_NEVER = Use()


@dataclass(frozen=True)
class Strength:
    """What the strength of one note is made of."""

    id: str
    title: str
    path: str
    life: Life
    last_use: str
    """When an agent was given it last, with its offset; empty if none ever was."""

    def as_dict(self) -> dict[str, Any]:
        """Return every part of it by name."""
        life = self.life
        return {
            "id": self.id,
            "title": self.title,
            "path": self.path,
            "importance": life.importance,
            "days": round(life.days, 3),
            "half_life_days": life.half_life,
            "decay": round(life.decay, 4),
            "uses": life.use.count,
            "last_use": self.last_use,
            "boost": BOOST,
            "lift": round(life.boost, 4),
            "floor": LEAST_STRENGTH,
            "strength": round(life.strength, 4),
            "ranks_as": round(share(life.strength), 4),
        }


def strength(parts: Parts, ref: str) -> Strength:
    """Return what the strength of a note is made of.

    Raises:
        NotFound, Ambiguous: see `found`.
    """
    parts.sidecar.refresh(trust=True)
    snapshot = parts.sidecar.snapshot
    path = found(parts, ref)
    life = Lives(parts, snapshot).of(path)
    last = life.use.last
    when = "" if last is None else offset(datetime.fromtimestamp(last, UTC), parts.vault.zone)
    return Strength(snapshot.called(path), snapshot.facts[path].title, path, life, when)


class Lives:
    """How the notes of a snapshot live at one moment, with the uses that were counted by then."""

    def __init__(self, parts: Parts, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._zone = parts.vault.zone
        self._half_life = parts.vault.config.half_life_days
        self._uses = _known_uses(parts)
        self._now = parts.clock().timestamp()

    def of(self, path: str, since: str = "") -> Life:
        """Return how a note lives: since it was last changed or used, or since the moment given.

        What names no moment is of today. What was consolidated counts for a fifth.
        """
        facts = self._snapshot.facts[path]
        use = self._uses.get(self._snapshot.called(path), _NEVER)
        folded = self._snapshot.stands(path).lowered == FOLDED
        importance = facts.importance * (DAMPED if folded else 1.0)
        texts = (since,) if since else (facts.created, facts.updated)
        return Life(importance, self._days(texts, use), use, self._half_life)

    def unchanged(self, path: str) -> float:
        """Return the days since a note was changed, 0 if it does not say when."""
        facts = self._snapshot.facts[path]
        return self._days((facts.created, facts.updated), _NEVER)

    def _days(self, texts: Iterable[str], use: Use) -> float:
        """Return the days since the latest of some moments and a last use, never below 0."""
        moments = [moment for text in texts if (moment := seconds(text, self._zone)) is not None]
        moments += [] if use.last is None else [use.last]
        return max((self._now - max(moments, default=self._now)) / _DAY, 0.0)


def _known_uses(parts: Parts) -> Mapping[str, Use]:
    """Return the uses of every memory by its name, none where the ledger cannot be read."""
    try:
        return parts.ledger.uses()
    except DiskFailed:
        return {}


def count_uses(parts: Parts, hits: Iterable[Hit]) -> None:
    """Count that an agent was given these hits; those of a person are none.

    Only memories count, each at most once an hour. A ledger that cannot be written counts nothing,
    and the answer stands.
    """
    if parts.caller.person:
        return
    given = [hit.id for hit in hits if parts.vault.layout.role(hit.path) == Role.MEMORY]
    with suppress(DiskFailed):
        parts.ledger.use(given, parts.clock().timestamp())
