"""Who may read and write which files of a vault: one table for every door.

A grant says which scopes an agent may read and write, and whether it sees the person's own notes.
An agent on this machine has all; one that comes with a token has what its token is bound to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from vaultmem.words.layout import Role
from vaultmem.words.scope import GLOBAL, sees

EVERY = "*"
"""Stands for all scopes where they are named."""


@dataclass(frozen=True)
class Grant:
    """What an agent may see and change; None stands for all scopes."""

    reads: frozenset[str] | None = None
    writes: frozenset[str] | None = None
    own_notes: bool = True

    @property
    def everywhere(self) -> bool:
        """Whether it reads all scopes, and so whatever speaks of all of them."""
        return self.reads is None

    @property
    def home(self) -> str | None:
        """The one project that it reads, None if there is none or there are several."""
        projects = sorted((self.reads or frozenset()) - {GLOBAL})
        return projects[0] if len(projects) == 1 else None


FULL = Grant()


def bound(reads: Iterable[str], writes: Iterable[str], *, own_notes: bool = False) -> Grant:
    """Return the grant of some scopes: what may be written may be read, and the global one too.

    Without the global one an agent would miss what its person wants of every agent.
    """
    may_read, may_write = set(reads), set(writes)
    return Grant(
        None if EVERY in may_read | may_write else frozenset({*may_read, *may_write, GLOBAL}),
        None if EVERY in may_write else frozenset(may_write),
        own_notes,
    )


@dataclass(frozen=True)
class Badge:
    """Who comes with a token, and with what grant."""

    agent: str
    grant: Grant


@dataclass(frozen=True)
class File:
    """A file as the table sees it: what it is, in which scope, and which agent's."""

    role: Role
    scope: str | None = GLOBAL
    """None where it is in no scope, or speaks of all of them."""
    agent: str = ""


class Right(StrEnum):
    """When an agent may do something with a file."""

    SCOPED = "where its grant names the scope"
    ITS_OWN = "its own, where its grant names the scope"
    PEERS = "its own; those of others where its grant names all scopes"
    WHOLE = "where its grant names all scopes; entry by entry where it names their scope"
    OWN_NOTES = "where its grant has own notes"
    NEVER = "never"


@dataclass(frozen=True)
class Rights:
    """When an agent may read a kind of file, and when it may write one."""

    read: Right
    write: Right


TABLE: Mapping[Role, Rights] = {
    Role.MEMORY: Rights(Right.SCOPED, Right.SCOPED),
    Role.PROJECT: Rights(Right.SCOPED, Right.SCOPED),
    Role.DECISIONS: Rights(Right.SCOPED, Right.SCOPED),
    Role.DETAIL: Rights(Right.SCOPED, Right.SCOPED),
    Role.KNOWLEDGE: Rights(Right.SCOPED, Right.SCOPED),
    Role.CATALOGUE: Rights(Right.SCOPED, Right.NEVER),
    Role.LOG: Rights(Right.WHOLE, Right.SCOPED),
    Role.LOG_PAGE: Rights(Right.WHOLE, Right.NEVER),
    Role.CANDIDATE: Rights(Right.ITS_OWN, Right.ITS_OWN),
    Role.CHECKPOINT: Rights(Right.PEERS, Right.ITS_OWN),
    Role.IDENTITY: Rights(Right.PEERS, Right.NEVER),
    Role.TEMPLATE: Rights(Right.OWN_NOTES, Right.NEVER),
    Role.OWN: Rights(Right.OWN_NOTES, Right.NEVER),
}
"""What an agent may do; a person may do all. A catalogue is generated, and an identity is made
once, from a template, whatever the grant is."""


def may_read(grant: Grant, agent: str, file: File) -> bool:
    """Return whether an agent may read a file; only a whole log is told by its entries."""
    return _may(TABLE[file.role].read, grant, agent, file, grant.reads)


def may_write(grant: Grant, agent: str, file: File) -> bool:
    """Return whether an agent may write a file."""
    return _may(TABLE[file.role].write, grant, agent, file, grant.writes)


def names(scopes: frozenset[str] | None, scope: str | None) -> bool:
    """Return whether some scopes of a grant include one; no scope at all means all of them."""
    if scopes is None:
        return True
    if scope is None:
        return False
    return scope in scopes or any(sees(known, scope) for known in scopes if known and scope)


def _may(right: Right, grant: Grant, agent: str, file: File, scopes: frozenset[str] | None) -> bool:
    if right == Right.SCOPED:
        return names(scopes, file.scope)
    if right == Right.ITS_OWN:
        return file.agent == agent and names(scopes, file.scope)
    if right == Right.PEERS:
        return file.agent == agent or grant.everywhere
    if right == Right.WHOLE:
        return grant.everywhere
    return right == Right.OWN_NOTES and grant.own_notes
