"""Models that the person brings: a folder of theirs, or a name that fastembed downloads."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from vaultmem.sidecar.local import register
from vaultmem.words.errors import ModelMissing

PATIENCE = 600.0
"""Seconds after a failed download in which it is not tried again; each try can take 40 s."""
_SAMPLE = 1 << 20
_WEIGHTS = ("model.onnx", "onnx/model.onnx")
_POOLINGS = {
    "pooling_mode_mean_tokens": "MEAN",
    "pooling_mode_cls_token": "CLS",
    "pooling_mode_lasttoken": "LAST_TOKEN",
}
ANYWHERE = "Mend `model` in your own config, or take the line out to use the bundled model."


class FolderFiles:
    """A folder with `model.onnx` and its tokenizer, as sentence-transformers exports it."""

    dimension = 0
    advice = ANYWHERE

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        """Name of the folder and a mark of what is in it: other files mean other vectors."""
        try:
            return self._name
        except (ModelMissing, OSError):  # who loads it says so
            return f"{self._folder.name}-missing"

    @cached_property
    def _name(self) -> str:
        return f"{self._folder.name}-{fingerprint(self._folder, self._weights)}"

    @property
    def _weights(self) -> Path:
        return weights_of(self._folder, ANYWHERE)

    def load(self, threads: int | None) -> Any:
        """Return fastembed's model.

        Raises:
            ModelMissing: a file is missing, or it pools in a way that fastembed does not know.
        """
        pooling = self._pooling()
        model = self._registered(pooling, threads)
        if len(model.model.model.get_outputs()[0].shape) == 2:  # it pools by itself
            return self._registered("DISABLED", threads)
        return model

    def _registered(self, pooling: str, threads: int | None) -> Any:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import PoolingType

        file = str(self._weights.relative_to(self._folder))
        name = f"{self._name} {file} {pooling}"
        said = {"pooling": PoolingType[pooling], "normalization": True, "model_file": file}
        register(TextEmbedding, name, dim=1, **said)  # the first vector tells what it really is
        with saying(ANYWHERE):
            return TextEmbedding(
                name,
                threads=threads,
                specific_model_path=str(self._folder),
                local_files_only=True,
            )

    def _pooling(self) -> str:
        try:
            text = (self._folder / "1_Pooling/config.json").read_text(encoding="utf-8")
            said = [key for key, value in json.loads(text).items() if value is True]
        except FileNotFoundError:
            return "MEAN"
        except (OSError, ValueError, AttributeError) as error:
            raise ModelMissing("1_Pooling/config.json cannot be read", ANYWHERE) from error
        modes = [key for key in said if key.startswith("pooling_mode_")]
        if len(modes) != 1 or modes[0] not in _POOLINGS:
            raise ModelMissing(f"its pooling is {' and '.join(modes) or 'none'}", ANYWHERE)
        return _POOLINGS[modes[0]]


class NamedFiles:
    """A model by the name that fastembed knows it by, downloaded once into the state folder."""

    dimension = 0

    def __init__(
        self, name: str, folder: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self.advice = (
            f"Let this machine reach huggingface.co once, so that {name} can be downloaded, or "
            "name a folder with its files, or another `model`, in your own config."
        )
        self._source = Downloads(folder, self.advice, clock)

    def load(self, threads: int | None) -> Any:
        """Return fastembed's model, downloaded if it is not on this machine yet.

        Raises:
            ModelMissing: fastembed does not know the name, or it cannot be downloaded.
        """
        from fastembed import TextEmbedding

        return self._source.load(TextEmbedding, self.name, threads)


class Downloads:
    """What fastembed has downloaded, and downloads."""

    def __init__(self, folder: Path, advice: str, clock: Callable[[], float]) -> None:
        self._folder = folder / "downloaded"
        self._advice = advice
        self._clock = clock
        self._failed_at: float | None = None

    def load(self, kind: Any, name: str, threads: int | None) -> Any:
        """Return a model of a kind, from this machine if it is here.

        Raises:
            ModelMissing: fastembed does not know the name, or it cannot be downloaded.
        """
        known = {item["model"].lower() for item in kind.list_supported_models()}
        if name.lower() not in known:
            advice = "Correct the name in your own config; fastembed's documentation lists them."
            raise ModelMissing(f"fastembed knows no model {name!r}", advice)
        said = {"cache_dir": str(self._folder), "threads": threads}
        with _quiet():
            try:
                return kind(name, local_files_only=True, **said)
            except Exception:  # noqa: S110  # it is not here; fastembed has no class for that
                pass
            if self._failed_at is not None and self._clock() - self._failed_at < PATIENCE:
                raise ModelMissing(f"{name} could not be downloaded a while ago", self._advice)
            try:
                return kind(name, **said)
            except Exception as error:
                self._failed_at = self._clock()
                raise ModelMissing(f"{name} could not be downloaded", self._advice) from error


def weights_of(folder: Path, advice: str) -> Path:
    """Return the path of a folder's `model.onnx`. Raises ModelMissing."""
    for name in _WEIGHTS:
        if (folder / name).is_file():
            return folder / name
    raise ModelMissing(f"{folder} has no model.onnx", advice)


def fingerprint(folder: Path, weights: Path) -> str:
    """Return a mark of a model's files: small ones whole, of large ones the size and samples."""
    mark = hashlib.sha256()
    small = (folder / name for name in ("tokenizer.json", "1_Pooling/config.json"))
    for path in (*sorted(weights.parent.glob(f"{weights.name}*")), *small):
        if not path.is_file():
            continue
        size = path.stat().st_size
        mark.update(f"{path.name} {size}".encode())
        with path.open("rb") as file:
            for start in (0, size // 2, max(0, size - _SAMPLE)):
                file.seek(start)
                mark.update(file.read(_SAMPLE))
    return mark.hexdigest()[:12]


@contextmanager
def saying(advice: str) -> Iterator[None]:
    """Pass on what fastembed says is wrong with a folder; its words name the file."""
    try:
        yield
    except ValueError as error:
        raise ModelMissing(str(error).rstrip("."), advice) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep fastembed from logging what our error says anyway."""
    from loguru import logger

    logger.disable("fastembed")
    try:
        yield
    finally:
        logger.enable("fastembed")
