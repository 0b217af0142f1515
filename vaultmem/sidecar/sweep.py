"""Dropping what nothing has used for long: old vectors, and sidecars of copies long gone."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from vaultmem.sidecar.manifest import Manifest

UNUSED_DAYS = 60


def swept(folder: Path, manifest: Manifest) -> None:
    """Once a day drop unused embeddings, and the sidecars beside this one that nobody opens."""
    today = int(time.time() // 86_400)
    if manifest.meta("swept") == str(today):
        return
    manifest.sweep(today)
    manifest.set_meta(swept=str(today))
    (folder / "used").write_text(str(today), encoding="utf-8")
    for used in folder.parent.glob("*/used"):
        if _idle(used, today) > UNUSED_DAYS:
            shutil.rmtree(used.parent, ignore_errors=True)


def _idle(used: Path, today: int) -> int:
    try:
        return today - int(used.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0
