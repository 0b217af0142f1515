"""Before storing: the same statement is counted, a near-copy is shown, the rest is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import FakeModel, Opener

from vaultmem.memory import Memory, Wish
from vaultmem.words.errors import BadInput, ModelMissing

LIMIT = Wish(
    title="The public API is rate limited",
    content="The public API allows 100 requests a minute per key, by a token bucket.",
)
REWORDED = Wish(
    title="The public API is rate limited",
    content="By a token bucket the public API allows 100 requests a minute per key, as agreed.",
)


def notes(root: Path) -> list[str]:
    return sorted(p.name for p in (root / "memory").rglob("*.md") if p.name != "index.md")


def test_the_same_statement_again_is_the_note_that_is_there(memory: Memory, root: Path) -> None:
    first = memory.memorize(LIMIT)
    shouted = Wish(title=LIMIT.title, content=f"  {str(LIMIT.content).upper()}\n")

    again, thrice = memory.memorize(shouted), memory.memorize(LIMIT)

    assert (again.id, again.path, again.hash) == (first.id, first.path, first.hash)
    assert [first.seen, again.seen, thrice.seen] == [0, 1, 2]
    assert notes(root) == ["the-public-api-is-rate-limited.md"]


def test_a_near_copy_is_shown_and_not_stored(memory: Memory, root: Path) -> None:
    first = memory.memorize(LIMIT)

    refused = memory.memorize(REWORDED)

    assert not refused.kept
    assert [(note.id, note.hash) for note in refused.similar] == [(first.id, first.hash)]
    assert refused.similar[0].text == LIMIT.content
    assert notes(root) == ["the-public-api-is-rate-limited.md"]


@pytest.mark.parametrize("kind", ["supersedes", "conflicts", "consolidates", "similar"])
def test_a_near_copy_that_says_what_it_is_to_the_other_is_kept(memory: Memory, kind: str) -> None:
    first = memory.memorize(LIMIT)
    wish = Wish(REWORDED.title, REWORDED.content, relates=(f"{kind}: {first.id} because it is",))

    assert memory.memorize(wish).kept


def test_a_near_copy_is_kept_where_it_is_allowed_and_the_receipt_names_the_other(
    memory: Memory,
) -> None:
    first = memory.memorize(LIMIT)

    kept = memory.memorize(Wish(REWORDED.title, REWORDED.content, allow_similar=True))

    assert kept.kept
    assert [note.id for note in kept.similar] == [first.id]


def test_another_number_is_another_fact(memory: Memory) -> None:
    memory.memorize(LIMIT)

    done = memory.memorize(Wish(LIMIT.title, str(LIMIT.content).replace("100", "200")))

    assert done.kept
    assert done.similar == ()


def test_the_same_text_under_another_title_is_shown_not_lost(memory: Memory) -> None:
    memory.memorize(Wish("Port of the staging service", "It listens on the usual port."))

    done = memory.memorize(Wish("Port of the Production service", "It listens on the usual port."))

    assert done.seen == 0


def test_other_scopes_are_not_looked_at_and_the_global_one_is(opener: Opener) -> None:
    one, two = opener(scope="local/one"), opener(scope="local/two")
    one.memorize(LIMIT)

    assert two.memorize(LIMIT).seen == 0
    assert one.memorize(Wish(LIMIT.title, LIMIT.content, everywhere=True)).seen == 0
    assert opener(scope="local/three").memorize(LIMIT).seen == 1


def test_what_was_replaced_may_be_said_again(memory: Memory) -> None:
    first = memory.memorize(LIMIT)
    memory.memorize(
        Wish(
            "The public API has no limit",
            "There is none now.",
            relates=(f"supersedes: {first.id}",),
        )
    )

    assert memory.memorize(LIMIT).seen == 0


def test_a_note_that_two_agents_keep_at_once_is_kept_once(opener: Opener, root: Path) -> None:
    one, other = opener("scout"), opener("scribe")
    one.refresh()
    other.refresh()
    one.memorize(LIMIT)

    assert other.memorize(LIMIT).seen == 1
    assert len(notes(root)) == 1


def test_a_text_that_no_model_reads_is_told_by_its_letters(memory: Memory) -> None:
    thai = "ทีมตกลงว่าจะปล่อยรุ่นใหม่ทุกวันอังคารตอนบ่ายสองโมงจากกิ่งหลักเท่านั้น"
    memory.memorize(Wish("รอบการปล่อยรุ่นของทีม", thai))

    refused = memory.memorize(Wish("รอบการปล่อยรุ่นของทีม", f"{thai} ครับ"))
    kept = memory.memorize(Wish("เครื่องพิมพ์ชั้นสอง", "หมึกหมดบ่อยเพราะใช้กระดาษผิดชนิด ให้สั่งแบบหนาแทน"))

    assert not refused.kept
    assert kept.kept


def test_without_the_model_it_is_stored_all_the_same(
    memory: Memory, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: object) -> None:
        raise ModelMissing("it is not there")

    monkeypatch.setattr(model, "passages", gone)

    assert memory.memorize(LIMIT).kept
    assert memory.memorize(LIMIT).seen == 1


def test_a_kept_note_needs_no_second_embedding(memory: Memory, model: FakeModel) -> None:
    memory.memorize(Wish("Where the gateway runs", "It runs in the cluster in Frankfurt."))
    memory.refresh()
    memory.memorize(LIMIT)
    before = len(model.embedded)

    memory.refresh()

    assert len(model.embedded) == before


def test_relations_are_added_only_by_naming_the_note(memory: Memory) -> None:
    other = memory.memorize(Wish("Where the gateway runs", "It runs in the cluster in Frankfurt."))
    first = memory.memorize(LIMIT)
    wish = Wish(LIMIT.title, LIMIT.content, relates=(f"depends_on: {other.id}",))

    refused = memory.memorize(wish)

    assert [note.id for note in refused.similar] == [first.id]


@pytest.mark.parametrize(
    ("since", "until"), [("soon", None), (None, "31.12.2026"), ("2026-12-01", "2026-11-01")]
)
def test_a_span_that_cannot_be_is_an_error(
    memory: Memory, root: Path, since: str | None, until: str | None
) -> None:
    wish = Wish(LIMIT.title, LIMIT.content, valid_from=since, valid_until=until)

    with pytest.raises(BadInput):
        memory.memorize(wish)

    assert notes(root) == []


def test_a_title_of_four_chinese_signs_says_enough(memory: Memory) -> None:
    assert memory.memorize(Wish("支付重试", "支付失败后每隔一小时重试三次。")).kept
    assert memory.memorize(Wish("支付重试", "支付失败后每隔一小时重试五次。")).kept
