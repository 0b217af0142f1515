"""Connecting an agent's host: our part goes into its files, and comes out again."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from vaultmem.hosts import record as records
from vaultmem.hosts.entries import Entry, Launch
from vaultmem.hosts.jsontext import Unfit
from vaultmem.hosts.pieces import Piece, pieces, plugin_of, snippet
from vaultmem.hosts.places import Machine
from vaultmem.hosts.record import Kept, Record
from vaultmem.hosts.table import HOSTS, PROJECT, USER, Host
from vaultmem.vault import files, place
from vaultmem.words.connecting import ConnectWish
from vaultmem.words.errors import BadInput, NotFound, OutsideVault, Refused

_VARIABLE = re.compile(r"(?!vm_)[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class FileChange:
    """One file as it was and as it is; None where it is not there."""

    file: Path
    old: str | None
    new: str | None


@dataclass(frozen=True)
class Untouched:
    """A file that was left as it is, why, and what to paste into it."""

    file: Path
    why: str
    paste: str = ""


@dataclass(frozen=True)
class Connected:
    """What was done to a host's files, and what a person still has to do."""

    host: str
    changes: tuple[FileChange, ...] = ()
    untouched: tuple[Untouched, ...] = ()
    steps: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True)
class Connector:
    """What connecting needs of this machine; `kept` is the folder of what was put where."""

    machine: Machine
    kept: Path

    def connect(self, wish: ConnectWish, vault: Path | None) -> Connected:
        """Put our part into a host's files.

        A file that cannot be changed safely stays as it is, beside the others.

        Raises:
            BadInput: there is no such host, or it cannot be reached so. Refused: it is not
            installed here. ChangedOnDisk, DiskFailed.
        """
        host, level = self._host(wish)
        if not wish.force:
            self._installed(host)
        known = {record.file: record for record in self._known(host, level)}
        parts, steps = self._parts(host, level, wish, vault, known)
        changes: list[FileChange] = []
        untouched: list[Untouched] = []
        for file in dict.fromkeys(piece.file for piece in parts):
            mine = [piece for piece in parts if piece.file == file]
            try:
                old = read(file)
                before = known.get(file) or Record(file, tuple(Kept(piece) for piece in mine))
                found = records.fitted(file, old, mine, before)
                if found:
                    base = records.undone(old, before) if old is not None else None
                    changes.append(FileChange(file, old, records.text_of(found, base)))
                    folders = before.folders or _missing(file)
                    known[file] = replace(found, folders=folders)
            except Unfit as why:
                paste = "\n".join(dict.fromkeys(snippet(piece) for piece in mine))
                untouched.append(Untouched(file, str(why), paste))
        if changes and not wish.dry_run:
            self._keep(host, level, known.values())
            for change in changes:
                write(change)
        left = steps if changes or untouched else ()
        return Connected(host.name, tuple(changes), tuple(untouched), left, wish.dry_run)

    def disconnect(self, wish: ConnectWish) -> Connected:
        """Take our part out of a host's files; a file that nobody changed since is what it was.

        Raises:
            BadInput: there is no such host. ChangedOnDisk, DiskFailed.
        """
        host, level = self._host(wish)
        known = self._known(host, level) or self._likely(host, level)
        changes: list[FileChange] = []
        untouched: list[Untouched] = []
        for record in known:
            try:
                old = read(record.file)
                new = records.undone(old, record) if old is not None else None
            except Unfit as why:
                untouched.append(Untouched(record.file, str(why)))
                continue
            if new != old:
                changes.append(FileChange(record.file, old, new))
            elif old is not None and record.kept[0].piece.form == "own" and record.after:
                untouched.append(Untouched(record.file, "it was changed since, so it is yours"))
        if not wish.dry_run:
            for change in changes:
                write(change)
            for record in known:
                remove_folders(record.folders)
            self._keep(host, level, ())
        return Connected(host.name, tuple(changes), tuple(untouched), (), wish.dry_run)

    def pieces(self, wish: ConnectWish) -> list[Piece]:
        """Return what was put into the host's files; raises `BadInput`: there is no such host."""
        host, level = self._host(wish)
        return [kept.piece for record in self._known(host, level) for kept in record.kept]

    def _host(self, wish: ConnectWish) -> tuple[Host, str]:
        host = HOSTS.get(wish.host)
        if host is None:
            raise BadInput(f"There is no host {wish.host!r}. Name one of: {', '.join(HOSTS)}.")
        level = PROJECT if wish.project else USER
        if level not in host.files:
            raise BadInput(f"{host.title} has no settings of a project. Leave --project out.")
        return host, level

    def _installed(self, host: Host) -> None:
        path = self.machine.environ.get("PATH")
        places = [place for sign in host.signs if (place := self.machine.place(sign))]
        if host.program and shutil.which(host.program, path=path):
            return
        if any(place.exists() for place in places):
            return
        looked = [f"command `{host.program}`"] if host.program else []
        looked += [str(place) for place in places]
        raise Refused(
            f"{host.title} does not seem to be installed: there is no {' and no '.join(looked)}. "
            "Install it first, or write its files all the same with --force."
        )

    def _parts(
        self,
        host: Host,
        level: str,
        wish: ConnectWish,
        vault: Path | None,
        known: Mapping[Path, Record],
    ) -> tuple[list[Piece], tuple[str, ...]]:
        """Return our plugin for a host, else its entry and hooks; and what is left to a person."""
        entry, hook = self._started(host, wish, vault)
        usual = list(pieces(host, self.machine, level, entry, hook))
        if hook is None:
            token = f"Put the agent's token into {wish.token_env}, a variable of the environment."
            return usual, (token, *host.steps)
        who = wish.agent or host.agent
        plugin = plugin_of(host, self.machine, program(), who, str(vault))
        taken = next((piece for piece in plugin if _taken(piece, known)), None)
        if taken:
            keys = ".".join(taken.keys)
            free = f"`{keys}` is something else's; free it and connect again for our plugin."
            return usual, (*host.steps, free)
        return plugin or usual, host.steps

    def _started(
        self, host: Host, wish: ConnectWish, vault: Path | None
    ) -> tuple[Entry, Launch | None]:
        """Return the server's entry, and how hooks are called if the vault is on this machine."""
        if wish.http:
            return _elsewhere(host, wish), None
        assert vault is not None
        command, *before = program()
        agent = wish.agent or host.agent
        who = ("--vault", str(vault), "--agent", agent)
        folder = ("--folder", host.folder) if host.folder else ()
        server = Launch(command, (*before, "mcp", *who, *folder))
        hook = Launch(command, (*before, "hook", host.name, "{event}", *who))
        return host.stdio(server), hook

    def _name(self, host: Host, level: str) -> str:
        where = records.hashed(str(self.machine.project))[:16] if level == PROJECT else USER
        return f"{host.name}-{where}.json"

    def _known(self, host: Host, level: str) -> list[Record]:
        return records.from_json(read(self.kept / self._name(host, level)) or "[]")

    def _likely(self, host: Host, level: str) -> list[Record]:
        """Return where our part would be, for when nothing is known of it."""
        hook = Launch("vaultmem", ("hook",))
        parts = list(pieces(host, self.machine, level, {}, hook))
        return [
            Record(file, tuple(Kept(p) for p in parts if p.file == file))
            for file in dict.fromkeys(piece.file for piece in parts)
        ]

    def _keep(self, host: Host, level: str, known: Iterable[Record]) -> None:
        path = self.kept / self._name(host, level)
        text = records.as_json(list(known)) if known else None
        if (old := read(path)) != text:
            write(FileChange(path, old, text))


