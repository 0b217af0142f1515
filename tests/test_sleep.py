"""Sleep: near-copies become one parent, nothing is lost, and it can be taken back."""

from __future__ import annotations

import logging
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from conftest import Clock, FakeModel, Opener
from hypothesis import given
from hypothesis import strategies as st
from promises import promise

from vaultmem.memory import Memory, Question, SleepWish, Wish
from vaultmem.verbs.clusters import clusters, meant_pairs, spelt_pairs
from vaultmem.verbs.sleep import apply, plan
from vaultmem.words.errors import BadInput, ChangedOnDisk, NotFound

TELLINGS = (
    "The nightly backup goes to the second host and is kept there for a month.",
    "Kept for a month: the nightly backup goes to the second host.",
    "The nightly backup goes to the second host, it is kept there for a month.",
)


def told(root: Path, name: str, body: str, **keys: object) -> Path:
    """Write a memory as a file, as another agent or machine would have."""
    said = {"title": "Where the nightly backup goes", "source": "agent_inferred"}
    said |= {"created": "2026-11-29T10:00:00", "updated": "2026-11-29T10:00:00", **keys}  # type: ignore[dict-item]
    head = "".join(f"{key}: {value}\n" for key, value in said.items())
    path = root / "memory" / "global" / f"{name}.md"
    path.write_text(f"---\n{head}---\n{body}\n", "utf-8")
    return path


@pytest.fixture
def copies(root: Path) -> list[Path]:
    return [
        told(root, f"backup-{n}", text, created=f"2026-11-{27 + n}T10:00:00")
        for n, text in enumerate(TELLINGS)
    ]


def test_near_copies_become_one_parent_and_no_source_changes_by_a_byte(
    memory: Memory, root: Path, copies: list[Path]
) -> None:
    before = [path.read_bytes() for path in copies]

    done = memory.sleep()

    assert len(done.parents) == 1
    _, parent = memory.get(done.parents[0][0])
    assert parent.texts("consolidates") == tuple(
        f"[[memory/global/backup-{n}|Where the nightly backup goes]]" for n in range(3)
    )
    assert "[^1]: [[memory/global/backup-2|" in parent.body
    assert (parent.text("source"), parent.importance) == ("agent_inferred", 0.44)
    assert [path.read_bytes() for path in copies] == before
    catalogue = (root / "memory" / "global" / "index.md").read_text("utf-8")
    assert "backup-1" not in catalogue
    assert "(3 notes)" in catalogue


def test_the_parent_answers_for_its_sources(memory: Memory, copies: list[Path]) -> None:
    memory.sleep()

    hits = memory.remember(Question("where does the nightly backup go")).hits

    assert [hit.title for hit in hits] == ["Where the nightly backup goes (3 notes)"]
    assert hits[0].stands_for == 4
    source = memory.remember(Question("memory/global/backup-0.md")).hits[0]
    assert "CONSOLIDATED into" in source.label


@promise("undone")
def test_undo_takes_all_of_it_back(memory: Memory, root: Path, copies: list[Path]) -> None:
    memory.refresh()
    catalogue = root / "memory" / "global" / "index.md"
    before = {path: path.read_bytes() for path in [*copies, catalogue]}
    parent = memory.sleep().parents[0][0]

    sources = memory.undo_sleep(parent)

    assert sources == [f"memory/global/backup-{n}.md" for n in range(3)]
    assert {path: path.read_bytes() for path in before} == before
    with pytest.raises(NotFound):
        memory.get(parent)


@promise("undone")
def test_deleting_the_parent_in_an_editor_is_an_undo_too(
    memory: Memory, root: Path, copies: list[Path]
) -> None:
    (root / memory.sleep().parents[0][1]).unlink()

    hits = memory.remember(Question("where does the nightly backup go")).hits

    assert hits[0].label == "INFERRED"
    assert hits[0].path in {f"memory/global/{path.name}" for path in copies}


