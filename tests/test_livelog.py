"""The live log: appended, never edited, and able to prove it."""

from __future__ import annotations

import multiprocessing
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from promises import promise

from vaultmem.memory import Caller, Memory, Telling, init_vault
from vaultmem.vault import livelog
from vaultmem.vault import settings as settings_of
from vaultmem.vault.livelog import LiveLog, key_of
from vaultmem.vault.readers import Readers
from vaultmem.vault.store import Vault
from vaultmem.words.entry import Entry, parse, signed
from vaultmem.words.faults import Fault
from vaultmem.words.unions import merged

MONTH = "live-context/2026-11.md"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 2, 14, 7, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def at(self, text: str) -> None:
        self.now = datetime.fromisoformat(text)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(memory: Memory) -> LiveLog:
    return memory.log


def entry(summary: str, agent: str = "scout", **more: str) -> Entry:
    return Entry(
        "", agent, "chat", more.pop("kind", "note"), more.pop("scope", ""), summary, **more
    )


def lines(root: Path, path: str = MONTH) -> list[str]:
    return (root / path).read_text("utf-8").splitlines()


def edited(root: Path, old: str, new: str) -> None:
    path = root / MONTH
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


# Appending


def test_an_entry_is_one_line_with_all_it_says_in_one_order(log: LiveLog, root: Path) -> None:
    done = log.append(
        entry("Merged [[a|A]]", kind="handoff", scope="github.com/acme/api", to="scribe")
    )

    assert lines(root)[-1] == (
        "- 2026-11-30T02:14:07+00:00 **scout** · chat · handoff · github.com/acme/api · "
        f"Merged [[a|A]] · to: scribe ^{done.mark}"
    )
    assert log.entries() == [done]
    assert log.verify() == []


def test_a_new_month_gets_its_own_file_and_the_page_shows_it(
    log: LiveLog, root: Path, clock: Clock
) -> None:
    log.append(entry("in November"))
    clock.at("2026-12-01T00:00:00+00:00")
    log.append(entry("in December"))

    assert log.months() == ["live-context/2026-11.md", "live-context/2026-12.md"]
    assert [found.summary for found in log.entries()] == ["in November", "in December"]
    assert [found.summary for found in log.entries(1)] == ["in December"]
    assert "![[live-context/2026-12]]" in (root / "live-context.md").read_text()
    assert "![[live-context/2026-11]]" not in (root / "live-context.md").read_text()
    assert log.verify() == []


def test_a_page_that_a_crash_left_behind_shows_the_month_after_a_refresh(
    memory: Memory, root: Path
) -> None:
    before = (root / "live-context.md").read_bytes()
    memory.log.append(entry("one"))
    (root / "live-context.md").write_bytes(before)

    memory.refresh()

    assert "![[live-context/2026-11]]" in (root / "live-context.md").read_text()


def test_a_page_without_our_markers_is_left_alone(log: LiveLog, root: Path) -> None:
    (root / "live-context.md").write_bytes(b"my own page\n")

    log.append(entry("one"))
    log.tidy()

    assert (root / "live-context.md").read_bytes() == b"my own page\n"


def test_equal_entries_of_one_second_have_different_fingerprints(log: LiveLog) -> None:
    first, second = log.append(entry("the same")), log.append(entry("the same"))

    assert first.mark != second.mark
    assert log.verify() == []


