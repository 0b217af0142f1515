"""The formats of other memories: text in, entries out; nothing is lost and nothing is made up."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultmem.documents.formats import FORMATS, Unclear, found_in
from vaultmem.documents.imported import File, Found
from vaultmem.documents.markdown import blocks, comments, sections, unbulleted
from vaultmem.documents.source import looked_through, opened
from vaultmem.words.errors import BadInput
from vaultmem.words.note import parse

MODIFIED = datetime(2026, 1, 2, tzinfo=UTC).isoformat()


def read(name: str, files: dict[str, str]) -> Found:
    made = []
    for path, text in sorted(files.items()):
        note = parse(path, text.encode())
        made.append(File(path, note, note.body.replace("\r\n", "\n"), MODIFIED))
    return FORMATS[name].read(made)


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root


TOPIC = "---\nname: retries\ndescription: Keys\nmetadata:\n  type: feedback\n---\nUse keys.\n"
DAILY = (
    "# 2026-11-30\n\n## Queue\n\nIt was slow.\n\n## Light Sleep\n\nzzz\n\n## Night\n\nAll fine.\n"
)
CODE = "```\n## no heading\n- no bullet\n§\n```"


def test_claude_code_takes_titles_from_the_index_and_types_from_the_topics() -> None:
    index = "- [Retry keys](retries.md) — about retries\n- [Gone](gone.md) — x\n- Ann likes tea\n"
    found = read("claude-code", {"MEMORY.md": index, "retries.md": TOPIC})
    gone, tea, topic = found.entries

    assert (topic.title, topic.type, topic.text) == ("Retry keys", "user_preference", "Use keys.")
    assert (topic.description, topic.name, topic.aliases) == ("Keys", "", ("retries",))
    assert (tea.text, tea.name, gone.text) == ("Ann likes tea", None, "[Gone](gone.md) — x")


def test_what_claude_code_knows_of_the_user_is_true_everywhere() -> None:
    text = TOPIC.replace("feedback", "user")

    assert read("claude-code", {"who.md": text}).entries[0].scope == ""


def test_openclaw_parts_its_lists_and_dates_its_days() -> None:
    files = {
        "MEMORY.md": "# Memory\n\n## Staging\n\n- Port 8443 <!-- importance: 9 -->\n"
        "- Loses its clock\n  at reboot <!-- project: github.com/acme/api -->\n",
        "USER.md": "<!-- observed: 2026-07-27 | status: superseded -->\n\n- Answer in English.\n",
        "memory/2026-11-30.md": DAILY,
        "memory/imports/codex/a.md": "x",
        "DREAMS.md": "a dream",
        "SOUL.md": "be kind",
    }
    found = read("openclaw", files)
    port, clock, english, queue, night = found.entries

    assert (port.title, port.importance) == ("Staging: Port 8443", 0.9)
    assert (clock.text, clock.scope) == ("Loses its clock\nat reboot", "github.com/acme/api")
    assert (english.archived, english.created, english.scope) == (True, "2026-07-27", "")
    assert (queue.title, queue.created, queue.name) == ("Queue (2026-11-30)", "2026-11-30", "Queue")
    assert night.text == "All fine."
    assert sorted(left.file for left in found.left) == [
        "DREAMS.md",
        "SOUL.md",
        "memory/2026-11-30.md > Light Sleep",
        "memory/imports/codex/a.md",
    ]


def test_hermes_parts_at_a_section_sign_on_its_own_line_alone() -> None:
    text = "Tabs, § not spaces\r\n§\r\ntwo\r\nlines\r\n§\r\n\r\n§\r\n- last <!-- x: y -->"
    found = read("hermes", {"MEMORY.md": text, "USER.md": "Ann", "notes.md": "x"})

    texts = ["Tabs, § not spaces", "two\nlines", "- last <!-- x: y -->", "Ann"]
    assert [entry.text for entry in found.entries] == texts
    assert [entry.type for entry in found.entries] == [*["insight"] * 3, "user_preference"]
    assert [left.file for left in found.left] == ["notes.md"]


def test_basic_memory_makes_notes_of_observations_and_keeps_the_rest() -> None:
    body = (
        "# Coffee\n\nSee issue #12.\n\n- [method] Pour over is clearer #brewing (tasting)\n"
        "  - even so\n- [ ] a task\n- [/] half a task\n- [12:30] a time\n- [text](url) a link\n"
        '- relates_to [[Beans]] (see)\n- "based on" [[Talk]]\n- likes [[Tea]] and more\n'
        f"{CODE}\n> - [info] a callout\n"
    )
    head = (
        "---\ntitle: Coffee\npermalink: main/coffee\ntags: a, b\ncreated: 2026-03-07 01:10\n---\n"
    )
    note, seen = read("basic-memory", {"Coffee.md": head + body}).entries

    assert (seen.title, seen.tags) == (
        "Pour over is clearer (tasting)",
        ("a", "b", "brewing", "method"),
    )
    assert seen.text == "Pour over is clearer #brewing (tasting)\n- even so"
    assert seen.relations == (("related_to", "Coffee.md"),)
    assert note.relations == (("related_to", "Beans"), ("extends", "Talk"))
    assert note.text == body.strip("\n").replace(
        "- [method] Pour over is clearer #brewing (tasting)\n  - even so", "- [[Coffee.md:1]]"
    )
    assert (note.aliases, note.created) == (("main/coffee", "Coffee"), "2026-03-07 01:10")


def test_memsearch_dates_each_block_by_its_file_and_heading() -> None:
    text = (
        "# 2026-11-30\n\n## Session 14:30\n\n### 14:30\n<!-- session:a turn:b transcript:/c -->\n"
        f"- Asked about queries\n{CODE}\n\n### 14:30\n- Again\n\n## Memory Compact 15:00\n\nAll.\n"
    )
    first, again, compact = read("memsearch", {"2026-11-30.md": text}).entries

    assert first.text == f"- Asked about queries\n{CODE}"
    assert (first.title, first.created) == (
        "2026-11-30 14:30: Asked about queries",
        "2026-11-30T14:30:00",
    )
    assert (first.name, again.name) == ("Session 14:30 > 14:30", "Session 14:30 > 14:30 2")
    assert (compact.text, compact.created) == ("All.", "2026-11-30T15:00:00")


def test_letta_leaves_out_indexes_and_skills() -> None:
    files = {
        "MEMORY.md": "# Memory\n\n- [[system/human]] who\n",
        "system/human.md": "---\ndescription: Who\nlimit: 2000\n---\nAnn\n",
        "people/MEMORY.md": "The people we know.\n",
        "skills/x/SKILL.md": "---\nname: x\ndescription: y\n---\nz\n",
        "empty.md": "",
    }
    found = read("letta", files)

    assert [(e.file, e.title, e.type) for e in found.entries] == [
        ("people/MEMORY.md", "people", "insight"),
        ("system/human.md", "human", "user_preference"),
    ]
    assert {left.file for left in found.left} == {"MEMORY.md", "skills/x/SKILL.md", "empty.md"}


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("claude-code", {"memory/MEMORY.md": "- [A](retries.md)", "memory/retries.md": TOPIC}),
        ("openclaw", {"workspace/MEMORY.md": "- x", "workspace/memory/2026-11-30.md": DAILY}),
        ("hermes", {"memories/MEMORY.md": "a\n§\nb"}),
        ("basic-memory", {"A.md": "---\npermalink: a\n---\nx"}),
        ("memsearch", {"README.md": "x", ".memsearch/memory/2026-11-30.md": "## Session 14:30\nx"}),
        ("letta", {"system/human.md": "---\ndescription: Who\n---\nAnn"}),
        ("plain", {"a.md": "x", "memory/b.md": "y"}),
    ],
)
def test_a_folder_tells_its_format(tmp_path: Path, name: str, files: dict[str, str]) -> None:
    assert found_in(write(tmp_path, files))[1].name == name


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"A.md": "---\npermalink: a\n---\nx", "DREAMS.md": "y"}, "several programs' memory"),
        ({"MEMORY.md": "- a"}, "vaultmem import hermes"),
        ({"a.txt": "x"}, "holds no markdown"),
        ({}, "holds no markdown"),
    ],
)
def test_a_folder_that_does_not_tell_is_refused(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        found_in(write(tmp_path, files))
    assert issubclass(Unclear, BadInput)


def test_a_source_is_a_folder_that_is_there(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "x"})

    with pytest.raises(BadInput, match=r"is a file\. Name the folder"):
        opened(str(tmp_path / "a.md"))
    with pytest.raises(BadInput, match="There is no folder"):
        opened(str(tmp_path / "gone"))
    with pytest.raises(BadInput, match="There is no format 'cursor'"):
        found_in(tmp_path, "cursor")


def test_links_hidden_files_and_large_ones_are_not_read(tmp_path: Path) -> None:
    root = write(tmp_path / "in", {"a.md": "x", ".hidden.md": "y", "big.md": "z" * 2**20 + "z"})
    write(tmp_path, {"secret.md": "s"})
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "folder").symlink_to(tmp_path)
    (root / "wide.md").write_bytes("x".encode("utf-16"))
    files, left = looked_through(root)

    assert [file.path for file in files] == ["a.md"]
    assert [one.file for one in left] == ["big.md", "folder", "link.md", "wide.md"]


def test_properties_that_are_no_yaml_are_read_line_by_line(tmp_path: Path) -> None:
    text = (
        "---\nname: who\ndescription: Ann: on call\nmetadata:\n  type: user\ntags:\n- a\n- b\n"
        "about: >\n  two\n  lines\n] odd\n---\nAnn\n"
    )
    (file,), _ = looked_through(write(tmp_path, {"who.md": text}))

    assert file.note.properties == {
        "name": "who",
        "description": "Ann: on call",
        "metadata": {"type": "user"},
        "tags": ["a", "b"],
        "about": "two lines",
    }
    assert file.text == "] odd\n\nAnn\n"


def test_blocks_keep_every_line_but_headings_and_blanks() -> None:
    text = (
        f"# One\n\ntext\nmore\n\nSteps:\n\n1. a\n2. b\n\n## Two\n\n- x\n\n  inner\n{CODE}\n* y\n\n"
        "Fruit:\n- apples\n- pears\n"
    )

    assert [(block.text, block.headings) for block in blocks(text)] == [
        ("text\nmore", ("One",)),
        ("Steps:\n\n1. a\n2. b", ("One",)),
        (f"- x\n\n  inner\n{CODE}", ("One", "Two")),
        ("* y", ("One", "Two")),
        ("Fruit:\n- apples\n- pears", ("One", "Two")),
    ]


def test_markdown_is_taken_apart_around_its_code() -> None:
    assert [part.heading for part in sections(f"a\n# b\n{CODE}\n### c", 2)] == ["", "b"]
    assert unbulleted("- a\n  - b\n    c\nd") == "a\n- b\n  c\nd"
    assert comments("a <!-- x: 1 | y: 2 --> b `<!-- z: 3 -->` <!-- no -->") == (
        {"x": "1", "y": "2"},
        "a b `<!-- z: 3 -->` <!-- no -->",
    )
