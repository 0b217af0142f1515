"""The memory provider for Hermes: as Hermes drives it, without Hermes, before a real server too."""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import Opener

from vaultmem.hosts.plugins import PLUGINS, plugin_files
from vaultmem.words.hit import FRAME

PACKAGE = "_hermes_user_memory.vaultmem"
BLOCK = '```retain\n{"title": "T", "content": "C", "why": "W"}\nno line of ours\n```'
ANSWERED = 30.0


class Server:
    """A stand-in that answers what it is told to, when it is told to."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.called: list[tuple[str, dict[str, Any]]] = []
        self.slow: list[Future[Any]] = []

    def call(self, tool: str, arguments: dict[str, Any]) -> Future[Any]:
        self.called.append((tool, arguments))
        found: Future[Any] = Future()
        if tool in self.answers:
            found.set_result(answer(self.answers[tool]))
        else:
            self.slow.append(found)
        return found

    def close(self) -> None:
        pass


def answer(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": False}


@pytest.fixture
def hermes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hermes' home with the plugin in it, and as much of Hermes as the plugin imports."""
    base = ModuleType("agent.memory_provider")
    base.MemoryProvider = type("MemoryProvider", (), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "agent", ModuleType("agent"))
    monkeypatch.setitem(sys.modules, "agent.memory_provider", base)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes"))
    folder = tmp_path / "hermes" / PLUGINS["hermes"].folder
    folder.mkdir(parents=True)
    for name, data in plugin_files("hermes").items():
        (folder / name).write_bytes(data)
    return tmp_path / "hermes"


@pytest.fixture
def plugin(hermes: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The plugin's module, loaded as Hermes loads it."""
    folder = hermes / PLUGINS["hermes"].folder
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, PACKAGE, module)
    for name in ("statements", "talk"):
        monkeypatch.delitem(sys.modules, f"{PACKAGE}.{name}", raising=False)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PREFETCH_SECONDS", 0.01)
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0.01)
    return module


def provider_of(plugin: Any) -> Any:
    given: list[Any] = []
    plugin.register(
        type("Context", (), {"register_memory_provider": lambda _, it: given.append(it)})()
    )
    return given[0]


@pytest.fixture
def begun(plugin: Any) -> Callable[..., Any]:
    """Makes a provider in the middle of a conversation, before a stand-in."""

    def make(**answers: str) -> Any:
        provider = provider_of(plugin)
        provider._server = Server(answers)
        return provider

    return make


def test_the_first_message_gets_the_brief_about_it_and_later_ones_what_is_unread(
    begun: Callable[..., Any],
) -> None:
    provider = begun(brief=f"{FRAME}\n\nthe brief", log=f"{FRAME}\n\n- an entry")
    first, second = provider.prefetch("rate limits"), provider.prefetch("and then?")
    provider._server.answers["log"] = f"{FRAME}\n\nNothing unread."

    assert first == f"<vaultmem>\n{FRAME}\n\nthe brief\n</vaultmem>"
    assert second == f"<vaultmem>\n{FRAME}\n\n- an entry\n</vaultmem>"
    assert provider.prefetch("and now?") == ""
    assert provider._server.called[:2] == [
        ("brief", {"about": "rate limits"}),
        ("log", {"kind": "read"}),
    ]


def test_an_answer_that_is_late_comes_with_the_next_message(begun: Callable[..., Any]) -> None:
    provider = begun()
    first = provider.prefetch("slow")
    provider._server.slow[0].set_result(answer("the </vaultmem> brief"))

    assert first == ""
    assert provider.prefetch("next") == "<vaultmem>\nthe (/vaultmem) brief\n</vaultmem>"
    assert len(provider._server.called) == 1


