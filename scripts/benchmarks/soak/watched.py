"""A vault under a running server that is asked all the while, and its index beside a new one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import corpus, vaults
from benchmarks.measure import Row, at_most, in_child, none
from benchmarks.switches import Asked, counted

SECONDS = 15.0
PATIENCE = 60.0


def held(root: str, folder: str) -> Any:
    """Return all that a sidecar holds: the one a server keeps, or a new one made in a folder."""
    from vaultmem.sidecar.proof import export
    from vaultmem.sidecar.sidecar import Sidecar

    sidecar = Sidecar(*_parts(root, folder))
    if folder:
        sidecar.refresh()
    found = export(sidecar)
    sidecar.close()
    return found


def differing(root: str, folder: str) -> list[str]:
    """Return in which parts the index that a server keeps differs from one made in a folder."""
    now, fresh = held(root, ""), held(root, folder)
    return [part for part in fresh if now[part] != fresh[part]]


def hashes(root: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the hash of each note as it is indexed, and as it lies on the disk."""
    from vaultmem.sidecar.manifest import Manifest
    from vaultmem.vault import files
    from vaultmem.words.errors import NoVault

    place, vault = _parts(root, "")
    manifest = Manifest(place / "manifest.db")  # without the lock, which a refresh holds for long
    known = {path: kept.hash for path, kept in manifest.files().items()}
    manifest.close()
    try:
        there = {path: files.fingerprint(vault.root, path) for path in vault.scan().notes}
    except NoVault:
        there = {}
    return known, there


def _parts(root: str, folder: str) -> tuple[Path, Any]:
    """Return where a sidecar lies, and the vault that it is of."""
    from vaultmem.vault import settings as settings_of
    from vaultmem.vault.locks import Lock
    from vaultmem.vault.store import Vault

    settings = settings_of.load(Path(root))
    vault = Vault(settings.root, settings.config, Lock(settings.root, settings.state))
    return Path(folder) if folder else settings.sidecar, vault


class Watched:
    """A served vault; `tried` changes it and yields what became of it."""

    def __init__(self, folder: Path, notes: int, before: Sequence[str] = ()) -> None:
        self.root, self._work = folder / "vault", folder / "work"
        self._folder = folder
        self._tries = 0
        if not self.root.exists():
            vaults.new_vault(self.root)
            corpus.write(self.root, notes)
            flag = self.root / "memory/global/flag.md"
            flag.write_text("The zebraflag is hoisted on main.\n", "utf-8")
            counted(folder, self._work, "refresh", "--vault", str(self.root))
        command = [*before, sys.executable, "-m", "benchmarks.counting_vaultmem", str(self._work)]
        self.asked = Asked([*command, "mcp", "--vault", str(self.root)], folder)

    def __enter__(self) -> Watched:
        self.asked.__enter__()
        self.asked.until("main")
        return self

    def __exit__(self, *_: object) -> None:
        self.asked.__exit__()

    def tried(
        self, name: str, act: Callable[[], object], seconds: float = SECONDS
    ) -> Iterator[Row]:
        """Yield how soon the index equals the vault after an act, and what it cost."""
        before = self._embedded()
        count = len(self.asked.errors)
        act()
        yield at_most(name, self.equal(), seconds, " s", "quiet to equal")
        anew = str(self._folder / f"fresh-{self._tries}")
        self._tries += 1
        with self.asked.silent():
            apart = in_child(differing, str(self.root), anew)
        yield none("  differs from an index from scratch in", len(apart), ", ".join(apart))
        again = set(before) & set(self._embedded()[len(before) :])
        yield none("  texts embedded that were seen", len(again))
        errors = self.asked.errors[count:]
        yield none("  questions that failed", len(errors), "; ".join(errors[:1])[:200])

    def equal(self) -> float:
        """Wait until every note is indexed as it lies there; return the seconds that it took."""
        start = time.perf_counter()
        while time.perf_counter() - start < PATIENCE:
            begun = time.perf_counter() - start
            known, there = hashes(str(self.root))
            if known == there:
                return begun
            time.sleep(0.3)
        return PATIENCE

    def _embedded(self) -> list[str]:
        lines = self._work.read_text("utf-8").splitlines()
        return [line.split()[1] for line in lines if line.startswith("embedded")]
