"""Writing a note that stands for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.folding import Folded, Source
from vaultmem.verbs.memorize import fresh_id
from vaultmem.verbs.parts import Parts
from vaultmem.words.frontmatter import Written
from vaultmem.words.life import SOURCES, Grade
from vaultmem.words.links import wikilink
from vaultmem.words.note import Note
from vaultmem.words.safe import defused


def source_of(snapshot: Snapshot, note: Note) -> Source:
    """Return a note as one of those that a parent is made of."""
    facts = snapshot.facts[note.path]
    return Source(
        path=note.path,
        link=wikilink(note.path, note.title),
        title=note.title,
        body=note.body,
        moment=facts.moment,
        since=facts.valid_from,
        type=facts.type,
        importance=facts.importance,
        tags=facts.tags,
        files=facts.files,
    )


def written(
    parts: Parts, scope: str, grade: Grade, parent: Folded, links: Mapping[str, Sequence[str]]
) -> tuple[str, str, str]:
    """Write a parent with its relations, by kind; return its id, path and hash."""
    note_id = fresh_id(parts.sidecar.snapshot)
    keys: dict[str, Written] = {
        "id": note_id,
        "title": parent.title,
        "description": parent.description,
        "type": parent.type,
        "status": "working",
        "source": next(name for name, known in SOURCES.items() if known == grade),
        "importance": parent.importance,
        "tags": list(parent.tags) or None,
        "files": list(parent.files) or None,
        "agent": parts.caller.agent,
        "created": parts.now(),
        "updated": parts.now(),
        "valid_from": parent.since or None,
        **{kind: list(named) for kind, named in links.items()},
    }
    folder = parts.vault.made_scope_folder(scope)
    path, seen = parts.vault.new_note(folder, parent.title, keys, defused(parent.body))
    return note_id, path, seen
