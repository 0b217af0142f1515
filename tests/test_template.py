"""What `init` copies into a new vault: complete, valid, and nothing that runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

TEMPLATE = Path(__file__).parent.parent / "vault-template"
KINDS = {
    "memory": "insight",
    "candidate": "insight",
    "decisions": "decisions",
    "project": "project",
    "checkpoint": "checkpoint",
    "identity": "identity",
    "source": "source",
    "page": "page",
}
EXPECTED = {
    ".gitattributes",
    ".gitignore",
    ".obsidian/app.json",
    ".obsidian/core-plugins.json",
    ".obsidian/templates.json",
    ".obsidian/types.json",
    "Memories.base",
    "Review queue.base",
    "index.md",
    "live-context.md",
    "memory/global/index.md",
    *(f"templates/{kind}.md" for kind in KINDS),
}
RELATIONS = [
    *("related_to", "depends_on", "supersedes", "similar", "conflicts"),
    *("implements", "extends", "achieves", "closes", "consolidates"),
]
PROPERTY_TYPES = {
    "text",
    "multitext",
    "number",
    "checkbox",
    "date",
    "datetime",
    "tags",
    "aliases",
}

BASE_KEYS = {"filters", "formulas", "properties", "summaries", "views"}
VIEW_KEYS = {
    "type",
    "name",
    "filters",
    "order",
    "sort",
    "groupBy",
    "limit",
    "summaries",
    "columnSize",
    "rowHeight",
}
FILE_FIELDS = {"name", "basename", "path", "folder", "ext", "size", "ctime", "mtime", "tags"}
FUNCTIONS = {"inFolder", "isEmpty"}

NOTES = sorted(path for path in TEMPLATE.rglob("*.md"))
JSONS = sorted(TEMPLATE.glob(".obsidian/*.json"))
BASES = sorted(TEMPLATE.glob("*.base"))


def name_of(path: Path) -> str:
    return path.relative_to(TEMPLATE).as_posix()


def frontmatter(path: Path) -> dict[str, Any]:
    opening, block, _body = path.read_text("utf-8").split("---\n", 2)
    assert opening == ""
    loaded = yaml.safe_load(block)
    assert isinstance(loaded, dict)
    return loaded


def types() -> dict[str, str]:
    loaded: dict[str, str] = json.loads((TEMPLATE / ".obsidian/types.json").read_text())["types"]
    return loaded


def base(path: Path) -> dict[str, Any]:
    loaded = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def expressions(filters: Any) -> Iterator[str]:
    """Yield every expression of a filter: a string, or one of and/or/not over a list."""
    if isinstance(filters, str):
        yield filters
        return
    assert len(filters) == 1
    assert set(filters) <= {"and", "or", "not"}
    for part in next(iter(filters.values())):
        yield from expressions(part)


def columns(view: dict[str, Any]) -> set[str]:
    """Return every property that a view shows, sorts by or groups by."""
    used = set(view["order"]) | {rule["property"] for rule in view.get("sort", [])}
    return used | ({view["groupBy"]["property"]} if "groupBy" in view else set())


def test_holds_these_files_and_no_others() -> None:
    found = {name_of(path) for path in TEMPLATE.rglob("*") if not path.is_dir()}

    assert found == EXPECTED


def test_has_no_empty_folder() -> None:
    assert [p for p in TEMPLATE.rglob("*") if p.is_dir() and not any(p.iterdir())] == []


def test_has_no_layout_and_no_plugin() -> None:
    words = ("workspace", "community", "plugins/", "themes", "snippets", "data.json")

    assert [n for p in TEMPLATE.rglob("*") for w in words if w in (n := name_of(p))] == []


def test_nothing_in_it_runs() -> None:
    words = ("<%", "dataviewjs", "`$=", "<script", "<iframe", "http://", "https://", "obsidian://")
    texts = {name_of(p): p.read_text("utf-8") for p in TEMPLATE.rglob("*") if p.is_file()}

    assert [(name, word) for name, text in texts.items() for word in words if word in text] == []


@pytest.mark.parametrize("path", JSONS, ids=name_of)
def test_json_is_as_obsidian_writes_it(path: Path) -> None:
    text = path.read_text("utf-8")

    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False)


def test_templates_are_found_by_obsidian_and_kept_out_of_its_search() -> None:
    app = json.loads((TEMPLATE / ".obsidian/app.json").read_text())
    core = json.loads((TEMPLATE / ".obsidian/templates.json").read_text())
    plugins = json.loads((TEMPLATE / ".obsidian/core-plugins.json").read_text())

    assert core == {"folder": "templates"}
    assert app["userIgnoreFilters"] == ["templates/"]
    assert app["trashOption"] == "local"
    assert app["alwaysUpdateLinks"] is True
    assert plugins["templates"]
    assert plugins["bases"]
    assert plugins["properties"]


def test_property_types_are_ones_obsidian_knows() -> None:
    assert set(types().values()) <= PROPERTY_TYPES
    assert {key: types().get(key) for key in RELATIONS} == dict.fromkeys(RELATIONS, "multitext")


@pytest.mark.parametrize("path", NOTES, ids=name_of)
def test_every_property_has_a_type(path: Path) -> None:
    assert set(frontmatter(path)) - set(types()) == set()


@pytest.mark.parametrize("path", NOTES, ids=name_of)
def test_notes_are_clean_text(path: Path) -> None:
    raw = path.read_bytes()
    lines = raw.decode("utf-8").split("\n")

    assert b"\r" not in raw
    assert lines[-1] == ""
    assert lines[-2] != ""
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_there_is_an_example_of_each_kind(name: str, kind: str) -> None:
    properties = frontmatter(TEMPLATE / f"templates/{name}.md")

    assert properties["type"] == kind
    assert properties["title"]
    assert properties["created"] == "{{date:YYYY-MM-DDTHH:mm:ss}}"


def test_a_candidate_waits() -> None:
    properties = frontmatter(TEMPLATE / "templates/candidate.md")

    assert properties["status"] == "pending"
    assert {"scope", "quote", "why", "seen"} <= set(properties)


def test_a_person_who_starts_from_the_template_makes_an_approved_memory() -> None:
    properties = frontmatter(TEMPLATE / "templates/memory.md")

    assert (properties["status"], properties["source"]) == ("working", "approved")


def test_an_identity_names_its_agent_and_has_its_sections() -> None:
    text = (TEMPLATE / "templates/identity.md").read_text("utf-8")
    made = yaml.safe_load(text.replace("AGENT", "scout").split("---\n")[1])

    assert (made["title"], made["agent"]) == ("scout", "scout")
    assert re.findall(r"^## (.+)$", text, re.M) == [
        "Who I am",
        "What I value",
        "What I never do unasked",
        "My peers",
        "Voice",
    ]
    assert set(re.findall(r"\{\{.*?\}\}", text)) == {"{{date:YYYY-MM-DDTHH:mm:ss}}"}


@pytest.mark.parametrize(
    ("name", "section"),
    [
        (
            "index.md",
            "<!-- vaultmem:catalogue -->\n"
            "- [[memory/global/index|global]] — 0 memories\n"
            "<!-- /vaultmem:catalogue -->\n",
        ),
        (
            "memory/global/index.md",
            "<!-- vaultmem:catalogue -->\n<!-- /vaultmem:catalogue -->\n",
        ),
        ("live-context.md", "<!-- vaultmem:current -->\n<!-- /vaultmem:current -->\n"),
    ],
)
def test_generated_parts_stand_between_markers(name: str, section: str) -> None:
    text = (TEMPLATE / name).read_text("utf-8")

    assert text.count(section) == 1
    assert text.count("vaultmem:") == 2


def test_the_global_folder_says_its_scope() -> None:
    properties = frontmatter(TEMPLATE / "memory/global/index.md")

    assert properties == {"title": "Global", "type": "catalogue", "scope": ""}


def test_links_of_the_front_page_lead_somewhere() -> None:
    text = (TEMPLATE / "index.md").read_text("utf-8")
    targets = re.findall(r"\[\[([^]|]+)", text)

    assert len(targets) == 3
    assert [t for t in targets if not {t, f"{t}.md"} & EXPECTED] == []


@pytest.mark.parametrize("path", BASES, ids=name_of)
def test_bases_keep_to_the_schema(path: Path) -> None:
    content = base(path)

    assert set(content) <= BASE_KEYS
    assert content["views"]
    for view in content["views"]:
        assert set(view) <= VIEW_KEYS
        assert view["type"] == "table"
        assert not re.search(r"[#:|^]|\[\[|\]\]|%%", view["name"])
        for rule in [*view.get("sort", []), *([view["groupBy"]] if "groupBy" in view else [])]:
            assert set(rule) == {"property", "direction"}
            assert rule["direction"] in ("ASC", "DESC")
    names = [view["name"] for view in content["views"]]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", BASES, ids=name_of)
def test_bases_show_properties_that_exist(path: Path) -> None:
    content = base(path)
    shown = set().union(*map(columns, content["views"]))
    named = {key.removeprefix("note.") for key in content["properties"]}
    known = set(types()) | {f"file.{field}" for field in FILE_FIELDS}

    assert shown <= known
    assert named == shown


@pytest.mark.parametrize("path", BASES, ids=name_of)
def test_bases_use_only_known_functions(path: Path) -> None:
    content = base(path)
    filters = [content["filters"], *(v["filters"] for v in content["views"] if "filters" in v)]
    found = [e for part in filters for e in expressions(part)]

    assert found
    assert set(re.findall(r"(\w+)\(", " ".join(found))) <= FUNCTIONS


def test_git_merges_the_shared_lists_and_rewrites_no_byte() -> None:
    text = (TEMPLATE / ".gitattributes").read_text("utf-8")
    rules = [line.split() for line in text.splitlines() if line and not line.startswith("#")]

    assert {pattern for pattern, *_ in rules} == {
        "live-context/*.md",
        "**/decisions.md",
        "**/index.md",
        "index.md",
    }
    assert {tuple(attributes) for _, *attributes in rules} == {("merge=union",)}


def test_git_ignores_the_trash_the_layout_and_unfinished_files_alone() -> None:
    text = (TEMPLATE / ".gitignore").read_text("utf-8")

    assert [line for line in text.splitlines() if line and not line.startswith("#")] == [
        ".trash/",
        ".obsidian/workspace*",
        ".*.tmp",
    ]
