"""Telling and hearing: who is given what and when, states, questions, acknowledgements."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.memory import Memory, Question, Telling
from vaultmem.vault.store import Vault
from vaultmem.words.errors import BadInput, ChangedOnDisk, NotFound, SecretFound
from vaultmem.words.hit import tokens
from vaultmem.words.markers import filled, placed
from vaultmem.words.note import digest

Opener = Callable[..., Memory]
PROJECT = "memory/acme/api/project.md"


@pytest.fixture
def scribe(opener: Opener) -> Memory:
    return opener("scribe", session="scribe-1")


def heard(memory: Memory, budget: int = 600) -> list[str]:
    return [entry.summary for entry in memory.read_log(budget).entries]


# Hearing


def test_two_windows_of_one_agent_hear_each_other(opener: Opener) -> None:
    one, two = opener(session="one"), opener(session="two")
    two.unread()
    one.tell(Telling("note", "from the first window"))

    assert heard(one) == []
    assert heard(two) == ["from the first window"]


def test_a_new_window_starts_from_what_its_agent_has_read(opener: Opener, scribe: Memory) -> None:
    one = opener(session="one")
    scribe.tell(Telling("note", "old"))
    one.tell(Telling("note", "my own"))
    assert heard(one) == ["old"]
    assert heard(opener(session="not yet confirmed")) == ["old"]
    one.confirm()
    scribe.tell(Telling("note", "new"))

    assert heard(opener(session="two")) == ["new"]


def test_questions_come_first_then_what_is_addressed_then_the_oldest(
    memory: Memory, scribe: Memory
) -> None:
    scribe.tell(Telling("note", "oldest"))
    scribe.tell(Telling("handoff", "to me", to="scout"))
    scribe.tell(Telling("question", "to another", to="critic"))
    scribe.tell(Telling("question", "asked of me", to="scout"))

    assert heard(memory) == ["asked of me", "to me", "oldest", "to another"]


def test_what_does_not_fit_stays_unread(memory: Memory, scribe: Memory) -> None:
    for number in range(20):
        scribe.tell(Telling("note", f"{number:02} " + "x" * 290))

    first = memory.read_log()
    second = memory.read_log()

    assert sum(tokens(entry.line()) for entry in first.entries) <= 600
    assert first.more == 20 - len(first.entries)
    assert second.entries[0].summary.startswith(f"{len(first.entries):02}")


def test_an_entry_longer_than_any_answer_is_given_in_part_and_once(
    memory: Memory, root: Path, scribe: Memory
) -> None:
    scribe.tell(Telling("note", "first"))
    with (root / "live-context/2026-11.md").open("a", encoding="utf-8") as file:
        head = "- 2026-11-30T09:00:00+07:00 **ann** · phone · note"
        file.write(f"{head} · {'s' * 5000} · {'long ' * 2000}\n")
    assert heard(memory) == ["first"]

    (entry,) = memory.read_log().entries

    assert tokens(entry.line()) <= 600
    assert entry.summary.startswith("long long")
    assert heard(memory) == []


def test_a_locked_session_hears_its_scope_and_the_global_one(
    opener: Opener, scribe: Memory
) -> None:
    for scope in ("acme/api", "acme/web", ""):
        scribe.tell(Telling("question", f"in {scope}", to="scout", scope=scope or "global"))

    locked = opener(scope="acme/api")

    assert heard(locked) == ["in acme/api", "in"]


# Questions, acknowledgements


def test_an_answer_takes_its_question_off_the_brief(memory: Memory, scribe: Memory) -> None:
    asked = scribe.tell(Telling("question", "Which port?", to="scout")).entry
    given = scribe.tell(Telling("handoff", "The docs are yours", to="scout")).entry
    heard(memory)
    before = {part.name: part.text for part in memory.brief().parts}

    memory.tell(Telling("answer", "8443", to="scribe", ack=f"^{asked.mark}"))
    memory.tell(Telling("ack", "will do", ack=given.mark))

    after = {part.name for part in memory.brief().parts}
    assert before["Questions to you"] == asked.line()
    assert before["Waiting for your ack"] == given.line()
    assert not after & {"Questions to you", "Waiting for your ack"}
    assert heard(scribe) == [f"8443 (to {asked.mark})", f"will do (to {given.mark})"]


def test_what_was_said_at_once_is_shown_to_both_and_both_stand(
    memory: Memory, scribe: Memory
) -> None:
    one = memory.tell(Telling("decision", "Use REST")).entry
    two = scribe.tell(Telling("decision", "Use gRPC")).entry

    for agent, own, other in ((memory, one, two), (scribe, two, one)):
        (line,) = agent.read_log().reconcile
        assert own.mark in line
        assert other.mark in line
        assert line in {part.name: part.text for part in agent.brief().parts}["Reconcile"]
    memory.tell(Telling("ack", "gRPC it is", ack=two.mark))
    assert memory.read_log().reconcile == ()
    assert len(scribe.read_log().reconcile) == 1
    assert [entry.summary for entry in memory.log.entries()][:2] == ["Use REST", "Use gRPC"]


@pytest.mark.parametrize(
    ("telling", "error", "said"),
    [
        (Telling("note", "two\nlines"), BadInput, "one line"),
        (Telling("note", "x" * 5000), BadInput, "at most 300 characters; this has 5000"),
        (Telling("answer", "8443", ack="lc-aaaaaaaa-aa"), NotFound, "no log entry"),
        (Telling("state", "x", detail="d" * 10_001), BadInput, "10,000"),
        (Telling("state", "x", detail="ghp_" + "a1B2c3D4e5" * 4), SecretFound, "secret"),
    ],
)
def test_what_cannot_be_told_is_refused_and_nothing_is_written(
    memory: Memory, root: Path, telling: Telling, error: type[Exception], said: str
) -> None:
    memory.tell(Telling("note", "before"))
    before = {path: path.read_bytes() for path in root.rglob("*.md")}

    with pytest.raises(error, match=said):
        memory.tell(telling)

    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


def test_a_decision_is_found_once(memory: Memory) -> None:
    memory.tell(Telling("decision", "Orders keep their event id", because="retries doubled them"))
    memory.tell(Telling("note", "The weather is fine"))

    found = [hit.path for hit in memory.remember(Question("orders keep their event id")).hits]

    assert found == ["memory/global/decisions.md"]
    assert memory.remember(Question("weather fine")).hits[0].path == "live-context/2026-11.md"


# States


def test_a_state_becomes_our_part_of_the_project_and_the_next_one_replaces_it(
    memory: Memory, root: Path
) -> None:
    done = memory.tell(Telling("state", "Frozen", detail="## Next\nShip it.", scope="acme/api"))
    first = (root / PROJECT).read_text("utf-8")
    memory.tell(Telling("state", "Thawed", scope="acme/api"))
    second = (root / PROJECT).read_text("utf-8")

    assert done.path == PROJECT
    linked = re.fullmatch(
        r"Frozen \[\[(.*)\|detail\]\] \[\[memory/acme/api/project\|project\]\]",
        done.entry.summary,
    )
    assert linked
    assert (root / linked[1]).with_suffix(".md").read_text().endswith("## Next\nShip it.\n")
    assert first == (
        "---\ntitle: Project acme/api\ntype: project\ncreated: 2026-11-30T02:14:07\n---\n"
        "<!-- vaultmem:state -->\n**Frozen** (scout, 2026-11-30T02:14:07)\n\n## Next\nShip it.\n"
        "<!-- /vaultmem:state -->\n"
    )
    assert second == first.replace("Frozen", "Thawed").replace("\n\n## Next\nShip it.", "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no end",
        "Mine.\n",
        "\ufeff---\r\ntitle: Ours\r\n---\r\nMine.\r\n",
        "<!-- vaultmem:state -->\nan opening that lost its end\n\nMine.\n",
        "<!-- /vaultmem:state -->\nMine.",
    ],
)
def test_a_persons_words_in_the_project_stay_byte_for_byte(
    memory: Memory, root: Path, text: str
) -> None:
    (root / PROJECT).parent.mkdir(parents=True)
    (root / "memory/acme/api/index.md").write_text("---\nscope: acme/api\n---\n")
    (root / PROJECT).write_bytes(text.encode())
    for number in range(2):
        memory.tell(Telling("state", f"State {number}", detail="a\n\nb", scope="acme/api"))

    after = (root / PROJECT).read_bytes()

    assert after.startswith(text.encode())
    assert after.count(b"State 1") == 1
    assert b"State 0" not in after
    assert b"\r\n" not in text.encode() or after.count(b"\n") == after.count(b"\r\n")


def test_what_a_person_saves_meanwhile_is_kept(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.tell(Telling("state", "Frozen", scope="acme/api"))
    real, saved = Vault.replace, []

    def saving(vault: Vault, path: str, data: bytes, *, seen: str) -> str:
        if path == PROJECT and not saved:
            saved.append(path)
            (root / PROJECT).write_bytes((root / PROJECT).read_bytes() + b"Saved by hand.\n")
        return real(vault, path, data, seen=seen)

    monkeypatch.setattr(Vault, "replace", saving)
    memory.tell(Telling("state", "Thawed", scope="acme/api"))

    text = (root / PROJECT).read_text("utf-8")
    assert text.endswith("Saved by hand.\n")
    assert "**Thawed**" in text


def test_a_file_that_never_rests_is_refused_and_nothing_is_logged(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.tell(Telling("state", "Frozen", scope="acme/api"))

    def never(*_: object, **__: object) -> str:
        raise ChangedOnDisk(PROJECT)

    monkeypatch.setattr(Vault, "replace", never)
    with pytest.raises(ChangedOnDisk):
        memory.tell(Telling("state", "Thawed", scope="acme/api"))

    assert len(memory.log.entries()) == 1


@given(st.text(), st.lists(st.text(st.characters(exclude_characters="\r\n")), max_size=4))
def test_placing_twice_is_placing_once_and_leaves_the_rest(text: str, lines: list[str]) -> None:
    once = placed(text, "state", lines)

    assert placed(once, "state", lines) == once
    if filled(text, "state", []) is None:
        assert once.startswith(text)
    assert digest(once.encode("utf-8", "surrogatepass"))


# Checkpoints


def test_a_checkpoint_replaces_the_agents_own_only(memory: Memory, scribe: Memory) -> None:
    memory.tell(Telling("checkpoint", "one", detail="Task: one"))
    scribe.tell(Telling("checkpoint", "two", detail="Task: two"))
    memory.tell(Telling("checkpoint", "three", detail="Task: three"))

    assert (memory.checkpoint(), scribe.checkpoint()) == ("Task: three", "Task: two")


def test_a_checkpoint_is_due_after_a_compaction_or_eight_calls_of_its_session(
    opener: Opener, memory: Memory
) -> None:
    memory.compacted()
    other = opener(session="other")
    for _ in range(8):
        other.arrive()

    assert memory.checkpoint_due().startswith("The conversation was compacted since")
    assert other.checkpoint_due().startswith("8 tool calls")
    memory.tell(Telling("checkpoint", "here"))
    assert memory.checkpoint_due() == ""
    assert other.checkpoint_due() != ""
