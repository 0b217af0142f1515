"""How onnxruntime runs a model: without burning a processor between two runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOCK = threading.Lock()


@contextmanager
def calm() -> Iterator[None]:
    """Let the sessions opened in the block sleep when they are done.

    Their threads would else spin for a while after each run, and take a processor from whatever
    follows: a question was answered in 40 ms with spinning and in 31 without. fastembed hands no
    such option on, so what it makes sessions from is replaced while they are made.
    """
    import onnxruntime

    plain = onnxruntime.SessionOptions

    def options() -> Any:
        made = plain()
        made.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return made

    with _LOCK:
        onnxruntime.SessionOptions = options
        try:
            yield
        finally:
            onnxruntime.SessionOptions = plain
