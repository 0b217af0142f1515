"""The tool for outside documents: one, with a command, since each tool costs every turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from vaultmem.doors import answers
from vaultmem.doors import answers_knowledge as told
from vaultmem.memory import Memory
from vaultmem.words.errors import BadInput

Told = tuple[str, Any]
Ended = Callable[[Memory, str, Any, Literal["md", "json"]], str]

Command = Literal["search", "read", "match", "store", "delete", "index", "list", "remove"]


def tool(caller: Callable[[Context], Memory], ended: Ended) -> Callable[..., str]:
    """Return the tool; `ended` gives an answer its form."""

    def knowledge(
        ctx: Context,
        command: Command,
        query: str = "",
        source: str = "",
        heading: str = "",
        page: Annotated[int, Field(ge=1)] = 1,
        pattern: str = "",
        context: Annotated[int, Field(ge=0, le=10)] = 0,
        key: str = "",
        content: str = "",
        keep: bool = False,
        lines: str = "",
        budget_tokens: Annotated[int, Field(ge=0)] = 0,
        format: Literal["md", "json"] = "md",  # noqa: A002  # the contract's name
    ) -> str:
        """Outside documents. source: one file or URL, taken in when named; or a key or title.
        match: RE2 pattern; lines: 10-40. store content under a key: for this session, or keep."""
        memory = caller(ctx)
        if command == "search":
            answer = memory.search(query, source, budget_tokens)
            return ended(memory, answers.answer(answer), answer.as_dict(), format)
        if command == "read":
            read = memory.read(_named(source), heading, lines, page, budget_tokens)
            return ended(memory, told.reading(read), read.as_dict(), format)
        if command == "match":
            found = memory.match(pattern, source, context, budget_tokens)
            return ended(memory, told.matches(found), found.as_dict(), format)
        if command == "list":
            known = memory.sources()
            return ended(memory, told.sources(known), [one.as_dict() for one in known], format)
        return ended(memory, *_changed(memory, command, source, key, content, keep), format)

    return knowledge


def _changed(memory: Memory, command: str, source: str, key: str, content: str, keep: bool) -> Told:
    if command in ("index", "store"):
        done = (
            memory.take_in(_named(source), force=True)
            if command == "index"
            else memory.store(key, content, keep=keep)
        )
        return told.taken(done), done.as_dict()
    gone = memory.remove_source(_named(source)) if command == "remove" else memory.unstore(key)
    return told.gone(gone), gone.as_dict()


def _named(source: str) -> str:
    if not source:
        raise BadInput("Name a source: a file, a URL, a key or a title.")
    return source
