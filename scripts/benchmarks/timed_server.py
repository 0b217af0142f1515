"""`vaultmem`, with the seconds that each question spends in the model written to a file.

Run it with the file and vaultmem's own arguments.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from vaultmem.sidecar.local import LocalModel


def main() -> None:
    written = Path(sys.argv.pop(1)).open("a", encoding="utf-8")  # noqa: SIM115  # until the end
    query = LocalModel.query

    def timed(self: LocalModel, text: str) -> Any:
        start = time.perf_counter()
        found = query(self, text)
        written.write(f"{time.perf_counter() - start}\n")
        written.flush()
        return found

    LocalModel.query = timed  # type: ignore[method-assign]

    from vaultmem.doors.cli import main as vaultmem

    vaultmem()


if __name__ == "__main__":
    main()
