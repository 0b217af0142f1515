"""The model that reads a question and a passage together, if the person's own config names one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vaultmem.sidecar.idle import Held
from vaultmem.sidecar.local import LONGEST, register
from vaultmem.sidecar.outside import Downloads, fingerprint, saying, weights_of
from vaultmem.sidecar.seams import Reranker
from vaultmem.words.config import UserConfig
from vaultmem.words.errors import ModelMissing

BATCH = 32
ADVICE = "Mend `reranker` in your own config, or take the line out to go without."


class CrossEncoder:
    """A model of fastembed's, opened at first need and dropped when idle."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self.held: Held[Any] = Held(opened)
        """The opened model."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the question; more is better, no scale is promised.

        Raises:
            ModelMissing: the model is not there or does not work.
        """
        if not texts:
            return []
        try:
            with self.held.use() as model:
                cut = [text[:LONGEST] for text in texts]
                found = model.rerank(query[:LONGEST], cut, batch_size=BATCH)
                return [float(score) for score in found]
        except ModelMissing:
            raise
        except Exception as error:  # whatever the runtime raises means the same to us
            raise ModelMissing(type(error).__name__, ADVICE) from error


def chosen_reranker(
    config: UserConfig, folder: Path, clock: Callable[[], float] = time.monotonic
) -> Reranker | None:
    """Return the reranker that the config names, None for none. Nothing is opened yet.

    Args:
        config: the person's own settings.
        folder: where models are kept on this machine.
        clock: seconds, to tell how long ago a download failed.
    """
    name = config.reranker
    if not name:
        return None
    if name.startswith("~") or Path(name).is_absolute():
        return CrossEncoder(lambda: _from_folder(Path(name).expanduser()))
    source = Downloads(folder, f"Let this machine reach huggingface.co once. {ADVICE}", clock)
    return CrossEncoder(lambda: _named(source, name))


def _named(source: Downloads, name: str) -> Any:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return source.load(TextCrossEncoder, name, None)


def _from_folder(folder: Path) -> Any:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    weights = weights_of(folder, ADVICE)
    file = str(weights.relative_to(folder))
    name = f"{folder.name}-{fingerprint(folder, weights)} {file}"
    register(TextCrossEncoder, name, model_file=file)
    with saying(ADVICE):
        return TextCrossEncoder(name, specific_model_path=str(folder), local_files_only=True)
