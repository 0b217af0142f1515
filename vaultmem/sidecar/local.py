"""A model that fastembed runs on this machine, from whatever files it was loaded."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from vaultmem.sidecar.idle import Held
from vaultmem.sidecar.instructions import PLAIN, Instructions
from vaultmem.sidecar.seams import Vectors
from vaultmem.sidecar.sessions import calm
from vaultmem.sidecar.threads import Threads
from vaultmem.words.errors import ModelMissing, VaultmemError

LONGEST = 4000
"""Characters of a text that are looked at; the models themselves stop at 512 tokens or so."""
UNKNOWN_SHARE = 0.1
BATCH = 32
MEASURE_ABOVE = 200
"""Passages from which on it pays to find the best number of threads first."""
TRIAL = 8
"""Passages of a timed batch."""


_REGISTERING = threading.Lock()


class Files(Protocol):
    """Where a model comes from."""

    @property
    def name(self) -> str:
        """Name and version; another name means other vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors, 0 while that is not known."""
        ...

    @property
    def advice(self) -> str:
        """What to do if it does not work."""
        ...

    def load(self, threads: int | None) -> Any:
        """Return fastembed's model. Raises ModelMissing."""
        ...


class LocalModel:
    """A model, opened at first need and dropped when idle. Safe between threads."""

    def __init__(
        self,
        files: Files,
        folder: Path,
        instructions: Instructions = PLAIN,
        threads: Threads | None = None,
    ) -> None:
        self._files = files
        self._said = instructions
        self._threads = threads or Threads(folder)
        self._measuring = threading.Lock()
        self._learned = 0
        self.held: Held[Any] = Held(self._opened)
        """The opened model."""

    @property
    def name(self) -> str:
        """Name of the model, another one with other instructions."""
        return self._files.name + self._said.mark

    @property
    def dimension(self) -> int:
        """Length of its vectors; 0 before the first text, where nothing says it earlier."""
        return self._files.dimension or self._learned

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Return one unit vector a text, None for one the model cannot read.

        Raises:
            ModelMissing: its files are not there, not the ones we know, or do not work.
        """
        if len(texts) > MEASURE_ABOVE:
            self._measure([self._said.passage + text[:LONGEST] for text in texts[:TRIAL]])
        return self._embedded(texts, self._said.passage)

    def query(self, text: str) -> Vectors | None:
        """Return the unit vector of a question, None if the model cannot read it."""
        return self._embedded([text], self._said.query)[0]

    def _embedded(self, texts: Sequence[str], before: str) -> list[Vectors | None]:
        with self._failing(), self.held.use() as model:
            lengths = [length(model, text[:LONGEST]) for text in texts]
            order = sorted((i for i, n in enumerate(lengths) if n), key=lambda i: lengths[i])
            found: list[Vectors | None] = [None] * len(texts)
            sent = [before + texts[i][:LONGEST] for i in order]
            for i, vector in zip(order, model.embed(sent, batch_size=BATCH), strict=True):
                self._learned = self._learned or len(vector)
                found[i] = unit(vector, self.dimension)
            return found

    def _measure(self, texts: list[str]) -> None:
        """Find the best number of threads, unless it is known already."""
        with self._measuring, self._failing():
            if self._threads.known(self.name) is None:
                self._threads.measure(self.name, lambda number: self._trial(number, texts))
                self.held.drop()

    def _trial(self, threads: int, texts: list[str]) -> Any:
        with calm():
            model = self._files.load(threads)
        return lambda: list(model.embed(texts, batch_size=TRIAL))

    def _opened(self) -> Any:
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
        with calm():
            return self._files.load(self._threads.known(self.name))

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Whatever the runtime raises means the same to us: the model is not there."""
        try:
            yield
        except VaultmemError:
            raise
        except Exception as error:
            raise ModelMissing(type(error).__name__, self._files.advice) from error


def register(kind: Any, name: str, **said: Any) -> None:
    """Tell fastembed of a model of ours, once."""
    from fastembed.common.model_description import ModelSource

    with _REGISTERING:
        known = {item["model"].lower() for item in kind.list_supported_models()}
        if name.lower() not in known:
            kind.add_custom_model(model=name, sources=ModelSource(url="file:///none"), **said)


def length(model: Any, text: str) -> int:
    """Return the number of tokens of a text, 0 if the model cannot read it.

    A text is unreadable to a word-piece vocabulary if a tenth or more of its tokens are unknown;
    other vocabularies read every script.
    """
    tokenizer = getattr(model.model, "tokenizer", None)
    if tokenizer is None or not text.strip():
        return len(text.strip())
    encoded = tokenizer.encode(text, add_special_tokens=False)
    tokens = [t for t, real in zip(encoded.tokens, encoded.attention_mask, strict=True) if real]
    if type(tokenizer.model).__name__ != "WordPiece":
        return len(tokens)
    unknown = tokens.count(tokenizer.model.unk_token)
    return len(tokens) if unknown < UNKNOWN_SHARE * max(len(tokens), 1) else 0


def unit(vector: Any, dimension: int) -> Vectors | None:
    """Return a vector at unit length, None for one that is not finite or all zero."""
    array = np.asarray(vector, np.float32)
    size = float(np.linalg.norm(array))
    good = array.shape == (dimension,) and np.isfinite(size) and size > 0
    return array / size if good else None
