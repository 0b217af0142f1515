"""Writes the parts of the README that the code knows better; `--check` fails if they differ."""

from __future__ import annotations

import re
import sys
import typing
from dataclasses import MISSING, fields
from pathlib import Path

import click
import promised

from vaultmem.doors.cli.group import vaultmem
from vaultmem.doors.mcp_tools import tool_texts
from vaultmem.words import config

ROOT = Path(__file__).parent.parent
README, TESTS = ROOT / "README.md", ROOT / "tests"


def verbs() -> list[str]:
    rows = ["| verb | what it does |", "|---|---|"]
    for name, command in sorted(vaultmem.whole().items()):
        rows.append(f"| `{name}` | {command.get_short_help_str(200)} |")
        if isinstance(command, click.Group):
            for inner, sub in sorted(command.commands.items()):
                rows.append(f"| `{name} {inner}` | {sub.get_short_help_str(200)} |")
    return rows


def tools() -> list[str]:
    rows = ["| tool | what the agent is told |", "|---|---|"]
    return rows + [f"| `{name}` | {text} |" for name, text in tool_texts()]


def settings(kind: type) -> list[str]:
    source = Path(config.__file__).read_text("utf-8")
    rows = ["| key | default | what it means |", "|---|---|---|"]
    hints = typing.get_type_hints(kind)
    for item in (one for one in fields(kind) if hints[one.name] in (str, int, str | None)):
        match = re.search(rf'    {item.name}: .*?\n    """(.*?)"""', source, re.DOTALL)
        meaning = " ".join(match.group(1).split()) if match else ""
        default = {MISSING: "(made by init)", None: "unset"}.get(item.default, item.default)
        shown = f'`"{default}"`' if hints[item.name] is str and default == item.default else default
        rows.append(f"| `{item.name}` | {shown} | {meaning} |")
    return rows


def promises() -> list[str]:
    return promised.table(promised.promises(TESTS), promised.proofs(TESTS))


PARTS = {
    "verbs": verbs,
    "tools": tools,
    "settings": lambda: settings(config.Config),
    "user-settings": lambda: settings(config.UserConfig),
    "git-settings": lambda: settings(config.GitWish),
    "promises": promises,
}


def generated(text: str) -> str:
    for name, make in PARTS.items():
        block = "\n".join(
            ["<!-- generated:" + name + " -->", *make(), f"<!-- /generated:{name} -->"]
        )
        pattern = rf"<!-- generated:{name} -->.*?<!-- /generated:{name} -->"
        text = re.sub(pattern, lambda _, b=block: b, text, flags=re.DOTALL)
    return text


def main() -> int:
    before = README.read_text("utf-8")
    after = generated(before)
    if "--check" in sys.argv[1:] and after != before:
        print(
            "README.md is behind the code. Run: .venv/bin/python scripts/docs.py", file=sys.stderr
        )
        return 1
    faults = promised.faults(promised.promises(TESTS), promised.proofs(TESTS))
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    README.write_text(after, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
