"""The README's examples run, and print what it says they print."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from test_transcripts import session  # noqa: F401  # the fixture
from transcripts import Session

from vaultmem.doors.cli.group import vaultmem
from vaultmem.words.config import GitWish, user_config
from vaultmem.words.frontmatter import read, split

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
IDS = {
    "k7f3q9xa": "ID1",
    "m2x8w4rt": "ID2",
    "g5h2c7vd": "ID3",
    "w4n6t8yb": "ID6",
    "lc-8f2kq7m3-b4": "MARK4",
}

HOME = {
    ".claude/projects/-home-ann-api/memory/MEMORY.md": "- [Who Ann is](user-role.md) — her role\n"
    "- [Webhook retries](webhooks.md) — what they carry\n",
    ".claude/projects/-home-ann-api/memory/user-role.md": "---\nname: user-role\n"
    "description: Ann runs payments\nmetadata:\n  type: user\n---\nAnn runs payments.\n",
    ".claude/projects/-home-ann-api/memory/webhooks.md": "---\nname: webhooks\n"
    "description: Retries carry a key\nmetadata:\n  type: project\n---\nSee [[user-role]].\n",
    ".hermes/memories/MEMORY.md": "The build box is slow\n§\nStaging resets each night",
}
"""The small folders of other programs that the examples bring in."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def examples() -> list[tuple[str, str]]:
    """Return each command of the verbs' chapter with the output shown below it."""
    lines = "".join(blocks("console")).splitlines()
    commands = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    ends = [*commands[1:], len(lines)]
    return [
        (lines[start], "\n".join(lines[start + 1 : end]))
        for start, end in zip(commands, ends, strict=True)
        if not lines[start].startswith(("$ pip", "$ vaultmem init"))
    ]


def named(text: str) -> str:
    for shown, name in IDS.items():
        text = text.replace(shown, name)
    return re.sub(r"hash (?:HASH\d+|[0-9a-f]{8}\.\.\.)", "hash HASH", text)


def test_every_example_runs_in_its_order_and_prints_what_is_shown(
    session: Session,  # noqa: F811
    tmp_path: Path,
) -> None:
    for path, text in HOME.items():
        file = Path.home() / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    own = tmp_path / "config/vaultmem/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(blocks("toml")[0])
    session._step("$ vaultmem init notes --git", "")
    session._step("$ cd notes", "")
    differing = []
    for command, shown in examples():
        printed = session._step(named(command), "").partition("\n")[2]
        failed = re.search(r"^\[\d\]$", printed, re.MULTILINE)
        if failed or (shown and named(printed) != named(shown)):
            differing.append(f"{command}\n{printed}")

    assert differing == []


def test_every_verb_has_an_example_or_is_described() -> None:
    shown = "\n".join(blocks("console"))
    described = {"init", "watch", "mcp", "hook"}
    missing = [v for v in vaultmem.whole() if f"vaultmem {v}" not in shown and v not in described]

    assert missing == []
    assert all(f"vaultmem {verb}" in README for verb in described)


def test_the_note_it_shows_is_one() -> None:
    properties = read(split(blocks("markdown")[0].encode()).block)

    assert properties["title"] == "Rate limiting uses a token bucket"


def test_the_settings_it_shows_are_understood() -> None:
    assert user_config(blocks("toml")[0], "README").git == GitWish("each", "agent")


def test_the_client_configuration_it_shows_is_json() -> None:
    servers = json.loads(blocks("json")[0])["mcpServers"]

    assert servers["vaultmem"]["args"][0] == "mcp"


@pytest.mark.parametrize("name", ["scripts/demo", "scripts/test", "scripts/bench"])
def test_the_programs_it_names_are_there_and_can_be_run(name: str) -> None:
    file = Path(__file__).parent.parent / name

    assert name in README
    assert file.stat().st_mode & 0o111


def test_the_constraints_fit_the_project() -> None:
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = (root / "scripts/constraints.txt").read_text("utf-8").lower().replace("_", "-")

    for requirement in project["dependencies"]:
        name = re.split(r"[<>=]", requirement)[0].lower()
        assert f"\n{name}==" in f"\n{pinned}", name
