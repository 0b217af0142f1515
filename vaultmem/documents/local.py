"""Files of this machine that may be read: those below an allowed folder, and no secret."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from vaultmem.documents.extracting.kinds import KNOWN, ending
from vaultmem.vault import files
from vaultmem.words.errors import NotFound, OutsideVault, Refused

_SECRET_NAMES = (
    *(".env", ".env.*", "*.env", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.ppk"),
    *("*.keystore", "*.kdbx", "*.gpg", "*.asc", "*.age", "id_rsa*", "id_dsa*", "id_ecdsa*"),
    *("id_ed25519*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
    *(".git-credentials", "credentials", "credentials.*", "secrets.*", "*.secret", "shadow"),
    *("service-account*.json", "*_history", ".*_history", "*.tfstate", "*.tfvars", "wallet.dat"),
)
_NOT_READ = """
.ssh .gnupg .aws .azure .gcloud .kube .docker .git .hg .svn .password-store .vaultmem .trash .config
.mozilla .venv node_modules __pycache__
"""
_SECRET_FOLDERS = frozenset(_NOT_READ.split())


def is_secret(path: Path) -> bool:
    """Return whether a file is one of those that hold keys and passwords, by its name."""
    name = path.name.lower()
    hidden = any(part.lower() in _SECRET_FOLDERS for part in path.parts[:-1])
    return hidden or any(fnmatch(name, pattern) for pattern in _SECRET_NAMES)


def root_of(path: Path, roots: Sequence[Path]) -> Path:
    """Return the allowed folder that a file lies in, links resolved.

    Raises:
        Refused: it lies in none, or it is one that holds secrets.
    """
    root = next((root for root in roots if path.is_relative_to(root)), None)
    if root is None:
        raise Refused(
            f"{path} lies outside of the folders that may be read: {_told(roots)}. To allow its "
            "folder, name it in `document_roots` in your own config."
        )
    if is_secret(path.relative_to(root)):
        raise Refused(f"{path} is a file of the kind that holds secrets, so it is not read.")
    return root


def _told(roots: Sequence[Path]) -> str:
    return ", ".join(map(str, roots)) or "there are none"


def resolved(source: str, folder: Path) -> Path:
    """Return the path of a file or folder, links resolved.

    Raises:
        NotFound: nothing is there.
    """
    try:
        given = source.strip().removeprefix("file://")
        return (folder / Path(given).expanduser()).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise NotFound(f"file {source}", "Name one file, or one http(s) address.") from None


def read(path: Path, roots: Sequence[Path], most: int) -> bytes:
    """Return the bytes of a file whose links are resolved.

    Raises:
        Refused: it may not be read, it is no ordinary file, or it is larger than `most`.
    """
    root = root_of(path, roots)
    if path.is_dir():
        raise Refused(
            f"{path} is a folder. Name one file of it; a person can take in all of them with "
            f"`vaultmem knowledge index {path}`."
        )
    try:
        data = files.read(root, path.relative_to(root).as_posix(), most + 1)
    except OutsideVault:
        raise Refused(f"{path} is no ordinary file, so it is not read.") from None
    if len(data) > most:
        raise Refused(f"{path} is larger than {most >> 20} MiB, so it was left.")
    return data


def walked(folder: Path) -> Iterator[Path]:
    """Yield the documents below a folder in order: no link, nothing hidden, no secret, and
    nothing that the `.gitignore` files on the way leave out.
    """
    yield from _walked(folder, folder, [])


def _walked(folder: Path, top: Path, ignores: list[tuple[Path, object]]) -> Iterator[Path]:
    rules = [*ignores, *_rules(folder)]
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        path = folder / entry.name
        hidden = entry.name.startswith(".") or entry.is_symlink() or is_secret(path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if hidden or entry.name in _SECRET_FOLDERS or _ignored(path, is_folder, rules):
            continue
        if is_folder:
            yield from _walked(path, top, rules)
        elif entry.is_file(follow_symlinks=False) and ending(entry.name) in KNOWN:
            yield path


def _rules(folder: Path) -> list[tuple[Path, object]]:
    file = folder / ".gitignore"
    if not file.is_file() or file.is_symlink():
        return []
    import pathspec

    lines = file.read_text("utf-8", "replace").splitlines()[:5000]
    return [(folder, pathspec.GitIgnoreSpec.from_lines(lines))]


def _ignored(path: Path, is_folder: bool, rules: list[tuple[Path, object]]) -> bool:
    for folder, rule in reversed(rules):
        inside = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
        said = rule.check_file(inside).include  # type: ignore[attr-defined]
        if said is not None:
            return bool(said)
    return False