def test_an_entry_that_was_written_but_not_acknowledged_is_not_written_twice_alike(
    log: LiveLog, memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Readers, "wrote", lambda *_: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            log.append(entry("the same"))
    log.append(entry("the same"))

    assert [found.summary for found in log.entries()] == ["the same", "the same"]
    assert log.verify() == []


@promise("logged")
def test_a_torn_line_is_closed_and_named_and_costs_no_entry(log: LiveLog, root: Path) -> None:
    log.append(entry("before"))
    with (root / MONTH).open("ab") as file:
        file.write(b"- 2026-11-30T02:14:07+00:00 **scout** \xc2\xb7 chat \xc2\xb7 no")
    log.append(entry("after"))

    assert [found.summary for found in log.entries()] == ["before", "after"]
    assert log.verify() == [Fault(MONTH, 6, "the line is torn")]


@pytest.mark.parametrize("length", range(1, 100, 7))
def test_a_line_torn_anywhere_is_named(log: LiveLog, root: Path, length: int) -> None:
    whole = log.append(entry("a summary that is long enough to be torn in many places"))
    kept = (root / MONTH).read_bytes().removesuffix(whole.line().encode() + b"\n")
    (root / MONTH).write_bytes(kept + whole.line().encode()[:length])
    log.append(entry("after"))

    faults = [fault.what for fault in log.verify() if fault.line == 5]
    assert faults in (
        ["the line is torn"],
        ["the entry of scout was typed by hand or cut short (it is unsigned)"],
    )
    assert log.entries()[-1].summary == "after"


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(texts | st.sampled_from(["x · to: y", "· to: y", "x ^lc-aaaaaaaa-aa", "[[a|b · to: c]]"]))
def test_whatever_a_summary_holds_its_line_reads_back_and_proves_genuine(text: str) -> None:
    done = signed(Entry("2026-11-30T02:14:07+00:00", "scout", "chat", "note", "a·b", text), "ab")

    assert "\n" not in done.line()
    found = parse(done.line())
    if done.summary:
        assert found == done
        assert found.genuine


def test_a_memory_with_a_misleading_title_is_no_edited_entry(memory: Memory) -> None:
    from vaultmem.memory import Wish

    for title in ("Send it · to: bar", "End with ^lc-aaaaaaaa-aa", "Close --> <!-- here"):
        memory.memorize(Wish(title=title, content=f"It says: {title}"))

    assert memory.log.verify() == []
    assert len(memory.log.entries()) == 3


def test_half_a_letter_in_any_part_of_an_entry_is_shown_as_a_question_mark(
    memory: Memory, root: Path
) -> None:
    told = Telling("decision", "half \udcff", because="half \ud83d", detail="half \udcff")
    memory.tell(told)

    assert memory.log.entries()[0].summary.startswith("half ? because half ?")
    assert "half ? · because half ?" in (root / "memory/global/decisions.md").read_text("utf-8")
    assert memory.log.verify() == []


# Proving


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("first", "First"),
        ("**scout**", "**scribe**"),
        ("· chat ·", "· email ·"),
        ("· note ·", "· handoff ·"),
        ("· global ·", "· github.com/acme/api ·"),
        ("02:14:07", "02:14:08"),
        ("|A]]", "|B]]"),
    ],
)
def test_an_entry_that_was_edited_is_named(log: LiveLog, root: Path, old: str, new: str) -> None:
    log.append(entry("first [[a|A]]"))
    edited(root, old, new)

    agent = "scribe" if "scribe" in new else "scout"
    assert log.verify() == [Fault(MONTH, 5, f"the entry of {agent} was edited")]


def test_a_link_that_obsidian_rewrote_is_no_edit(log: LiveLog, root: Path) -> None:
    log.append(entry("kept [[memory/global/a|A]] and [b](memory/global/b.md)"))
    edited(root, "memory/global/a|", "memory/renamed/a 2|")
    edited(root, "(memory/global/b.md)", "(memory/renamed/b%202.md)")

    assert log.verify() == []


def test_an_entry_that_was_removed_is_named(log: LiveLog, root: Path) -> None:
    log.append(entry("first"))
    gone = log.append(entry("second"))
    edited(root, gone.line() + "\n", "")

    assert log.verify() == [Fault(MONTH, 0, f"the entry {gone.mark} of scout was removed")]


def test_a_removed_month_is_named(log: LiveLog, root: Path) -> None:
    gone = log.append(entry("first"))
    (root / MONTH).unlink()

    assert log.verify() == [Fault(MONTH, 0, f"the entry {gone.mark} of scout was removed")]


def test_an_entry_typed_by_hand_is_read_and_named_as_unsigned(log: LiveLog, root: Path) -> None:
    log.append(entry("first"))
    with (root / MONTH).open("a", encoding="utf-8") as file:
        file.write("- 2026-11-30T09:00:00+07:00 **ann** · phone · note · global · I was here\n")

    assert log.entries()[-1].summary == "I was here"
    assert [fault.what for fault in log.verify()] == [
        "the entry of ann was typed by hand or cut short (it is unsigned)"
    ]


def test_an_entry_that_stands_twice_is_named_and_a_refresh_leaves_one(
    memory: Memory, root: Path
) -> None:
    done = memory.log.append(entry("first"))
    with (root / MONTH).open("a", encoding="utf-8") as file:
        file.write(done.line() + "\n")

    assert [fault.what for fault in memory.log.verify()] == ["the entry of scout stands twice"]
    memory.refresh()
    assert memory.log.verify() == []
    assert memory.log.entries() == [done]


