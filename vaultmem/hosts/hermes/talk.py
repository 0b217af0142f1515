"""Speaking to a vaultmem server: to a child over its pipes, or to one elsewhere over HTTP.

It runs in Hermes' own Python, which has no vaultmem, so it uses the standard library alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

ERA = "2025-11-25"
HELLO = {
    "protocolVersion": ERA,
    "capabilities": {},
    "clientInfo": {"name": "hermes", "version": "0.1.0"},
}
REST_SECONDS = 30.0
"""How long a server that failed is left alone, so that no turn waits for it again."""
HTTP_SECONDS = 30.0


class Away(Exception):
    """The server does not answer."""


class Child:
    """A server that is our child. It starts with the first call, and again after it died."""

    def __init__(self, words: Sequence[str], env: dict[str, str]) -> None:
        """Keep what the server is started with; nothing runs yet."""
        self._words = list(words)
        self._env = env
        self._lock = threading.RLock()  # an answer may come while it is still being asked for
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: dict[int, Future[Any]] = {}
        self._waiting: list[bytes] | None = []
        """What is said once the handshake is done; None after it."""
        self._number = 0
        self._rest_until = 0.0

    def call(self, tool: str, arguments: dict[str, Any]) -> Future[Any]:
        """Return the result of a tool, to come; it waits for nothing."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def ask(self, method: str, params: dict[str, Any]) -> Future[Any]:
        """Return the result of a request, to come."""
        with self._lock:
            try:
                self._begin()
                return self._sent(method, params)
            except OSError as error:
                self._rest_until = time.monotonic() + REST_SECONDS
                return _failed(str(error))

    def close(self) -> None:
        """End the server; it finishes what it was told."""
        with self._lock:
            process, self._process = self._process, None
        if process:
            _closed(process)

    def _begin(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        if time.monotonic() < self._rest_until:
            raise OSError("the server is away")
        inherited = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        self._process = subprocess.Popen(
            self._words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**inherited, **self._env},
        )
        self._waiting = []
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        hello = self._sent("initialize", HELLO, at_once=True)
        hello.add_done_callback(self._greeted)

    def _sent(self, method: str, params: dict[str, Any], *, at_once: bool = False) -> Future[Any]:
        self._number += 1
        found: Future[Any] = Future()
        self._asked[self._number] = found
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        line = json.dumps(message).encode() + b"\n"
        if self._waiting is None or at_once:
            self._say(line)
        else:
            self._waiting.append(line)
        return found

    def _say(self, line: bytes) -> None:
        assert self._process
        assert self._process.stdin
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _greeted(self, hello: Future[Any]) -> None:
        """Go on after the handshake: say what waited for it."""
        if hello.exception():
            return
        with self._lock:
            waiting, self._waiting = self._waiting or [], None
            try:
                for line in (b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n', *waiting):
                    self._say(line)
            except (OSError, AssertionError):
                return  # it ended, which the listener notices

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        for line in process.stdout:
            try:
                message = json.loads(line)
                found = self._asked.pop(message.get("id"), None)
            except (ValueError, AttributeError, TypeError):
                continue  # no protocol, so it is nothing for us
            if found:
                _settle(found, message)
        with self._lock:
            if self._process in (None, process):
                greeted = self._waiting is None
                self._process = None
                self._rest_until = 0.0 if greeted else time.monotonic() + REST_SECONDS
                left, self._asked = self._asked, {}
            else:
                left = {}
        for found in left.values():
            _settle(found, {"error": {"message": "the server ended"}})
        process.stdout.close()
        _closed(process)
        process.wait()


class Remote:
    """A server elsewhere, spoken to by streamable HTTP with a bearer token."""

    def __init__(self, url: str, token: str) -> None:
        """Keep where the server is; nothing is said yet."""
        self._url = url
        self._token = token
        self._session = ""
        self._greeted = False
        self._lock = threading.Lock()
        self._number = 0
        self._rest_until = 0.0

    def call(self, tool: str, arguments: dict[str, Any]) -> Future[Any]:
        """Return the result of a tool, to come; it waits for nothing."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def ask(self, method: str, params: dict[str, Any]) -> Future[Any]:
        """Return the result of a request, to come."""
        return _beside(lambda: self._asked(method, params))

    def close(self) -> None:
        """Tell the server that this conversation is over; waits for nothing."""
        session, self._session, self._greeted = self._session, "", False
        if session:
            _beside(lambda: self._send("DELETE", None, session))

    def _asked(self, method: str, params: dict[str, Any]) -> Any:
        with self._lock:
            if time.monotonic() < self._rest_until:
                raise Away("the server is away")
            try:
                if not self._greeted:
                    self._session = ""
                    self._post("initialize", HELLO)
                    self._notify("notifications/initialized")
                    self._greeted = True
                return self._post(method, params)
            except OSError as error:
                self._greeted = False
                self._rest_until = time.monotonic() + REST_SECONDS
                raise Away(str(error)) from None

    def _post(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        body = self._send("POST", message, self._session)
        for found in _messages(body):
            if found.get("id") == self._number and "result" in found:
                return found["result"]
        raise Away("the server gave no result")

    def _notify(self, method: str) -> None:
        self._send("POST", {"jsonrpc": "2.0", "method": method}, self._session)

    def _send(self, verb: str, message: dict[str, Any] | None, session: str) -> str:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": ERA,
            **({"Authorization": f"Bearer {self._token}"} if self._token else {}),
            **({"Mcp-Session-Id": session} if session else {}),
        }
        data = json.dumps(message).encode() if message else None
        request = urllib.request.Request(self._url, data, headers, method=verb)  # noqa: S310
        with _OPENER.open(request, timeout=HTTP_SECONDS) as answer:
            self._session = answer.headers.get("Mcp-Session-Id") or self._session
            return str(answer.read().decode("utf-8"))


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a token goes nowhere but where it was meant to go."""

    def redirect_request(self, *_: Any) -> None:
        """Return no request, which makes of the redirect an error."""


_OPENER = urllib.request.build_opener(_Stay)


def retain(words: Sequence[str], env: dict[str, str], lines: str) -> None:
    """Give lines to a program that goes on by itself, even if this process ends."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**inherited, **env},
            start_new_session=True,
        )
        assert process.stdin
        with process.stdin as given:
            given.write(lines.encode())
    except OSError:
        return
    threading.Thread(target=process.wait, daemon=True).start()


def home(path: str) -> str:
    """Return a path with `~` as the person's home."""
    return str(Path(path).expanduser()) if path else ""


def _beside(act: Callable[[], Any]) -> Future[Any]:
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(act())
        except Exception as error:
            found.set_exception(Away(str(error)))

    threading.Thread(target=run, daemon=True).start()
    return found


def _closed(process: subprocess.Popen[bytes]) -> None:
    """Close the input of a process, which tells a server to end; it may have ended already."""
    assert process.stdin
    try:
        process.stdin.close()
    except OSError:
        return


def _settle(found: Future[Any], message: dict[str, Any]) -> None:
    if found.done():
        return
    if "error" in message:
        found.set_exception(Away(str(message["error"].get("message"))))
    else:
        found.set_result(message.get("result"))


def _failed(why: str) -> Future[Any]:
    found: Future[Any] = Future()
    found.set_exception(Away(why))
    return found


def _messages(body: str) -> list[dict[str, Any]]:
    """Return the messages of a body: one JSON object, or a stream of events."""
    if body.lstrip().startswith("{"):
        return [json.loads(body)]
    events = body.replace("\r\n", "\n").split("\n\n")
    data = [
        "\n".join(line[5:].lstrip() for line in event.split("\n") if line.startswith("data:"))
        for event in events
    ]
    return [json.loads(text) for text in data if text]
