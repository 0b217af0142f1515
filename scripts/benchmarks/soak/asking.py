"""Questions and patterns that a search may trip over, each with the work that it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import corpus
from benchmarks.measure import Row, at_least, at_most, none


def rows(folder: Path, notes: int = 300) -> Iterator[Row]:
    """Yield how a vault of some notes answers every strange question, and each bad pattern."""
    from benchmarks.soak.corpus import opened
    from tests.hostile.questions import PATTERNS, QUESTIONS
    from vaultmem.memory import Question
    from vaultmem.words.errors import BadInput

    memory = opened(folder)
    corpus.write(memory.vault.root, notes)
    memory.refresh()
    memory.store("signs", "a" * 20_000 + "=\n" + " " * 20_000 + "x\n")
    broken: list[str] = []
    longest = (0.0, "")
    for asked, act in (
        *((text, lambda text: memory.remember(Question(text))) for text in QUESTIONS),
        *((text, memory.match) for text in PATTERNS),
    ):
        begin = time.thread_time()
        try:
            act(asked)
        except BadInput:
            pass  # a refusal with a reason is an answer
        except Exception as error:
            broken.append(f"{asked[:20]!r}: {error!r}"[:100])
        longest = max(longest, (time.thread_time() - begin, repr(asked[:20])))
    memory.close()
    yield at_least("strange questions", len(QUESTIONS), 80)
    yield none(
        "questions and patterns neither answered nor refused", len(broken), "; ".join(broken)
    )
    yield at_most("longest of them and of the patterns", longest[0], 2, " s", longest[1])