def test_only_a_parent_can_be_undone(memory: Memory, copies: list[Path]) -> None:
    memory.refresh()

    with pytest.raises(BadInput, match="consolidates nothing"):
        memory.undo_sleep("memory/global/backup-0.md")


def test_a_dry_run_says_what_and_why_and_writes_nothing(
    memory: Memory, root: Path, copies: list[Path]
) -> None:
    memory.refresh()
    before = sorted(root.rglob("*.md"))

    done = memory.sleep(SleepWish(dry_run=True))

    assert "3 notes say nearly the same" in done.proposals[0].reason
    assert done.parents == ()
    assert sorted(root.rglob("*.md")) == before


def test_a_second_sleep_finds_nothing_to_do(memory: Memory, copies: list[Path]) -> None:
    memory.sleep()

    assert memory.sleep().proposals == ()


def test_what_is_said_again_after_a_sleep_is_known_by_the_parent(
    memory: Memory, copies: list[Path]
) -> None:
    parent = memory.sleep().parents[0][0]

    again = memory.memorize(Wish("Where the nightly backup goes", TELLINGS[0]))

    assert (again.id, again.seen) == (parent, 1)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"updated": "2026-11-01T10:00:00"}, "older than a week"),
        ({"status": "archived"}, "archived"),
        ({"pinned": "true"}, "pinned"),
        ({"source": "user_confirmed"}, "another grade"),
        ({"type": "goal"}, "a goal"),
        ({"retracted": "wrong"}, "retracted"),
    ],
)
def test_what_is_left_alone(
    memory: Memory, root: Path, copies: list[Path], keys: dict[str, object], why: str
) -> None:
    told(root, "backup-2", TELLINGS[2], **keys)

    assert memory.sleep().proposals == (), why


def test_another_scope_is_another_matter(memory: Memory, root: Path, copies: list[Path]) -> None:
    memory.memorize(Wish("A note of another project", "It is about nothing.", scope="local/other"))
    copies[2].rename(root / "memory" / "local" / "other" / "backup-2.md")

    assert memory.sleep().proposals == ()


@pytest.mark.parametrize("person", [True, False])
def test_approved_notes_are_folded_for_a_person_alone(
    opener: Opener, root: Path, person: bool
) -> None:
    for number, text in enumerate(TELLINGS):
        told(root, f"backup-{number}", text, source="approved")

    done = opener(person=person).sleep()

    assert len(done.parents) == person
    if person:
        assert opener().get(done.parents[0][0])[1].text("source") == "approved"


def test_a_source_that_was_edited_since_is_not_folded(memory: Memory, copies: list[Path]) -> None:
    memory.refresh()
    proposal = plan(memory._parts, SleepWish())[0]
    copies[0].write_text("Something else entirely.", "utf-8")

    with pytest.raises(ChangedOnDisk):
        apply(memory._parts, proposal)


def test_of_two_sleepers_one_folds(opener: Opener, copies: list[Path]) -> None:
    one, other = opener("scout"), opener("scribe")
    other.refresh()
    planned = plan(other._parts, SleepWish())[0]
    one.sleep()

    with pytest.raises(ChangedOnDisk):
        apply(other._parts, planned)


def test_forgetting_a_source_makes_the_parent_stale(memory: Memory, copies: list[Path]) -> None:
    parent = memory.sleep().parents[0][0]
    memory.forget(["memory/global/backup-1.md"])

    hits = memory.remember(Question(parent)).hits

    assert hits[0].label == "INFERRED · STALE"
    assert any("built on a note that is gone" in f.what for f in memory.doctor().findings)


def test_it_comes_by_itself_once_a_day(
    opener: Opener, clock: Clock, root: Path, copies: list[Path]
) -> None:
    one, other = opener("scout"), opener("scribe")
    one.sleep_daily().join()
    other.sleep_daily().join()
    parents = list(root.glob("memory/global/*notes*.md"))
    parents[0].unlink()
    other.sleep_daily().join()

    assert len(parents) == 1
    assert list(root.glob("memory/global/*notes*.md")) == []
    told(root, "backup-3", TELLINGS[1])
    clock.forward(hours=24, seconds=1)
    other.sleep_daily().join()
    assert len(list(root.glob("memory/global/*notes*.md"))) == 1


