"""The bundled model recompiled for speed: made once a machine, kept, and checked before use."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from vaultmem.sidecar.integers import rewrite

RECIPE = 1
"""Another number means other vectors, and so another name."""
ALIKE = 0.98
"""Least cosine between the vectors of both models at which the new one is used."""
WAIT = 60.0
"""Seconds that a process waits for another one that is at it."""
WEIGHTS = "model.onnx"
_NOTE = "note.json"


def name_of(base: str, digest: str) -> str:
    """Return the name of what is made by this recipe from the weights of that digest."""
    mark = hashlib.sha256(f"{digest} {RECIPE}".encode()).hexdigest()[:12]
    return f"{base}-dynamic-{mark}"


def is_kept(folder: Path) -> bool:
    """Whether a recompiled model lies there, checked or not."""
    return (folder / _NOTE).is_file()


def is_whole(folder: Path) -> bool:
    """Whether the model there is the one that was written."""
    try:
        note = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
        return bool(note["sha256"] == digest_of(folder / WEIGHTS))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def is_possible() -> bool:
    """Whether the package that rewrites models is installed."""
    return importlib.util.find_spec("onnx") is not None


def recompiled(
    folder: Path, source: Callable[[], Path], alike: Callable[[Path, Path], float]
) -> bool:
    """Make sure that the recompiled model lies in its folder; False if it cannot be had here.

    Args:
        folder: where it is kept.
        source: gives the folder of the model as it comes; asked only if it must be made.
        alike: the least cosine between the vectors of the models in two folders.
    """
    if is_whole(folder):
        return True
    if not is_possible() or _refusal(folder) == _runtime():
        return False
    from filelock import FileLock

    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock"), timeout=WAIT):
            return is_whole(folder) or _made(folder, source(), alike)
    except OSError:  # no room, no right, or the other process hangs: the plain model serves
        return False


def _made(folder: Path, source: Path, alike: Callable[[Path, Path], float]) -> bool:
    for left in folder.parent.glob(f"{folder.name}.*.new"):
        shutil.rmtree(left, ignore_errors=True)
    beside = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}.new")
    shutil.copytree(source, beside, symlinks=True)
    try:
        (beside / WEIGHTS).unlink()
        rewrite(source / WEIGHTS, beside / WEIGHTS)
        good = alike(source, beside) >= ALIKE
        if good:
            note = {"sha256": digest_of(beside / WEIGHTS)}
            (beside / _NOTE).write_text(json.dumps(note), encoding="utf-8")
            shutil.rmtree(folder, ignore_errors=True)
            beside.rename(folder)
    except OSError:
        raise
    except Exception:  # whatever a package of another version raises: it cannot be had
        good = False
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    if not good:
        _refused(folder).write_text(_runtime(), encoding="utf-8")
    return good


def _refused(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.refused")


def _refusal(folder: Path) -> str:
    try:
        return _refused(folder).read_text(encoding="utf-8")
    except OSError:
        return ""


def _runtime() -> str:
    """Return what decides, beside the machine, whether recompiling works."""
    from importlib.metadata import version

    return f"onnx {version('onnx')}, onnxruntime {version('onnxruntime')}"


def digest_of(path: Path) -> str:
    """Return the sha256 of a file, in hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