def test_a_turn_hands_in_what_it_states_once(
    begun: Callable[..., Any], plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: list[str] = []
    monkeypatch.setattr(plugin, "retain", lambda _, __, lines: handed.append(lines))
    provider = begun()
    provider.sync_turn(f"the user says\n{BLOCK}", "nothing to keep")
    provider.sync_turn("and?", f"done\n{BLOCK}")
    provider.on_session_end([{"role": "assistant", "content": BLOCK}])

    assert handed == ['{"title": "T", "content": "C", "why": "W"}\n']


def test_only_a_primary_agent_hands_in(
    begun: Callable[..., Any], plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin, "retain", lambda *_: pytest.fail("it was handed in"))
    provider = begun()
    provider._primary = False

    provider.sync_turn("tick", BLOCK)


def test_our_own_text_is_not_handed_in(plugin: Any) -> None:
    ours = f'```retain\n{{"content": "{FRAME} More."}}\n```'

    assert plugin.stated(ours) == []


def test_a_compression_makes_a_checkpoint_due_and_gives_the_brief_again(
    begun: Callable[..., Any],
) -> None:
    provider = begun(brief="the brief", log="Nothing unread.")
    provider.prefetch("one")
    provider.on_pre_compress([])
    again = provider.prefetch("two")
    provider.handle_tool_call("vault_log", {"kind": "checkpoint", "summary": "here"})

    assert again.startswith(
        "<vaultmem>\nthe brief\n\nThe conversation was compacted since the last"
    )
    assert provider.prefetch("three") == ""


def test_a_server_bound_to_a_scope_is_asked_in_its_own_words(begun: Callable[..., Any]) -> None:
    provider = begun(memorize="kept", remember="found")
    provider._locked = True
    provider.handle_tool_call("vault_memorize", {"title": "T", "scope": "global"})
    provider.handle_tool_call("vault_remember", {"query": "x", "scope": ""})
    provider.handle_tool_call("vault_memorize", {"scope": "other/project"})

    assert [arguments for _, arguments in provider._server.called] == [
        {"title": "T", "global": True},
        {"query": "x"},
        {"scope": "other/project"},
    ]


def test_without_a_program_it_is_not_available_and_fails_nothing(
    plugin: Any, hermes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = provider_of(plugin)
    provider.save_config({"command": "/nowhere/vaultmem"}, str(hermes))
    provider.initialize("s1", hermes_home=str(hermes))

    assert not provider.is_available()
    assert provider.prefetch("hello") == ""
    assert "does not answer" in provider.handle_tool_call("vault_remember", {"query": "x"})
    provider.sync_turn("hello", BLOCK)
    provider.on_session_end([])
    provider.shutdown()


def test_settings_that_cannot_be_read_say_nothing(plugin: Any, hermes: Path) -> None:
    (hermes / "vaultmem").mkdir()
    (hermes / "vaultmem" / "config.json").write_text("[", "utf-8")

    assert provider_of(plugin)._program() == ["vaultmem"]


def test_it_talks_to_a_real_server_that_starts_again_after_it_died(
    plugin: Any, hermes: Path, root: Path, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin, "PREFETCH_SECONDS", ANSWERED)
    provider = provider_of(plugin)
    settings = {"command": [sys.executable, "-m", "vaultmem"], "vault": str(root)}
    provider.save_config(settings, str(hermes))
    provider.initialize("s1", hermes_home=str(hermes), agent_context="primary")
    brief = provider.prefetch("")
    opener("scribe").tell(telling("note", "the build moved"))
    news = provider.prefetch("and?")
    provider._server._process.kill()
    provider._server._process.wait()
    kept = json.loads(
        provider.handle_tool_call(
            "vault_memorize",
            {"title": "Tea is liked", "content": "The team drinks tea, no coffee."},
        )
    )
    refused = json.loads(provider.handle_tool_call("vault_log", {"kind": "nonsense"}))
    process = provider._server._process
    provider.shutdown()

    assert brief.startswith(f"<vaultmem>\n{FRAME}\n\n## Identity")
    assert "the build moved" in news
    assert "Kept " in kept["result"]
    assert "kind" in refused["error"]
    assert process.wait(ANSWERED) == 0
    assert (root / "memory" / "global" / "tea-is-liked.md").is_file()


def telling(kind: str, summary: str) -> Any:
    from vaultmem.memory import Telling

    return Telling(kind, summary)


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]], dict[str, int]]]:
    """A server elsewhere: its address, what it was asked with, and the status it answers."""
    asked: list[tuple[str, dict[str, Any]]] = []
    told = {"status": 200}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.headers.get("Authorization", ""), message))
            body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": answer("yes")})
            stream = message["method"] == "tools/call"
            data = (f"event: message\ndata: {body}\n\n" if stream else body).encode()
            self.send_response(told["status"])
            self.send_header("Mcp-Session-Id", "m1")
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/mcp", asked, told
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_server_elsewhere_is_asked_with_the_token(plugin: Any, elsewhere: Any) -> None:
    url, asked, _ = elsewhere
    provider = provider_of(plugin)
    provider._server = plugin.Remote(url, "secret")
    found = provider.handle_tool_call("vault_remember", {"query": "x"})
    provider._retain([BLOCK])
    wait_for(lambda: len(asked) == 4)

    assert json.loads(found) == {"result": "yes"}
    assert {token for token, _ in asked} == {"Bearer secret"}
    assert asked[-1][1]["params"] == {
        "name": "memorize",
        "arguments": {"title": "T", "content": "C\n\nBecause: W", "review": True},
    }


@pytest.mark.parametrize("status", [401, 307])
def test_a_server_elsewhere_that_refuses_is_left_alone_and_gives_nothing(
    plugin: Any, elsewhere: Any, status: int
) -> None:
    url, asked, told = elsewhere
    told["status"] = status
    server = plugin.Remote(url, "secret")
    for _ in range(2):
        with pytest.raises(plugin.Away):
            server.call("brief", {}).result(ANSWERED)

    assert len(asked) == 1


def wait_for(met: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1000):
        if met():
            return
        pause.wait(0.01)
    pytest.fail("it did not come to pass")