def test_what_a_person_took_back_is_folded_again_only_when_asked_for(
    memory: Memory, clock: Clock, root: Path, copies: list[Path]
) -> None:
    memory.sleep_daily().join()
    parent = next(root.glob("memory/global/*notes*.md"))
    memory.undo_sleep(f"memory/global/{parent.name}")
    clock.forward(hours=25)

    memory.sleep_daily().join()

    assert list(root.glob("memory/global/*notes*.md")) == []
    assert len(memory.sleep().parents) == 1


def test_a_failure_of_its_own_sleep_is_logged_and_not_raised(
    memory: Memory, model: FakeModel, copies: list[Path],
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    def broken(_: object) -> None:
        raise OSError("the disk is on fire")

    monkeypatch.setattr(model, "passages", broken)
    with caplog.at_level(logging.ERROR):
        memory.sleep_daily().join()

    assert "sleep failed" in caplog.text


def test_a_vault_may_sleep_by_command_alone(opener: Opener, root: Path, copies: list[Path]) -> None:
    config = root / ".vaultmem" / "config.toml"
    config.write_text(config.read_text("utf-8") + 'sleep = "off"\n', "utf-8")

    opener().sleep_daily().join()

    assert list(root.glob("memory/global/*notes*.md")) == []
    assert len(opener().sleep().parents) == 1


@pytest.mark.parametrize(
    "wish", [SleepWish(threshold=0.5), SleepWish(min_size=1), SleepWish(max_age=-1)]
)
def test_a_wish_that_cannot_be_is_an_error(memory: Memory, wish: SleepWish) -> None:
    with pytest.raises(BadInput):
        memory.sleep(wish)


def test_texts_that_no_model_reads_are_folded_by_their_letters(memory: Memory, root: Path) -> None:
    text = "ทีมสำรองข้อมูลไว้ที่เครื่องที่สองทุกคืนและเก็บไว้หนึ่งเดือนเสมอ"
    for number, end in enumerate(("", "ครับ", "ค่ะ")):
        told(root, f"thai-{number}", text + end, title="ที่เก็บข้อมูลสำรอง")
    told(root, "thai-other", "เครื่องพิมพ์ชั้นสองหมึกหมดบ่อยเพราะใช้กระดาษผิดชนิด", title="เครื่องพิมพ์")

    done = memory.sleep()

    assert [len(proposal.sources) for proposal in done.proposals] == [3]


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] < p[1])))
def test_every_two_notes_of_a_cluster_are_near(pairs: set[tuple[int, int]]) -> None:
    found = clusters([(*pair, 0.9) for pair in pairs], 2, 50)

    members = [number for cluster in found for number in cluster]
    assert len(members) == len(set(members))
    assert all(pair in pairs for cluster in found for pair in combinations(cluster, 2))
    if pairs:
        assert found


def test_pairs_are_those_that_a_loop_over_all_would_find() -> None:
    chance = np.random.default_rng(3)
    vectors = chance.normal(size=(60, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[7] = np.nan
    cosines = vectors @ vectors.T

    found = {(one, other) for one, other, _ in meant_pairs(vectors, 0.8)}

    every = combinations(range(60), 2)
    assert found == {pair for pair in every if cosines[pair] >= 0.8}


@given(st.lists(st.text("abcd ", min_size=3, max_size=30), max_size=12))
def test_texts_that_share_four_fifths_of_their_letters_are_met(texts: list[str]) -> None:
    from vaultmem.words.near import alike

    found = {(one, other) for one, other, _ in spelt_pairs(texts, [True] * len(texts))}

    every = combinations(range(len(texts)), 2)
    assert found == {(i, j) for i, j in every if alike(texts[i], texts[j]) >= 0.8}
