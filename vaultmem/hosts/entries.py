"""How the entry of a server looks on each host: started over stdio, or reached over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Entry = dict[str, object]


@dataclass(frozen=True)
class Launch:
    """How our server is started: a program by its whole path, and its arguments."""

    command: str
    args: tuple[str, ...]


def plain(launch: Launch) -> Entry:
    """Return the entry that most hosts understand."""
    return {"command": launch.command, "args": list(launch.args)}


def typed(launch: Launch) -> Entry:
    """Return an entry that says how its server is reached."""
    return {"type": "stdio", **plain(launch)}


def claude(launch: Launch) -> Entry:
    """Return an entry whose tools the model sees whole, not by name alone."""
    return {**typed(launch), "alwaysLoad": True}


def codex(launch: Launch) -> Entry:
    """Return an entry with time for a first start on a slow machine."""
    return {**plain(launch), "startup_timeout_sec": 30}


def opencode(launch: Launch) -> Entry:
    """Return an entry whose command and arguments are one list."""
    return {"type": "local", "command": [launch.command, *launch.args], "enabled": True}


def _bearer(variable: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {variable}"}


def http_typed(variable: str) -> Callable[[str, str], Entry]:
    """Return a maker of entries, for a host that names an environment variable so."""
    return lambda url, token: {"type": "http", "url": url, "headers": _bearer(variable % token)}


def http_bare(variable: str) -> Callable[[str, str], Entry]:
    """Return a maker of entries without a type."""
    return lambda url, token: {"url": url, "headers": _bearer(variable % token)}


def codex_http(url: str, token: str) -> Entry:
    """Return an entry that names the variable itself."""
    return {"url": url, "bearer_token_env_var": token}


def gemini_http(url: str, token: str) -> Entry:
    """Return an entry whose key says that it is streamable HTTP."""
    return {"httpUrl": url, "headers": _bearer(f"${token}")}


def opencode_http(url: str, token: str) -> Entry:
    """Return an entry for a server elsewhere."""
    return {"type": "remote", "url": url, "headers": _bearer(f"{{env:{token}}}"), "enabled": True}


def openclaw_http(url: str, token: str) -> Entry:
    """Return an entry that names its transport."""
    headers = _bearer(f"${{{token}}}")
    return {"url": url, "transport": "streamable-http", "headers": headers}


def hermes_http(url: str, token: str) -> Entry:
    """Return an entry without the bare request that this host else sends first."""
    return {"url": url, "headers": _bearer(f"${{{token}}}"), "skip_preflight": True}
