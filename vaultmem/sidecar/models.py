"""The model that the person's own config names."""

from __future__ import annotations

from pathlib import Path

from vaultmem.sidecar import embedder
from vaultmem.sidecar.seams import Embedder
from vaultmem.words.config import UserConfig


def chosen(config: UserConfig, folder: Path) -> Embedder:
    """Return the model to use. Nothing is opened, read or called before its first use."""
    return embedder.BundledModel(folder)
