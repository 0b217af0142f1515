"""Sleep: near-copies are folded into one parent; its sources stay as they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs import catalogues
from vaultmem.verbs.clusters import NEIGHBOURS, clusters, confirmed, meant_pairs, spelt_pairs
from vaultmem.verbs.folding import Folded, folded
from vaultmem.verbs.memorize import logged
from vaultmem.verbs.parents import source_of, written
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.relations import parents_importance
from vaultmem.words.errors import BadInput, ChangedOnDisk, NotFound, OutsideVault
from vaultmem.words.layout import Role
from vaultmem.words.life import Grade
from vaultmem.words.links import wikilink
from vaultmem.words.near import near
from vaultmem.words.note import Note, digest
from vaultmem.words.sleeping import SleepWish
from vaultmem.words.sources import said
from vaultmem.words.times import parsed

LAST_SLEEP = "sleep"
"""Under this name the ledger keeps when the vault last slept by itself."""
ONCE = "folded "
"""Under names that begin so it keeps which notes it folded: what a person took back stays so."""
EVERY = timedelta(hours=24)
AT_ONCE = 20
"""Parents written before others may write again."""


@dataclass(frozen=True)
class Proposal:
    """Notes that say nearly the same, and the note that would stand for them."""

    scope: str
    grade: Grade
    sources: tuple[tuple[str, str], ...]
    """Path and hash of each, as they were when this was planned."""
    parent: Folded
    reason: str


@dataclass(frozen=True)
class Slept:
    """What a sleep did, or would do."""

    proposals: tuple[Proposal, ...]
    parents: tuple[tuple[str, str], ...] = ()
    """Name and path of every note that was written."""
    skipped: tuple[str, ...] = ()
    """Why some notes were left out, and some proposals not carried out."""


def sleep(parts: Parts, wish: SleepWish) -> Slept:
    """Fold near-copies of one scope and grade into parents; approved ones for a person alone.

    Every source stays as it is, byte for byte, so deleting a parent takes all of it back.

    Raises:
        BadInput: the wish cannot be used. ModelMissing, Busy, DiskFailed, NoVault.
    """
    wish.check()
    unread = parts.sidecar.refresh().unreadable
    skipped = [f"{path}: {why}" for path, why in sorted(unread.items())]
    proposals = plan(parts, wish)
    if wish.dry_run:
        return Slept(tuple(proposals), (), tuple(skipped))
    parents: list[tuple[str, str]] = []
    for start in range(0, len(proposals), AT_ONCE):
        with parts.vault.lock.vault("sleep"):
            for proposal in proposals[start : start + AT_ONCE]:
                try:
                    parents.append(apply(parts, proposal))
                except ChangedOnDisk as error:
                    skipped.append(str(error))
            parts.ledger.note_all({_mark(one): "" for one in proposals[start : start + AT_ONCE]})
            parts.sidecar.refresh(only=[path for _, path in parents[-AT_ONCE:]])
    _listed(parts, {proposal.scope for proposal in proposals})
    return Slept(tuple(proposals), tuple(parents), tuple(skipped))


def plan(parts: Parts, wish: SleepWish) -> list[Proposal]:
    """Return what a sleep would do with the notes as they are indexed. Nothing is changed."""
    parts.meaning.embed()
    snapshot = parts.sidecar.snapshot
    found: list[Proposal] = []
    for (scope, grade), paths in sorted(_sleepers(parts, snapshot, wish).items()):
        if len(paths) >= wish.min_size:
            found += _proposals(parts, snapshot, scope, grade, paths, wish)
    if wish.again:
        return found
    known = parts.ledger.noted(ONCE)
    return [proposal for proposal in found if _mark(proposal) not in known]


def _mark(proposal: Proposal) -> str:
    """Return the name under which the ledger keeps that these notes were folded once."""
    paths = "\n".join(sorted(path for path, _ in proposal.sources))
    return f"{ONCE}{digest(paths.encode())}"


def _sleepers(
    parts: Parts, snapshot: Snapshot, wish: SleepWish
) -> dict[tuple[str, Grade], list[str]]:
    """Return the notes that may be folded, by scope and grade."""
    found: dict[tuple[str, Grade], list[str]] = defaultdict(list)
    wanted = None if wish.scope is None else parts.scope(wish.scope)
    for path, facts in snapshot.facts.items():
        scope = snapshot.scope(path) or ""
        if facts.role != Role.MEMORY or facts.status != "working" or wanted not in (None, scope):
            continue
        if facts.retracted or facts.pinned or facts.broken or facts.type == "goal":
            continue
        standing = snapshot.stands(path)
        if standing.lowered or standing.contested_by or not _young(parts, snapshot, path, wish):
            continue
        if facts.grade < Grade.APPROVED or parts.caller.person:
            found[scope, facts.grade].append(path)
    return found


def _young(parts: Parts, snapshot: Snapshot, path: str, wish: SleepWish) -> bool:
    facts = snapshot.facts[path]
    changed = parsed(facts.updated or facts.created, parts.vault.zone)
    if not wish.max_age or changed is None:
        return True
    return parts.clock() - changed <= timedelta(days=wish.max_age)


def _proposals(
    parts: Parts,
    snapshot: Snapshot,
    scope: str,
    grade: Grade,
    paths: Sequence[str],
    wish: SleepWish,
) -> Iterator[Proposal]:
    vectors = _vectors(parts, snapshot, paths)
    blind = np.isnan(vectors[:, 0]).tolist()
    notes: dict[int, Note] = {}
    texts: dict[int, str] = {}

    def text(number: int) -> str:
        if number not in texts:
            notes[number] = _read(parts, paths[number])
            texts[number] = said(notes[number].title, notes[number].body)
        return texts[number]

    def close(one: int, other: int, cosine: float) -> bool:
        known = None if blind[one] or blind[other] else cosine
        return near(text(one), text(other), known, wish.threshold)

    pairs = confirmed(meant_pairs(vectors, wish.threshold), close)
    if any(blind):
        every = [text(number) for number in range(len(paths))]
        pairs += confirmed(spelt_pairs(every, blind), close)
    nearness = {(one, other): score for one, other, score in pairs}
    for members in clusters(pairs, wish.min_size, NEIGHBOURS):
        chosen = [notes[number] for number in members]
        least = min(nearness[pair] for pair in combinations(members, 2))
        yield _proposal(snapshot, scope, grade, chosen, least)


def _read(parts: Parts, path: str) -> Note:
    """Return a note; one that is gone says nothing and is near nothing."""
    try:
        return parts.vault.read(path)
    except (NotFound, OutsideVault):
        return Note(path, "", {}, "")


def _vectors(parts: Parts, snapshot: Snapshot, paths: Sequence[str]) -> NDArray[np.float32]:
    """Return the mean vector of each note's passages, of length 1; nan where one is unreadable."""
    labels = [snapshot.by_label.get(path, []) for path in paths]
    known = parts.meaning.known([label for each in labels for label in each])
    found = np.full((len(paths), parts.meaning.model.dimension), np.nan, np.float32)
    for row, each in enumerate(labels):
        vectors = [vector for label in each if (vector := known.get(label)) is not None]
        if vectors and len(vectors) == len(each):
            mean = np.mean(vectors, axis=0)
            found[row] = mean / (np.linalg.norm(mean) or 1.0)
    return found


