"""Proving that all is well, or naming what is not and the command that mends it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from vaultmem.sidecar.proof import keyword_labels
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault import files
from vaultmem.vault.repository import merging
from vaultmem.verbs import watching
from vaultmem.verbs.approving import stuck
from vaultmem.verbs.committing import uncommitted
from vaultmem.verbs.parts import MULTILINGUAL, Parts
from vaultmem.words.errors import VaultmemError
from vaultmem.words.layout import Role
from vaultmem.words.life import RELATIONS


@dataclass(frozen=True)
class Finding:
    """One thing that is odd: where, what, and what mends it."""

    path: str
    what: str
    mend: str
    harmless: bool = False
    """Whether everything works in spite of it."""


@dataclass(frozen=True)
class Report:
    """What the doctor saw."""

    notes: int
    passages: int
    with_vectors: int
    unreadable: int
    model: str
    findings: tuple[Finding, ...]

    @property
    def well(self) -> bool:
        """Whether nothing was found that keeps something from working."""
        return all(finding.harmless for finding in self.findings)


def doctor(parts: Parts) -> Report:
    """Return a report on the whole: notes, links, log, sidecar, git."""
    done = parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    findings = [
        *_lost(parts),
        *_unwatched(parts),
        *_unread(done.unreadable),
        *_skipped(parts),
        *_synced(parts),
        *_odd(snapshot),
        *_copies(snapshot),
        *_dangling(snapshot),
        *_standings(snapshot),
        *_scopes(snapshot),
        *_inbox(parts, snapshot),
        *_log(parts),
        *_elsewhere(parts),
        *_proof(parts, snapshot, {*done.unreadable, *done.waiting}),
        *_git(parts),
        *_leftovers(parts.vault.root),
    ]
    with_vectors, unreadable, name, model = _model(parts)
    return Report(
        notes=len(snapshot.facts),
        passages=len(snapshot.chunks),
        with_vectors=with_vectors,
        unreadable=unreadable,
        model=name,
        findings=(*findings, *model),
    )


def _lost(parts: Parts) -> Iterator[Finding]:
    shrunk = parts.sidecar.losses()
    if shrunk:
        yield Finding("vault", shrunk, "if you did not move them, look into your backup or git")


def _unwatched(parts: Parts) -> Iterator[Finding]:
    trouble = watching.trouble(parts)
    if trouble:
        what = f"a server could not watch it: {trouble}"
        mend = "answers are right all the same: each question looks at the whole vault"
        yield Finding("vault", what, mend, harmless=True)


def _unread(unreadable: Mapping[str, str]) -> Iterator[Finding]:
    for path, why in sorted(unreadable.items()):
        yield Finding(path, why, "give yourself the right to read it, or mend the disk")


def _skipped(parts: Parts) -> Iterator[Finding]:
    for path, why in sorted(parts.vault.scan().skipped.items()):
        yield Finding(path, why, "rename or replace it if it should be found", harmless=True)


def _synced(parts: Parts) -> Iterator[Finding]:
    for path, original in sorted(parts.vault.scan().copies.items()):
        what = f"a sync tool made it, since two machines changed {original}; it is not searched"
        yield Finding(path, what, f"bring what is new in it into {original}, then delete it")


def _odd(snapshot: Snapshot) -> Iterator[Finding]:
    for path, facts in snapshot.facts.items():
        if facts.role == Role.TEMPLATE:
            continue
        for oddity in facts.oddities:
            yield Finding(path, oddity, f"open {path} in an editor", harmless=True)


def _copies(snapshot: Snapshot) -> Iterator[Finding]:
    counted = Counter(facts.id for facts in snapshot.facts.values() if facts.id)
    for path, facts in snapshot.facts.items():
        if counted[facts.id] > 1 and snapshot.owners[facts.id] != path:
            owner = snapshot.owners[facts.id]
            mend = f"delete the copy, or its line `id: {facts.id}`"
            yield Finding(path, f"it has the id of {owner}, so it goes by its path", mend)


def _dangling(snapshot: Snapshot) -> Iterator[Finding]:
    for path, facts in snapshot.facts.items():
        if facts.role not in (Role.MEMORY, Role.CANDIDATE):
            continue
        for kind, target in facts.relations:
            typed = kind in RELATIONS and kind != "related_to"
            if typed and snapshot.names.resolve(target, path) is None:
                mend = f'vaultmem unrelate "{path}" {kind} "{target}"'
                if kind == "consolidates":
                    mend = f"read {path} again: what it says may rest on the note that is gone"
                yield Finding(path, f"{kind} [[{target}]], which is not there", mend)


def _standings(snapshot: Snapshot) -> Iterator[Finding]:
    for path, standing in snapshot.standing.items():
        if standing.circular:
            mend = f'take one of its relations out: vaultmem graph "{path}" shows them'
            yield Finding(path, "it replaces itself by way of other notes", mend)
        if standing.stale:
            mend = "read it again; mend its text, or retract it with `retracted: why`"
            what = "it was built on a note that is gone or was retracted"
            yield Finding(path, what, mend, harmless=True)


def _scopes(snapshot: Snapshot) -> Iterator[Finding]:
    counted = Counter(snapshot.folders.values())
    for folder, scope in sorted(snapshot.folders.items()):
        if counted[scope] > 1:
            mend = "move the notes into one of them and delete the other"
            yield Finding(folder, f"two folders are the scope {scope or 'global'}", mend)


def _inbox(parts: Parts, snapshot: Snapshot) -> Iterator[Finding]:
    for path, why, harmless in stuck(parts, snapshot):
        mend = f"open {path} in an editor, or use `vaultmem review`"
        yield Finding(path, why, mend, harmless)


def _log(parts: Parts) -> Iterator[Finding]:
    for fault in parts.log.verify():
        where = f"{fault.file}:{fault.line}" if fault.line else fault.file
        mend = f"compare {fault.file} with its history; entries are corrected by new entries"
        yield Finding(where, fault.what, mend, harmless=fault.harmless)


def _elsewhere(parts: Parts) -> Iterator[Finding]:
    """Yield that other machines wrote here: what they counted is kept there and not in a note."""
    ours = parts.ledger.machine
    marks = {e.mark[-2:] for e in parts.log.entries() if e.signed} - {ours}
    if marks:
        what = f"entries of another machine ({', '.join(sorted(marks))}) are in it"
        mend = "uses and what a session has read are counted on each machine by itself"
        yield Finding("log", what, mend, harmless=True)


def _proof(parts: Parts, snapshot: Snapshot, unread: Set[str]) -> Iterator[Finding]:
    """Yield where the disk, the manifest and the keyword index do not agree."""
    mend = "vaultmem refresh --rebuild"
    on_disk = parts.vault.scan().notes.keys()
    for path in sorted((on_disk ^ snapshot.facts.keys()) - unread):
        where = "is not indexed" if path in on_disk else "is indexed but gone"
        yield Finding(path, f"it {where}", mend)
    for path, facts in snapshot.facts.items():
        if facts.hash and path in on_disk and path not in unread:
            yield from _compared(parts, path, facts.hash, mend)
    if not parts.sidecar.whole():
        yield Finding("keyword index", "its files are not the ones that were written", mend)
        return
    try:
        apart = keyword_labels(parts.sidecar) ^ snapshot.chunks.keys()
    except Exception as error:  # a damaged index raises any of seven kinds
        yield Finding("keyword index", f"it cannot be read ({type(error).__name__})", mend)
        return
    if apart:
        yield Finding("keyword index", f"{len(apart)} passages differ from the manifest", mend)


def _compared(parts: Parts, path: str, known: str, mend: str) -> Iterator[Finding]:
    try:
        if files.fingerprint(parts.vault.root, path) != known:
            yield Finding(path, "its text is not the one that was indexed", mend)
    except VaultmemError as error:
        yield Finding(path, str(error), "give yourself the right to read it")


def _model(parts: Parts) -> tuple[int, int, str, list[Finding]]:
    """Return how many passages have vectors, how many notes the model cannot read, its name."""
    found: list[Finding] = []
    try:
        meaning = parts.meaning
        missing, unreadable = meaning.missing(), meaning.unreadable()
        meaning.model.query("hello")
        strays = meaning.labels - parts.sidecar.snapshot.chunks.keys()
        if strays:
            what = f"{len(strays)} vectors belong to no passage"
            found.append(Finding("vector index", what, "vaultmem refresh --rebuild"))
    except VaultmemError as error:
        found.append(Finding("model", str(error), "see the line before", harmless=True))
        return 0, 0, "", found
    if missing:
        what = f"{missing} passages have no vector yet"
        found.append(Finding("vector index", what, "vaultmem refresh", harmless=True))
    if unreadable:
        what = f"{unreadable} notes are in a language that the model cannot read"
        found.append(Finding("model", what, MULTILINGUAL, harmless=True))
    return len(meaning.labels), unreadable, meaning.model.name, found


def _git(parts: Parts) -> Iterator[Finding]:
    if merging(parts.vault.root):
        what = "git is in the middle of a merge or rebase; catalogues are not written"
        yield Finding(".git", what, "finish it with git, then `vaultmem refresh`")
    why = uncommitted(parts)
    if why:
        yield Finding(".git", f"changes wait to be committed: {why}", "then `vaultmem git commit`")


def _leftovers(root: Path) -> Iterator[Finding]:
    for item in sorted(root.rglob(f"{files.TEMPORARY}*.tmp")):
        where = item.relative_to(root).as_posix()
        yield Finding(where, "a crash left it behind", f"rm {where}", harmless=True)
