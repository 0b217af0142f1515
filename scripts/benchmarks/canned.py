"""A chat endpoint on loopback that answers what it is told to, and keeps what it was asked.

It shows what a host puts in front of its model, without a model and without an account.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Message = dict[str, Any]


def said(text: str) -> Message:
    """Return the answer of a model that says something."""
    return {"role": "assistant", "content": text}


def called(tool: str, **arguments: Any) -> Message:
    """Return the answer of a model that calls a tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"index": 0, "id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class Canned(ThreadingHTTPServer):
    """The endpoint; `asked` holds the bodies of the chat requests that offered tools."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        self.script: list[Message] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answer(self, body: dict[str, Any]) -> Message:
        """Return the next answer; side questions of a host, which offer no tools, take none."""
        if not body.get("tools"):
            return said("ok")
        self.asked.append(body)
        return self.script.pop(0) if self.script else said("ok")


class _Handler(BaseHTTPRequestHandler):
    server: Canned

    def do_GET(self) -> None:
        model = {"id": "canned", "object": "model", "context_length": 200_000}
        self._sent("application/json", json.dumps({"object": "list", "data": [model]}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = self.server.answer(body)
        end = "tool_calls" if message.get("tool_calls") else "stop"
        whole = {"id": "c1", "created": 1, "model": "canned"}
        usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": end}
            done = {**whole, "object": "chat.completion", "choices": [choice], "usage": usage}
            return self._sent("application/json", json.dumps(done))
        parts = ({"delta": message, "finish_reason": None}, {"delta": {}, "finish_reason": end})
        chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, **part}]} for part in parts]
        chunks.append({"choices": [], "usage": usage})
        lines = [json.dumps({**whole, "object": "chat.completion.chunk", **c}) for c in chunks]
        text = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
        return self._sent("text/event-stream", text)

    def _sent(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def canned(*script: Message) -> Iterator[Canned]:
    """Serve on a free port of loopback while the block runs."""
    server = Canned()
    server.script = list(script)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def texts(body: dict[str, Any], *roles: str) -> list[str]:
    """Return the texts of a request's messages of some roles, in their order."""
    return ["\n".join(_parts(m["content"])) for m in body["messages"] if m["role"] in roles]


def _parts(content: str | Sequence[dict[str, Any]] | None) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(part.get("text", "")) for part in content or ()]


def tool_names(body: dict[str, Any]) -> list[str]:
    """Return the names of the tools that a request offers."""
    return [tool["function"]["name"] for tool in body["tools"]]
