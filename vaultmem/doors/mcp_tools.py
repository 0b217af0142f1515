"""The tools that agents see. A tool is a plain function; its signature is its schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from vaultmem.doors import answers, answers_log, mcp_knowledge
from vaultmem.doors.bounds import LONGEST, value_within, within
from vaultmem.memory import Memory, Question, Telling, Wish
from vaultmem.words.errors import BadInput

Format = Literal["md", "json"]
Names = list[str]
SPELT = {"global": "is_global"}
"""Arguments of the contract that cannot be a parameter's name."""
Caller = Callable[[Context], Memory]
"""Gives the memory as the client of a request sees it."""

Elsewhere = Callable[[Callable[..., str]], Callable[..., str]]
"""Gives a tool that asks another server first."""

Kind = Literal[
    "note",
    "handoff",
    "decision",
    "question",
    "answer",
    "ack",
    "state",
    "checkpoint",
    "read",
]


def tools(
    memory: Memory, caller: Caller, elsewhere: Elsewhere | None = None
) -> list[Callable[..., str]]:
    """Return the tools of a server, whose signatures fit whether the memory is locked.

    Each call is tried `elsewhere` first, if that is given.
    """
    locked = memory.caller.scope is not None
    dropped = {"scope"} if locked else {"is_global"}
    whole = whole_tools(caller).values()
    return [_bound(elsewhere(tool) if elsewhere else tool, dropped) for tool in whole]


def whole_tools(caller: Callable[[Any], Memory]) -> dict[str, Callable[..., str]]:
    """Return the tools by name, with all their parameters."""
    built = [build(caller) for build in _TOOLS]
    return {tool.__name__: tool for tool in built}


def _bound(tool: Callable[..., str], dropped: set[str]) -> Callable[..., str]:
    """Return a tool without some parameters, which then keep their defaults."""
    signature = inspect.signature(tool, eval_str=True)
    kept = [p for name, p in signature.parameters.items() if name not in dropped]

    def bound(*args: Any, **values: Any) -> str:
        return tool(*args, **{SPELT.get(name, name): value for name, value in values.items()})

    bound.__name__ = tool.__name__
    bound.__doc__ = tool.__doc__
    bound.__annotations__ = {p.name: p.annotation for p in kept} | {"return": str}
    bound.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return bound


def _ended(memory: Memory, text: str, value: Any, form: Format) -> str:
    """Return an answer in its form, with one line if others wrote since, and never too long."""
    notice = memory.notice()
    if form == "json":
        whole = value if isinstance(value, dict) else {"items": value}
        return answers.as_json(value_within({**whole, **({"unread": notice} if notice else {})}))
    text = within(text, LONGEST - len(answers.FRAME) - len(notice) - 4)
    return "\n\n".join(part for part in (answers.FRAME, text, notice) if part)


