"""What a wish asks for once it is checked: the note as far as the wish says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vaultmem.verbs.choosing import found
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.relations import Relation, by_kind, knowing, reasons, relation, with_findings
from vaultmem.verbs.scopes import commit_of
from vaultmem.words.checks import checked, first_sentence
from vaultmem.words.frontmatter import Written
from vaultmem.words.note import Note
from vaultmem.words.wish import Wish


@dataclass(frozen=True)
class Draft:
    """What a wish asks for, checked."""

    wish: Wish
    keys: Mapping[str, Written] = field(hash=False)
    body: str | None
    """None where the body of a note that is there stays."""
    relations: tuple[Relation, ...] = ()

    def text(self, instead: str = "") -> str:
        """Return the body, `instead` where there is none, with the reasons of its relations."""
        body = instead if self.body is None else self.body
        return "\n\n".join([body.rstrip(), *reasons(self.relations)]) + "\n"

    @property
    def about(self) -> str:
        """The description of a new note: its own, or its first sentence."""
        return str(self.keys.get("description", first_sentence(self.body or "")))

    def changing(self, note: Note) -> dict[str, Written]:
        """Return the properties of a note that it changes.

        Relations are added to those it has; a description that was its first sentence stays that.
        """
        keys = dict(self.keys)
        for kind, links in by_kind(self.relations).items():
            has = note.texts(kind)
            keys[kind] = [*has, *(link for link in links if link not in has)]
        if self.body is not None and note.text("description") == first_sentence(note.body):
            keys.setdefault("description", first_sentence(self.body))
        return keys


def drafted(parts: Parts, wish: Wish) -> Draft:
    """Return what a wish asks for; raises as `memorize` does. The sidecar is fresh afterwards."""
    keys, body = checked(wish)
    if keys.get("files"):
        keys["commit"] = commit_of(parts.caller.folder, parts.vault.root)
    parts.sidecar.refresh(trust=True)
    relations = with_findings(parts, [relation(parts, text) for text in wish.relates])
    if relations:
        relations = knowing(parts, relations, found(parts, wish.id) if wish.id else "")
    return Draft(wish, keys, body, relations)


_ORDER = (
    "id",
    "title",
    "description",
    "type",
    "status",
    "source",
    "importance",
    "tags",
    "files",
    "commit",
    "agent",
    "scope",
    "quote",
    "why",
    "seen",
    "changes",
    "base",
    "created",
    "updated",
    "valid_from",
    "valid_until",
)


def ordered(keys: Mapping[str, Written], relations: tuple[Relation, ...]) -> dict[str, Written]:
    """Return properties in the order in which a note holds them, relations last."""
    return {**{key: keys.get(key) for key in _ORDER}, **by_kind(relations)}
