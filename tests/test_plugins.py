"""The plugins that we put into hosts: their files, and that they know the server's tools."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Opener

from vaultmem.doors.mcp_server import build_server
from vaultmem.hosts.plugins import PLUGINS, SHARED, plugin_files
from vaultmem.words.hit import FRAME

HOSTS = Path(__file__).parent.parent / "vaultmem" / "hosts"
PROJECT = tomllib.loads((HOSTS.parent.parent / "pyproject.toml").read_text("utf-8"))["project"]
NOT_OFFERED = ("brief",)
"""The plugins themselves give the brief."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def offered(opener: Opener) -> list[dict[str, Any]]:
    """Return the server's tools as a plugin offers them: answers are markdown."""
    tools = []
    for tool in await build_server(opener(person=False)).list_tools():
        if tool.name not in NOT_OFFERED:
            schema = {**tool.input_schema, "properties": dict(tool.input_schema["properties"])}
            schema["properties"].pop("format")
            tools.append(
                {"name": tool.name, "description": tool.description, "inputSchema": schema}
            )
    return tools


@pytest.mark.anyio
async def test_the_plugins_offer_the_servers_own_tools(opener: Opener, update: bool) -> None:
    """Rewritten by `--update-transcripts`."""
    file = HOSTS / "shared" / "tools.json"
    text = json.dumps(await offered(opener), indent=1, ensure_ascii=False) + "\n"
    if update:
        file.write_text(text, "utf-8")

    assert file.read_text("utf-8") == text


def test_the_manifest_of_openclaw_names_every_tool() -> None:
    manifest = json.loads((HOSTS / "openclaw" / "openclaw.plugin.json").read_text("utf-8"))
    tools = json.loads((HOSTS / "shared" / "tools.json").read_text("utf-8"))

    assert manifest["contracts"]["tools"] == [f"vault_{tool['name']}" for tool in tools]


@pytest.mark.parametrize("host", PLUGINS)
def test_a_plugin_carries_what_it_loads(host: str) -> None:
    found = plugin_files(host)
    source = "\n".join(data.decode() for data in found.values())
    loaded = re.findall(r'"\./([\w.]+)"', source) + [
        f"{name}.py" for name in re.findall(r"^from \.(\w+) import", source, re.MULTILINE)
    ]

    assert set(SHARED) | set(loaded) <= set(found)
    assert not any(name.endswith(".pyc") or "/" in name for name in found)


@pytest.mark.parametrize("host", PLUGINS)
def test_a_plugin_knows_the_line_before_all_that_we_give(host: str) -> None:
    assert any(f'"{FRAME}"' in data.decode() for data in plugin_files(host).values())


def test_the_plugins_have_the_version_of_the_package() -> None:
    openclaw = plugin_files("openclaw")
    told = [json.loads(openclaw[name])["version"] for name in openclaw if name.endswith("e.json")]
    told.append(json.loads(openclaw["openclaw.plugin.json"])["version"])
    told += re.findall(r"^version: (.+)$", plugin_files("hermes")["plugin.yaml"].decode(), re.M)

    assert set(told) == {PROJECT["version"]}
    assert len(told) == 3
