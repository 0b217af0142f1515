"""Asking the process that takes documents apart, and ending it where it misbehaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import vaultmem
from vaultmem.documents.document import Document
from vaultmem.words.errors import Unreadable

_PACKAGE = str(Path(vaultmem.__file__).parent.parent)
_CHILD = "vaultmem.documents.extracting.child"


@dataclass(frozen=True)
class Bounds:
    """What one document may cost."""

    seconds: float = 20.0
    """Of work, and besides of waiting."""
    text: int = 8_000_000
    """Most bytes of text taken from it."""
    size: int = 50 * 1024 * 1024
    """Most bytes of the document itself."""


class Extractor:
    """Takes documents apart in a process of its own, which is begun again after a failure.

    Use it as a context manager: the process ends with it.
    """

    FEW = 200
    """Documents after which the process is begun anew, so that it cannot grow."""

    def __init__(self, bounds: Bounds = Bounds()) -> None:  # frozen
        self._bounds = bounds
        self._child: subprocess.Popen[bytes] | None = None
        self._done = 0

    def __enter__(self) -> Extractor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def document(
        self, data: bytes, name: str, content_type: str = "", charset: str = ""
    ) -> Document:
        """Return the text of a document.

        Raises:
            Unreadable: it has none, or it cost more than it may.
        """
        if len(data) > self._bounds.size:
            raise Unreadable(name, f"it is larger than {self._bounds.size >> 20} MiB")
        request = {
            "name": name,
            "type": content_type,
            "charset": charset,
            "length": len(data),
            "seconds": self._bounds.seconds,
            "most": self._bounds.text,
        }
        found = self._asked(json.dumps(request).encode("ascii") + b"\n" + data, name)
        self._done += 1
        if "why" in found or self._done >= self.FEW:
            self._done = 0
            self.end()
        if "why" in found:
            raise Unreadable(name, str(found["why"]))
        return Document(**found)

    def _asked(self, request: bytes, name: str) -> dict[str, Any]:
        child = self._running()
        answers: list[bytes] = []
        threads = [
            threading.Thread(target=_given, args=(child, request), daemon=True),
            threading.Thread(target=self._read, args=(child, answers), daemon=True),
        ]
        for thread in threads:
            thread.start()
        threads[1].join(self._bounds.seconds + 5)
        if not answers:
            late = threads[1].is_alive()
            self.end()
            why = "it takes too long" if late else "it needs too much time or memory"
            raise Unreadable(name, why)
        found = json.loads(answers[0])
        assert isinstance(found, dict)
        return found

    def _read(self, child: subprocess.Popen[bytes], answers: list[bytes]) -> None:
        assert child.stdout
        with suppress(OSError, ValueError):
            length = int.from_bytes(child.stdout.read(8), "big")
            if 0 < length <= self._bounds.text * 7:  # a letter is at most six of ASCII
                answers += [made] if len(made := child.stdout.read(length)) == length else []

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            kept = ("PATH", "SYSTEMROOT", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
            known = {name: os.environ[name] for name in kept if name in os.environ}
            paths = [_PACKAGE, *(path for path in sys.path if path and Path(path).is_absolute())]
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", _CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.sep,
                env={**known, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"},
            )
        return self._child

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._child is None:
            return
        child, self._child = self._child, None
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            with suppress(OSError):
                if pipe:
                    pipe.close()


def _given(child: subprocess.Popen[bytes], request: bytes) -> None:
    assert child.stdin
    with suppress(OSError, ValueError):
        child.stdin.write(request)
        child.stdin.flush()
