"""The process in which documents are taken apart: it may use little memory, and write no file.

It reads one request after another from its input: a line of JSON, then the document's bytes. For
each it writes the length of an answer in eight bytes, and the answer, which is JSON.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any, BinaryIO

from vaultmem.documents.document import Document
from vaultmem.documents.extracting import kinds
from vaultmem.words.safe import defused

MEMORY = 1024**3


def confined(memory: int) -> None:
    """Let this process use so much memory, write no file and leave no image of itself."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def timed(seconds: float) -> None:
    """End this process when it has worked for some more seconds."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def extracted(
    data: bytes, name: str, content_type: str = "", charset: str = "", seconds: float = 20
) -> Document:
    """Return the text of a document, of whatever kind it is.

    Raises:
        NoText: there is none to be had.
    """
    from vaultmem.documents.extracting import plain

    kind = kinds.kind_of(data, name, content_type)
    if kind == "pdf":
        from vaultmem.documents.extracting.packed import printed

        return printed(data, seconds * 0.8)
    if kind == "docx":
        from vaultmem.documents.extracting.packed import word

        return word(data)
    text = plain.decoded(data, charset)
    if kind == "html":
        from vaultmem.documents.extracting.pages import page

        return page(text, name if "://" in name else "")
    if kind == "code":
        return plain.code(text, name)
    made = {
        "md": plain.markdown,
        "rst": plain.restructured,
        "csv": plain.table,
        "ipynb": plain.notebook,
    }.get(kind, plain.plain)
    return made(text)


def answer(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    """Return a document as JSON holds it, or the reason why there is none."""
    from vaultmem.documents.extracting.tamed import tamed

    most = int(request["most"])
    try:
        timed(request["seconds"])
        about = (request["name"], request["type"], request["charset"], request["seconds"])
        found = extracted(data, *about)
        text = found.text if found.kind == "code" else tamed(found.text)
        if len(text.encode("utf-8", "replace")) > most:
            return {"why": f"its text is longer than {most // 1_000_000} MB"}
        return {**asdict(found), "text": defused(text)}
    except kinds.NoText as error:
        return {"why": str(error)}
    except MemoryError:
        return {"why": "it needs too much memory", "ends": True}
    except RecursionError:
        return {"why": "it is nested too deeply"}
    except Exception as error:  # a library gave up on it; which one, and why, nobody can mend
        return {"why": f"it could not be taken apart ({type(error).__name__})"}


def main(given: BinaryIO, out: BinaryIO) -> None:
    """Answer requests until there are no more."""
    confined(MEMORY)
    sys.setrecursionlimit(3000)
    logging.disable(logging.CRITICAL)
    while line := given.readline():
        request = json.loads(line)
        found = answer(request, given.read(request["length"]))
        made = json.dumps(found).encode("ascii")
        out.write(len(made).to_bytes(8, "big") + made)
        out.flush()
        if found.get("ends"):
            return


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    main(sys.stdin.buffer, answers)
