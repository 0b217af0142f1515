"""Memory changes in git are gone through one by one: kept, edited, or taken back."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from conftest import Opener
from test_committing import begun as begun  # the fixtures
from test_committing import git
from test_committing import root as root
from test_committing import vault as vault

from vaultmem.doors.cli import review_git as door
from vaultmem.doors.cli.group import vaultmem
from vaultmem.memory import Memory, Wish
from vaultmem.words.errors import (
    AlreadyThere,
    Ambiguous,
    BadInput,
    ChangedOnDisk,
    NoRevision,
    NotFound,
    Refused,
    UnfitRepository,
)

NOTES = {
    "tabs": "---\nid: aaaa2222\ntitle: Use tabs\n---\nIndent with tabs.\n\nEverywhere.\n",
    "rates": "---\nid: bbbb2222\ntitle: Rates are limited\n---\nTo 100 a minute.\n",
    "office": "---\nid: cccc2222\ntitle: The office closes\n---\nAt six.\n",
}


def at(vault: Path, name: str) -> Path:
    return vault / f"memory/global/{name}.md"


def commit(vault: Path, subject: str) -> None:
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", subject)


@pytest.fixture
def notes(vault: Path, memory: Memory) -> Path:
    """A vault in git with three memories, all of them committed."""
    for name, text in NOTES.items():
        at(vault, name).write_text(text)
    memory.refresh()
    commit(vault, "Three notes")
    return vault


def edited(notes: Path) -> None:
    """Change one note, rename another one, let one go, and add one."""
    at(notes, "tabs").write_text(NOTES["tabs"].replace("tabs.", "spaces."))
    at(notes, "rates").rename(at(notes, "limits"))
    at(notes, "office").unlink()
    at(notes, "new").write_text("---\ntitle: New here\n---\nA line.\n")


def run(vault: Path, *words: str, given: str = "") -> Result:
    line = ["review", "--git", *words, "--vault", str(vault)]
    return CliRunner().invoke(vaultmem, line, input=given)


def test_what_is_not_committed_is_listed_by_what_it_is_called(notes: Path, memory: Memory) -> None:
    edited(notes)
    found = {step.ref: step.change.kind for step in memory.steps()}

    assert found == {
        "aaaa2222": "changed",
        "bbbb2222": "renamed",
        "cccc2222": "forgotten",
        "memory/global/new.md": "added",
    }


def test_dropping_gives_every_note_its_bytes_back(notes: Path, memory: Memory) -> None:
    edited(notes)
    done = memory.drop_steps("", [step.ref for step in memory.steps()])

    assert {name: at(notes, name).read_text() for name in NOTES} == NOTES
    assert not at(notes, "limits").exists() and not at(notes, "new").exists()
    assert (notes / ".trash/new.md").exists()
    assert sorted(one.done for one in done) == [
        "brought back",
        "moved to the trash",
        "restored",
        "restored",
    ]
    assert memory.steps() == []
    assert (
        "reverted [[memory/global/tabs|Use tabs]]"
        in next((notes / "live-context").glob("*.md")).read_text()
    )


def test_what_is_kept_is_not_asked_about_until_it_changes(notes: Path, memory: Memory) -> None:
    edited(notes)
    memory.keep_steps("", ["aaaa2222"])
    kept = [step.ref for step in memory.steps() if step.kept]
    at(notes, "tabs").write_text(NOTES["tabs"].replace("tabs.", "both."))

    assert kept == ["aaaa2222"]
    assert not any(step.kept for step in memory.steps())


def test_a_change_is_dropped_only_as_it_was_shown(notes: Path, memory: Memory) -> None:
    edited(notes)
    (shown,) = (step for step in memory.steps() if step.ref == "aaaa2222")
    at(notes, "tabs").write_text(NOTES["tabs"].replace("tabs.", "both."))
    with pytest.raises(ChangedOnDisk):
        memory.drop_steps("", [shown.ref], shown.fingerprint)
    with pytest.raises(NotFound, match="review --git"):
        memory.drop_steps("", ["aaaa2222", "nosuchid"])

    assert "both." in at(notes, "tabs").read_text()


def test_a_name_that_is_taken_again_hinders_a_drop(notes: Path, memory: Memory) -> None:
    at(notes, "rates").rename(at(notes, "limits"))
    at(notes, "rates").mkdir()
    with pytest.raises(AlreadyThere):
        memory.drop_steps("", ["bbbb2222"])
    assert at(notes, "limits").read_text() == NOTES["rates"]


def test_changes_of_one_id_are_told_apart_by_their_paths(notes: Path, memory: Memory) -> None:
    at(notes, "one").write_text("---\nid: dddd2222\n---\na\n")
    at(notes, "two").write_text("---\nid: dddd2222\n---\nb\n")
    with pytest.raises(Ambiguous):
        memory.keep_steps("", ["dddd2222"])
    memory.drop_steps("", ["memory/global/two.md"])

    assert [step.ref for step in memory.steps()] == ["dddd2222"]


def test_a_branch_is_gone_through_from_where_it_parted(notes: Path, memory: Memory) -> None:
    git(notes, "switch", "-qc", "it's;$(odd)")
    edited(notes)
    commit(notes, "Topic")
    at(notes, "tabs").write_text(at(notes, "tabs").read_text() + "\nAnd a later line.\n")
    found = memory.steps("it's;$(odd)")
    memory.drop_steps("it's;$(odd)", ["aaaa2222", "cccc2222"])

    assert len(found) == 4 and all(step.here for step in found)
    assert at(notes, "tabs").read_text() == NOTES["tabs"] + "\nAnd a later line.\n"
    assert at(notes, "office").read_text() == NOTES["office"]
    git(notes, "stash", "-qu")
    git(notes, "switch", "-q", "main")
    assert not any(step.here for step in memory.steps("it's;$(odd)"))
    with pytest.raises(Refused, match="git switch 'it'") as refused:
        memory.drop_steps("it's;$(odd)", ["aaaa2222"])
    assert "main...it" in str(refused.value)


def test_a_branch_that_goes_nowhere_is_asked_for(notes: Path, memory: Memory) -> None:
    with pytest.raises(Refused, match=r"BASE\.\.\.main"):
        memory.steps("main")
    with pytest.raises(NoRevision):
        memory.steps("nowhere")
    with pytest.raises(BadInput):
        memory.steps("--output=x")
    assert len(memory.steps("HEAD~1..HEAD")) == 3


def test_a_note_comes_back_into_its_scope(notes: Path, memory: Memory) -> None:
    done = memory.memorize(
        Wish(title="Deploys", content="We deploy each night.", scope="local/api")
    )
    commit(notes, "A scope")
    for file in (notes / "memory/local/api").iterdir():
        file.unlink()
    memory.drop_steps("", [done.id])

    assert memory.steps() == []
    assert memory.vault.scope_stated("memory/local/api") == "local/api"


def test_agents_and_repositories_under_way_are_refused(
    notes: Path, memory: Memory, opener: Opener
) -> None:
    edited(notes)
    for act in (
        lambda agent: agent.steps(),
        lambda agent: agent.keep_steps("", ["aaaa2222"]),
        lambda agent: agent.drop_steps("", ["aaaa2222"]),
    ):
        with pytest.raises(Refused, match="person"):
            act(opener(person=False))
    (notes / ".git/rebase-merge").mkdir()
    with pytest.raises(UnfitRepository, match="rebase"):
        memory.drop_steps("", ["aaaa2222"])
    assert "spaces." in at(notes, "tabs").read_text()


def test_scripts_list_and_decide_by_id(notes: Path, memory: Memory) -> None:
    edited(notes)
    plain = run(notes).stdout
    refs = [step["ref"] for step in json.loads(run(notes, "--json").stdout)["steps"]]
    done = run(notes, "--keep", "aaaa2222", "--drop", "cccc2222", "--json").stdout

    assert "~ changed aaaa2222 Use tabs" in plain and "--drop ID" in plain
    assert "memory/global/new.md" in refs and len(refs) == 4
    value = json.loads(done)
    assert value["kept"] == ["aaaa2222"] and value["dropped"][0]["done"] == "brought back"
    assert "1 more were kept before." in run(notes).stdout
    both = run(notes, "--keep", "bbbb2222", "--drop", "bbbb2222")
    assert isinstance(both.exception, BadInput)


def test_at_a_terminal_each_change_is_asked_about(
    notes: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(notes)
    monkeypatch.setattr(door, "at_terminal", lambda: True)
    monkeypatch.setattr(
        click, "edit", lambda filename: Path(filename).write_text(NOTES["tabs"] + "Edited.\n")
    )
    first = run(notes, given="x\nd\ne\nk\ns\n").stdout

    assert first.count("Keep, edit, drop or stop") == 5
    assert "Edited." in first and "(3 of 4)" in first and "(4 of 4)" not in first
    second = run(notes, given="d\ne\nd\n")
    assert "Keep or drop what became of it." in second.stderr
    assert second.stdout.endswith("That was the last one.\n")
    assert at(notes, "tabs").read_text() == NOTES["tabs"] + "Edited.\n"
    assert [step.kept for step in memory.steps()] == [True]
    assert "No change of a memory is left" in run(notes).stdout
