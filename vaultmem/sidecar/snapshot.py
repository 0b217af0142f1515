"""The sidecar at one moment, in memory: facts, links, standings and passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from posixpath import dirname
from typing import Any

from vaultmem.sidecar.manifest import Chunk
from vaultmem.words.catalogue import listed
from vaultmem.words.conflicts import MARKED
from vaultmem.words.errors import Ambiguous, NotFound
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Layout, Role, scope_of
from vaultmem.words.life import INVERSE
from vaultmem.words.links import in_value
from vaultmem.words.names import Names, key_of
from vaultmem.words.standing import ALONE, TELLING, Claim, Rank, Standing, standings
from vaultmem.words.times import parsed


@dataclass(frozen=True)
class Neighbour:
    """A note one link away."""

    path: str
    kind: str
    """A kind of relation, as it reads from this end."""


@dataclass(frozen=True)
class Snapshot:
    """Immutable, so readers may keep one while a refresh makes the next."""

    generation: int
    facts: Mapping[str, Facts]
    chunks: Mapping[int, Chunk]
    layout: Layout
    memo: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was worked out from this snapshot and is asked for again and again."""

    @cached_property
    def folders(self) -> dict[str, str]:
        """Every scope folder with its scope."""
        return {
            dirname(facts.path): facts.scope.casefold()
            for facts in self.facts.values()
            if facts.role == Role.CATALOGUE and facts.scope is not None and "/" in facts.path
        }

    @cached_property
    def names(self) -> Names:
        """The vault's file names, by which links resolve."""
        return Names(self.facts)

    def scope(self, path: str) -> str | None:
        """Return the scope of a note, None for a person's own note, which has none."""
        facts = self.facts[path]
        if facts.role in (Role.CANDIDATE, Role.KNOWLEDGE, Role.DETAIL):
            return "" if facts.scope in (None, "global") else facts.scope
        if facts.role == Role.OWN:
            return None
        folder = dirname(path)
        known = self.inherited.get(folder)
        if known is None:
            known = self.inherited[folder] = scope_of(path, self.folders)
        return known

    @cached_property
    def inherited(self) -> dict[str, str]:
        """The scope of each folder that was asked for."""
        return {}

    @cached_property
    def by_label(self) -> dict[str, list[int]]:
        """The labels of each note's passages, in the note's order."""
        found: dict[str, list[int]] = defaultdict(list)
        for label, chunk in self.chunks.items():
            found[chunk.path].append(label)
        return found

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The candidates, by path."""
        return tuple(p for p, facts in self.facts.items() if facts.role == Role.CANDIDATE)

    @cached_property
    def private(self) -> bool:
        """Whether anything is for one session alone."""
        return any(facts.session for facts in self.facts.values())

    @cached_property
    def logs(self) -> frozenset[str]:
        """The notes of which every entry stands for itself."""
        entries = (Role.LOG, Role.DECISIONS)
        return frozenset(path for path, facts in self.facts.items() if facts.role in entries)

    @cached_property
    def standing(self) -> dict[str, Standing]:
        """How each note stands that another one lowers, contests, or was built on."""
        claims = [
            Claim(kind, path, self.names.resolve(link, path) or "")
            for path in sorted(self.tellers)
            for kind, link in self.facts[path].relations
            if kind in TELLING
        ]
        involved = {path for claim in claims for path in (claim.source, claim.target)}
        ranks = {path: self._rank(path) for path in involved if path in self.facts}
        found = standings(claims, ranks, self._linked)
        for path in self.facts:
            if MARKED in self.facts[path].oddities:  # both sides of a merge: it contests itself
                found[path] = replace(found.get(path, ALONE), contested_by=path)
        return found

    def _linked(self, one: str, other: str) -> bool:
        return any(
            self.names.resolve(link, source) == target
            for source, target in ((one, other), (other, one))
            for _, link in self.facts[source].relations
        )

    def stands(self, path: str) -> Standing:
        """Return how one note stands; one that no other speaks of stands alone."""
        return self.standing.get(path, ALONE)

    @cached_property
    def tellers(self) -> set[str]:
        """The notes that say how others stand."""
        return {path for path, facts in self.facts.items() if tells(facts)}

    def _rank(self, path: str) -> Rank:
        facts = self.facts[path]
        moment = parsed(facts.moment)
        return Rank(
            scope=self.scope(path) or "",
            grade=facts.grade,
            valid=facts.role != Role.CANDIDATE and facts.status in ("working", "archived"),
            retracted=facts.retracted,
            archived=facts.status == "archived",
            moment=moment.timestamp() if moment else 0.0,
            dated=bool(facts.valid_from),
        )

    @cached_property
    def _incoming(self) -> dict[str, list[tuple[str, str, str]]]:
        """Links by the file name they may mean: source, kind, target text."""
        found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for path, facts in self.facts.items():
            for kind, target in facts.relations:
                found[key_of(target)].append((path, kind, target))
        return found

    def links(self, path: str) -> list[Neighbour]:
        """Return the links of a note both ways, what says most first.

        A plain link says nothing where two notes are related in another way too.
        """
        found: dict[tuple[str, str], None] = {}
        for kind, target in self.facts[path].relations:
            there = self.names.resolve(target, path)
            if there and there != path:
                found[there, kind] = None
        for source, kind, target in self._incoming.get(key_of(path), ()):
            if source != path and self.names.resolve(target, source) == path:
                found[source, INVERSE[kind]] = None
        telling = {there for there, kind in found if kind != "related_to"}
        kept = [pair for pair in found if pair[1] != "related_to" or pair[0] not in telling]
        return [
            Neighbour(there, kind)
            for there, kind in sorted(kept, key=lambda pair: pair[1] == "related_to")
            if self.facts[there].role not in (Role.CATALOGUE, Role.LOG, Role.LOG_PAGE)
        ]

    def neighbours(self, path: str) -> list[Neighbour]:
        """Return the notes one link away, each once by the link that says most."""
        found: dict[str, Neighbour] = {}
        for link in self.links(path):
            found.setdefault(link.path, link)
        return list(found.values())

    @cached_property
    def _called(self) -> dict[str, str | list[str]]:
        """Path by every name a note answers to, case-folded: id, path, title, alias; a list of
        those that share one.
        """
        found: dict[str, str | list[str]] = {}
        owners = self.owners
        for path, facts in self.facts.items():
            names = {path.removesuffix(".md").casefold(), facts.title.casefold()}
            names.update(alias.casefold() for alias in facts.aliases)
            if facts.id and owners.get(facts.id) == path:
                names.add(facts.id)
            for name in names:
                known = found.get(name)
                if isinstance(known, list):
                    known.append(path)
                else:
                    found[name] = path if known is None else [known, path]
        return found

    @cached_property
    def owners(self) -> dict[str, str]:
        """The note that owns each id: of copies, the shorter, then smaller path; a candidate only
        where no other note has it.
        """
        found: dict[str, str] = {}
        waiting = frozenset(self.candidates)
        for path in sorted(self.facts, key=lambda p: (p in waiting, len(p), p)):
            if self.facts[path].id:
                found.setdefault(self.facts[path].id, path)
        return found

    def called(self, path: str) -> str:
        """Return what a note is called by: its id if it owns it, else its path."""
        owned = self.facts[path].id
        return owned if owned and self.owners.get(owned) == path else path

    def find(self, ref: str, within: Container[str] | None = None) -> str:
        """Return the path of the note meant by an id, path, title, alias or `[[wikilink]]`.

        With `within`, only those paths are known of.

        Raises:
            NotFound: there is none. Ambiguous: there are several; the message lists them.
        """
        plain = ref.strip()
        link = in_value(plain) if plain.startswith(("[[", "[")) else None
        if link:
            there = self.names.resolve(link.target, "")
            if there and (within is None or there in within):
                return there
            plain = link.target
        if plain in self.facts and (within is None or plain in within):
            return plain
        said = plain.casefold()
        called = self._called.get(said) or self._called.get(said.removesuffix(".md"), [])
        called = [called] if isinstance(called, str) else called
        paths = [path for path in called if within is None or path in within]
        if len(paths) > 1:
            exact = [path for path in paths if self.facts[path].id == plain]
            known = [path for path in paths if self.facts[path].role != Role.CANDIDATE]
            for one in (exact, known):
                if len(one) == 1:
                    return one[0]
            raise Ambiguous(ref, paths)
        if paths:
            return paths[0]
        raise NotFound(f"note {ref!r}")

    def memories(self, scope: str) -> list[Facts]:
        """Return the memories of one scope that its catalogue lists, in its order."""
        return listed(self.by_scope.get(scope, ()), self.standing)

    def counts(self) -> dict[str, int]:
        """Return how many working memories each scope holds."""
        return {
            scope: sum(facts.status == "working" for facts in own)
            for scope, own in self.by_scope.items()
        }

    def pinned(self) -> list[Facts]:
        """Return the memories that a person pinned and that hold, in a catalogue's order."""
        own = (facts for notes in self.by_scope.values() for facts in notes if facts.pinned)
        return listed(own, self.standing)

    @cached_property
    def by_scope(self) -> dict[str, list[Facts]]:
        """The memories of each scope, in no order."""
        found: dict[str, list[Facts]] = defaultdict(list)
        for path, facts in self.facts.items():
            if facts.role == Role.MEMORY:
                found[self.scope(path) or ""].append(facts)
        return found

    def scopes(self) -> list[str]:
        """Return every scope that has a folder."""
        return sorted(set(self.folders.values()))


def tells(facts: Facts) -> bool:
    """Return whether a note says how others stand, and is neither archived nor retracted."""
    speaks = facts.role == Role.MEMORY and facts.status != "archived" and not facts.retracted
    return speaks and any(kind in TELLING for kind, _ in facts.relations)


def stated(facts: Facts) -> str | None:
    """Return the scope that a catalogue says its folder is."""
    return facts.scope if facts.role == Role.CATALOGUE else None
