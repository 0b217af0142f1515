"""Outside documents: taken in as notes, searched, read, matched, stored, and let go."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock, FakeModel, Opener
from hostile.questions import PATTERNS
from test_fetching import Web, page

from vaultmem.documents.extracting import child
from vaultmem.documents.extracting.extractor import Extractor
from vaultmem.memory import Memory, Question, Wish
from vaultmem.verbs.parts import Once
from vaultmem.words.access import Badge, bound
from vaultmem.words.errors import BadInput, ChangedOnDisk, NotFound, Refused, SecretFound

GUIDE = """# Retry guide

Everything about retries of the billing service.

## Limits

Retries are limited to five attempts with exponential backoff.

## Ports

The billing service listens on port 8443.
"""


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are taken apart here: what a process of its own is for is tested elsewhere."""

    def asked(_: Extractor, request: bytes, name: str) -> dict[str, Any]:
        head, _, data = request.partition(b"\n")
        return child.answer(json.loads(head), data)

    monkeypatch.setattr(Extractor, "_asked", asked)
    monkeypatch.setattr(child, "timed", lambda _: None)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """The folder that the caller works in."""
    folder = tmp_path / "desk"
    folder.mkdir()
    return folder


def at(memory: Memory, folder: Path) -> Memory:
    """Return a memory whose caller works in a folder."""
    access = memory._parts.access
    here = replace(access, roots=(folder.resolve(), memory.vault.root), folder=folder.resolve())
    memory._parts = replace(memory._parts, made_access=Once(lambda: here))
    return memory


@pytest.fixture
def reader(memory: Memory, desk: Path) -> Memory:
    """A memory whose caller works at the desk, where a guide lies."""
    (desk / "guide.md").write_text(GUIDE, encoding="utf-8")
    return at(memory, desk)


def test_a_bound_agent_is_not_told_which_files_exist(reader: Memory, tmp_path: Path) -> None:
    hidden = reader.memorize(Wish("The pelican", "It dives for fish.", scope="local/sea"))
    (tmp_path / "outside.txt").write_text("Not for agents.\n", encoding="utf-8")
    root = reader.vault.root
    (root / "Diary.txt").write_text("Mine.\n", encoding="utf-8")
    scout = reader.admitted(Badge("scout", bound([], ["local/shop"])), "one")
    for act in (scout.take_in, scout.read):
        said = set()
        for path in (root / hidden.path, root / "Diary.txt", tmp_path / "outside.txt"):
            for source in (str(path), f"{path}x"):
                with pytest.raises(NotFound) as error:
                    act(source)
                said.add(str(error.value).replace(repr(source), "X"))
        assert len(said) == 1, said


def test_a_bound_agent_is_not_told_which_keys_others_have(reader: Memory) -> None:
    reader.called(scope="local/sea").store("load test", "It held 900 requests.", keep=True)
    scout = reader.admitted(Badge("scout", bound([], ["local/shop"])), "one")

    done = scout.store("load test", "It held 400 requests.", keep=True)

    assert done.path == "knowledge/load-test-local-shop.md"
    assert scout.store("load test", "It held 500.", keep=True).path == done.path


def test_what_a_session_stored_names_no_folder_of_the_machine(memory: Memory) -> None:
    memory.store("gate", "The gate of the harbour opens at dawn.")

    (hit,) = memory.search("when does the gate open?").hits

    assert hit.link == "key:gate"
    assert "state" not in str(hit.as_dict())


def test_a_file_becomes_a_note_that_says_where_it_is_from(reader: Memory, desk: Path) -> None:
    done = reader.take_in("guide.md")
    note = reader.vault.read(done.path)

    assert (done.state, done.path) == ("new", "knowledge/retry-guide.md")
    assert note.text("type") == "source"
    assert note.text("source") == "outside"
    assert note.text("origin") == str((desk / "guide.md").resolve())
    assert note.text("fetched") == "2026-11-30T02:14:07"
    assert len(note.text("digest")) == 64
    assert note.body.strip() == GUIDE.strip()


def test_a_search_takes_in_a_new_source_on_the_spot(reader: Memory) -> None:
    (hit, *_) = reader.search("which port does billing listen on", "guide.md").hits

    assert (hit.heading, hit.label) == ("Retry guide > Ports", "OUTSIDE")
    assert "8443" in hit.text
    assert hit.link.startswith("file:///")
    assert hit.origin.endswith("guide.md")


def test_memory_alone_answers_unless_documents_are_asked_for(reader: Memory) -> None:
    reader.take_in("guide.md")
    kept = reader.memorize(Wish("Billing port", "The billing service uses port 8443 for TLS."))

    def answers(include: str) -> list[str]:
        question = Question("billing service port", include=include)
        return [hit.path for hit in reader.remember(question).hits]

    assert answers("memory") == [kept.path]
    assert answers("knowledge") == ["knowledge/retry-guide.md"]
    assert answers("all") == [kept.path, "knowledge/retry-guide.md"]


