"""A refresh: what it takes for changed, what it leaves alone, and what it never does to a vault."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import FakeModel, Opener
from hostile.notes import write_odd
from promises import promise

from vaultmem.memory import Memory, Question, Telling, Wish
from vaultmem.sidecar import refresh as refreshing
from vaultmem.sidecar.manifest import Indexed
from vaultmem.sidecar.proof import export
from vaultmem.sidecar.reading import settled
from vaultmem.sidecar.refresh import Change, Kind, Refreshed, changes
from vaultmem.vault.scan import Stat
from vaultmem.vault.store import Vault
from vaultmem.words.errors import DiskFailed, NoVault
from vaultmem.words.note import Note

OLD = Stat(10, 1_000, 7)


def known(stat: Stat = OLD, old_enough: bool = True) -> Indexed:
    return Indexed(stat, old_enough, "hash")


def write(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def aged(file: Path) -> None:
    """Give a file a time that is long past."""
    os.utime(file, ns=(10**18, 10**18))


def all_aged(root: Path) -> None:
    for file in root.rglob("*.md"):
        aged(file)


def found(memory: Memory, query: str) -> list[str]:
    return [hit.title for hit in memory.remember(Question(query)).hits]


# What differs


def test_a_file_as_it_was_indexed_is_no_change() -> None:
    assert list(changes({"a.md": OLD}, {"a.md": known()}, set())) == []


@pytest.mark.parametrize("now", [Stat(11, 1_000, 7), Stat(10, 1_001, 7), Stat(10, 1_000, 8)])
def test_another_size_time_or_inode_is_a_change(now: Stat) -> None:
    assert list(changes({"a.md": now}, {"a.md": known()}, set())) == [
        Change(Kind.CHANGED, "a.md", now)
    ]


def test_a_file_that_is_not_indexed_is_new_and_one_that_is_not_there_is_gone() -> None:
    assert list(changes({"b.md": OLD}, {"a.md": known()}, set())) == [
        Change(Kind.GONE, "a.md"),
        Change(Kind.NEW, "b.md", OLD),
    ]


def test_a_file_indexed_while_it_was_young_is_looked_at_again() -> None:
    young = known(old_enough=False)

    assert list(changes({"a.md": OLD}, {"a.md": young}, set())) == [
        Change(Kind.CHANGED, "a.md", OLD)
    ]


def test_a_path_whose_refresh_was_cut_off_is_looked_at_whatever_its_times_say() -> None:
    pending = {"a.md", "gone.md"}

    assert list(changes({"a.md": OLD}, {"a.md": known()}, pending)) == [
        Change(Kind.CHANGED, "a.md", OLD),
        Change(Kind.GONE, "gone.md"),
    ]


@pytest.mark.parametrize(
    ("age", "told"), [(1, False), (2_000_000_000, False), (2_000_000_001, True), (-5, False)]
)
def test_the_times_of_a_file_tell_its_text_once_it_is_two_seconds_old(age: int, told: bool) -> None:
    now = 10**18

    assert settled(Stat(1, now - age, 1), now) is told


# What a refresh says


def test_a_refresh_counts_what_it_met(memory: Memory, root: Path) -> None:
    write(root, "a.md", "Roses.\n")
    write(root, "b.md", "Thorns.\n")
    memory.refresh()
    write(root, "a.md", "Pink roses.\n")
    (root / "b.md").unlink()
    write(root, "c.md", "Compost.\n")

    done = memory.refresh()

    assert (done.new, done.changed, done.gone) == (1, 1, 1)
    assert sorted(done.paths) == ["a.md", "b.md", "c.md"]
    assert str(done).endswith("1 new, 1 changed, 1 gone")


def test_a_second_refresh_finds_nothing_to_do(memory: Memory, root: Path) -> None:
    write(root, "a.md", "Roses.\n")
    memory.refresh()

    done = memory.refresh()

    assert (done.new, done.changed, done.gone, done.paths) == (0, 0, 0, [])


def test_where_nothing_changed_no_file_of_the_state_is_written(memory: Memory, root: Path) -> None:
    write(root, "a.md", "Roses.\n")
    all_aged(root)
    memory.refresh()
    memory.remember(Question("roses"))
    before = states(memory)

    for _ in range(3):
        memory.refresh()
        memory.remember(Question("roses"))

    assert states(memory) == before


def test_a_young_file_that_did_not_change_costs_no_writing_either(
    memory: Memory, root: Path
) -> None:
    write(root, "a.md", "Roses.\n")
    memory.refresh()
    generation = memory._parts.sidecar.manifest.generation
    before = states(memory)

    memory._parts.sidecar.refresh()

    assert memory._parts.sidecar.manifest.generation == generation
    assert states(memory) == before


def states(memory: Memory) -> dict[str, tuple[int, int]]:
    folder = memory.settings.state
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("lock", "holder", "manifest.db-shm")
    }


# What is read, and when


def test_a_young_file_is_hashed_though_size_and_time_are_the_same(
    memory: Memory, root: Path
) -> None:
    ahead = 4 * 10**18
    file = write(root, "a.md", "Roses are red.\n")
    os.utime(file, ns=(ahead, ahead))
    memory.refresh()
    with file.open("r+") as opened:
        opened.write("Tulip ")
    os.utime(file, ns=(ahead, ahead))

    assert found(memory, "tulip") == ["a"]
    assert found(memory, "roses") == []


def test_an_old_file_of_the_same_size_and_time_is_not_opened(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aged(write(root, "a.md", "Roses are red.\n"))
    all_aged(root)
    memory.refresh()
    read: list[str] = []
    real = Vault.read
    monkeypatch.setattr(Vault, "read", lambda self, path: read.append(path) or real(self, path))

    memory._parts.sidecar.refresh()

    assert read == []


def test_touching_a_file_is_no_change_of_its_text(memory: Memory, root: Path) -> None:
    file = write(root, "a.md", "Roses.\n")
    memory.refresh()
    aged(file)

    done = memory.refresh()

    assert done.paths == []
    assert memory._parts.sidecar.manifest.files()["a.md"].settled


def test_a_note_that_changes_under_the_reader_is_read_again(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(root, "a.md", "Half a sen")
    real, writes = Vault.read, iter(["Half a sentence", "Half a sentence of roses.\n"])

    def read(self: Vault, path: str) -> Note:
        note = real(self, path)
        more = next(writes, None) if path == "a.md" else None
        if more:
            file.write_text(more)
        return note

    monkeypatch.setattr(Vault, "read", read)
    memory.refresh()

    assert found(memory, "roses") == ["a"]


def test_a_note_that_never_holds_still_is_waited_for_and_its_old_text_kept(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(root, "a.md", "Roses.\n")
    memory.refresh()
    file.write_text("Tulips, and")
    real = Vault.read

    def read(self: Vault, path: str) -> Note:
        note = real(self, path)
        if path == "a.md":
            file.write_text(file.read_text() + " more")
        return note

    with monkeypatch.context() as patch:
        patch.setattr(Vault, "read", read)
        patch.setattr(refreshing.time, "sleep", lambda _: None)
        done = memory._parts.sidecar.refresh()
        assert done.waiting == ["a.md"]
        assert memory._parts.sidecar.snapshot.facts["a.md"].title == "a"

    assert memory.refresh().paths == ["a.md"]
    assert found(memory, "tulips") == ["a"]


def test_a_note_cut_to_nothing_for_a_moment_keeps_its_text(memory: Memory, root: Path) -> None:
    file = write(root, "a.md", "Roses are red.\n")
    memory.refresh()
    file.write_text("")

    done = memory._parts.sidecar.refresh()

    assert done.waiting == ["a.md"]
    assert len(memory._parts.sidecar.snapshot.by_label["a.md"]) == 1
    file.write_text("Roses are pink.\n")
    assert found(memory, "pink") == ["a"]


def test_a_note_that_is_empty_for_longer_is_empty(memory: Memory, root: Path) -> None:
    file = write(root, "a.md", "Roses are red.\n")
    memory.refresh()
    file.write_text("")
    aged(file)

    assert memory.refresh().paths == ["a.md"]
    assert found(memory, "red") == []


def test_a_note_that_the_disk_will_not_give_costs_only_itself(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.md", "Roses are red.\n")
    memory.refresh()
    write(root, "a.md", "Roses are pink.\n")
    write(root, "b.md", "Tulips are yellow.\n")
    real = Vault.read

    def read(self: Vault, path: str) -> Note:
        if path == "a.md":
            raise DiskFailed(path, OSError(5, "Input/output error"))
        return real(self, path)

    with monkeypatch.context() as patch:
        patch.setattr(Vault, "read", read)
        done = memory.refresh(embed=False)
        assert list(done.unreadable) == ["a.md"]
        assert "The disk reports an error" in done.unreadable["a.md"]
        assert "a.md" in memory._parts.sidecar.snapshot.facts

    assert found(memory, "tulips") == ["b"]
    assert found(memory, "pink") == ["a"]


@promise("alone")
def test_a_note_that_breaks_the_reader_costs_only_itself(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.md", "Roses.\n")
    write(root, "b.md", "Tulips.\n")
    real = Vault.read

    def read(self: Vault, path: str) -> Note:
        if path == "a.md":
            raise RecursionError("too deep")
        return real(self, path)

    monkeypatch.setattr(Vault, "read", read)

    assert memory.refresh().unreadable == {
        "a.md": "a.md could not be read (RecursionError: too deep)."
    }
    assert found(memory, "tulips") == ["b"]


def test_a_renamed_note_keeps_its_vectors(memory: Memory, root: Path, model: FakeModel) -> None:
    write(root, "Notes/a.md", "Roses are red.\n\n" + "Thorns hurt. " * 100)
    memory.refresh()
    count = len(model.embedded)
    (root / "Notes/a.md").rename(root / "Notes/b.md")
    (root / "Notes").rename(root / "Old notes")

    done = memory.refresh()

    assert (done.new, done.gone) == (1, 1)
    assert len(model.embedded) == count
    assert memory._parts.meaning.missing() == 0
    assert found(memory, "roses") == ["b"]


def test_a_note_moved_to_another_scope_folder_changes_its_scope(memory: Memory, root: Path) -> None:
    for scope in ("alpha", "beta"):
        write(root, f"memory/{scope}/index.md", f"---\nscope: {scope}\n---\n")
    write(root, "memory/alpha/a.md", "Roses are red.\n")
    memory.refresh()
    (root / "memory/alpha/a.md").rename(root / "memory/beta/a.md")

    assert memory.remember(Question("roses", scope="alpha")).hits == ()
    assert [h.scope for h in memory.remember(Question("roses", scope="beta")).hits] == ["beta"]


# What is searched


@pytest.mark.parametrize(
    ("setting", "seen"),
    [
        ("all", ["Diary/monday.md", "Projects/deep/house.md", "Projects/shed.md"]),
        ("none", []),
        ("Projects/*", ["Projects/shed.md"]),
        ("Projects/**", ["Projects/deep/house.md", "Projects/shed.md"]),
    ],
)
def test_own_notes_are_searched_as_far_as_the_settings_allow(
    root: Path, opener: Opener, setting: str, seen: list[str]
) -> None:
    for path in ("Projects/shed.md", "Projects/deep/house.md", "Diary/monday.md"):
        write(root, path, f"We painted the wood green, says {path}.\n")
    config = root / ".vaultmem/config.toml"
    lines = [line for line in config.read_text().splitlines() if "own_notes" not in line]
    config.write_text("\n".join([*lines, f'own_notes = "{setting}"', ""]))
    memory = opener(person=False)

    hits = memory.remember(Question("painted wood green", limit=20)).hits

    assert sorted(hit.path for hit in hits) == seen


@pytest.mark.parametrize(
    "path",
    [
        "templates/t.md",
        "identity/scout.md",
        "checkpoints/scout.md",
        "memory/global/index.md",
        "memory/other/index.md",
        "live-context.md",
        ".trash/t.md",
        ".hidden/t.md",
        "Notes/.hidden.md",
    ],
)
def test_what_is_read_whole_elsewhere_or_hidden_is_not_searched(
    memory: Memory, root: Path, path: str
) -> None:
    write(root, path, "---\nscope: other\n---\nThe xylophone stands in the attic.\n")

    assert memory.remember(Question("xylophone attic")).hits == ()


def test_entries_of_the_log_are_searched_but_not_those_about_memories(memory: Memory) -> None:
    memory.memorize(Wish("The xylophone is sold", "It went to the school for twenty.", type="goal"))
    memory.tell(Telling(summary="The bassoon was repaired"))

    assert [hit.path for hit in memory.remember(Question("bassoon repaired")).hits][:1] == [
        "live-context/2026-11.md"
    ]
    paths = [hit.path for hit in memory.remember(Question("xylophone sold")).hits]
    assert "live-context/2026-11.md" not in paths
    assert paths[0] == "memory/global/the-xylophone-is-sold.md"


def test_the_details_of_a_log_entry_are_searched(memory: Memory) -> None:
    told = memory.tell(Telling(summary="Repairs", detail="The bassoon got a new reed.\n"))

    assert [hit.path for hit in memory.remember(Question("bassoon reed")).hits][:1] == [told.path]


# What is never done


@promise("untouched")
def test_nothing_that_reads_changes_a_byte_of_the_vault(memory: Memory, root: Path) -> None:
    write_odd(root / "Odd")
    write_odd(root / "memory/global/odd")
    for number in range(5):
        write(root, f"memory/global/note-{number}.md", f"---\ntitle: N{number}\n---\nRoses.\n")
    memory.refresh()
    before = hashes(root)

    (root / "Odd/x.md").touch()
    memory._parts.sidecar.refresh()
    for number in range(50):
        memory.remember(Question(f"roses title {number}", detail="full", limit=20))
    memory.brief("roses")
    memory.doctor()
    memory.listing(Question(""))

    assert hashes(root) == before


@promise("alone")
def test_the_odd_notes_are_all_indexed_or_named(memory: Memory, root: Path) -> None:
    write_odd(root / "Odd")
    aged(root / "Odd/empty.md")

    done = memory.refresh()

    scan = memory.vault.scan()
    skipped = scan.skipped.keys() | scan.copies.keys()
    files = {path.relative_to(root).as_posix() for path in (root / "Odd").iterdir()}
    assert done.unreadable == {}
    assert files - skipped <= memory._parts.sidecar.snapshot.facts.keys()


def hashes(root: Path) -> dict[bytes, str]:
    return {
        os.fsencode(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


# A vault that vanishes


@promise("vanished")
def test_a_vault_that_is_moved_away_loses_nothing(memory: Memory, root: Path) -> None:
    write(root, "memory/global/a.md", "Roses are red.\n")
    memory.remember(Question("roses"))
    before = export(memory._parts.sidecar)
    away = root.with_name("away")
    root.rename(away)

    answer = memory.remember(Question("roses"))
    with pytest.raises(NoVault):
        memory.refresh()
    with pytest.raises(NoVault):
        memory.refresh(rebuild=True)

    assert answer.hits == ()
    assert answer.note.startswith("The vault has vanished, so this is from memory of it.")
    assert export(memory._parts.sidecar) == before
    away.rename(root)
    assert memory._parts.sidecar.refresh().paths == []
    assert found(memory, "roses") == ["a"]


def test_an_empty_folder_in_the_vaults_place_is_not_believed(memory: Memory, root: Path) -> None:
    write(root, "memory/global/a.md", "Roses are red.\n")
    memory.refresh()
    root.rename(root.with_name("away"))
    root.mkdir()

    assert memory.remember(Question("roses")).note.startswith("The vault has vanished")
    assert list(root.iterdir()) == []
    root.rmdir()
    root.with_name("away").rename(root)
    assert found(memory, "roses") == ["a"]


def test_more_than_a_fifth_of_all_notes_gone_is_said_once(memory: Memory, root: Path) -> None:
    for number in range(40):
        write(root, f"Notes/{number}.md", f"Note {number} on roses.\n")
    before = memory.refresh().seen
    for number in range(30):
        (root / f"Notes/{number}.md").unlink()

    said = f"30 of {before} notes are gone since the last look."
    assert memory.remember(Question("roses")).note == said
    assert memory.remember(Question("roses")).note == ""


@pytest.mark.parametrize(
    ("seen", "gone", "said"),
    [
        (94, 6, ""),
        (0, 5, ""),
        (80, 20, ""),
        (79, 21, "21 of 100 notes are gone since the last look."),
    ],
)
def test_a_few_notes_gone_are_not_worth_a_word(seen: int, gone: int, said: str) -> None:
    assert Refreshed(seen=seen, gone=gone).shrunk == said


# Two at once

WRITER = """
import sys
from pathlib import Path
from conftest import Clock, FakeModel
from vaultmem.memory import Caller, Memory
from vaultmem.vault import settings
root, name = Path(sys.argv[1]), sys.argv[2]
memory = Memory(settings.load(root, root), Caller(name), Clock(), FakeModel())
for number in range(12):
    (root / f"{name}-{number}.md").write_text(f"Roses of {name}, number {number}.\\n")
    memory.refresh()
