"""A vault that is moved, copied, cloned, opened elsewhere, or replaced by another one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import Clock, FakeModel, Opener
from promises import promise

from vaultmem.memory import Caller, Memory, Question, SleepWish, Telling, Wish, init_vault
from vaultmem.vault import settings as settings_of
from vaultmem.verbs.sleep import overdue
from vaultmem.words.entry import Entry
from vaultmem.words.errors import OtherVault
from vaultmem.words.layout import CONFIG


def hear(memory: Memory) -> tuple[Entry, ...]:
    """Return what the session had not read of the log; now it has."""
    found = memory.read_log().entries
    memory.log.confirm(memory.caller.reader)
    return found


@pytest.fixture
def told(opener: Opener) -> str:
    """The id of a memory that an agent used once, in a vault whose log it has read."""
    scribe = opener("scribe", session="s2", person=False)
    scribe.tell(Telling("note", "The boat is back in the water"))
    wish = Wish(title="Indents with tabs", content="Indent with tabs in every project.")
    known = opener(person=False).memorize(wish)
    reader = opener(person=False)
    reader.remember(Question("tabs in every project"))
    assert len(hear(reader)) == 1
    return known.id


def at(root: Path, clock: Clock, model: FakeModel, *, person: bool = False) -> Memory:
    caller = Caller("scout", "chat", "s1", person=person)
    return Memory(settings_of.load(root, root), caller, clock, model)


def uses(memory: Memory, ref: str) -> int:
    return memory.strength(ref).life.use.count


@pytest.mark.parametrize("how", ["moved", "copied"])
def test_a_vault_elsewhere_on_this_machine_answers_and_knows_its_uses_and_what_was_read(
    root: Path, told: str, clock: Clock, model: FakeModel, how: str
) -> None:
    place = root.with_name("elsewhere")
    shutil.move(root, place) if how == "moved" else shutil.copytree(root, place)
    memory = at(place, clock, model)

    assert memory.remember(Question("tabs in every project")).hits[0].id == told
    assert uses(memory, told) == 1
    assert hear(memory) == ()
    assert at(place, clock, model, person=True).doctor().well
    memory.close()


@promise("apart")
def test_two_copies_that_are_open_at_once_answer_each_from_its_own_notes(
    root: Path, told: str, opener: Opener, clock: Clock, model: FakeModel
) -> None:
    copy = at(shutil.copytree(root, root.with_name("copy")), clock, model)
    here = opener(person=False)
    copy.memorize(Wish(title="The heron lies at anchor", content="The heron lies at anchor now."))
    here.memorize(Wish(title="The heron was sold", content="The heron was sold in spring."))

    assert [hit.title for hit in copy.remember(Question("heron")).hits] == [
        "The heron lies at anchor"
    ]
    assert [hit.title for hit in here.remember(Question("heron")).hits] == ["The heron was sold"]
    copy.close()


def test_on_a_second_machine_the_uses_begin_anew_and_the_doctor_says_so(
    root: Path, told: str, clock: Clock, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = shutil.copytree(root, root.with_name("elsewhere"))
    monkeypatch.setenv("VAULTMEM_STATE_DIR", str(root.with_name("state")))
    memory = at(place, clock, model, person=True)
    memory._parts.ledger.note("machine", "another")  # two machines may well be called the same

    assert memory.remember(Question("tabs in every project")).hits[0].id == told
    assert uses(memory, told) == 0
    assert len(hear(memory)) == 1
    report = memory.doctor()
    said = [finding.what for finding in report.findings if "another machine" in finding.what]
    assert len(said) == 1
    assert report.well
    memory.close()


def test_a_vault_that_slept_on_one_machine_does_not_sleep_again_on_another_that_day(
    root: Path, opener: Opener, clock: Clock, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "---\ntitle: Where it goes\nsource: agent_inferred\n---\nThe nightly backup goes to "
    for n, text in enumerate(("the cellar.", "the cellar!", "the cellar!!")):
        (root / f"memory/global/backup-{n}.md").write_text(f"{said}{text}\n", "utf-8")
    memory = opener(person=False)
    assert overdue(memory._parts)
    assert memory.sleep(SleepWish()).parents
    monkeypatch.setenv("VAULTMEM_STATE_DIR", str(root.with_name("state")))

    other = at(root, clock, model)
    assert not overdue(other._parts)
    clock.forward(hours=25)
    assert overdue(other._parts)
    other.close()


@promise("apart")
def test_another_vault_in_the_place_of_an_open_one_is_neither_read_nor_written(
    root: Path, told: str, opener: Opener, clock: Clock, model: FakeModel
) -> None:
    memory = opener(person=False)
    other = init_vault(root.with_name("other")).root
    (other / "memory/global/heron.md").write_text("The heron is grey.\n", "utf-8")
    root.rename(root.with_name("away"))
    other.rename(root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    wish = Wish(title="A fact at a bad time", content="It is not for this vault.")
    for act in (
        lambda: memory.remember(Question("heron")),
        lambda: memory.memorize(wish),
        lambda: memory.tell(Telling("note", "It is not for this vault.")),
        memory.brief,
        memory.refresh,
    ):
        with pytest.raises(OtherVault, match="start this program again"):
            act()
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    fresh = at(root, clock, model)
    assert [hit.path for hit in fresh.remember(Question("heron")).hits]
    assert fresh._parts.ledger.uses().keys().isdisjoint({told})
    fresh.close()
    root.rename(other)
    root.with_name("away").rename(root)

    assert memory.remember(Question("tabs in every project")).hits[0].id == told
    assert memory.remember(Question("heron")).hits == ()


@pytest.mark.parametrize("text", ["id = ", "colour = 1\n", ""])
def test_a_config_that_breaks_while_it_is_served_changes_nothing_until_the_next_start(
    root: Path, told: str, opener: Opener, text: str
) -> None:
    memory = opener(person=False)
    (root / CONFIG).write_text(text, "utf-8")

    assert memory.remember(Question("tabs in every project")).hits[0].id == told
    assert memory.memorize(Wish(title="The heron was sold", content="Sold in spring.")).id


@promise("vanished")
def test_a_folder_of_notes_that_goes_and_comes_back_costs_no_note_and_no_vector(
    memory: Memory, root: Path, model: FakeModel
) -> None:
    for number in range(30):
        (root / f"memory/global/n{number}.md").write_text(f"Note of number {number}.\n")
    memory.refresh()
    count = len(model.embedded)
    folder = root / "memory/global"
    folder.rename(root.with_name("outside"))
    assert "notes are gone" in memory.remember(Question("number")).note

    root.with_name("outside").rename(root / "memory/renamed")
    memory.refresh()

    assert len(memory.remember(Question("number", limit=20)).hits) == 20
    assert len(model.embedded) == count


def test_uses_of_a_note_without_an_id_follow_it(root: Path, opener: Opener) -> None:
    folder = root / "memory/global"
    (folder / "by-hand.md").write_text("The boat is called heron.\n", "utf-8")
    agent, other = opener(person=False), opener("scribe", person=False)
    agent.remember(Question("boat called heron"))
    other._parts.ledger.uses()
    (folder / "sorted").mkdir()
    (folder / "by-hand.md").rename(folder / "sorted/renamed.md")

    agent._parts.sidecar.refresh()

    assert uses(agent, "memory/global/sorted/renamed.md") == 1
    assert uses(other, "memory/global/sorted/renamed.md") == 1
    (folder / "by-hand.md").write_text("Another text at the old path.\n", "utf-8")
    assert uses(agent, "memory/global/by-hand.md") == 0


def test_uses_follow_nobody_where_two_notes_have_one_text(root: Path, opener: Opener) -> None:
    folder = root / "memory/global"
    (folder / "a.md").write_text("The boat is called heron.\n", "utf-8")
    agent = opener(person=False)
    agent.remember(Question("boat called heron"))
    for name in ("b.md", "c.md"):
        shutil.copy(folder / "a.md", folder / name)
    (folder / "a.md").unlink()

    agent._parts.sidecar.refresh()

    assert uses(agent, "memory/global/b.md") == uses(agent, "memory/global/c.md") == 0
