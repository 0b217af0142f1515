"""`vaultmem` with a model that takes no time, and its work written to a file, a line each.

`embedded HASH` is a text that the model read; `refreshed COUNT SECONDS` a change of the index.
Run it with the file and vaultmem's own arguments.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.vaults import fake_model
from vaultmem.sidecar import models
from vaultmem.sidecar.sidecar import Sidecar


def main() -> None:
    written = Path(sys.argv.pop(1)).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115
    model, write = fake_model(), Sidecar._write
    read = model.passages

    def passages(texts: Sequence[str]) -> Any:
        for text in texts:
            written.write(f"embedded {hashlib.sha256(text.encode()).hexdigest()}\n")
        return read(texts)

    def counted(self: Sidecar, gathered: Any, *rest: Any) -> None:
        start = time.perf_counter()
        write(self, gathered, *rest)
        if gathered.paths:
            written.write(f"refreshed {len(gathered.paths)} {time.perf_counter() - start}\n")

    model.passages = passages
    models.chosen = lambda *_: model  # type: ignore[assignment]
    Sidecar._write = counted  # type: ignore[method-assign]

    from vaultmem.doors.cli import main as vaultmem

    vaultmem()


if __name__ == "__main__":
    main()