memory.close()
"""


@promise("equal")
def test_two_processes_that_refresh_at_once_end_with_one_right_sidecar(
    memory: Memory, root: Path, tmp_path: Path, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-W", "error", "-c", WRITER, str(root)]
    running = [subprocess.Popen([*command, name], env=environ) for name in ("left", "right")]
    while any(process.poll() is None for process in running):
        memory.remember(Question("roses", limit=20))
    memory.refresh()

    monkeypatch.setenv("VAULTMEM_STATE_DIR", str(tmp_path / "other-state"))
    fresh = opener()
    fresh.refresh()
    assert [process.returncode for process in running] == [0, 0]
    assert len(memory._parts.sidecar.snapshot.facts) >= 24
    assert held(memory) == held(fresh)


def test_threads_that_ask_while_another_writes_meet_no_error(memory: Memory, root: Path) -> None:
    failed: list[BaseException] = []
    ended = threading.Event()

    def ask() -> None:
        try:
            while not ended.is_set():
                memory.remember(Question("roses", limit=20))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(15):
        write(root, f"{number}.md", f"Roses, number {number}.\n")
        memory.refresh()
    ended.set()
    for thread in threads:
        thread.join()

    assert failed == []
    assert len(memory.remember(Question("roses", limit=20)).hits) == 15


def held(memory: Memory) -> dict[str, object]:
    return export(memory._parts.sidecar, memory._parts.meaning)
