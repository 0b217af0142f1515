"""The memory diff, a memory's history, and the way back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import Opener
from test_committing import begun as begun  # the fixtures
from test_committing import git, wanted
from test_committing import root as root
from test_committing import vault as vault

from vaultmem.doors.cli.group import vaultmem
from vaultmem.memory import Memory, Telling, Wish
from vaultmem.words.changes import Change
from vaultmem.words.errors import (
    AlreadyThere,
    BadInput,
    NotFound,
    Refused,
    UnfitRepository,
)
from vaultmem.words.worddiff import Piece, shortened, word_diff

SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def memory(vault: Path, opener: Opener) -> Memory:
    """The memory of a vault in git in which each verb is committed."""
    wanted("each")
    return opener()


def keep(memory: Memory, title: str, content: str = "", **more: object) -> tuple[str, str]:
    """Keep a memory; return its id and path."""
    text = content or f"{title} is how it is done here."
    done = memory.memorize(Wish(title=title, content=text, **more))  # type: ignore[arg-type]
    assert done.kept
    return done.id, done.path


def told(found: list[Change]) -> list[tuple[str, str]]:
    """Return kind and title of the changes of notes."""
    return [(one.kind, one.title) for one in found if one.kind != "logged"]


def test_what_became_of_memories_is_told_by_its_meaning(vault: Path, memory: Memory) -> None:
    keep(memory, "Rates are limited", "Requests are limited to 100 a minute.")
    old, _ = keep(memory, "Deploys on Monday", "We deploy on Mondays at nine.")
    gone, _ = keep(memory, "The office closes", "The office closes at six.")
    git(vault, "tag", "before")
    keep(
        memory,
        "Deploys daily",
        "We deploy every day, by the pipeline.",
        relates=(f"supersedes: {old} because it was too slow",),
    )
    memory.forget([gone])
    memory.memorize(Wish(title="Use tabs", content="Indent with tabs.", review=True))
    memory.tell(Telling("note", "hello"))
    found = memory.diff("before..")

    assert told(found) == [
        ("superseded", "Deploys daily"),
        ("forgotten", "The office closes"),
        ("handed in", "Use tabs"),
    ]
    assert found[0].others == ("Deploys on Monday",)
    assert any(one.kind == "logged" and "hello" in one.title for one in found)
    assert {(one.scope, one.agent) for one in found} == {("", "scout")}


def test_a_change_is_told_field_by_field_and_word_by_word(vault: Path, memory: Memory) -> None:
    note_id, path = keep(memory, "Rates are limited", "Requests are limited to 100 a minute.")
    file = vault / path
    text = (
        file.read_text()
        .replace("to 100 a", "to 250 a")
        .replace("importance: 0.4", "importance: 0.9")
    )
    file.write_text(text)
    (change,) = memory.diff()

    assert (change.kind, change.id) == ("changed", note_id)
    assert ("importance", "0.4", "0.9") in [(f.key, f.before, f.after) for f in change.fields]
    assert [p for p in word_diff(change.before, change.after) if p.sign != " "] == [
        Piece("-", "100"),
        Piece("+", "250"),
    ]


def test_a_move_to_another_scope_and_a_rename_are_no_loss(vault: Path, memory: Memory) -> None:
    _, path = keep(memory, "Rates are limited")
    _, other = keep(memory, "Other thing")
    (vault / "memory/api").mkdir(parents=True)
    (vault / "memory/api/index.md").write_text("---\nscope: local/api\n---\n")
    (vault / path).rename(vault / "memory/api/rates.md")
    (vault / other).rename(vault / "memory/global/another.md")
    found = {one.kind: one for one in memory.diff()}

    assert set(found) == {"moved", "renamed"}
    assert (found["moved"].scope, found["moved"].was) == ("local/api", path)
    assert found["renamed"].was == other


def test_approving_a_candidate_is_told_as_that(vault: Path, memory: Memory) -> None:
    note_id, _ = keep(memory, "Use tabs", review=True)
    memory.approve([note_id])

    assert told(memory.diff("HEAD~1..HEAD")) == [("approved", "Use tabs")]
    assert git(vault, "log", "-1", "--format=%s").strip() == "Approve: Use tabs"


def test_a_note_without_an_id_that_moved_is_known_by_what_it_says(
    vault: Path, memory: Memory
) -> None:
    (vault / "memory/global/by-hand.md").write_text("Made by hand.\n")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "By hand")
    (vault / "memory/global/by-hand.md").rename(vault / "memory/global/hand-made.md")

    assert [(one.kind, one.was) for one in memory.diff()] == [
        ("renamed", "memory/global/by-hand.md")
    ]


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("memory/global/a.md", "---\n: [\n---\n", "properties"),
        ("memory/global/a.md", "a\n<<<<<<< x\nb\n", "merge conflict"),
        (
            "memory/global/a.md",
            '---\nid: aaaa2222\nsupersedes:\n  - "[[gone]]"\n---\n',
            "not there",
        ),
        ("memory/global/a.md", f"See {SECRET}\n", "secret"),
        ("memory/global/a.md", "---\nid: aaaa2222\nstatus: pending\n---\nx\n", "no person"),
    ],
)
def test_what_should_not_be_merged_is_named(
    vault: Path, memory: Memory, name: str, text: str, what: str
) -> None:
    (vault / name).write_text(text)
    (found,) = memory.check_diff()

    assert found.path == name
    assert what in found.what and SECRET not in found.what


def test_ids_twice_links_cut_off_and_edited_entries_are_named(vault: Path, memory: Memory) -> None:
    old, path = keep(memory, "Deploys on Monday", "We deploy on Mondays at nine.")
    new, newer = keep(memory, "Deploys daily", "Every day.", relates=(f"supersedes: {old}",))
    assert memory.check_diff() == []
    (vault / "memory/global/copy.md").write_bytes((vault / newer).read_bytes())
    (vault / path).unlink()
    log = next((vault / "live-context").glob("*.md"))
    log.write_text(log.read_text().replace("memorized", "memorised", 1))
    found = {one.path: one.what for one in memory.check_diff()}

    assert new in found["memory/global/copy.md"] or "not there" in found["memory/global/copy.md"]
    assert "not there" in found[newer]
    assert "log entry" in found[f"live-context/{log.name}"]


def test_the_hook_refuses_such_a_commit_and_never_replaces_another(
    vault: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = Path(memory.install_hook())
    assert hook.stat().st_mode & 0o111 and "diff --check --staged" in hook.read_text()
    with pytest.raises(AlreadyThere):
        memory.install_hook()
    (vault / "memory/global/a.md").write_text(f"See {SECRET}\n")
    assert memory.check_diff(staged=True) == []
    git(vault, "add", "-A")
    assert len(memory.check_diff(staged=True)) == 1


def test_history_follows_a_memory_through_moves(vault: Path, memory: Memory) -> None:
    note_id, path = keep(memory, "Use tabs", review=True)
    memory.approve([note_id])
    moved = next((vault / "memory/global").glob("use-tabs*.md"))
    moved.rename(vault / "memory/global/indent.md")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "Tidy up")
    note = memory.get(note_id)[1]
    memory.memorize(Wish(id=note_id, hash=note.hash, tags=("style",)))
    found = memory.history(note_id)

    assert [(one.change.kind, one.why) for one in found if one.change] == [
        ("changed", "Update: Use tabs"),
        ("renamed", "Tidy up"),
        ("approved", "Approve: Use tabs"),
        ("handed in", "Hand in: Use tabs"),
    ]
    assert [one.agent for one in found] == ["scout", "", "scout", "scout"]
    assert found[-1].path == path


def test_history_knows_what_was_forgotten(vault: Path, memory: Memory) -> None:
    note_id, _ = keep(memory, "Use tabs")
    memory.forget([note_id])

    assert [one.change.kind for one in memory.history(note_id) if one.change] == [
        "forgotten",
        "added",
    ]
    with pytest.raises(NotFound):
        memory.history("nosuchid")


def test_a_memory_is_shown_as_it_was(vault: Path, memory: Memory) -> None:
    note_id, path = keep(memory, "Use tabs", "Indent with tabs.")
    before = (vault / path).read_bytes()
    memory.memorize(Wish(id=note_id, hash=memory.get(note_id)[1].hash, content="With spaces."))
    (vault / path).rename(vault / "memory/global/other.md")

    assert memory.show_at(note_id, "HEAD~1") == (path, before)
    with pytest.raises(NotFound):
        memory.show_at(note_id, "HEAD~2")
    with pytest.raises(BadInput):
        memory.show_at(note_id, "--output=x")


def test_a_change_of_one_memory_is_taken_back(vault: Path, memory: Memory) -> None:
    note_id, path = keep(memory, "Use tabs", "Indent with tabs.")
    before = (vault / path).read_bytes()
    memory.memorize(Wish(id=note_id, hash=memory.get(note_id)[1].hash, content="With spaces."))
    (done,) = memory.revert("HEAD")

    assert (done.path, done.done) == (path, "restored")
    assert (vault / path).read_bytes() == before
    assert git(vault, "log", "-1", "--format=%s").strip() == "Update: Use tabs"
    memory.revert(f"{note_id}@HEAD~1")
    assert b"With spaces." in (vault / path).read_bytes()


def test_adding_and_forgetting_are_taken_back(vault: Path, memory: Memory) -> None:
    _, path = keep(memory, "Use tabs", "Indent with tabs.")
    data = (vault / path).read_bytes()
    assert memory.revert("HEAD")[0].done == "moved to the trash"
    assert not (vault / path).exists()
    assert memory.revert("HEAD")[0].done == "brought back"
    assert (vault / path).read_bytes() == data


def test_nothing_else_is_ever_taken_back(vault: Path, memory: Memory, opener: Opener) -> None:
    keep(memory, "One thing")
    (vault / "mine.md").write_text("mine\n")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "Mine")
    for what in ("HEAD", "HEAD~2"):
        with pytest.raises(Refused):
            memory.revert(what)
    with pytest.raises(Refused):
        opener(person=False).revert("HEAD~1")
    assert (vault / "mine.md").exists()


def test_a_later_edit_of_the_same_place_is_not_lost(vault: Path, memory: Memory) -> None:
    note_id, path = keep(memory, "Use tabs", "Indent with tabs.")
    memory.memorize(Wish(id=note_id, hash=memory.get(note_id)[1].hash, content="With spaces."))
    (vault / path).write_text((vault / path).read_text().replace("With spaces.", "With both."))
    with pytest.raises(Refused, match="changed since"):
        memory.revert("HEAD")
    assert "With both." in (vault / path).read_text()


def test_a_shallow_clone_says_what_it_lacks(vault: Path, memory: Memory, tmp_path: Path) -> None:
    note_id, _ = keep(memory, "Use tabs")
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", vault.as_uri(), str(tmp_path / "c")], check=True
    )
    shallow = Memory.open(str(tmp_path / "c"), agent="scout")
    with pytest.raises(UnfitRepository, match="unshallow"):
        shallow.history(note_id)
    assert shallow.diff() == []
    shallow.close()


def test_the_command_line_prints_a_diff_in_three_forms(vault: Path, memory: Memory) -> None:
    keep(memory, "Use `tabs` <b>", "Indent with tabs.")
    run = CliRunner().invoke
    plain = run(vaultmem, ["diff", "HEAD~1..HEAD", "--vault", str(vault)]).stdout
    assert "+ added" in plain and "\x1b" not in plain
    marked = run(vaultmem, ["diff", "HEAD~1..HEAD", "--markdown", "--vault", str(vault)]).stdout
    assert "- ``added" in marked
    value = json.loads(
        run(vaultmem, ["diff", "HEAD~1..HEAD", "--json", "--vault", str(vault)]).stdout
    )
    assert value["changes"][0]["kind"] == "added"
    assert run(vaultmem, ["diff", "--check", "--vault", str(vault)]).exit_code == 0
    (vault / "memory/global/a.md").write_text("---\n: [\n---\n")
    assert run(vaultmem, ["diff", "--check", "--vault", str(vault)]).exit_code == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [("a b c", "a x c"), ("", "new"), ("old\n", ""), ("é\nb\n", "é\nB\nc"), ("a" * 9000, "b c")],
)
def test_a_word_diff_joins_to_both_texts(before: str, after: str) -> None:
    pieces = word_diff(before, after)

    assert "".join(p.text for p in pieces if p.sign != "+") == before
    assert "".join(p.text for p in pieces if p.sign != "-") == after
    assert len("".join(p.text for p in shortened(pieces))) <= len(before) + len(after) + 8