def test_words_of_a_person_between_entries_are_no_fault(log: LiveLog, root: Path) -> None:
    log.append(entry("first"))
    with (root / MONTH).open("a", encoding="utf-8") as file:
        file.write("\nA remark of mine.\n- a list item\n")
    log.append(entry("second"))

    assert log.verify() == []
    assert [found.summary for found in log.entries()] == ["first", "second"]


def test_what_git_has_of_an_entry_is_remembered_although_the_ledger_is_lost(
    memory: Memory, root: Path, tmp_path: Path
) -> None:
    gone = memory.log.append(entry("first"))
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", "-C", str(root), *command], check=True, capture_output=True)
    edited(root, gone.line() + "\n", "")
    with memory._parts.ledger.opened() as db:
        db.execute("DELETE FROM entries")
        db.execute("DELETE FROM writers")

    assert memory.log.verify() == [Fault(MONTH, 0, f"the entry {gone.mark} of scout was removed")]


def test_a_month_that_is_a_link_is_not_read(log: LiveLog, root: Path, tmp_path: Path) -> None:
    log.append(entry("first"))
    (tmp_path / "other.md").write_text("- 2026-10-30T09:00:00+07:00 **x** · a · note · b · hi\n")
    (root / "live-context/2026-10.md").symlink_to(tmp_path / "other.md")

    assert [found.summary for found in log.entries()] == ["first"]
    assert log.verify() == []


# Merging


def test_a_union_merge_is_put_in_order_of_time_and_each_line_kept_once(
    memory: Memory, root: Path, clock: Clock
) -> None:
    log = memory.log
    one = log.append(entry("one"))
    clock.at("2026-11-30T03:00:00+00:00")
    two = log.append(entry("two"))
    clock.at("2026-11-30T04:00:00+00:00")
    three = log.append(entry("three"))
    head = "\n".join(lines(root)[:4])
    merge = [three.line(), one.line(), "a remark on one", two.line(), three.line()]
    (root / MONTH).write_text("\n".join([head, *merge, ""]), "utf-8")

    memory.refresh()

    assert lines(root)[4:] == [one.line(), "a remark on one", two.line(), three.line()]
    assert log.verify() == []
    before = (root / MONTH).read_bytes()
    memory.refresh()
    assert (root / MONTH).read_bytes() == before


def test_times_of_different_zones_are_put_in_order_of_the_moment() -> None:
    early = "- 2026-11-30T09:00:00+07:00 **a** · c · note · global · early"
    late = "- 2026-11-30T03:00:00+00:00 **a** · c · note · global · late"

    assert merged([late, early]) == [early, late]


OLD = "- 2026-11-30T03:00:00+00:00 **a** · c · note · global · See [[old|Tabs]]"
NEW = OLD.replace("[[old|", "[[new|")
HEAD = ["---", "title: Live context", "created: 2026-11-30T03:00:00", "---"]


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ([OLD, NEW], [NEW]),
        ([NEW, "about it", OLD], [NEW, "about it"]),
        ([OLD, "```", "x", "```"], [OLD, "```", "x", "```"]),
        ([*HEAD, OLD, "created: 2026-11-29T01:00:00", "---", NEW],
         [*HEAD[:2], "created: 2026-11-29T01:00:00", "---", NEW]),
        ([*HEAD, OLD, *HEAD, OLD], [*HEAD, OLD]),
        ([*HEAD[:3], "created: 2026-11-30T03:00:09", "---", OLD], [*HEAD, OLD]),
        ([*HEAD, OLD, "---", "a line"], [*HEAD, OLD, "---", "a line"]),
    ],
)  # fmt: skip
def test_an_entry_stands_once_whatever_a_rename_or_a_second_head_made_of_it(
    lines: list[str], wanted: list[str]
) -> None:
    assert merged(lines, lambda target: target != "old") == wanted


def test_nothing_is_put_in_order_in_the_middle_of_a_merge(
    memory: Memory, root: Path, clock: Clock
) -> None:
    one = memory.log.append(entry("one"))
    clock.at("2026-11-30T03:00:00+00:00")
    two = memory.log.append(entry("two"))
    text = "\n".join([*lines(root)[:4], two.line(), one.line(), ""])
    (root / MONTH).write_text(text, "utf-8")
    (root / ".git").mkdir()
    (root / ".git/MERGE_HEAD").write_text("x")

    memory.refresh()
    assert (root / MONTH).read_text("utf-8") == text
    (root / ".git/MERGE_HEAD").unlink()
    memory.refresh()
    assert [found.summary for found in memory.log.entries()] == ["one", "two"]


