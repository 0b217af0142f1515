"""The house: opens a vault, builds every part once, and hands them to each other."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.vault import settings as settings_of
from vaultmem.vault.calls import Calls
from vaultmem.vault.ledger import Ledger
from vaultmem.vault.livelog import LiveLog
from vaultmem.vault.locks import Lock
from vaultmem.vault.readers import Readers
from vaultmem.vault.settings import Settings
from vaultmem.vault.store import Vault
from vaultmem.vault.tokens import Tokens
from vaultmem.verbs import init as inits
from vaultmem.verbs import scopes
from vaultmem.verbs.menu.agents import AgentVerbs
from vaultmem.verbs.menu.history import HistoryVerbs
from vaultmem.verbs.menu.knowledge import KnowledgeVerbs
from vaultmem.verbs.menu.life import LifeVerbs
from vaultmem.verbs.menu.links import LinkVerbs
from vaultmem.verbs.menu.log import LogVerbs
from vaultmem.verbs.menu.merging import MergeVerbs
from vaultmem.verbs.menu.moving import MovingVerbs
from vaultmem.verbs.menu.notes import NoteVerbs
from vaultmem.verbs.menu.outdoors import connector, hook_call, laid_ground, merge_files, prove
from vaultmem.verbs.menu.review import ReviewVerbs
from vaultmem.verbs.menu.upkeep import UpkeepVerbs
from vaultmem.verbs.parts import Caller, Once, Parts
from vaultmem.words.access import Badge
from vaultmem.words.briefing import Brief
from vaultmem.words.connecting import ConnectWish
from vaultmem.words.hit import Answer, Receipt
from vaultmem.words.moving import Brought, Exported, ExportWish, ImportWish
from vaultmem.words.question import Question
from vaultmem.words.scope import clean
from vaultmem.words.sleeping import SleepWish
from vaultmem.words.telling import Telling
from vaultmem.words.times import Clock, system_clock
from vaultmem.words.wish import Wish

if TYPE_CHECKING:
    from vaultmem.documents.access import Access
    from vaultmem.sidecar.meaning import Meaning
    from vaultmem.sidecar.refresh import Refreshed as Refreshed
    from vaultmem.sidecar.seams import Embedder, Reranker
    from vaultmem.sidecar.sidecar import Sidecar
    from vaultmem.vault.tokens import Bound as Bound
    from vaultmem.verbs.approving import Approved as Approved
    from vaultmem.verbs.archive import Retired as Retired
    from vaultmem.verbs.checking import Proof as Proof
    from vaultmem.verbs.connect import Connected as Connected
    from vaultmem.verbs.connect import Connector as Connector
    from vaultmem.verbs.connect import FileChange as FileChange
    from vaultmem.verbs.damages.table import Finding as Finding
    from vaultmem.verbs.deciding import Decided as Decided
    from vaultmem.verbs.doctor import Report as Report
    from vaultmem.verbs.erase import Erased as Erased
    from vaultmem.verbs.forget import Forgotten as Forgotten
    from vaultmem.verbs.forget import Listed as Listed
    from vaultmem.verbs.goals import Goal as Goal
    from vaultmem.verbs.history import Version as Version
    from vaultmem.verbs.listen import Heard as Heard
    from vaultmem.verbs.living import Strength as Strength
    from vaultmem.verbs.relate import Graph as Graph
    from vaultmem.verbs.related import Astray as Astray
    from vaultmem.verbs.repairing import Repaired as Repaired
    from vaultmem.verbs.retain import Retained as Retained
    from vaultmem.verbs.reverting import Reverted as Reverted
    from vaultmem.verbs.review import Queue as Queue
    from vaultmem.verbs.review import Shown as Shown
    from vaultmem.verbs.review import Waiting as Waiting
    from vaultmem.verbs.review_git import Step as Step
    from vaultmem.verbs.sleep import Slept as Slept
    from vaultmem.verbs.tell import Told as Told
    from vaultmem.verbs.undoing import Undone as Undone
    from vaultmem.verbs.unmerged import Resolved as Resolved
    from vaultmem.words.changes import Change as Change

__all__ = [
    "Answer",
    "Brief",
    "Brought",
    "Caller",
    "ConnectWish",
    "ExportWish",
    "Exported",
    "ImportWish",
    "Made",
    "Memory",
    "Question",
    "Receipt",
    "SleepWish",
    "Telling",
    "Wish",
    "connector",
    "found_vault",
    "hook_call",
    "in_git",
    "init_vault",
    "is_adoption",
    "laid_ground",
    "merge_files",
    "prove",
]

found_vault = settings_of.found_vault
init_vault = inits.init
is_adoption = inits.is_adoption
in_git = inits.in_git
Made = inits.Made


class Memory(
    NoteVerbs,
    LifeVerbs,
    LinkVerbs,
    ReviewVerbs,
    LogVerbs,
    MovingVerbs,
    UpkeepVerbs,
    HistoryVerbs,
    AgentVerbs,
    KnowledgeVerbs,
    MergeVerbs,
):
    """One vault's memory, for one caller. Safe between threads, and beside other processes."""

    def __init__(
        self, settings: Settings, caller: Caller, clock: Clock, model: Embedder | None = None
    ) -> None:
        self.settings = settings
        lock = Lock(settings.root, settings.state)
        vault = Vault(settings.root, settings.config, lock)
        ledger = Ledger(settings.state / "ledger.db")
        vault.graves = ledger.graves
        log = LiveLog(vault, ledger, Readers(ledger), clock)
        calls = Calls(settings.state / "calls")
        sidecar = Once(lambda: _sidecar(settings, vault, ledger))
        meaning = Once(lambda: _meaning(settings, vault, sidecar(), model))
        reranker = Once(lambda: _reranker(settings))
        git = Once(lambda: settings_of.person().git)
        access = Once(lambda: _access(settings, caller))
        shelf = Once(lambda: _shelf(settings, self._parts))
        on_shelf = partial(settings_of.has_shelf, settings)
        made = (sidecar, meaning, reranker, access, shelf, on_shelf, git)
        self._parts = Parts(vault, ledger, log, calls, Tokens(ledger), clock, caller, *made)

    @classmethod
    def open(
        cls,
        vault: str = "",
        *,
        agent: str = "",
        channel: str = "cli",
        session: str = "",
        scope: str | None = None,
        person: bool = False,
        shared: bool = False,
        cwd: Path | None = None,
        clock: Clock = system_clock,
        model: Embedder | None = None,
    ) -> Memory:
        """Return the memory of a vault; see the README for how the vault and the scope are found.

        A memory that is `shared` serves callers elsewhere: the working directory says nothing.

        Raises:
            NoVault: there is none. ConfigError: its settings cannot be used. DiskFailed.
        """
        from vaultmem.words.entry import name

        here = cwd or Path.cwd()
        settings = settings_of.load(settings_of.found_vault(vault, here), here)
        agent = name(agent or settings.agent or "agent", "an agent")
        folder = None if shared else here
        caller = Caller(agent, name(channel, "a channel"), person=person, folder=folder)
        memory = cls(settings, caller, clock, model)
        said = scope if scope is not None else settings.scope
        ledger = memory._parts.ledger
        found = None if said is None else clean(said)
        if said is None and not shared:
            found = scopes.scope_of_folder(here, ledger, settings.root)
        known = session or settings.session or f"{agent}-{channel}"
        return memory.called(scope=found, session=known)

    def called(
        self, *, agent: str | None = None, session: str | None = None, scope: str | None = None
    ) -> Memory:
        """Return this memory as another caller sees it; the parts are shared."""
        caller = self._parts.caller
        changed = replace(
            caller,
            agent=agent or caller.agent,
            session=session or caller.session,
            scope=caller.scope if scope is None else self.vault.canonical(scope),
        )
        return self.seen_by(changed)

    def admitted(self, badge: Badge, session: str) -> Memory:
        """Return this memory as the bearer of a token sees it, locked to its only project."""
        home = badge.grant.home if self.caller.scope is None else None
        other = self.called(agent=badge.agent, session=session, scope=home)
        return self.seen_by(replace(other.caller, grant=badge.grant, person=False))

    def seen_by(self, caller: Caller) -> Memory:
        """Return this memory as a caller sees it; the parts are shared."""
        other = object.__new__(Memory)
        other.settings = self.settings
        other._parts = replace(self._parts, caller=caller)
        return other

    @property
    def caller(self) -> Caller:
        """Who is asking."""
        return self._parts.caller

    @property
    def vault(self) -> Vault:
        """The vault."""
        return self._parts.vault

    @cached_property
    def log(self) -> LiveLog:
        """The live log."""
        return self._parts.log

    def close(self) -> None:
        """Let go of every file."""
        if self._parts.made_sidecar.made:
            self._parts.sidecar.close()
        if self._parts.made_shelf.made:
            self._parts.shelf.sidecar.close()
        self._parts.ledger.close()


