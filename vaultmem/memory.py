"""The house: opens a vault, builds every part once, and hands them to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.vault import settings as settings_of
from vaultmem.vault.ledger import Ledger
from vaultmem.vault.livelog import Fault, LiveLog
from vaultmem.vault.locks import Lock
from vaultmem.vault.settings import Settings
from vaultmem.vault.store import Vault
from vaultmem.verbs import brief as briefs
from vaultmem.verbs import init as inits
from vaultmem.verbs import listen, scopes
from vaultmem.verbs.parts import Caller, Once, Parts
from vaultmem.words.entry import Entry
from vaultmem.words.facts import Facts
from vaultmem.words.hit import Answer, Receipt
from vaultmem.words.note import Note
from vaultmem.words.question import Question
from vaultmem.words.scope import clean
from vaultmem.words.telling import Telling
from vaultmem.words.times import Clock, system_clock
from vaultmem.words.wish import Wish

if TYPE_CHECKING:
    from vaultmem.sidecar.meaning import Meaning
    from vaultmem.sidecar.refresh import Refreshed as Refreshed
    from vaultmem.sidecar.seams import Embedder, Reranker
    from vaultmem.sidecar.sidecar import Progress, Sidecar
    from vaultmem.sidecar.watch import Watch
    from vaultmem.verbs.doctor import Report as Report
    from vaultmem.verbs.forget import Erased as Erased
    from vaultmem.verbs.forget import Forgotten as Forgotten
    from vaultmem.verbs.forget import Listed as Listed
    from vaultmem.verbs.tell import Told as Told

__all__ = [
    "Answer",
    "Brief",
    "Caller",
    "Made",
    "Memory",
    "Question",
    "Receipt",
    "Telling",
    "Wish",
    "init_vault",
    "is_adoption",
]

Brief = briefs.Brief
init_vault = inits.init
is_adoption = inits.is_adoption
Made = inits.Made


class Memory:
    """One vault's memory, for one caller. Safe between threads, and beside other processes."""

    def __init__(
        self, settings: Settings, caller: Caller, clock: Clock, model: Embedder | None = None
    ) -> None:
        self.settings = settings
        lock = Lock(settings.root, settings.state)
        vault = Vault(settings.root, settings.config, lock)
        ledger = Ledger(settings.state / "ledger.db")
        log = LiveLog(vault, ledger, clock)
        sidecar = Once(lambda: _sidecar(settings, vault))
        meaning = Once(lambda: _meaning(settings, vault, sidecar(), model))
        reranker = Once(lambda: _reranker(settings))
        self._parts = Parts(vault, ledger, log, clock, caller, sidecar, meaning, reranker)

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
        cwd: Path | None = None,
        clock: Clock = system_clock,
        model: Embedder | None = None,
    ) -> Memory:
        """Return the memory of a vault; see the README for how the vault and the scope are found.

        Raises:
            NoVault: there is none. ConfigError: its settings cannot be used. DiskFailed.
        """
        from vaultmem.words.entry import name

        here = cwd or Path.cwd()
        settings = settings_of.load(settings_of.found_vault(vault, here), here)
        agent = name(agent or settings.agent or "agent", "an agent")
        caller = Caller(agent, name(channel, "a channel"), person=person)
        memory = cls(settings, caller, clock, model)
        said = scope if scope is not None else settings.scope
        ledger = memory._parts.ledger
        found = scopes.scope_of_folder(here, ledger, settings.root) if said is None else clean(said)
        known = session or settings.session or f"{agent}-{channel}"
        return memory.called(scope=found, session=known)

    def called(
        self,
        *,
        agent: str | None = None,
        session: str | None = None,
        scope: str | None = None,
    ) -> Memory:
        """Return this memory as another caller sees it; the parts are shared."""
        other = object.__new__(Memory)
        other.settings = self.settings
        caller = self._parts.caller
        changed = replace(
            caller,
            agent=agent or caller.agent,
            session=session or caller.session,
            scope=caller.scope if scope is None else self.vault.canonical(scope),
        )
        other._parts = replace(self._parts, caller=changed)
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

    def remember(self, question: Question) -> Answer:
        """Return the notes that answer a question, best first."""
        from vaultmem.verbs.remember import remember

        return remember(self._parts, question)

    def memorize(self, wish: Wish) -> Receipt:
        """Write a new note, or change the one that the wish names."""
        from vaultmem.verbs.memorize import memorize

        return memorize(self._parts, wish)

    def brief(self, about: str = "", budget: int = 0) -> briefs.Brief:
        """Return what an agent reads at the start of a session."""
        return briefs.brief(self._parts, about, budget)

    def get(self, ref: str) -> tuple[Facts, Note]:
        """Return a note and its facts, by id, path, title, alias or `[[wikilink]]`."""
        from vaultmem.verbs.listing import get

        return get(self._parts, ref)

    def listing(self, question: Question, *, status: str = "") -> list[tuple[str, str, Facts]]:
        """Return name, scope and facts of the memories that fit, newest first."""
        from vaultmem.verbs.listing import listing

        return listing(self._parts, question, status)

    def matching(self, question: Question) -> list[Listed]:
        """Return what `forget` would take for a query. Nothing is changed."""
        from vaultmem.verbs.forget import matching

        return matching(self._parts, question)

    def forget(self, refs: Sequence[str]) -> list[Forgotten]:
        """Move memories into the trash."""
        from vaultmem.verbs.forget import forget

        return forget(self._parts, refs)

    def restore(self, ref: str) -> str:
        """Bring a note back from the trash and return its path."""
        from vaultmem.verbs.forget import restore

        return restore(self._parts, ref)

    def erase(self, ref: str) -> Erased:
        """Remove a note for good, from every derived place too."""
        from vaultmem.verbs.forget import erase

        return erase(self._parts, ref)

    def tell(self, telling: Telling) -> Told:
        """Append an entry to the live log."""
        from vaultmem.verbs.tell import tell

        return tell(self._parts, telling)

    def read_log(self, budget: int = listen.READ_TOKENS) -> tuple[list[Entry], int]:
        """Return unread entries of others, and how many more there are."""
        return listen.read(self._parts, budget)

    def unread(self) -> int:
        """Return how many entries of others this session has not been given."""
        return listen.unread(self._parts)

    def recent(self, count: int = 50) -> list[Entry]:
        """Return the newest log entries that this caller may see, oldest first."""
        return listen.recent(self._parts, count)

    def verify_log(self) -> list[Fault]:
        """Return every log entry that is not as it was written."""
        return self._parts.log.verify()

    def introduce(self) -> str:
        """Make sure that this agent has an identity file; return its path."""
        from vaultmem.verbs.tell import introduce

        return introduce(self._parts)

    def refresh(
        self, progress: Progress | None = None, *, embed: bool = True, rebuild: bool = False
    ) -> Refreshed:
        """Make sidecar and catalogues equal to the notes; then embed what has no vector."""
        from vaultmem.verbs.freshen import freshen

        return freshen(self._parts, progress, embed=embed, rebuild=rebuild)

    def watch(self, changed: Callable[[Refreshed], None] | None = None) -> Watch:
        """Return a watcher that keeps sidecar and catalogues fresh once it is started."""
        from vaultmem.sidecar.watch import Watch

        return Watch(self.settings.root, lambda: self.refresh(embed=False), changed)

    def keep_fresh(self) -> None:
        """Start a watcher that vouches for the sidecar and embeds what is new in the background."""
        watcher = self.watch(self._embed_many)
        self._parts.sidecar.vouched = lambda: watcher.vouches
        watcher.start()

    def _embed_many(self, done: Refreshed) -> None:
        """Embed in the background what a question would not wait for."""
        from vaultmem.verbs.gathering import too_many

        del done
        if too_many(self._parts):
            self._parts.meaning.embed()

    def doctor(self) -> Report:
        """Return a report on the whole: notes, links, log, sidecar, git."""
        from vaultmem.verbs.doctor import doctor

        return doctor(self._parts)

    def scopes(self) -> list[str]:
        """Return every scope of the vault that has a folder."""
        return sorted(set(self.vault.scope_folders().values()))

    def bindings(self) -> dict[str, str]:
        """Return the folders of this machine that are bound to a scope."""
        return self._parts.ledger.bindings()

    def bind(self, folder: Path, name: str = "") -> str:
        """Bind a folder to a scope and return the scope it got."""
        return scopes.bind(folder, self._parts.ledger, name)

    def unbind(self, folder: Path) -> None:
        """Take back the binding of a folder."""
        scopes.unbind(folder, self._parts.ledger)

    def close(self) -> None:
        """Let go of every file."""
        if self._parts.made_sidecar.made:
            self._parts.sidecar.close()


def _sidecar(settings: Settings, vault: Vault) -> Sidecar:
    from vaultmem.sidecar.sidecar import Sidecar

    return Sidecar(settings.sidecar, vault)


def _meaning(settings: Settings, vault: Vault, sidecar: Sidecar, model: Embedder | None) -> Meaning:
    from vaultmem.sidecar import models
    from vaultmem.sidecar.meaning import Meaning

    used = model or models.chosen(settings_of.person(), settings.state.parent / "models")
    return Meaning(settings.sidecar, vault, sidecar, used)


def _reranker(settings: Settings) -> Reranker | None:
    from vaultmem.sidecar.reranker import chosen_reranker

    return chosen_reranker(settings_of.person(), settings.state.parent / "models")
