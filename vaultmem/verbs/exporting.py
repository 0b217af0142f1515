"""Writing memories as files that another program reads; nothing that changed there is lost."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from vaultmem.documents import outwards
from vaultmem.documents.outwards import Leaving
from vaultmem.documents.source import told
from vaultmem.vault import files, place
from vaultmem.verbs.parts import Parts
from vaultmem.words.catalogue import listed
from vaultmem.words.errors import BadInput, NotFound, Refused, VaultmemError
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.links import in_value
from vaultmem.words.moving import Exported, ExportWish
from vaultmem.words.scope import GLOBAL, folder_of

MARKER = ".vaultmem-export"
"""The file that says that a folder is an export: a first line, then digest and name of each."""
HEAD = "vaultmem export "


def export(parts: Parts, wish: ExportWish) -> Exported:
    """Write the memories of a scope and the global ones into a folder, equal notes to equal bytes.

    Raises:
        BadInput: the format or the folder cannot be used. Refused: the folder holds something
        else, or what changed since it was written; then nothing is written.
    """
    if wish.format not in outwards.FORMATS:
        known = ", ".join(outwards.FORMATS)
        raise BadInput(f"There is no format {wish.format!r}. Export as one of: {known}.")
    dest = _dest(parts, wish.dest)
    parts.sidecar.refresh(trust=True)
    notes = _chosen(parts, wish)
    made, unlisted = outwards.FORMATS[wish.format](notes)
    data = {path: text.encode("utf-8", "replace") for path, text in made.items()}
    earlier = _earlier(dest, wish.format)
    written, removed = _written(dest, wish.format, data, earlier)
    return Exported(wish.format, told(dest), len(notes), written, removed, unlisted)


def _dest(parts: Parts, said: str) -> Path:
    """Return the folder that an export goes to; it may be missing."""
    dest = Path(said).expanduser().resolve()
    root = parts.vault.root.resolve()
    if root in (dest, *dest.parents) or dest in root.parents:
        raise Refused(f"{dest} and this vault lie in each other. Name a folder beside the vault.")
    if dest.exists() and not dest.is_dir():
        raise BadInput(f"{dest} is a file. Name a folder that is empty or missing.")
    return dest


def _chosen(parts: Parts, wish: ExportWish) -> list[Leaving]:
    """Return the notes that go, those of the scope first, in the order of a catalogue."""
    snapshot = parts.sidecar.snapshot
    said = parts.scope(wish.scope) if wish.scope is not None else parts.caller.scope
    every = said is None and wish.format == "plain"
    scopes = [*snapshot.by_scope] if every else list(dict.fromkeys((said or GLOBAL, GLOBAL)))
    found: list[tuple[str, Facts]] = []
    for scope in sorted(scopes, key=lambda name: (name == GLOBAL, name)):
        notes = snapshot.by_scope.get(scope, [])
        kept = [facts for facts in notes if snapshot.scope(facts.path) == scope]
        shown = kept if wish.everything else listed(kept, snapshot.standing)
        found += [(scope, facts) for facts in sorted(shown, key=_order)]
    if wish.everything:
        waiting = [snapshot.facts[path] for path in snapshot.candidates]
        found += [(s, f) for f in waiting if (s := snapshot.scope(f.path) or GLOBAL) in scopes]
    return _leaving(parts, found)


def _order(facts: Facts) -> tuple[bool, str, str, str]:
    return not facts.pinned, facts.type, facts.path.rpartition("/")[2], facts.path


def _leaving(parts: Parts, found: list[tuple[str, Facts]]) -> list[Leaving]:
    snapshot = parts.sidecar.snapshot
    notes = []
    for scope, facts in found:
        try:
            note = parts.vault.read(facts.path)
        except VaultmemError:
            continue  # gone since it was listed
        links = {
            target: there
            for _, target in facts.relations
            if (there := snapshot.names.resolve(target, facts.path))
        }
        relations = [
            (kind, there)
            for kind, text in note.relations
            if (link := in_value(text)) and (there := links.get(link.target))
        ]
        stem = f"{folder_of(scope)}/{_below(parts, scope, facts)}"
        body = note.body.replace("\r\n", "\n").strip("\n")
        notes.append(Leaving(facts, stem, body, links, tuple(relations)))
    return notes


def _below(parts: Parts, scope: str, facts: Facts) -> str:
    """Return where a note goes in its scope's folder, without `.md`: where it lies in ours."""
    path = facts.path.removesuffix(".md")
    if facts.role == Role.CANDIDATE:
        return f"inbox/{path.removeprefix(parts.vault.layout.inbox(''))}".replace("//", "/")
    folder = parts.vault.scope_folder(scope)
    return path.removeprefix(f"{folder}/") if folder else path.rpartition("/")[2]


def _earlier(dest: Path, name: str) -> dict[str, set[str]]:
    """Return what an earlier export wrote into a folder: the digests of each file.

    Raises:
        Refused: the folder holds something, and it is no export in this format.
    """
    try:
        first, *lines = files.read(dest, MARKER).decode("utf-8", "replace").splitlines() or [""]
    except NotFound:
        if dest.exists() and any(not item.name.startswith(".") for item in dest.iterdir()):
            raise Refused(
                f"{dest} holds files that are no export of ours. Name an empty folder."
            ) from None
        return {}
    if first != f"{HEAD}{name}":
        was = first.removeprefix(HEAD) or "something else"
        raise Refused(f"{dest} is an export for {was}, not for {name}. Name an empty folder.")
    found: dict[str, set[str]] = {}
    for line in lines:
        digest, _, path = line.partition("  ")
        found.setdefault(path, set()).add(digest)
    return found


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _written(
    dest: Path, name: str, data: Mapping[str, bytes], earlier: Mapping[str, set[str]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Make a folder hold these files and no other of ours; return what was written and removed.

    What is about to be written is announced first, so that an export which was cut short is known
    for one.
    """
    there = {path: files.fingerprint(dest, path) for path in sorted({*data, *earlier})}
    changed = [p for p, seen in there.items() if seen and seen not in earlier.get(p, set())]
    if changed:
        raise Refused(
            f"{', '.join(changed[:5])} in {dest} changed since it was exported, so nothing was "
            "written. Import it, or move it away, then export again."
        )
    new = {path: _digest(text) for path, text in data.items()}
    place.make_root(dest)
    _marked(dest, name, {p: {*earlier.get(p, ()), *([new[p]] if p in new else [])} for p in there})
    written, removed = [], []
    for path, seen in there.items():
        if path not in new:
            if seen:
                files.remove(dest, path, seen=seen)
                removed.append(path)
        elif seen is None:
            files.create(dest, path, data[path])
            written.append(path)
        elif seen != new[path]:
            files.replace(dest, path, data[path], seen=seen)
            written.append(path)
    _marked(dest, name, {path: {digest} for path, digest in new.items()})
    return tuple(written), tuple(removed)


def _marked(dest: Path, name: str, digests: Mapping[str, set[str]]) -> None:
    lines = [f"{d}  {path}" for path in sorted(digests) for d in sorted(digests[path])]
    data = "\n".join([f"{HEAD}{name}", *lines, ""]).encode("utf-8", "replace")
    seen = files.fingerprint(dest, MARKER)
    if seen is None:
        files.create(dest, MARKER, data)
    elif seen != _digest(data):
        files.replace(dest, MARKER, data, seen=seen)