def _sidecar(settings: Settings, vault: Vault, ledger: Ledger) -> Sidecar:
    from vaultmem.sidecar.sidecar import Sidecar

    sidecar = Sidecar(settings.sidecar, vault)
    sidecar.moved = ledger.moved
    return sidecar


def _shelf(settings: Settings, parts: Parts) -> Parts:
    from vaultmem.sidecar.meaning import Meaning

    own = settings_of.shelf(settings)
    vault = Vault(own.root, own.config, Lock(own.root, own.state))
    sidecar = Once(lambda: _sidecar(own, vault, parts.ledger))
    meaning = Once(lambda: Meaning(own.sidecar, vault, sidecar(), parts.meaning.model))
    return replace(parts, vault=vault, made_sidecar=sidecar, made_meaning=meaning)


def _access(settings: Settings, caller: Caller) -> Access:
    from vaultmem.documents.access import stated

    return stated(settings_of.person(), settings.root, caller.folder)


def _meaning(settings: Settings, vault: Vault, sidecar: Sidecar, model: Embedder | None) -> Meaning:
    from vaultmem.sidecar import models
    from vaultmem.sidecar.meaning import Meaning

    used = model or models.chosen(settings_of.person(), settings.state.parent / "models")
    return Meaning(settings.sidecar, vault, sidecar, used)


def _reranker(settings: Settings) -> Reranker | None:
    from vaultmem.sidecar.reranker import chosen_reranker

    return chosen_reranker(settings_of.person(), settings.state.parent / "models")
