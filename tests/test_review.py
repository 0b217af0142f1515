"""Review: a person looks at what waits, lets it in, merges it, rejects it, and takes that back."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import Clock, Opener
from test_candidates import BY_HAND, CLOCK, changed, properties, rewrite

from vaultmem.doors.cli.group import vaultmem
from vaultmem.memory import Memory, Question, Wish
from vaultmem.words.errors import BadInput, DiskFailed, NotFound, Refused

TABS = Wish(
    "The person prefers tabs",
    "Indent with tabs.",
    type="user_preference",
    review=True,
    why="said so",
)


@pytest.fixture
def scout(opener: Opener) -> Memory:
    return opener(person=False)


def everything(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*.md")
        if "live-context" not in path.as_posix()
    }


def test_what_waits_is_listed_oldest_first_with_what_it_is_known_from(
    opener: Opener, scout: Memory, memory: Memory, clock: Clock
) -> None:
    scout.memorize(CLOCK)
    clock.forward(minutes=1)
    opener("scribe", person=False).memorize(TABS)
    scout.memorize(CLOCK)

    first, second = memory.queue().items

    assert (first.agent, first.kind, first.seen, first.quote) == ("scout", "new", 2, CLOCK.quote)
    assert (second.agent, second.title) == ("scribe", TABS.title)
    assert [item.title for item in memory.queue(agent="scribe").items] == [TABS.title]
    assert [item.title for item in memory.queue(kind="preference").items] == [TABS.title]
    assert memory.queue(limit=1).more == 1


def test_an_agent_reviews_nothing(scout: Memory) -> None:
    done = scout.memorize(CLOCK)

    for act in (
        lambda: scout.queue(),
        lambda: scout.waiting(done.id),
        lambda: scout.approve([done.id]),
        lambda: scout.merge(done.id, done.id),
        lambda: scout.reject([done.id], "no"),
        lambda: scout.undo_review(),
    ):
        with pytest.raises(Refused, match="Only a person"):
            act()


def test_it_is_shown_with_the_memories_near_it(scout: Memory, memory: Memory) -> None:
    scout.memorize(Wish("Clock of the host", 'The staging host had -no "clock" once, at reboot.'))
    done = scout.memorize(replace(CLOCK, content='It is "always" -late at reboot on staging.'))

    found = memory.waiting(done.id)

    assert found.text == 'It is "always" -late at reboot on staging.'
    assert [hit.title for hit in found.near] == ["Clock of the host"]


def test_approved_it_is_a_memory_and_undone_it_waits_again(
    scout: Memory, memory: Memory, root: Path
) -> None:
    done = scout.memorize(replace(CLOCK, scope="local/shop"))
    before = properties(root, done.path)

    (item,) = memory.approve([done.id]).done
    assert item.path == "memory/local/shop/the-staging-host-forgets-its-clock.md"
    assert properties(root, item.path)["source"] == "approved"
    assert memory.remember(Question(done.id)).hits[0].label == "CONFIRMED"

    undone = memory.undo_review()
    assert undone.paths == (done.path,)
    assert properties(root, done.path) == before
    assert not (root / item.path).exists()
    assert memory.remember(Question(done.id)).hits[0].label == "PENDING"
    with pytest.raises(NotFound, match="take back"):
        memory.undo_review()
    memory.refresh()
    assert (root / done.path).exists()


def test_an_undo_that_the_disk_cuts_short_is_repeated_to_its_end(
    scout: Memory, memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = [scout.memorize(wish) for wish in (CLOCK, TABS)]
    before = [properties(root, item.path) for item in done]
    memory.approve([item.id for item in done])
    edit, edited = type(memory.vault).edit, []

    def full(*given: Any, **more: Any) -> str:
        edited.append(given)
        if len(edited) == 2:
            raise DiskFailed("a note", OSError(errno.ENOSPC, "no space"))
        return edit(*given, **more)

    with monkeypatch.context() as patched, pytest.raises(DiskFailed):
        patched.setattr(type(memory.vault), "edit", full)
        memory.undo_review()

    assert len(memory.undo_review().paths) == 2
    assert [properties(root, item.path) for item in done] == before
    assert memory.doctor().well


def test_what_an_agent_changed_after_it_was_shown_is_not_approved_unseen(
    scout: Memory, memory: Memory, root: Path
) -> None:
    done = scout.memorize(CLOCK)
    memory.queue()
    scout.memorize(Wish(content="The person wants no tests.", id=done.id, hash=done.hash))

    assert "shown to you" in memory.approve([done.id]).left[0][1]

    memory.waiting(done.id)
    scout.memorize(replace(CLOCK, content="The person wants no tests."))
    assert memory.approve([done.id]).left == ()


def test_many_are_approved_at_once_and_the_expired_are_not(
    opener: Opener, scout: Memory, memory: Memory, clock: Clock
) -> None:
    old = scout.memorize(TABS)
    clock.forward(days=31)
    for name in ("Amsterdam", "Berlin"):
        scout.memorize(Wish(f"Office in {name}", f"There is an office in {name}.", review=True))
    other = opener("scribe", person=False).memorize(CLOCK)
    with pytest.raises(BadInput):
        memory.approve()

    done = memory.approve(agent="scout")

    assert [item.title for item in done.done] == ["Office in Amsterdam", "Office in Berlin"]
    waits = memory.queue().items
    assert [(item.id, item.expired) for item in waits] == [(old.id, True), (other.id, False)]
    assert [item.id for item in memory.approve([old.id]).done] == [old.id]
    assert [item.id for item in memory.approve(all_=True).done] == [other.id]


def test_what_cannot_be_approved_is_named_and_the_rest_is_done(
    scout: Memory, memory: Memory, root: Path
) -> None:
    broken, fine = scout.memorize(CLOCK), scout.memorize(TABS)
    rewrite(root, broken.path, "title: The staging", "title: [The staging")

    done = memory.approve([broken.path, fine.id])

    assert [item.id for item in done.done] == [fine.id]
    assert [path for path, _ in done.left] == [broken.path]
    assert (root / broken.path).exists()


def test_a_rejected_one_goes_to_the_trash_with_the_reason_and_comes_back(
    scout: Memory, memory: Memory, root: Path
) -> None:
    done = scout.memorize(CLOCK)
    before = everything(root)
    with pytest.raises(BadInput, match="why"):
        memory.reject([done.id])

    (item,) = memory.reject([done.id], "it was the  router").done

    assert properties(root, item.trash)["rejected"] == "it was the router"
    assert scout.remember(Question(CLOCK.title or "")).hits == ()
    told = [entry.summary for entry in scout.log.entries()]
    assert any(line.endswith("because it was the router") for line in told)
    assert memory.undo_review().paths == (done.path,)
    assert everything(root) == before


def test_a_rejected_one_is_restored_into_the_inbox(
    scout: Memory, memory: Memory, root: Path
) -> None:
    done = scout.memorize(replace(CLOCK, scope="local/shop"))
    memory.reject([done.id], "it was the router")

    assert memory.restore(done.id) == done.path
    assert properties(root, done.path)["scope"] == "local/shop"
    memory.refresh()
    assert (root / done.path).exists()


def test_a_candidate_is_merged_into_a_memory_and_that_is_undone_byte_for_byte(
    scout: Memory, memory: Memory, root: Path
) -> None:
    (root / "memory/global/boat.md").write_bytes(BY_HAND.replace("\n", "\r\n").encode())
    done = scout.memorize(CLOCK)
    memory.refresh()
    before = everything(root)

    memory.merge(done.id, "The boat")

    text = (root / "memory/global/boat.md").read_bytes()
    assert text.endswith(
        b"Heron.\r\n\r\n**The staging host forgets its clock**: "
        + str(CLOCK.content).encode()
        + b"\r\n"
    )
    assert not (root / done.path).exists()
    memory.undo_review()
    assert everything(root) == before


def test_a_change_is_shown_applied_and_undone_byte_for_byte(
    scout: Memory, memory: Memory, root: Path
) -> None:
    path = changed(scout, root, "The boat is called Egret.", tags=("boats",))
    found = memory.waiting(path)
    assert (found.item.kind, found.item.about) == ("change", "memory/global/boat.md")
    assert "-The boat is called Heron.\n+The boat is called Egret." in found.difference
    assert "+tags: ['boats']" in found.difference
    memory.refresh()
    before = everything(root)

    memory.approve([path])
    assert b"Egret" in (root / "memory/global/boat.md").read_bytes()

    memory.undo_review()
    assert everything(root) == before


def test_an_act_is_not_taken_back_over_what_a_person_wrote_since(
    scout: Memory, memory: Memory, root: Path
) -> None:
    path = changed(scout, root, "The boat is called Egret.")
    memory.approve([path])
    rewrite(root, "memory/global/boat.md", "Egret", "Grey Egret")

    done = memory.undo_review()

    assert done.paths == ()
    assert "changed since" in done.left[0][1]
    assert "Grey Egret" in (root / "memory/global/boat.md").read_text("utf-8")


def test_a_memory_that_disputes_another_is_in_the_queue_and_approved_it_holds(
    scout: Memory, memory: Memory, root: Path
) -> None:
    (root / "memory/global/boat.md").write_text(BY_HAND, "utf-8")
    scout.refresh()
    done = scout.memorize(
        Wish("The boat has a new name", "It is called Egret.", relates=("supersedes: The boat",))
    )
    (item,) = memory.queue().items
    assert (item.kind, item.id, item.about) == ("contested", done.id, "memory/global/boat.md")

    memory.approve([done.id])

    assert memory.queue().items == ()
    assert memory.remember(Question("The boat")).hits[-1].label.startswith("CONFIRMED · SUPERSEDED")
    memory.undo_review()
    assert len(memory.queue().items) == 1


def test_a_person_in_one_scope_sees_no_candidate_of_another(opener: Opener) -> None:
    opener(person=False, scope="local/one").memorize(CLOCK)

    assert opener(scope="local/two").queue().items == ()
    assert len(opener(scope="local/one").queue().items) == 1


def test_an_inbox_of_thousands_is_listed_in_parts(memory: Memory, root: Path) -> None:
    folder = root / "inbox/scout"
    folder.mkdir(parents=True)
    for number in range(3000):
        (folder / f"n{number}.md").write_text(
            f"---\ntitle: Fact {number}\nstatus: pending\nseen: 1\n---\nIt is {number}.\n", "utf-8"
        )
    memory.refresh(embed=False)

    found = memory.queue()

    assert (len(found.items), found.more) == (50, 2950)


def test_a_candidate_is_edited_before_it_is_approved(
    scout: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = scout.memorize(CLOCK)
    monkeypatch.setenv("EDITOR", "sed -i s/expire/die/")

    result = CliRunner().invoke(
        vaultmem, ["review", "approve", done.id, "--edit", "--vault", str(root)]
    )

    assert result.exit_code == 0, result.output
    text = (root / "memory/global" / Path(done.path).name).read_text("utf-8")
    assert text.endswith("so tokens die early.\n")