def test_a_clock_that_goes_back_loses_no_entry(memory: Memory, clock: Clock) -> None:
    log = memory.log
    log.append(entry("at two"))
    clock.at("2026-11-30T01:00:00+00:00")
    log.append(entry("an hour before"))
    clock.at("2026-10-31T01:00:00+00:00")
    log.append(entry("a month before"))
    clock.at("2036-01-01T00:00:00+00:00")
    log.append(entry("years ahead"))
    clock.at("2026-11-30T02:14:07+00:00")
    log.append(entry("at two"))
    memory.refresh()

    assert [found.summary for found in log.entries()] == [
        "a month before",
        "an hour before",
        "at two",
        "at two",
        "years ahead",
    ]
    assert log.verify() == []


# Reading


ME = ("scout", "s1")


def unread(log: LiveLog) -> list[str]:
    return [found.summary for found in log.unread(ME, keyed(log))]


def keyed(log: LiveLog) -> list[tuple[str, Entry]]:
    return [(key_of(found), found) for found in log.lately()]


def heard(log: LiveLog) -> None:
    log.offer(ME, log.unread(ME, keyed(log)))
    log.confirm(ME)


def test_an_entry_is_unread_to_every_session_but_its_own(log: LiveLog) -> None:
    log.append(entry("of another", agent="scribe"), "s1")
    log.append(entry("of my own"), "s1")
    log.append(entry("of my other window"), "s2")

    assert unread(log) == ["of another", "of my other window"]


def test_what_was_offered_is_given_once_it_is_confirmed(
    log: LiveLog, opener: Callable[..., Memory]
) -> None:
    log.append(entry("of another", agent="scribe"))
    log.offer(ME, log.lately())
    after_a_crash = opener().log

    assert unread(log) == []
    assert unread(after_a_crash) == ["of another"]
    log.confirm(ME)
    log.confirm(ME)
    assert unread(after_a_crash) == unread(log) == []


def test_an_entry_that_a_merge_put_in_the_middle_is_still_unread(
    log: LiveLog, root: Path, clock: Clock
) -> None:
    log.append(entry("one", agent="scribe"))
    clock.at("2026-11-30T04:00:00+00:00")
    log.append(entry("three", agent="scribe"))
    heard(log)
    middle = signed(Entry("2026-11-30T03:00:00+00:00", "scribe", "chat", "note", "", "two"), "zz")
    (root / MONTH).write_text(
        "\n".join([*lines(root)[:5], middle.line(), *lines(root)[5:], ""]), "utf-8"
    )

    assert unread(log) == ["two"]


def test_what_is_older_than_two_months_is_not_unread(log: LiveLog, clock: Clock) -> None:
    for month in ("09", "10", "11"):
        clock.at(f"2026-{month}-15T00:00:00+00:00")
        log.append(entry(f"in month {month}", agent="scribe"))

    assert unread(log) == ["in month 10", "in month 11"]


def test_a_clock_that_was_years_ahead_hides_nothing(log: LiveLog, clock: Clock) -> None:
    for time in ("2036-01-15T00:00:00+00:00", "2036-02-15T00:00:00+00:00"):
        clock.at(time)
        log.append(entry(time[:7], agent="scribe"))
    clock.at("2026-11-30T02:14:07+00:00")
    log.append(entry("now", agent="scribe"))
    clock.at("1970-01-01T00:00:00+00:00")

    assert unread(log) == ["now", "2036-01", "2036-02"]


def test_an_unsigned_entry_is_given_once_too(log: LiveLog, root: Path) -> None:
    log.append(entry("first"), "s1")
    with (root / MONTH).open("a", encoding="utf-8") as file:
        file.write("- 2026-11-30T09:00:00+07:00 **ann** · phone · note · global · I was here\n")

    assert unread(log) == ["I was here"]
    heard(log)
    assert unread(log) == []


