"""Repair: every damage is named where it is, and mended where that takes nothing of a person."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner
from conftest import Clock, FakeModel
from damages import SEEDS, Files, Place, Seed, lost, named, prepared, sown
from faults.harness import KILLED, Faulty, killed
from promises import promise

from vaultmem.doors.cli.group import vaultmem
from vaultmem.memory import Caller, Memory, Wish, init_vault, laid_ground
from vaultmem.vault import files, salvage
from vaultmem.vault import settings as settings_of
from vaultmem.vault.ledger import TABLES
from vaultmem.verbs.damages.table import DAMAGES, Finding, found
from vaultmem.verbs.repairing import MENDERS, Repaired
from vaultmem.words.errors import ConfigError, DiskFailed, NoVault, Refused, StateDamaged

DEATHS = 3
"""At so many calls of a repair the process dies here; `scripts/soak` tries each."""


def opened(root: Path, *, person: bool = True) -> Memory:
    caller = Caller("scout", "chat", "s1", None, person)
    return Memory(settings_of.load(root, root), caller, Clock(), FakeModel())


def made(folder: Path, *, used: bool = False) -> Place:
    """Return a vault that nobody has open, with memories and a log if it was used."""
    root = init_vault(folder / "vault").root
    with closing(opened(root)) as memory:
        prepared(memory) if used else memory.refresh()
        return Place(root, memory.settings.state, memory.settings.sidecar)


def repaired(root: Path) -> Repaired:
    """Do what `vaultmem doctor --repair` does."""
    laid = laid_ground(str(root))
    with closing(opened(root)) as memory:
        return memory.repair(laid)


def kinds(findings: tuple[Finding, ...] | list[Finding]) -> set[str]:
    return {finding.kind for finding in findings}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return made(tmp_path)


@dataclass(frozen=True)
class Sick:
    """A vault with every damage, what it held, and what two repairs of it said."""

    place: Place
    before: Files
    after: Files
    first: Repaired
    second: Repaired
    kept: Path
    """The vault and its state as they were before the first repair."""


@pytest.fixture(scope="module")
def sick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sick]:
    folder = tmp_path_factory.mktemp("sick")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VAULTMEM_STATE_DIR", str(folder / "work/state"))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        place = made(folder / "work", used=True)
        sown(place, SEEDS)
        subprocess.run(["cp", "-a", folder / "work", folder / "kept"], check=True)
        before = place.files()
        first = repaired(place.root)
        second = repaired(place.root)
        yield Sick(place, before, place.files(), first, second, folder / "kept")


# All of them at once


@promise("named")
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.kind} at {Path(seed.path).name!r}")
def test_each_damage_is_named_and_mended_where_that_takes_nothing_away(
    sick: Sick, seed: Seed
) -> None:
    left = sick.first.report.findings

    assert named(seed, sick.first.mended) or named(seed, left)
    assert named(seed, sick.first.mended) == (DAMAGES[seed.kind].ours or seed.kind == "index")
    assert named(seed, left) != named(seed, sick.first.mended)


@promise("named")
def test_no_text_of_a_person_is_lost_though_every_damage_is_there(sick: Sick) -> None:
    assert list(lost(sick.before, sick.after)) == []
    assert len({seed.kind for seed in SEEDS}) >= 60


def test_a_second_repair_has_nothing_to_mend_and_names_what_is_left(sick: Sick) -> None:
    assert sick.second.mended == ()
    assert [f for f in sick.second.report.findings if f.ours] == []
    assert sick.second.report.findings == sick.first.report.findings


def test_every_finding_says_what_to_do_next_in_a_sentence(sick: Sick) -> None:
    for finding in (*sick.first.mended, *sick.first.report.findings):
        assert finding.mend.endswith("."), finding
        assert finding.mend[0].isupper(), finding
        assert "{" not in finding.mend, finding


def test_what_is_called_ours_is_mended_by_a_step_or_by_a_refresh() -> None:
    by_a_refresh = {"approved", "behind", "doubled", "disordered", "month", "unequal"}
    by_a_refresh |= {"vectors", "graph"}
    before_opening = {"settings", "lock", "ledger"}

    ours = {kind for kind, damage in DAMAGES.items() if damage.ours}

    assert ours == set(MENDERS) | by_a_refresh | before_opening


@promise("named")
def test_a_repair_that_is_killed_at_any_call_is_finished_by_the_next(
    sick: Sick, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTMEM_STATE_DIR", str(sick.place.root.parent / "state"))

    def act() -> None:
        with mock.patch.object(salvage, "os", files.os):
            repaired(sick.place.root)

    back(sick)
    with Faulty() as watched:
        act()
    writing = [nth for nth, call in enumerate(watched.calls, 1) if call != "open"]
    for nth in writing[len(writing) // (2 * DEATHS) :: len(writing) // DEATHS]:
        back(sick)

        assert killed(act, nth) == KILLED
        assert [f.where for f in repaired(sick.place.root).report.findings if f.ours] == []
        assert list(lost(sick.before, sick.place.files())) == []


class Full(Faulty):
    """A disk with no room left: what is there can be read."""

    def failed(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return real(*args) if name == "open" else super().failed(name, real, args)


def back(sick: Sick) -> None:
    """Put the vault and its state back to how they were before the first repair."""
    work = sick.place.root.parent
    shutil.rmtree(work)
    subprocess.run(["cp", "-a", sick.kept, work], check=True)


def test_a_repair_on_a_disk_that_fills_up_is_refused_and_finished_by_the_next(
    sick: Sick, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTMEM_STATE_DIR", str(sick.place.root.parent / "state"))
    back(sick)
    laid_ground(str(sick.place.root))

    disk, said = Full(1, errno.ENOSPC, forever=True), pytest.raises(DiskFailed, match="is full")
    with closing(opened(sick.place.root)) as memory, disk, said:
        memory.repair()

    assert [f for f in repaired(sick.place.root).report.findings if f.ours] == []
    assert list(lost(sick.before, sick.place.files())) == []


# What keeps a vault from being opened


def test_lost_settings_come_back_with_the_id_that_this_machine_knows(place: Place) -> None:
    config = place.root / ".vaultmem/config.toml"
    known = settings_of.load(place.root).config
    shutil.rmtree(place.root / ".vaultmem")

    (back,) = laid_ground(str(place.root))

    assert back.kind == "settings"
    assert settings_of.load(place.root).config == replace(known, timezone=known.timezone)
    assert f'id = "{known.id}"' in config.read_text()


@pytest.mark.parametrize("left", [b"", b"\0" * 129, b"\xef\xbb\xbf\r\n"])
def test_settings_that_a_crash_left_empty_come_back(place: Place, left: bytes) -> None:
    config = place.root / ".vaultmem/config.toml"
    known = settings_of.load(place.root).config
    config.write_bytes(left)
    with pytest.raises(ConfigError, match="is empty and has no `id`"):
        settings_of.load(place.root)

    (back,) = laid_ground(str(place.root))

    assert (back.kind, back.what[:13]) == ("settings", "it was empty;")
    assert settings_of.load(place.root).config == known


@pytest.mark.parametrize("above", [True, False])
def test_settings_that_are_no_file_are_named_for_what_they_are(place: Place, above: bool) -> None:
    shutil.rmtree(place.root / ".vaultmem")
    if above:
        (place.root / ".vaultmem").write_text("a file")
    else:
        (place.root / ".vaultmem/config.toml").mkdir(parents=True)

    with pytest.raises(ConfigError, match="is no plain file in a plain folder"):
        laid_ground(str(place.root))


def test_empty_settings_that_nobody_knows_are_left(place: Place) -> None:
    config = place.root / ".vaultmem/config.toml"
    config.write_bytes(b"")
    shutil.rmtree(place.state)

    with pytest.raises(ConfigError, match="is empty"):
        laid_ground(str(place.root))

    assert config.read_bytes() == b""


def test_lost_settings_of_an_adopted_vault_come_back_with_its_home(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/Garden.md").write_text("Roses.\n")
    made = init_vault(tmp_path / "own", own_notes="Garden*")
    with closing(opened(made.root)) as memory:
        memory.refresh()
    known = settings_of.load(made.root).config
    shutil.rmtree(made.root / ".vaultmem")

    laid_ground(str(made.root))

    assert settings_of.load(made.root).config == known


def test_lost_settings_that_nobody_knows_are_not_made_up(tmp_path: Path, place: Place) -> None:
    with pytest.raises(NoVault):
        laid_ground(str(tmp_path))
    shutil.rmtree(place.root)
    place.root.mkdir()
    with pytest.raises(NoVault):  # an empty folder in the vault's place
        laid_ground(str(place.root))

    assert list(place.root.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('endpoint = "http://example.org"', "which a vault may not set"),
        ("colour = 3", "unknown key `colour`"),
        ("id = [", "is no TOML"),
    ],
)
def test_settings_that_cannot_be_used_are_named_and_left(
    place: Place, line: str, said: str
) -> None:
    config = place.root / ".vaultmem/config.toml"
    before = config.read_text() + line + "\n"
    config.write_text(before)

    with pytest.raises(ConfigError, match=said):
        laid_ground(str(place.root))
    assert config.read_text() == before


def test_a_state_folder_inside_of_the_vault_is_named_and_left(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTMEM_STATE_DIR", str(place.root / "state"))

    with pytest.raises(DiskFailed, match="lies inside the vault; move it out"):
        laid_ground(str(place.root))


def test_a_damaged_ledger_is_said_with_what_mends_it_by_every_verb(place: Place) -> None:
    (place.state / "ledger.db").write_bytes(b"not a database at all, but long enough to be one" * 9)

    with (
        closing(opened(place.root)) as memory,
        pytest.raises(StateDamaged, match="doctor --repair"),
    ):
        memory.memorize(Wish("The hose leaks", "It leaks at the joint near the pump."))


def test_what_can_be_read_of_a_damaged_ledger_is_kept_and_the_file_too(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(TABLES)
        db.execute("INSERT INTO facts VALUES ('machine', 'zz')")
        rows = [(f"lc-{n:08}-zz", "live-context/2026-11.md" * 4) for n in range(2000)]
        db.executemany("INSERT INTO entries VALUES (?, ?)", rows)
        db.commit()
    data = path.read_bytes()
    middle = len(data) // 2 // 4096 * 4096
    path.write_bytes(data[:middle] + b"\xff" * 4096 + data[middle + 4096 :])
    harmed = path.read_bytes()

    assert salvage.fault(path)
    aside = salvage.salvaged(path, TABLES)

    assert salvage.fault(path) == ""
    assert aside.read_bytes() == harmed
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT value FROM facts").fetchall() == [("zz",)]
        assert db.execute("SELECT count(*) FROM entries").fetchone()[0] > 1500


def test_another_vaults_indexes_are_known_and_thrown_away(place: Place, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    shutil.rmtree(place.sidecar)
    shutil.copytree(other.sidecar, place.sidecar)

    (finding,) = [f for f in repaired(place.root).mended if f.kind == "index"]

    assert finding.what == "everything was read anew: it was another vault's"


# What a repair leaves


def test_a_repair_in_the_middle_of_a_merge_writes_nothing_into_the_vault(tmp_path: Path) -> None:
    place = made(tmp_path, used=True)
    (place.root / ".git").mkdir()
    (place.root / ".git/MERGE_HEAD").write_text("x")
    sown(place, [seed for seed in SEEDS if seed.kind in ("glued", "copied id", "attributes")])
    before = place.files()

    done = repaired(place.root)

    assert place.files() == before
    assert {"merge", "glued", "copied id"} <= kinds(done.report.findings)


def test_a_copy_whose_properties_are_too_odd_to_change_is_left_with_the_reason(
    place: Place,
) -> None:
    text = "---\n{id: k7f3q9xa, title: Odd}\n---\nText.\n"
    place.write("memory/global/a.md", text)
    place.write("memory/global/a copy.md", text)

    (left,) = [f for f in repaired(place.root).report.findings if f.kind == "copied id"]

    assert left.path == "memory/global/a copy.md"
    assert left.mend.startswith("The properties of this note cannot be changed safely")
    assert (place.root / "memory/global/a copy.md").read_text() == text


def test_an_adopted_vault_is_repaired_below_its_home(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/index.md").write_text("The person's own front page.\n")
    root = init_vault(tmp_path / "own").root
    for name in ("index.md", ".gitattributes", "memory/global/index.md"):
        (root / "Agents" / name).unlink()

    done = repaired(root)

    assert {finding.path for finding in done.mended if finding.kind == "missing"} == {
        "Agents/index.md",
        "Agents/.gitattributes",
        "Agents/memory/global/index.md",
    }
    assert "[[Agents/memory/global/index|" in (root / "Agents/index.md").read_text()
    assert (root / "index.md").read_text() == "The person's own front page.\n"


def test_an_agent_repairs_nothing(place: Place) -> None:
    with closing(opened(place.root, person=False)) as memory, pytest.raises(Refused):
        memory.repair()


def test_a_folder_that_others_may_look_into_is_closed_to_them(place: Place) -> None:
    place.sidecar.chmod(0o755)

    assert kinds(repaired(place.root).mended) == {"rights"}
    assert place.sidecar.stat().st_mode & 0o777 == 0o700


def test_a_finding_knows_its_kind_its_line_and_who_mends_it() -> None:
    glued = found("glued", "live-context/2026-11.md", "two entries are on one line", 7)

    assert glued.where == "live-context/2026-11.md:7"
    assert glued.ours
    assert not glued.harmless
    assert not found("two folders", "memory/a", "two folders are the scope a").ours


# At the door


def test_the_door_says_what_was_mended_and_what_is_left(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultmem.sidecar.models.chosen", lambda *_: FakeModel())
    sown(place, [seed for seed in SEEDS if seed.kind in ("settings", "left over", "dangling")])
    call = ["doctor", "--vault", str(place.root), "--repair"]

    first = CliRunner().invoke(vaultmem, call)
    second = CliRunner().invoke(vaultmem, [*call, "--json"])

    assert first.exit_code == 1
    assert first.stdout.startswith("Mended: ")
    assert "+ .vaultmem/config.toml: it was missing; it is back" in first.stdout
    assert "Left for you:" in first.stdout
    said = json.loads(second.stdout)
    assert said["mended"] == []
    assert [f["kind"] for f in said["findings"]] == ["dangling"]
    assert os.path.lexists(place.root / ".vaultmem/config.toml")