def test_a_changed_file_is_seen_at_once_and_an_unchanged_one_costs_no_embedding(
    reader: Memory, desk: Path, model: FakeModel
) -> None:
    reader.take_in("guide.md")
    before = len(model.embedded)
    again = reader.take_in("guide.md")
    same = len(model.embedded)
    (desk / "guide.md").write_text(GUIDE.replace("8443", "9443"), encoding="utf-8")
    (hit, *_) = reader.search("billing service port").hits

    assert (again.state, same) == ("unchanged", before)
    assert "9443" in hit.text
    assert len(reader.sources()) == 1


def test_a_person_s_change_of_the_text_is_never_overwritten(reader: Memory, desk: Path) -> None:
    done = reader.take_in("guide.md")
    file = reader.vault.root / done.path
    file.write_text(file.read_text("utf-8").replace("five", "seven (I asked)"), encoding="utf-8")
    (desk / "guide.md").write_text(GUIDE.replace("five", "six"), encoding="utf-8")
    again = reader.take_in("guide.md")
    third = reader.take_in("guide.md")

    assert "seven (I asked)" in file.read_text("utf-8")
    assert (again.path, again.state) == ("knowledge/retry-guide-2.md", "changed")
    assert "A person changed" in again.note
    assert (third.path, third.state) == (again.path, "unchanged")


def test_tags_that_a_person_added_stay(reader: Memory, desk: Path) -> None:
    done = reader.take_in("guide.md")
    file = reader.vault.root / done.path
    file.write_text(file.read_text("utf-8").replace("---\n", "---\ntags: [mine]\n", 1), "utf-8")
    (desk / "guide.md").write_text(GUIDE.replace("five", "six"), encoding="utf-8")
    again = reader.take_in("guide.md")

    assert again.path == done.path
    assert reader.vault.read(done.path).tags == ("mine",)


def test_what_cannot_be_read_any_more_answers_with_its_age(reader: Memory, desk: Path) -> None:
    reader.take_in("guide.md")
    (desk / "guide.md").unlink()
    answer = reader.search("billing port", str(desk / "guide.md"))

    assert answer.hits
    assert "This is the text of 2026-11-30T02:14:07" in answer.note


def test_a_folder_is_refused_with_what_to_do(reader: Memory, desk: Path) -> None:
    with pytest.raises(Refused, match="vaultmem knowledge index"):
        reader.take_in(str(desk))


def test_a_folder_is_walked_as_git_would(reader: Memory, desk: Path) -> None:
    (desk / ".gitignore").write_text("built/\n*.log\n!keep.log\n", encoding="utf-8")
    for name in ("built/a.md", "b.log", "keep.log", "sub/c.rst", ".env", "key.pem", "x.bin"):
        (desk / name).parent.mkdir(exist_ok=True)
        (desk / name).write_text(f"Text of {name}, which is long enough.\n", encoding="utf-8")
    done, refused = reader.take_in_folder(str(desk))

    assert sorted(Path(item.origin).name for item in done) == ["c.rst", "guide.md", "keep.log"]
    assert refused == []


def test_a_source_is_read_by_heading_by_lines_and_by_pages(reader: Memory) -> None:
    section = reader.read("guide.md", heading="Retry guide > Limits")
    lines = reader.read("guide.md", lines=f"{section.lines[0]}-{section.lines[0]}")
    first = reader.read("guide.md", budget=33)
    second = reader.read("Retry guide", page=2, budget=33)

    assert section.text.startswith("## Limits")
    assert "Ports" not in section.text
    assert lines.text == "## Limits"
    assert first.pages == 2
    assert second.lines == (first.lines[1] + 1, second.lines[1])
    assert (first.text + "\n" + second.text).strip() == GUIDE.strip()


def test_what_is_not_there_is_said_with_what_is(reader: Memory) -> None:
    with pytest.raises(BadInput, match="Its headings: Retry guide; Limits; Ports"):
        reader.read("guide.md", heading="Costs")
    with pytest.raises(BadInput, match="no span"):
        reader.read("guide.md", lines="some")
    with pytest.raises(NotFound):
        reader.read("no such thing")


def test_a_pattern_finds_lines_with_what_stands_around_them(reader: Memory) -> None:
    reader.take_in("guide.md")
    (found,) = reader.match("(?i)PORT [0-9]+", context=2).found
    lines = (reader.vault.root / found.path).read_text("utf-8").split("\n")

    assert lines[found.line - 1] == found.text == "The billing service listens on port 8443."
    assert found.before == ("## Ports", "")


def test_every_pattern_that_would_cost_another_matcher_forever_is_answered_or_refused(
    reader: Memory,
) -> None:
    reader.store("signs", "a" * 800 + "=\n" + " " * 800 + "x\n")
    refused = set()
    for pattern in PATTERNS:
        try:
            reader.match(pattern)
        except BadInput as why:
            assert len(str(why)) < 400
            refused.add(pattern)

    assert refused >= {
        "",
        "(",
        "(?=a)",
        r"(a)\1",
        "x" * 1001,
        "(?:a{0,999}){0,999}",
        "a{1,1000}" * 50,
    }
    assert not refused & {"(a+)+$", ".*.*=.*", r"\s+$", "(a|a)*$"}


