"""What is worth remembering of a note without its text: all that lists and rankings need."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.words import links
from vaultmem.words.layout import SEARCHED, Role
from vaultmem.words.life import Grade
from vaultmem.words.note import Note

_DEFAULT_GRADES = {
    Role.MEMORY: Grade.APPROVED,
    Role.OWN: Grade.IMPORTED,
    Role.KNOWLEDGE: Grade.OUTSIDE,
}


_LINKING = SEARCHED - {Role.LOG}
"""The roles whose links count; a catalogue's are made from the notes, a log's are many."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One note as lists and rankings see it."""

    path: str
    role: Role
    hash: str = ""
    id: str = ""
    title: str = ""
    description: str = ""
    type: str = "insight"
    status: str = "working"
    grade: Grade = Grade.APPROVED
    importance: float = 0.6
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    agent: str = ""
    created: str = ""
    updated: str = ""
    valid_from: str = ""
    valid_until: str = ""
    pinned: bool = False
    retracted: bool = False
    scope: str | None = None
    """What the property `scope` says: of a catalogue, a candidate, a source; else None."""
    relations: tuple[tuple[str, str], ...] = ()
    """Typed relations and plain links as pairs of kind and link target."""
    oddities: tuple[str, ...] = ()
    origin: str = ""
    """Of a source: the file, the address or the key that it was taken from."""
    fetched: str = ""
    """Of a source: when."""
    session: str = ""
    """The one session that may see it; empty for all."""
    broken: bool = False
    """Whether its properties cannot be read; such a note counts as inferred, and as a person's."""

    @property
    def trusted(self) -> bool:
        """Whether a person stands behind it, and it is in use."""
        return self.grade == Grade.APPROVED and self.status == "working"

    @property
    def moment(self) -> str:
        """When it became true; of a note that does not say, when it was written."""
        return self.valid_from or self.created

    @property
    def name(self) -> str:
        """What the note is called by: its id, or its path where it has none."""
        return self.id or self.path


def facts_of(note: Note, role: Role) -> Facts:
    """Return the facts of a note that stands at its path in a given role."""
    default = _DEFAULT_GRADES.get(role, Grade.CONFIRMED)
    grade = note.grade(default) if role in _DEFAULT_GRADES else default
    waits = role == Role.CANDIDATE
    grade = min(grade, Grade.INFERRED) if note.broken or waits else grade
    grade = Grade.OUTSIDE if role == Role.KNOWLEDGE else grade  # whatever it says of itself
    importance = note.importance
    scoped = role in (Role.CATALOGUE, Role.CANDIDATE, Role.KNOWLEDGE, Role.DETAIL)
    keys = {key.casefold() for key in note.properties}
    return Facts(
        path=note.path,
        role=role,
        hash=note.hash,
        id=note.id,
        title=note.title,
        description=note.text("description")[:1000],
        type=note.type,
        status=_status(note.status, role, grade),
        grade=grade,
        importance=_default_importance(grade) if importance is None else importance,
        tags=note.tags,
        files=note.texts("files"),
        aliases=note.texts("aliases"),
        agent=note.text("agent"),
        created=note.text("created"),
        updated=note.text("updated"),
        valid_from=note.text("valid_from"),
        valid_until=note.text("valid_until"),
        pinned=note.pinned,
        retracted=bool(note.text("retracted")),
        scope=note.text("scope") if scoped and "scope" in keys else None,
        relations=_relations(note) if role in _LINKING else (),
        oddities=note.oddities,
        origin=note.text("origin") if role == Role.KNOWLEDGE else "",
        fetched=note.text("fetched") if role == Role.KNOWLEDGE else "",
        session=note.text("session") if role == Role.KNOWLEDGE else "",
        broken=note.broken,
    )


def _status(written: str, role: Role, grade: Grade) -> str:
    """Return what a status means where it stands: a candidate waits, and a memory that is approved
    works.
    """
    if role == Role.CANDIDATE and written == "working":
        return "pending"
    if role == Role.MEMORY and written == "approved" and grade == Grade.APPROVED:
        return "working"
    return written


def _default_importance(grade: Grade) -> float:
    return 0.4 if grade == Grade.INFERRED else 0.6


def _relations(note: Note) -> tuple[tuple[str, str], ...]:
    """Return typed relations first, then the plain links of the body, each pair once."""
    pairs: dict[tuple[str, str], None] = {}
    for kind, text in note.relations:
        link = links.in_value(text)
        if link and link.target:
            pairs[kind, link.target] = None
    for link in links.in_text(note.body):
        if link.target:
            pairs["related_to", link.target] = None
    return tuple(pairs)[:2000]