@given(st.lists(st.sampled_from(["append", "edit", "cut", "tear"]), max_size=12))
def test_what_is_known_of_a_file_that_grew_is_what_a_fresh_look_sees(steps: list[str]) -> None:
    with TemporaryDirectory() as folder:
        root = init_vault(Path(folder) / "vault").root
        settings = settings_of.load(root, root)
        memory = Memory(settings, Caller(), Clock())
        path = root / MONTH
        memory.log.append(entry("first"))
        for number, step in enumerate(steps):
            data = path.read_bytes()
            if step == "append":
                memory.log.append(entry(f"number {number}"))
            elif step == "edit":
                path.write_bytes(data.replace(b"first", b"first and more", 1))
            elif step == "cut":
                path.write_bytes(data[: len(data) * 3 // 4])
            else:
                path.write_bytes(data + b"- 2026-11-30T09:00:00+07:00 **ann** \xc2\xb7 phone")
            fresh = Memory(settings, Caller(), Clock()).log
            assert memory.log.entries() == fresh.entries()


def test_a_conclusion_is_drawn_once_for_each_state_of_the_log(log: LiveLog) -> None:
    asked = []

    def count(entries: list[Entry]) -> int:
        asked.append(len(entries))
        return len(entries)

    log.append(entry("one"))
    assert [log.concluded("a", count), log.concluded("a", count)] == [1, 1]
    assert log.concluded("b", count) == 1
    log.append(entry("two"))

    assert log.concluded("a", count) == 2
    assert asked == [1, 1, 2]


# Many at once


def _many(root: str, writer: int, count: int) -> None:
    memory = Memory(
        settings_of.load(Path(root), Path(root)),
        Caller(f"agent{writer}", "chat", f"s{writer}", None),
        lambda: datetime(2026, 11, 30, 2, 14, 7, tzinfo=UTC),
    )
    for number in range(count):
        memory.tell(Telling("note", f"entry {number} of {writer} " + "x" * (number * 5)))
    memory.close()


@promise("logged")
def test_eight_processes_that_append_at_once_lose_double_and_tear_nothing(
    root: Path, memory: Memory
) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_many, args=(str(root), n, 50)) for n in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0] * 8
    found = [found.summary for found in memory.log.entries()]
    assert sorted(found) == sorted(
        f"entry {number} of {writer} " + "x" * (number * 5) if number else f"entry 0 of {writer}"
        for writer in range(8)
        for number in range(50)
    )
    for writer in range(8):
        own = [int(text.split()[1]) for text in found if text.split()[3] == str(writer)]
        assert own == list(range(50))
    assert memory.log.verify() == []


# While somebody appends


@promise("whole")
def test_a_reader_never_takes_a_line_that_is_half_appended_for_an_entry(
    log: LiveLog, root: Path, opener: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that crosses a page of memory is seen in two steps."""
    first = log.append(entry("first"))
    line = replace(first, summary="all of the second").line().encode()
    begun, met = threading.Event(), threading.Event()

    def append() -> None:
        with log._vault.lock.vault("log"), (root / MONTH).open("ab", 0) as file:
            file.write(line[:-30])
            begun.set()
            met.wait()
            file.write(line[-30:] + b"\n")

    data = Vault.data

    def looked(vault: Vault, path: str) -> bytes:
        found = data(vault, path)
        met.set()
        return found

    monkeypatch.setattr(Vault, "data", looked)
    writer = threading.Thread(target=append)
    writer.start()
    begun.wait()
    found = [one.summary for one in opener().log.entries()]
    writer.join()

    assert found == ["first", "all of the second"]


def test_a_line_without_an_end_is_read_although_somebody_holds_the_vault(
    log: LiveLog, root: Path, opener: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(livelog, "_UNDONE", 0.01)
    log.append(entry("first"))
    with (root / MONTH).open("a", encoding="utf-8") as file:
        file.write("- 2026-11-30T09:00:00+07:00 **ann** · phone · note · global · I was here")

    with opener().log._vault.lock.vault("sleep"):
        assert [one.summary for one in log.entries()] == ["first", "I was here"]


def test_a_clock_that_is_set_back_a_little_changes_no_order(
    memory: Memory, root: Path, clock: Clock
) -> None:
    log = memory.log
    said = ["the same", "the same", "another"]
    for text in said:
        log.append(entry(text))
    clock.at("2026-11-30T02:13:50+00:00")
    log.append(entry("a little before"))
    before = lines(root)
    memory.refresh()

    assert lines(root) == before
    assert [one.summary for one in log.entries()] == [*said, "a little before"]
    assert log.verify() == []