def _proposal(
    snapshot: Snapshot, scope: str, grade: Grade, notes: Sequence[Note], least: float
) -> Proposal:
    sources = [source_of(snapshot, note) for note in notes]
    importance = parents_importance(snapshot, [note.path for note in notes]) or 0.0
    reason = f"{len(notes)} notes say nearly the same; the two furthest apart share {least:.2f}"
    hashes = tuple((note.path, note.hash) for note in notes)
    return Proposal(scope, grade, hashes, folded(sources, importance), reason)


def apply(parts: Parts, proposal: Proposal) -> tuple[str, str]:
    """Write the parent of one proposal, under the lock; return its name and path.

    Raises:
        ChangedOnDisk: a source is not the one that was planned with, or was replaced since.
    """
    snapshot = parts.sidecar.snapshot
    for path, seen in proposal.sources:
        replaced = path not in snapshot.facts or snapshot.stands(path).lowered
        if replaced or parts.vault.read(path).hash != seen:
            raise ChangedOnDisk(path)
    links = [wikilink(path, snapshot.facts[path].title) for path, _ in proposal.sources]
    note_id, path, _ = written(
        parts, proposal.scope, proposal.grade, proposal.parent, {"consolidates": links}
    )
    parent = wikilink(path, proposal.parent.title)
    logged(parts, proposal.scope, f"folded {len(links)} notes into {parent}")
    return note_id, path


def _listed(parts: Parts, scopes: set[str]) -> None:
    """Bring the catalogues of some scopes and what is derived from them up to date."""
    if scopes:
        catalogues.write(parts.vault, parts.sidecar.snapshot, scopes)
        parts.sidecar.refresh()
        parts.meaning.embed()


def undo(parts: Parts, ref: str) -> list[str]:
    """Move a parent to the trash, so that its sources stand for themselves again; return those.

    Raises:
        NotFound, Ambiguous, Refused: see `writable`. BadInput: it is the parent of nothing.
    """
    from vaultmem.verbs.forget import forget
    from vaultmem.verbs.memorize import writable

    parts.sidecar.refresh()
    path = writable(parts, ref)
    snapshot = parts.sidecar.snapshot
    links = [link for kind, link in snapshot.facts[path].relations if kind == "consolidates"]
    if not links:
        raise BadInput(f"{path} consolidates nothing. `vaultmem forget` moves a note to the trash.")
    sources = [there for link in links if (there := snapshot.names.resolve(link, path))]
    forget(parts, [path])
    return sources


def overdue(parts: Parts) -> bool:
    """Return whether the vault should sleep by itself now, and note that it does.

    Of several processes that ask within a day one is told so.
    """
    if parts.vault.config.sleep == "off":
        return False
    return parts.ledger.due(LAST_SLEEP, parts.clock(), EVERY) and not _slept_elsewhere(parts)


def _slept_elsewhere(parts: Parts) -> bool:
    """Return whether a parent is less than a day old: the vault slept, perhaps on another machine.

    The ledger knows only of this one, and only since it was made.
    """
    parts.sidecar.refresh(trust=True)
    now = parts.clock()
    for facts in parts.sidecar.snapshot.facts.values():
        if any(kind == "consolidates" for kind, _ in facts.relations):
            made = parsed(facts.created, parts.vault.zone)
            if made and timedelta() <= now - made < EVERY:
                return True
    return False
