"""The MCP server: tools, resources and prompts over one memory. No logic of its own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, ToolAnnotations
from pydantic import ValidationError

from vaultmem.doors.bounds import error_within, within
from vaultmem.doors.mcp_instructions import instructions
from vaultmem.doors.mcp_tools import tools
from vaultmem.doors.relay import Gone, Relay
from vaultmem.memory import Memory
from vaultmem.words.errors import BadInput, VaultmemError
from vaultmem.words.safe import shown

READING = ("brief", "remember")
DESTROYING = ("forget",)
OUTWARDS = ("knowledge",)
NOTHING: tuple[tuple[str, object], ...] = (
    ("default", ""),
    ("default", []),
    ("default", False),
    ("default", -1),
)
"""Defaults that mean "not given": a model need not read them."""


class LeanTool(Tool):
    """A tool whose errors are one sentence that says what to do next."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run the tool; our own errors and wrong arguments become short tool errors."""
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(error_within(_arguments(cause))) from cause
            if isinstance(cause, ToolError):
                raise ToolError(error_within(str(cause))) from cause
            raise


def _arguments(error: ValidationError) -> str:
    said = "; ".join(
        f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}"
        for item in error.errors()
    )
    return f"These arguments do not fit: {said}."


def flat(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema without titles, references and null arms."""
    definitions = schema.get("$defs", {})

    def walk(node: Any, *, names: bool = False) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node and not names:
            return walk(definitions[node["$ref"].rsplit("/", 1)[1]])
        return {
            key: walk(value, names=key == "properties" and not names)
            for key, value in node.items()
            if names or not (key in ("title", "$defs") or (key, value) in NOTHING)
        }

    found = walk(schema)
    assert isinstance(found, dict)
    return found


def lean(function: Callable[..., str]) -> Tool:
    """Return a function as a tool: a flat schema, no output schema, unknown arguments refused."""
    name = function.__name__
    tool = LeanTool.from_function(
        _translated(function),
        name=name,
        description=" ".join(inspect.getdoc(function).split()),  # type: ignore[union-attr]
        annotations=ToolAnnotations(
            read_only_hint=name in READING or None,  # what is not said is no
            destructive_hint=name in DESTROYING,
            open_world_hint=None if name in OUTWARDS else False,  # what is not said is yes
        ),
        structured_output=False,
    )
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = flat(model.model_json_schema(by_alias=True))
    return tool


def _translated(function: Callable[..., str]) -> Callable[..., str]:
    """Return the function with our errors as tool errors: the SDK hides all others."""

    def inner(*args: Any, **values: Any) -> str:
        try:
            return function(*args, **values)
        except VaultmemError as error:
            raise ToolError(shown(str(error))) from error
        except SystemExit as error:
            raise ToolError("That could not be done. Try again.") from error

    inner.__name__ = function.__name__
    inner.__annotations__ = function.__annotations__
    inner.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return inner


Asked = Callable[[Context | None], Memory]
"""Gives the memory as the client of a request sees it; some requests come without a context."""


def build_server(
    memory: Memory, asked: Asked | None = None, relay: Relay | None = None, **settings: Any
) -> MCPServer:
    """Return the server of one memory, with the SDK's own `settings` if there are any.

    `asked` says who the client of a request is; without it, whoever asks is the memory's caller.
    With a `relay` each tool call goes to the server that holds the vault, while there is one.
    """
    see = asked or (lambda ctx: memory)

    def calling(ctx: Context) -> Memory:
        called = see(ctx)
        called.arrive()
        return called

    def elsewhere(tool: Callable[..., str]) -> Callable[..., str]:
        @functools.wraps(tool)
        def asked_there(ctx: Context, **values: Any) -> str:
            assert relay
            try:
                return relay(tool.__name__, values, see(ctx).caller)
            except Gone:
                return tool(ctx, **values)

        return asked_there

    server = MCPServer(
        "vaultmem",
        version=version("vaultmem"),
        instructions=instructions(memory, shared="token_verifier" in settings),
        tools=[lean(tool) for tool in tools(memory, calling, elsewhere if relay else None)],
        log_level="WARNING",
        **settings,
    )
    _resources(server, see)
    _prompts(server)
    return server


def by_client(memory: Memory, *, named: bool = True, session: str = "") -> Asked:
    """Return who asks a server of one process: where the agent is not `named`, each client's own
    name is its agent. `session` is the conversation that the process stands for.
    """
    return lambda ctx: memory.called(
        agent=None if named else client_of(ctx), session=session or None
    )


def client_of(ctx: Context | None) -> str | None:
    """Return the name of the client program, None if it does not tell one that is usable."""
    from vaultmem.words.entry import name

    try:
        params = ctx.session.client_params if ctx else None
        return name(params.client_info.name, "an agent") if params else None
    except (AttributeError, BadInput, LookupError):
        return None


def _resources(server: MCPServer, see: Asked) -> None:
    markdown = "text/markdown"

    @server.resource("vault://index", mime_type=markdown, description="The root catalogue.")
    def index() -> str:
        return within(shown(_or_error(lambda: see(None).index())))

    @server.resource(
        "vault://live-context", mime_type=markdown, description="The newest log entries."
    )
    def live_context() -> str:
        return within("\n".join(shown(entry.line()) for entry in see(None).recent()))

    @server.resource("vault://identity/{agent}", mime_type=markdown, description="Who an agent is.")
    def identity(agent: str, ctx: Context) -> str:
        return within(shown(_or_error(lambda: see(ctx).identity(agent))))

    @server.resource("memory://{id}", mime_type=markdown, description="One memory, by its id.")
    def one(id: str, ctx: Context) -> str:  # noqa: A002  # the template's name
        return within(shown(_or_error(lambda: see(ctx).source(id))))


def _or_error(act: Callable[[], Any]) -> Any:
    """Return what an act gives; our errors become protocol errors, whose text arrives."""
    try:
        return act()
    except VaultmemError as error:
        raise MCPError(code=INVALID_PARAMS, message=error_within(shown(str(error)))) from error


def _prompts(server: MCPServer) -> None:
    @server.prompt(name="session_start", description="Begin a session with what is known.")
    def session_start(about: str = "") -> str:
        task = f" with about={about!r}" if about else ""
        return (
            f"Call brief{task}. Take on the identity it gives, say in one line where the "
            "checkpoint left off, acknowledge log entries that concern you, then begin."
        )

    @server.prompt(name="session_end", description="End a session so that nothing is lost.")
    def session_end() -> str:
        return (
            "Before you stop: 1. remember, then memorize what this session taught that a later "
            "one needs: decisions with their why, facts that were hard to find, fixes with their "
            "cause, preferences the user confirmed. 2. log a checkpoint: task, done, next, "
            "blocked. 3. log a handoff if another agent must know."
        )