def _brief(caller: Caller) -> Callable[..., str]:
    def brief(
        ctx: Context,
        about: str = "",
        budget_tokens: Annotated[int, Field(ge=0)] = 0,  # the vault's setting
        format: Format = "md",  # noqa: A002  # the contract's name
    ) -> str:
        """Call first in a session: who you are, your checkpoint, the catalogue, what others
        logged. `about`: the task at hand, to add the best memories for it."""
        memory = caller(ctx)
        found = memory.brief(about, min(budget_tokens, LONGEST // 5))
        return _ended(memory, answers_log.brief(found), answers_log.brief_value(found), format)

    return brief


def _remember(caller: Caller) -> Callable[..., str]:
    def remember(
        ctx: Context,
        query: str,
        also: Names = [],  # noqa: B006  # pydantic copies it
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
        types: Names = [],  # noqa: B006
        tags: Names = [],  # noqa: B006
        files: Names = [],  # noqa: B006
        after: str = "",
        before: str = "",
        as_of: str = "",
        min_confidence: Literal["weak", "moderate", "strong"] = "weak",
        detail: Literal["passage", "titles", "full"] = "passage",
        include: Literal["memory", "knowledge", "all"] = "memory",
        explain: bool = False,
        budget_tokens: Annotated[int, Field(ge=0)] = 0,  # the vault's setting
        scope: str = "",
        format: Format = "md",  # noqa: A002
    ) -> str:
        """Search the memory by meaning and keyword before you answer or memorize. A question in
        plain words works best; `also` takes up to 4 rewordings; an id, path or title finds that
        note; "..." insists on words, -word rules one out. Each hit says how far to trust it and
        how sure it is. Dates: 2026-11-30; as_of: what was true that day."""
        memory = caller(ctx)
        question = Question(
            query=query,
            limit=limit,
            types=tuple(types),
            tags=tuple(tags),
            files=tuple(files),
            after=after,
            before=before,
            detail=detail,
            budget_tokens=budget_tokens,
            scope=scope or None,
            also=tuple(also),
            as_of=as_of,
            min_confidence=min_confidence,
            explain=explain,
            include=include,
        )
        found = memory.remember(question)
        return _ended(memory, answers.answer(found), found.as_dict(), format)

    return remember


def _memorize(caller: Caller) -> Callable[..., str]:
    def memorize(
        ctx: Context,
        title: str = "",
        content: str = "",
        type: str = "",  # noqa: A002  # the contract's name
        importance: Annotated[float, Field(ge=0, le=1)] = -1,
        source: Literal["agent_inferred", "user_confirmed"] = "agent_inferred",
        tags: Names = [],  # noqa: B006
        files: Names = [],  # noqa: B006
        description: str = "",
        relates: Names = [],  # noqa: B006
        id: str = "",  # noqa: A002
        hash: str = "",  # noqa: A002
        allow_similar: bool = False,
        review: bool = False,
        valid_from: str = "",
        valid_until: str = "",
        is_global: Annotated[bool, Field(alias="global")] = False,
        scope: str = "",
        format: Format = "md",  # noqa: A002
    ) -> str:
        """Keep one fact for later sessions: a decision with its why, a hard-won fact, a fix with
        its cause, a preference of the user. Not: passing state, what one command recreates, a
        guess as a fact, the same insight again; remember first. type (default insight): code
        architecture bug_fix feature documentation user_preference decision learning configuration
        testing performance security validation research workflow requirement design integration
        communication process insight goal. importance: 0.8-1 said by the user, 0.7-0.9 a decision,
        0.6-0.8 a fix, 0.3-0.6 your inference. relates: "supersedes: ID because WHY"; kinds:
        related_to depends_on supersedes similar conflicts implements extends achieves closes
        consolidates. To change a note give id and hash; what is empty stays. What is known nearly
        word for word is not kept again but shown. valid_from: when it became true, if not now.
        review: let it wait for the person; so does your change of what the person approved."""
        memory = caller(ctx)
        changing = bool(id or hash)
        wish = Wish(
            title=title or None,
            content=content or None,
            type=type or None,
            importance=importance if importance >= 0 else None,
            source=None if changing and source == "agent_inferred" else source,
            tags=tuple(tags) or None,
            files=tuple(files) or None,
            description=description or None,
            relates=tuple(relates),
            id=id,
            hash=hash,
            everywhere=is_global,
            scope=scope or None,
            allow_similar=allow_similar,
            review=review,
            valid_from=valid_from or None,
            valid_until=valid_until or None,
        )
        done = memory.memorize(wish)
        text = answers.receipt(done, "Changed" if changing else "Kept")
        return _ended(memory, text, done.as_dict(), format)

    return memorize


def _forget(caller: Caller) -> Callable[..., str]:
    def forget(
        ctx: Context,
        id: str = "",  # noqa: A002
        query: str = "",
        types: Names = [],  # noqa: B006
        tags: Names = [],  # noqa: B006
        confirm: Names = [],  # noqa: B006
        format: Format = "md",  # noqa: A002
    ) -> str:
        """Move what is wrong (not what is old) to the trash: by id, or list what a query finds and
        call again with those ids in confirm."""
        memory = caller(ctx)
        if confirm or id:
            done = memory.forget([*([id] if id else []), *confirm])
            gone = [{**asdict(item), "restore": item.restore} for item in done]
            return _ended(memory, answers.forgotten(done), {"forgotten": gone}, format)
        if not query:
            raise BadInput("Give an id, or a query to list what it finds.")
        would = memory.matching(Question(query, types=tuple(types), tags=tuple(tags)))
        value = {"would_forget": [asdict(item) for item in would]}
        return _ended(memory, answers.listed(would), value, format)

    return forget


def _log(caller: Caller) -> Callable[..., str]:
    def log(
        ctx: Context,
        kind: Kind,
        summary: str = "",
        because: str = "",
        to: str = "",
        ack: str = "",
        detail: str = "",
        scope: str = "",
        format: Format = "md",  # noqa: A002
    ) -> str:
        """The live log that all agents share. read: what others wrote since you looked; do it
        before each answer. Else append one line after each meaningful exchange: `because` for a
        decision, `to` an agent, `ack` the mark of an entry (of the question, in an answer),
        `detail` for more: where a project stands in a state; task, done, next, blocked in your
        checkpoint."""
        memory = caller(ctx)
        if kind == "read":
            found = memory.read_log()
            value = answers_log.heard_value(found)
            return _ended(memory, answers_log.heard(found), value, format)
        where = scope or None
        done = memory.tell(Telling(kind, summary, because, to, ack, detail, where))
        value = {**asdict(done.entry), "path": done.path}
        return _ended(memory, answers_log.told(done), value, format)

    return log


def _knowledge(caller: Caller) -> Callable[..., str]:
    return mcp_knowledge.tool(caller, _ended)


_TOOLS = (_brief, _remember, _memorize, _forget, _knowledge, _log)


def tool_texts() -> list[tuple[str, str]]:
    """Return name and description of every tool, as an agent reads them."""

    def nobody(_: Context) -> Memory:
        raise BadInput("This server has no memory.")

    built = [build(nobody) for build in _TOOLS]
    return [(tool.__name__, " ".join((tool.__doc__ or "").split())) for tool in built]
