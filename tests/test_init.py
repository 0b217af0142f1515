"""Making a vault, new or inside the notes that a person already has."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hostile.notes import write_odd
from promises import promise

from vaultmem.memory import Caller, Memory, Wish, init_vault, is_adoption
from vaultmem.vault import settings as settings_of
from vaultmem.verbs.init import template
from vaultmem.words.errors import BadInput, ConfigError, DiskFailed, OutsideVault

Files = dict[str, bytes]


def everything(root: Path) -> Files:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def opened(root: Path) -> Memory:
    return Memory(
        settings_of.load(root, root),
        Caller("scout", "chat", "s1", None, person=True),
        lambda: datetime(2026, 11, 30, 2, 14, 7, tzinfo=UTC),
    )


# A new vault


def test_a_new_vault_is_the_template_and_a_config(tmp_path: Path) -> None:
    made = init_vault(tmp_path / "deep/vault")

    found = everything(tmp_path / "deep/vault")
    config = found.pop(".vaultmem/config.toml").decode()
    assert found == everything(template())
    assert config.splitlines()[1].startswith('id = "')
    assert (made.home, made.adopted) == ("", False)
    assert sorted(made.files) == sorted([*found, ".vaultmem/config.toml"])


@promise("apart")
def test_two_vaults_never_have_one_id(tmp_path: Path) -> None:
    for name in ("a", "b"):
        init_vault(tmp_path / name)

    assert settings_of.load(tmp_path / "a").config.id != settings_of.load(tmp_path / "b").config.id


def test_an_empty_folder_and_one_of_hidden_files_become_new_vaults(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b/.git").mkdir(parents=True)
    (tmp_path / "b/.git/config").write_bytes(b"[core]\n")

    for name in ("a", "b"):
        assert not is_adoption(tmp_path / name)
        assert not init_vault(tmp_path / name).adopted
    assert (tmp_path / "b/.git/config").read_bytes() == b"[core]\n"


@pytest.mark.parametrize("adopted", [False, True])
def test_doing_it_twice_changes_nothing(tmp_path: Path, adopted: bool) -> None:
    if adopted:
        (tmp_path / "My note.md").write_bytes(b"mine\r\n")
    init_vault(tmp_path)
    before = everything(tmp_path)

    made = init_vault(tmp_path)

    assert made.files == ()
    assert made.adopted == adopted
    assert everything(tmp_path) == before


@pytest.mark.parametrize("adopted", [False, True])
def test_doing_it_again_brings_back_what_is_missing_and_keeps_what_was_changed(
    tmp_path: Path, adopted: bool
) -> None:
    if adopted:
        (tmp_path / "My note.md").write_bytes(b"mine\r\n")
    home = "Agents/" if adopted else ""
    init_vault(tmp_path)
    before = everything(tmp_path)
    (tmp_path / home / "index.md").write_bytes(b"changed by me\n")
    (tmp_path / home / "live-context.md").unlink()

    made = init_vault(tmp_path)

    assert made.files == (f"{home}live-context.md",)
    assert everything(tmp_path) == {**before, f"{home}index.md": b"changed by me\n"}


def test_a_vault_that_was_begun_and_not_ended_is_ended(tmp_path: Path) -> None:
    init_vault(tmp_path / "vault")
    before = everything(tmp_path / "vault")
    for path in before:
        if path != ".vaultmem/config.toml":
            (tmp_path / "vault" / path).unlink()

    init_vault(tmp_path / "vault")

    assert everything(tmp_path / "vault") == before


def test_a_new_vault_may_have_a_home_of_its_own(tmp_path: Path) -> None:
    made = init_vault(tmp_path / "vault", home="Agents/")

    assert made.home == "Agents"
    assert (tmp_path / "vault/Agents/memory/global/index.md").is_file()
    assert init_vault(tmp_path / "vault", home="Agents").files == ()


# Adopting


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A vault of a person who already has all the names that we use."""
    root = tmp_path / "notes"
    for name in (
        "index.md",
        "live-context.md",
        ".gitignore",
        ".gitattributes",
        ".obsidian/app.json",
        ".obsidian/templates.json",
        "Inbox/idea.md",
        "inbox/scout/idea.md",
        "Projects/Garden/index.md",
        "Templates/daily.md",
        "templates/memory.md",
        "memory/global/index.md",
        "identity/me.md",
        "Memories.base",
        "picture.png",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{name} is mine\r\nand has no last newline".encode())
    return root


def test_an_adopted_vault_keeps_every_byte_and_gets_a_home(notes: Path) -> None:
    before = everything(notes)

    made = init_vault(notes)

    after = everything(notes)
    assert (made.home, made.adopted) == ("Agents", True)
    assert {path: after[path] for path in before} == before
    assert sorted(after.keys() - before.keys()) == [
        ".vaultmem/config.toml",
        "Agents/.gitattributes",
        "Agents/.gitignore",
        "Agents/index.md",
        "Agents/live-context.md",
        "Agents/memory/global/index.md",
    ]


def test_links_of_the_pages_lead_below_home(notes: Path) -> None:
    init_vault(notes, home="Über/Agents")

    pages = [path.read_text("utf-8") for path in (notes / "Über/Agents").rglob("*.md")]
    assert not any("[[memory/" in page for page in pages)


def test_working_in_an_adopted_vault_writes_below_home_and_in_the_trash_alone(
    notes: Path,
) -> None:
    before = everything(notes)
    init_vault(notes)
    memory = opened(notes)
    kept = memory.memorize(
        Wish(title="Retries carry a key", content="They always do.", scope="a/b")
    )
    gone = memory.memorize(Wish(title="A passing thought", content="It is gone soon."))
    memory.forget([gone.id])
    memory.introduce()
    memory.refresh()
    memory.close()

    after = everything(notes)
    assert kept.path == "Agents/memory/a/b/retries-carry-a-key.md"
    assert {path: after[path] for path in before} == before
    assert {path.split("/")[0] for path in after.keys() - before.keys()} == {
        ".vaultmem",
        ".trash",
        "Agents",
    }


@promise("untouched")
def test_a_vault_of_odd_notes_is_adopted_without_a_changed_byte(tmp_path: Path) -> None:
    write_odd(tmp_path / "notes")
    before = everything(tmp_path / "notes")

    init_vault(tmp_path / "notes")
    memory = opened(tmp_path / "notes")
    memory.memorize(Wish(title="Retries carry a key", content="They always do."))
    memory.close()

    after = everything(tmp_path / "notes")
    assert {path: after[path] for path in before} == before


def test_own_notes_are_found_as_far_as_was_said(notes: Path) -> None:
    init_vault(notes, own_notes="Projects/**")

    assert settings_of.load(notes).config.own_notes == "Projects/**"


@pytest.mark.parametrize("home", ["", "/"])
def test_a_home_among_the_persons_own_notes_is_refused(notes: Path, home: str) -> None:
    before = everything(notes)

    with pytest.raises(BadInput, match="Name a folder for ours with --home"):
        init_vault(notes, home=home)

    assert everything(notes) == before


@pytest.mark.parametrize("home", ["../x", "a/../b", ".obsidian", "a\\b", "a//b", 'a"b', "a\nb"])
def test_a_home_that_is_no_folder_of_the_vault_is_refused(notes: Path, home: str) -> None:
    before = everything(notes)

    with pytest.raises((BadInput, ConfigError)):
        init_vault(notes, home=home)

    assert everything(notes) == before


def test_a_home_that_is_a_link_or_a_file_is_refused(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (notes / "Link").symlink_to(tmp_path / "outside", target_is_directory=True)

    for home in ("Link", "picture.png"):
        with pytest.raises(OutsideVault):
            init_vault(notes, home=home)
    assert not (notes / ".vaultmem").exists()
    assert list((tmp_path / "outside").iterdir()) == []


def test_another_home_for_a_vault_that_has_one_is_refused(notes: Path) -> None:
    init_vault(notes)
    before = everything(notes)

    with pytest.raises(BadInput, match="its home is 'Agents'"):
        init_vault(notes, home="Other")

    assert everything(notes) == before


# What cannot become a vault


def test_a_file_is_no_vault(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")

    with pytest.raises(BadInput, match=r"is a file\. A vault is a folder"):
        init_vault(tmp_path / "file")
    with pytest.raises(DiskFailed, match="could not be used"):
        init_vault(tmp_path / "file/deeper")

    assert (tmp_path / "file").read_bytes() == b"mine"


def test_a_vault_with_a_broken_config_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".vaultmem").mkdir()
    (tmp_path / ".vaultmem/config.toml").write_bytes(b"<<<<<<< HEAD\n")

    with pytest.raises(ConfigError, match="is no TOML"):
        init_vault(tmp_path)

    assert everything(tmp_path) == {".vaultmem/config.toml": b"<<<<<<< HEAD\n"}


def test_a_config_that_cannot_be_read_now_does_not_make_another_vault(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultmem.vault import files

    init_vault(notes)
    before = everything(notes)

    def failing(*_: object) -> bytes:
        raise DiskFailed("config.toml", OSError(5, os.strerror(5)))

    monkeypatch.setattr(files, "read", failing)
    with pytest.raises(DiskFailed, match="The disk reports an error"):
        init_vault(notes)

    assert everything(notes) == before


class ReadOnly:
    """The module `os` where nothing can be made."""

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def mkdir(self, *_: object, **__: object) -> None:
        raise OSError(30, os.strerror(30))

    def open(self, path: str, flags: int, *rest: int, **named: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(30, os.strerror(30))
        return os.open(path, flags, *rest, **named)


def test_a_disk_that_is_read_only_says_so_and_stays_as_it_is(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultmem.vault import files, place

    before = everything(notes)
    monkeypatch.setattr(files, "os", ReadOnly())
    monkeypatch.setattr(place, "os", ReadOnly())

    with pytest.raises(DiskFailed, match="The disk is read-only"):
        init_vault(notes)

    assert everything(notes) == before


def test_a_vault_on_a_disk_that_became_read_only_can_still_be_read(
    root: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultmem.memory import Question
    from vaultmem.vault import files, place

    memory.memorize(Wish(title="Retries carry a key", content="They always do."))
    before = everything(root)
    monkeypatch.setattr(files, "os", ReadOnly())
    monkeypatch.setattr(place, "os", ReadOnly())

    assert [hit.title for hit in memory.remember(Question("retries key")).hits] == [
        "Retries carry a key"
    ]
    assert memory.brief().parts
    with pytest.raises(DiskFailed, match="Reading still works"):
        memory.memorize(Wish(title="Another fact", content="There is no room for it."))
    assert everything(root) == before
