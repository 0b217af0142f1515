"""Proving that all is well, or naming what is not and what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.vault.settings import Settings
from vaultmem.verbs import watching
from vaultmem.verbs.approving import stuck
from vaultmem.verbs.damages.catalogues import of_catalogues
from vaultmem.verbs.damages.files import of_files
from vaultmem.verbs.damages.logs import of_log
from vaultmem.verbs.damages.notes import line_of, of_note
from vaultmem.verbs.damages.state import VECTORS, of_git, of_indexes, of_state
from vaultmem.verbs.damages.table import Finding, found
from vaultmem.verbs.inbox import WAITING
from vaultmem.verbs.parts import MULTILINGUAL, Parts
from vaultmem.words.errors import VaultmemError
from vaultmem.words.facts import Facts
from vaultmem.words.frontmatter import split
from vaultmem.words.graves import RETURNED
from vaultmem.words.layout import Role
from vaultmem.words.note import digest


@dataclass(frozen=True)
class Report:
    """What the doctor saw."""

    notes: int
    passages: int
    with_vectors: int
    unreadable: int
    model: str
    findings: tuple[Finding, ...]
    """What is harmful first, then by path."""

    @property
    def well(self) -> bool:
        """Whether nothing was found that keeps something from working."""
        return all(finding.harmless for finding in self.findings)


def doctor(parts: Parts, settings: Settings) -> Report:
    """Return a report on the whole: notes, catalogues, log, files, sidecar, state, git.

    Only the sidecar is written.
    """
    state = list(of_state(parts, settings))
    done = parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    entries = parts.log.entries()
    unread = {*done.unreadable, *done.waiting}
    findings = [
        *state,
        *_losses(parts),
        *_unwatched(parts),
        *_rebuilt(done.rebuilt),
        *_unread(done.unreadable),
        *of_files(parts),
        *_of_notes(parts, snapshot, unread),
        *_inbox(parts, snapshot),
        *of_catalogues(parts, snapshot, {entry.scope for entry in entries}),
        *of_log(parts, snapshot, entries),
        *of_indexes(parts, snapshot, unread),
        *of_git(parts),
    ]
    with_vectors, unreadable, name, model = _model(parts)
    findings = sorted([*findings, *model], key=lambda f: (f.harmless, f.path, f.line))
    return Report(
        notes=len(snapshot.facts),
        passages=len(snapshot.chunks),
        with_vectors=with_vectors,
        unreadable=unreadable,
        model=name,
        findings=tuple(findings),
    )


def _losses(parts: Parts) -> Iterator[Finding]:
    shrunk = parts.sidecar.losses()
    if shrunk:
        yield found("losses", "vault", shrunk)


def _unwatched(parts: Parts) -> Iterator[Finding]:
    trouble = watching.trouble(parts)
    if trouble:
        yield found("unwatched", "vault", f"a server could not watch it: {trouble}")


def _rebuilt(why: str) -> Iterator[Finding]:
    if why:
        yield found("index", "indexes", f"everything was read anew: {why}")


def _unread(unreadable: Mapping[str, str]) -> Iterator[Finding]:
    for path, why in sorted(unreadable.items()):
        yield found("returned" if why == RETURNED else "unread", path, why)


def _of_notes(parts: Parts, snapshot: Snapshot, unread: set[str]) -> Iterator[Finding]:
    """Yield what is odd about each note, and where its text is not the one that was indexed."""
    for path, facts in snapshot.facts.items():
        data = b""
        if facts.hash and path not in unread and parts.vault.stat(path):
            try:
                data = parts.vault.data(path)
            except VaultmemError as error:
                yield found("unread", path, str(error))
                continue
            if digest(data) != facts.hash:
                yield found("unequal", path, "its text is not the one that was indexed")
        yield from of_note(snapshot, facts, data)
        yield from _misplaced(parts, facts, data)


def _misplaced(parts: Parts, facts: Facts, data: bytes) -> Iterator[Finding]:
    """Yield what lies where notes of its kind do not."""
    head = split(data)
    line = line_of(head.opening + head.block, rb"^status *:")
    works = line_of(head.opening + head.block, rb"^status *: *[\"']?working")
    if facts.role == Role.MEMORY and facts.status in WAITING:
        yield found("pending", facts.path, "it lies in a scope folder and says that it waits", line)
    if facts.role == Role.CANDIDATE and works:
        yield found("working", facts.path, "it says working, but in the inbox it waits", line)
    inbox = parts.vault.layout.at("inbox") + "/"
    if facts.role == Role.OWN and facts.path.startswith(inbox):
        yield found("astray", facts.path, "it lies in the inbox, in the folder of no agent")


def _inbox(parts: Parts, snapshot: Snapshot) -> Iterator[Finding]:
    for path, why, harmless in stuck(parts, snapshot):
        broken = snapshot.facts[path].broken
        kind = "stuck" if broken else "approved" if harmless else "refused"
        yield found(kind, path, why)


def _model(parts: Parts) -> tuple[int, int, str, list[Finding]]:
    """Return how many passages have vectors, how many notes the model cannot read, its name."""
    findings: list[Finding] = []
    try:
        meaning = parts.meaning
        missing, unreadable = meaning.missing(), meaning.unreadable()
        meaning.model.query("hello")
        strays = meaning.labels - parts.sidecar.snapshot.chunks.keys()
        if strays:
            what = f"{len(strays)} vectors belong to no passage"
            findings.append(found("unequal", VECTORS, what))
    except VaultmemError as error:
        return 0, 0, "", [*findings, found("model", "model", str(error))]
    if missing:
        findings.append(found("vectors", VECTORS, f"{missing} passages have no vector yet"))
    if unreadable:
        what = f"{unreadable} notes are in a language that the model cannot read"
        how = MULTILINGUAL[0].upper() + MULTILINGUAL[1:]
        findings.append(found("language", "model", what, how=how))
    return len(meaning.labels), unreadable, meaning.model.name, findings
