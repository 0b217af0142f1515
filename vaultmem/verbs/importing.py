"""Taking in what another program remembers: look it through, plan, write, then what is derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.documents import formats, source
from vaultmem.documents.imported import Imported
from vaultmem.verbs import catalogues
from vaultmem.verbs.already import already
from vaultmem.verbs.inwards import Links, head, tidied
from vaultmem.verbs.memorize import fresh_ids, logged
from vaultmem.verbs.origins import Before, Kept, kept
from vaultmem.verbs.parts import Parts
from vaultmem.words.entry import name
from vaultmem.words.errors import AlreadyThere, BadInput, Refused, VaultmemError
from vaultmem.words.frontmatter import composed
from vaultmem.words.layout import scope_of
from vaultmem.words.moving import Brought, Fate, ImportWish, Item
from vaultmem.words.note import LARGEST
from vaultmem.words.scope import GLOBAL
from vaultmem.words.secrets import secrets_in

if TYPE_CHECKING:
    from vaultmem.sidecar.sidecar import Progress

AT_ONCE = 50
"""Notes that are written under one lock, so that agents who write meanwhile need not wait long."""


@dataclass
class Planned:
    """An entry and what is to become of it."""

    entry: Imported
    fate: Fate
    scope: str = GLOBAL
    path: str = ""
    why: str = ""
    before: Kept | None = None

    @property
    def item(self) -> Item:
        """The line that tells of it."""
        entry = self.entry
        secret = self.fate == Fate.REFUSED
        title = "" if secret else entry.title
        told = entry.file if secret else entry.address
        return Item(self.fate, title, told, self.scope, entry.type, self.path, self.why)


@dataclass
class Plan:
    """What an import is about to do, and from where."""

    before: Before
    agent: str
    entries: list[Planned] = field(default_factory=list)

    @property
    def to_write(self) -> list[Planned]:
        """The entries of which notes are made or changed."""
        return [one for one in self.entries if one.fate in (Fate.NEW, Fate.UPDATED)]


def bring(parts: Parts, wish: ImportWish, progress: Progress | None = None) -> Brought:
    """Make a note of each entry of another program's memory that is not here yet.

    The source is only read. What was imported before is known again wherever its note lies now;
    where the source has changed since, the note is updated if it still is as it was imported. An
    entry with a secret is refused, and the others are not. Cut short and repeated, it goes on.

    Raises:
        BadInput: the source, its format or the scope cannot be used. Refused: it is this vault.
    """
    folder = _outside(parts, wish.source)
    root, chosen, read, skipped = formats.found_in(folder, wish.format)
    found = chosen.read(read)
    brought_by = chosen.name if chosen.name != "plain" else parts.caller.agent
    agent = name(wish.agent or brought_by, "an agent")
    parts.sidecar.refresh(trust=True)
    now = frozenset(tidied(entry).digest for entry in found.entries)
    plan = Plan(Before(chosen.name, source.told(root), now, kept(parts)), agent)
    for one in _planned(parts, wish, plan.before, found.entries):
        plan.entries.append(one)
        if progress:
            progress(len(plan.entries), len(found.entries), "comparing")
    if wish.dry_run:
        _placed(parts, plan, parts.vault.layout.scope_folder)
    else:
        with parts.vault.lock.vault("import"):
            _placed(parts, plan, parts.vault.made_scope_folder)
        _written(parts, plan, progress)
    left = [Item(Fate.LEFT, "", one.file, why=one.why) for one in (*found.left, *skipped)]
    items = (*(one.item for one in plan.entries), *left)
    return Brought(chosen.name, not wish.format, source.told(root), items, wish.dry_run)


def _outside(parts: Parts, said: str) -> Path:
    """Return a folder that has nothing to do with the vault; raises `Refused` for any other.

    A link in the vault has to do with it: who put it there may not be who imports.
    """
    folder = source.opened(said)
    root = parts.vault.root.resolve()
    named = Path(normpath(Path(said).expanduser().absolute()))
    if root in (folder, *folder.parents, *(above.resolve() for above in named.parents)):
        raise Refused(
            f"{folder} is part of this vault, whose notes are found as they are. Move a note into "
            "a scope folder below memory/ to make it a memory."
        )
    if folder in root.parents:
        raise Refused(f"{folder} holds this vault. Name a folder beside it.")
    return folder


def _planned(
    parts: Parts, wish: ImportWish, before: Before, entries: Sequence[Imported]
) -> Iterator[Planned]:
    seen: set[str] = set()
    for raw in entries:
        secrets = secrets_in("\n".join((raw.title, raw.description, raw.text, *raw.tags)))
        entry = tidied(raw)
        scope = _scope(parts, wish, entry)
        if secrets:
            kinds = ", ".join(secrets)
            yield Planned(entry, Fate.REFUSED, scope, why=f"it holds a secret ({kinds})")
        elif len(entry.text.encode("utf-8", "replace")) > LARGEST - 64 * 1024:
            yield Planned(entry, Fate.LEFT, scope, why="it is too long for a note; split it")
        elif entry.digest in seen:
            yield Planned(entry, Fate.KNOWN, scope, why="it stands twice in the source")
        else:
            seen.add(entry.digest)
            yield _compared(parts, wish, before, entry, scope)


def _compared(
    parts: Parts, wish: ImportWish, before: Before, entry: Imported, scope: str
) -> Planned:
    """Return what is to become of an entry, by what the vault holds of it."""
    same = before.same(entry)
    past = same or before.changed(entry)
    if past and past.trashed:
        fate = Fate.NEW if wish.again else Fate.TRASHED
        return Planned(entry, fate, scope, "" if wish.again else past.path)
    if not (past or wish.again) and before.erased(entry, parts.ledger.graves()):
        return Planned(entry, Fate.TRASHED, scope, why="it was erased for good")
    if past:
        changed = Fate.UPDATED if past.as_imported else Fate.CHANGED
        return Planned(entry, Fate.IMPORTED if same else changed, scope, past.path, before=past)
    if _others(parts, scope, before.paths):
        said = already(parts, scope, entry.title, entry.description, entry.text, before.paths)
        for copy in (*([said.same] if said.same else []), *said.copies):
            return Planned(entry, Fate.KNOWN, scope, copy.path, f"{copy.title} says it")
    return Planned(entry, Fate.NEW, scope)


def _others(parts: Parts, scope: str, earlier: frozenset[str]) -> bool:
    """Return whether a scope or the global one holds a memory that came from elsewhere."""
    snapshot = parts.sidecar.snapshot
    key = ("others", earlier)
    if key not in snapshot.memo:
        own = snapshot.by_scope.items()
        snapshot.memo[key] = {
            name for name, notes in own if any(facts.path not in earlier for facts in notes)
        }
    return not snapshot.memo[key].isdisjoint({scope, GLOBAL})


def _scope(parts: Parts, wish: ImportWish, entry: Imported) -> str:
    if wish.scope is not None:
        return parts.scope(wish.scope)
    if entry.scope is not None:
        try:
            return parts.scope(entry.scope)
        except BadInput:
            pass
    return parts.caller.scope or GLOBAL


def _placed(parts: Parts, plan: Plan, folder: Callable[[str], str]) -> None:
    """Give each entry that is new the path that its note will have."""
    new = [one for one in plan.entries if one.fate == Fate.NEW]
    for scope in dict.fromkeys(one.scope for one in new):
        ours = [one for one in new if one.scope == scope]
        titles = [one.entry.title for one in ours]
        lies = parts.vault.scope_folder(scope) or folder(scope)
        for one, path in zip(ours, parts.vault.free_paths(lies, titles), strict=True):
            one.path = path


def _written(parts: Parts, plan: Plan, progress: Progress | None) -> None:
    """Write the notes, then bring index, catalogues and live log up to date, each once."""
    titles = {one.path: one.entry.title for one in plan.entries if one.path}
    titles |= {one.path: one.before.title for one in plan.entries if one.before}
    links = Links([(one.entry, one.path) for one in plan.entries if one.path], titles)
    waiting = plan.to_write
    ids = fresh_ids(parts.sidecar.snapshot)
    for start in range(0, len(waiting), AT_ONCE):
        with parts.vault.lock.vault("import"):
            for one in waiting[start : start + AT_ONCE]:
                if one.fate == Fate.NEW:
                    _made(parts, plan, one, links, next(ids))
                else:
                    _updated(parts, plan, one, links)
        if progress:
            progress(min(start + AT_ONCE, len(waiting)), len(waiting), "writing")
    _announced(parts, plan)


def _made(parts: Parts, plan: Plan, one: Planned, links: Links, note_id: str) -> None:
    origin = plan.before.origin(one.entry)
    keys, body = head(parts, origin, plan.agent, one.entry, links, one.path)
    try:
        data = composed({"id": note_id, **keys}, body)
        parts.vault.create(one.path, data)
    except AlreadyThere:
        one.fate, one.why = Fate.LEFT, "its name was taken just now; import again"


def _updated(parts: Parts, plan: Plan, one: Planned, links: Links) -> None:
    """Let a note that nobody touched say what its entry says now."""
    assert one.before is not None
    origin = plan.before.origin(one.entry)
    keys, body = head(parts, origin, plan.agent, one.entry, links, one.path)
    said = {key: keys[key] for key in ("title", "description", "origin", "digest", "updated")}
    try:
        parts.vault.edit(one.path, said, seen=one.before.hash, body=body)
    except VaultmemError as error:
        one.fate, one.why = Fate.CHANGED, str(error)


def _announced(parts: Parts, plan: Plan) -> None:
    done, vault, sidecar = plan.to_write, parts.vault, parts.sidecar
    if not done:
        sidecar.refresh(only=catalogues.write(vault, sidecar.snapshot))
        return
    made = [one.path for one in done]
    folders = {folder for one in done if (folder := vault.scope_folder(one.scope))}
    sidecar.refresh(only=[*made, *(f"{folder}/index.md" for folder in folders)])
    homes = sidecar.snapshot.folders
    scopes = sorted({scope_of(path, homes) or GLOBAL for path in made})
    pages = catalogues.write(vault, sidecar.snapshot, scopes)
    new = sum(one.fate == Fate.NEW for one in done)
    told = f"imported from {plan.before.format}: {new} new, {len(done) - new} updated"
    entry = logged(parts, scopes[0] if len(scopes) == 1 else GLOBAL, told)
    sidecar.refresh(only=[*pages, vault.layout.log(entry.time[:7]), vault.layout.log_page])
