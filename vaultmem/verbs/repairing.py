"""Mending what the doctor names, where that takes no text of a person away.

Each step is whole or absent and may be done again, so a repair that was cut off is finished by the
next one. What is only derived from the notes, a refresh makes anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vaultmem.vault import files
from vaultmem.vault.repository import merging
from vaultmem.vault.settings import Settings, made_private
from vaultmem.verbs.damages.files import ATTRIBUTES, lacking_attributes
from vaultmem.verbs.damages.table import Finding
from vaultmem.verbs.doctor import Report, doctor
from vaultmem.verbs.freshen import freshen
from vaultmem.verbs.init import page
from vaultmem.verbs.memorize import fresh_id
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import AlreadyThere, NotFound, Refused, VaultmemError
from vaultmem.words.note import digest
from vaultmem.words.tears import apart


@dataclass(frozen=True)
class Repaired:
    """What a repair mended, and what the doctor sees after it."""

    mended: tuple[Finding, ...]
    report: Report
    """Its findings are what is left for the person, each with what to do."""


def repair(parts: Parts, settings: Settings, earlier: Sequence[Finding] = ()) -> Repaired:
    """Mend what can be mended without deleting or rewriting a text of a person.

    Our own parts are written anew, missing pages are added, glued lines of a log are put apart, a
    copied note gets an id of its own, files in the making that a crash left are removed. Nothing
    in the vault is written while git merges. `earlier` is what was mended already.

    Raises:
        Refused: an agent asks.
    """
    if not parts.caller.person:
        raise Refused("A repair is a person's: run `vaultmem doctor --repair`.")
    before = doctor(parts, settings).findings
    failed: dict[tuple[str, str], str] = {}
    with parts.vault.lock.vault("repair"):
        for finding in before:
            mend = MENDERS.get(finding.kind)
            if mend is None or (merging(parts.vault.root) and finding.kind in _IN_VAULT):
                continue
            try:
                mend(parts, finding)
            except VaultmemError as error:
                failed[finding.kind, finding.path] = str(error)
    unequal = any(finding.kind == "unequal" for finding in before)
    freshen(parts, None, embed=_has_model(before), rebuild=unequal)
    after = doctor(parts, settings)
    left = {(finding.kind, finding.path) for finding in after.findings}
    mended = [f for f in before if (f.ours or f.kind == "index") and (f.kind, f.path) not in left]
    found = tuple(_with_reason(finding, failed) for finding in after.findings)
    return Repaired((*earlier, *mended), replace(after, findings=found))


def _has_model(findings: tuple[Finding, ...]) -> bool:
    return all(finding.kind != "model" for finding in findings)


def _with_reason(finding: Finding, failed: dict[tuple[str, str], str]) -> Finding:
    """Return a finding with the reason why it could not be mended, if that was tried."""
    why = failed.get((finding.kind, finding.path))
    return replace(finding, mend=why) if why else finding


def _renamed(parts: Parts, finding: Finding) -> None:
    """Give a copy an id of its own; the note with the shorter, then smaller path keeps the old."""
    note = parts.vault.read(finding.path)
    if note.id and not note.broken:
        keys = {"id": fresh_id(parts.sidecar.snapshot)}
        parts.vault.edit(finding.path, keys, seen=note.hash)


def _apart(parts: Parts, finding: Finding) -> None:
    """Put entries that are glued on lines of their own, and end the last one."""
    data = parts.vault.data(finding.path)
    text = apart(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    if text != data:
        parts.vault.replace(finding.path, text, seen=digest(data))


def _added(parts: Parts, finding: Finding) -> None:
    """Write a page that is missing as it stands in the template."""
    home = parts.vault.config.home
    name = finding.path.removeprefix(f"{home}/") if home else finding.path
    try:
        parts.vault.create(finding.path, page(parts.vault.config, name))
    except AlreadyThere:
        return  # somebody was quicker


def _attributed(parts: Parts, finding: Finding) -> None:
    """Add what is missing below what stands in `.gitattributes`."""
    data = parts.vault.data(finding.path)
    lines = lacking_attributes(parts)
    gap = b"" if data.endswith(b"\n") or not data else b"\n"
    added = "".join(f"{line}\n" for line in lines).encode()
    if finding.path == parts.vault.layout.at(ATTRIBUTES) and lines:
        parts.vault.replace(finding.path, data + gap + added, seen=digest(data))


def _scoped(parts: Parts, finding: Finding) -> None:
    """Write the catalogue of a scope folder that lost it."""
    folder = finding.path.removesuffix("/index.md")
    scope = folder.removeprefix(parts.vault.layout.at("memory") + "/")
    parts.vault.made_scope_folder(scope)


def _removed(parts: Parts, finding: Finding) -> None:
    """Remove a file in the making; nobody makes one while we hold the lock."""
    file = Path(finding.path)
    root, path = (file.parent, file.name) if file.is_absolute() else (parts.vault.root, str(file))
    seen = files.fingerprint(root, path)
    if seen is None:
        raise NotFound(f"file {path}")
    files.remove(root, path, seen=seen)


def _private(parts: Parts, finding: Finding) -> None:
    made_private(Path(finding.path))


MENDERS: dict[str, Callable[[Parts, Finding], None]] = {
    "copied id": _renamed,
    "glued": _apart,
    "unended": _apart,
    "missing": _added,
    "attributes": _attributed,
    "lost scope": _scoped,
    "left over": _removed,
    "rights": _private,
}
"""What mends each kind of damage that a refresh does not."""
_IN_VAULT = frozenset(MENDERS) - {"rights"}