def _elsewhere(host: Host, wish: ConnectWish) -> Entry:
    """Return the entry of a server that is reached over HTTP."""
    if host.http is None:
        raise BadInput(f"{host.title} reaches no server over HTTP. Leave --http out.")
    if not wish.http.startswith(("http://", "https://")):
        raise BadInput(f"{wish.http} is no address: begin it with http:// or https://.")
    if not _VARIABLE.fullmatch(wish.token_env):
        raise BadInput("--token-env names a variable, such as VAULTMEM_TOKEN, and not the token.")
    return host.http(wish.http, wish.token_env)


def _taken(piece: Piece, known: Mapping[Path, Record]) -> bool:
    """Return whether a setting that a plugin needs is there and is not ours."""
    if piece.form == "own":
        return False
    try:
        old = read(piece.file)
        before = known.get(piece.file) or Record(piece.file)
        return old is not None and records.known_state(piece, old, before) == "foreign"
    except Unfit:
        return False


def program() -> list[str]:
    """Return the words that start vaultmem from anywhere, the program by its whole path."""
    name = "vaultmem.exe" if sys.platform == "win32" else "vaultmem"
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which("vaultmem")
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "vaultmem"]


def read(file: Path) -> str | None:
    """Return a file's text, None if there is no file; raises `Unfit` if it is no text."""
    try:
        real = file.resolve()
        return files.read(real.parent, real.name).decode("utf-8")
    except NotFound:
        return None
    except (OutsideVault, RuntimeError):
        raise Unfit("it is no regular file") from None
    except UnicodeDecodeError:
        raise Unfit("it is not UTF-8") from None


def write(change: FileChange) -> None:
    """Make a file what it should be, whole or not at all; a link stays, its target is written.

    Raises:
        ChangedOnDisk: it is another file now. DiskFailed.
    """
    real = change.file.resolve()
    if change.new is None:
        if change.old is not None:
            files.remove(real.parent, real.name, seen=records.hashed(change.old))
    elif change.old is None:
        root = next(folder for folder in real.parents if folder.exists())
        files.create(root, real.relative_to(root).as_posix(), change.new.encode())
    else:
        seen = records.hashed(change.old)
        files.replace(real.parent, real.name, change.new.encode(), seen=seen)


def remove_folders(folders: Iterable[str]) -> None:
    """Remove folders that were made and are empty, the innermost first."""
    for folder in reversed(list(folders)):
        with suppress(OSError):
            place.remove_folder(Path(folder))


def _missing(file: Path) -> tuple[str, ...]:
    real = file.resolve()
    return tuple(str(folder) for folder in reversed(real.parents) if not folder.exists())
