"""Lines that a server may be sent and must outlive, by what is wrong with them.

`MESSAGES` are quick, `LONG_MESSAGES` are not. A line comes in pieces, each written by itself.
"""

from __future__ import annotations

import json
from typing import Any

Pieces = tuple[bytes, ...]


def request(method: str, identity: Any = 7, **params: Any) -> bytes:
    """Return a well-formed request."""
    message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def called(tool: str, arguments: str) -> bytes:
    """Return the call of a tool with arguments spelled as they are to be sent."""
    params = f'{{"name":"{tool}","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}\n'.encode()


def _cut(line: bytes, at: bytes) -> Pieces:
    """Return a line in two pieces, cut inside of a letter."""
    place = line.index(at) + 1
    return line[:place], line[place:]


def _line(text: bytes) -> Pieces:
    return (text + b"\n",)


_NESTED = '{"a":' * 900 + "1" + "}" * 900
_CALL = request("tools/call", name="remember", arguments={"query": "caf\u00e9 \U0001f339"})

MESSAGES: dict[str, Pieces] = {
    "nothing": _line(b""),
    "garbage": _line(b"garbage"),
    "an empty batch": _line(b"[]"),
    "an empty object": _line(b"{}"),
    "null": _line(b"null"),
    "a number": _line(b"-0"),
    "zeros": _line(b"\0\0\0"),
    "no letters": _line(b"\xff\xfe"),
    "half a message": _line(b'{"jsonrpc":"2.0"'),
    "a batch": _line(b'[{"jsonrpc":"2.0","id":7,"method":"tools/list"}]'),
    "another protocol": _line(b'{"jsonrpc":"1.0","id":7,"method":"tools/list"}'),
    "no method": _line(b'{"jsonrpc":"2.0","id":7}'),
    "no identity": _line(b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}'),
    "a method that is a number": _line(b'{"jsonrpc":"2.0","id":7,"method":5}'),
    "an answer to nothing": _line(b'{"jsonrpc":"2.0","id":7,"result":{}}'),
    "an error to nothing": _line(b'{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}'),
    "no arguments": _line(
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"log"}}'
    ),
    "half a letter for a name": _line(
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud800"}}'
    ),
    "a mark of byte order": (b"\xef\xbb\xbf" + request("tools/list"),),
    "Windows line ends": (request("tools/list").replace(b"\n", b"\r\n"),),
    "a letter in two pieces": _cut(_CALL, b"\xc3\xa9"),
    "a flower in two pieces": _cut(_CALL, b"\xf0\x9f"),
    "a broken letter": (_CALL.replace(b"\xc3\xa9", b"\xc3"),),
    "a separator of lines": (_CALL.replace(b"\xc3\xa9", b"\xe2\x80\xa8\x0b\x0c\xc2\x85"),),
    "one identity for two": (request("tools/list"), request("tools/list"), _CALL),
    "an identity that is half a letter": (
        request("tools/list", "x").replace(b'"x"', b'"\\ud800"'),
    ),
    "an identity that is a fraction": (request("tools/list", 1.5),),
    "an identity beyond numbers": (request("tools/list", 1).replace(b":1,", b":1e400,"),),
    "an identity of many digits": (request("tools/list", 10**400),),
    "an identity that is a list": (request("tools/list", [1]),),
    "another version": (
        request(
            "initialize",
            protocolVersion="1999-01-01",
            capabilities={},
            clientInfo={"name": "x", "version": "1"},
        ),
    ),
    "no greeting at all": (request("initialize"),),
    "what is not yet asked is cancelled": (
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n',
        _CALL,
    ),
    "what is asked is cancelled": (
        _CALL,
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n',
    ),
    "nothing is cancelled": _line(b'{"jsonrpc":"2.0","method":"notifications/cancelled"}'),
    "an unknown tool": (called("launch", "{}"),),
    "an unknown method": (request("tools/launch"),),
    "an unknown resource": (request("resources/read", uri="file:///etc/passwd"),),
    "a resource that is no address": (request("resources/read", uri="\x00"),),
    "an unknown prompt": (request("prompts/get", name="x", arguments={"a": 1}),),
    "arguments that are a list": (called("remember", "[]"),),
    "arguments that are null": (called("remember", "null"),),
    "an argument too many": (called("remember", '{"query":"x","cwd":"/"}'),),
    "deep arguments": (called("remember", f'{{"query":{_NESTED}}}'),),
    "half a letter to remember": (called("remember", '{"query":"\\ud83d"}'),),
    "half a letter to keep": (
        called("memorize", '{"title":"half \\ud83d","content":"a letter \\udc00"}'),
    ),
    "zeros to keep": (called("memorize", '{"title":"a\\u0000b","content":"c\\u0000d"}'),),
    "an importance that is none": (
        called("memorize", '{"title":"a","content":"b","importance":NaN}'),
    ),
    "an importance without end": (
        called("memorize", '{"title":"a","content":"b","importance":1e400}'),
    ),
    "a limit without end": (called("remember", '{"query":"x","limit":1e400}'),),
    "a limit below nothing": (called("remember", '{"query":"x","limit":-1}'),),
    "a limit of many digits": (called("remember", f'{{"query":"x","limit":{10**30}}}'),),
    "a budget of many digits": (called("brief", f'{{"budget_tokens":{10**300}}}'),),
    "less than nothing": (called("brief", '{"budget_tokens":-0}'),),
    "a path that is a list": (called("knowledge", '{"command":"read","source":["a"]}'),),
    "a page of many digits": (
        called("knowledge", f'{{"command":"read","source":"a","page":{10**30}}}'),
    ),
    "lines of many digits": (
        called("knowledge", f'{{"command":"read","source":"a","lines":"{"9" * 5000}-1"}}'),
    ),
    "a date of many digits": (called("remember", f'{{"query":"x","after":"{"9" * 5000}"}}'),),
    "tags without end": (called("remember", json.dumps({"query": "x", "tags": ["t"] * 20_000})),),
}

LONG_MESSAGES: dict[str, Pieces] = {
    "brackets without end": _line(b"[" * 100_000),
    "objects without end": (called("remember", '{"query":' + '{"a":' * 100_000 + "1"),),
    "a method without end": _line(b'{"jsonrpc":"2.0","id":7,"method":"' + b"x" * 1_000_000 + b'"}'),
    "fifty megabytes of garbage": _line(b"x" * 50_000_000),
    "fifty megabytes to keep": (
        called("memorize", f'{{"title":"a","content":"{"x" * 50_000_000}"}}'),
    ),
    "fifty megabytes to ask": (called("remember", f'{{"query":"{"x" * 50_000_000}"}}'),),
    "five megabytes of identity": (request("tools/list", "x" * 5_000_000),),
}
