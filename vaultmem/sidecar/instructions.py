"""What a model wants to read before a question or a passage."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Instructions:
    """Text put before every question and before every passage."""

    query: str = ""
    passage: str = ""

    @property
    def mark(self) -> str:
        """What they add to a model's name: nothing if there are none."""
        if self == PLAIN:
            return ""
        said = f"{self.query}\0{self.passage}"
        return f"+{hashlib.sha256(said.encode()).hexdigest()[:8]}"


PLAIN = Instructions()
_SEARCH = "Represent this sentence for searching relevant passages: "
_FAMILIES = (
    (
        r"e5.*instruct",
        Instructions(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query"
            "\nQuery: "
        ),
    ),
    (r"(^|[-_/])e5[-_]", Instructions("query: ", "passage: ")),
    (r"bge-(small|base|large)-zh", Instructions("为这个句子生成表示以用于检索相关文章：")),
    (r"bge-(small|base|large)-en", Instructions(_SEARCH)),
    (r"mxbai-embed|snowflake-arctic-embed(?!.*v2)", Instructions(_SEARCH)),
    (r"snowflake-arctic-embed.*v2", Instructions("query: ")),
    (r"nomic-embed", Instructions("search_query: ", "search_document: ")),
)
"""As their authors' model cards say, by what their names have in common."""


def instructions_of(model: str, query: str | None, passage: str | None) -> Instructions:
    """Return the instructions as set, and for what is not set those of the model's family."""
    family = next((said for name, said in _FAMILIES if re.search(name, model.lower())), PLAIN)
    return Instructions(
        family.query if query is None else query,
        family.passage if passage is None else passage,
    )