def test_what_a_session_stored_is_its_own_and_gone_after_120_hours(
    opener: Opener, clock: Clock
) -> None:
    mine, other = opener(session="s1", person=False), opener(session="s2", person=False)
    mine.store("build log", "Linking the aardvark took twelve seconds.")
    clock.forward(hours=119)
    seen = [bool(one.search("aardvark linking").hits) for one in (mine, other)]
    read = mine.read("build log").text
    clock.forward(hours=2)

    assert seen == [True, False]
    assert "twelve seconds" in read
    assert mine.sources() == other.sources() == []
    assert not list(mine.vault.root.glob("knowledge/*build*"))


def test_what_is_kept_is_seen_in_its_scope(opener: Opener) -> None:
    here, there = opener(scope="github.com/acme/api"), opener(scope="github.com/acme/shop")
    here.store("limits", "The aardvark is limited to five.", keep=True)
    here.store("limits", "The aardvark is limited to six.", keep=True)

    assert [one.title for one in here.sources()] == ["limits"]
    assert "six" in here.read("limits").text
    assert there.sources() == []
    assert here.unstore("limits").origin == "key:limits"
    assert here.sources() == []


def test_a_secret_is_refused(reader: Memory, desk: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    (desk / "notes.txt").write_text(f"Use the token {token} to deploy.\n", encoding="utf-8")

    with pytest.raises(SecretFound):
        reader.take_in("notes.txt")
    with pytest.raises(SecretFound):
        reader.store("token", token)
    assert reader.sources() == []


def test_a_removed_source_lies_in_the_trash_and_a_person_s_note_stays(reader: Memory) -> None:
    reader.take_in("guide.md")
    own = reader.vault.root / "knowledge" / "my own.md"
    own.write_text("# My own\n\nI wrote this.\n", encoding="utf-8")
    reader.remove_source("Retry guide")

    assert (reader.vault.root / ".trash" / "retry-guide.md").is_file()
    with pytest.raises(Refused, match="Delete it yourself"):
        reader.remove_source("My own")
    assert own.exists()


def test_a_stored_text_that_a_person_changed_is_left(reader: Memory) -> None:
    done = reader.store("limits", "The aardvark is limited to five.", keep=True)
    file = reader.vault.root / done.path
    file.write_text(file.read_text("utf-8").replace("five", "nine"), encoding="utf-8")

    with pytest.raises(ChangedOnDisk):
        reader.store("limits", "Limited to six.", keep=True)


def test_only_searched_documents_leave_no_copy_in_the_vault(
    opener: Opener, root: Path, desk: Path
) -> None:
    config = root / ".vaultmem" / "config.toml"
    config.write_text(config.read_text("utf-8") + 'knowledge = "index"\n', encoding="utf-8")
    (desk / "guide.md").write_text(GUIDE, encoding="utf-8")
    memory = at(opener(), desk)
    done = memory.take_in("guide.md")
    kept = memory.memorize(Wish("Billing port", "The billing service uses port 8443 for TLS."))
    found = memory.remember(Question("billing service port", include="all")).hits

    assert not list(root.glob("knowledge/*retry*"))
    assert [hit.path for hit in found] == [kept.path, done.path]
    assert memory.match("8443").found
    assert memory.remove_source("guide.md").title == "Retry guide"
    assert memory.sources() == []


def test_a_page_is_asked_again_after_15_days_and_its_old_text_answers(
    memory: Memory, clock: Clock, model: FakeModel
) -> None:
    web = Web({"/guide": page(GUIDE.encode(), ETag='"1"', Content_Type="text/markdown")})
    open_web = replace(memory._parts.access, network=web.network())
    memory._parts = replace(memory._parts, made_access=Once(lambda: open_web))
    url = "https://example.org/guide".replace("https", "http")
    done = memory.take_in(url)
    clock.forward(days=14)
    (hit, *_) = memory.search("billing port", url).hits
    clock.forward(days=2)
    web.pages["/guide"] = page(b"", "304 Not Modified")
    embedded = len(model.embedded)
    memory.search("billing port", url)
    asked = memory.vault.read(done.path).text("fetched")
    clock.forward(days=16)
    web.pages["/guide"] = page(status="500 Oops")
    old = memory.search("billing port", url)

    assert (
        hit.link
        == "http://example.org/guide#:~:text=The%20billing%20service%20listens%20on%20port%208443."
    )
    assert [b'If-None-Match: "1"' in head for head in web.asked] == [False, True, True]
    assert asked == "2026-12-16T02:14:07"
    assert len(model.embedded) == embedded
    assert old.hits
    assert "This is the text of 2026-12-16T02:14:07" in old.note
