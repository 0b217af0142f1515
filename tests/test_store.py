"""The vault: names that are free, scope folders that are found, edits that lose nothing."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from promises import promise

from vaultmem.memory import Memory, Wish
from vaultmem.vault.store import Vault
from vaultmem.words.errors import AlreadyThere, ChangedOnDisk, DiskFailed, NotFound, NoVault


@pytest.fixture
def vault(memory: Memory) -> Vault:
    return memory.vault


def scoped(root: Path, folder: str, head: str) -> None:
    (root / folder).mkdir(parents=True, exist_ok=True)
    (root / folder / "index.md").write_text(f"---\n{head}\n---\n", "utf-8")


# Names


@pytest.mark.parametrize(
    ("taken", "title", "free"),
    [
        ([], "Roses and thorns", "roses-and-thorns.md"),
        (["roses.md"], "Roses", "roses-2.md"),
        (["roses.md", "roses-2.md"], "Roses", "roses-3.md"),
        (["Roses.MD"], "roses", "roses-2.md"),
        (["ROSES.md", "Roses-2.md"], "roses", "roses-3.md"),
        ([unicodedata.normalize("NFD", "café.md")], "Café", "café-2.md"),
        (["STRASSE.md"], "Straße", "straße-2.md"),
        (["\u212a.md"], "K", "k-2.md"),
        ([], "Index", "index-2.md"),
        ([], "Decisions", "decisions-2.md"),
        ([], "Project", "project-2.md"),
        ([], "...", "note.md"),
        ([], "CON", "con-note.md"),
    ],
)
def test_a_new_note_gets_a_name_that_no_disk_confuses(
    vault: Vault, root: Path, taken: list[str], title: str, free: str
) -> None:
    for name in taken:
        (root / "memory/global" / name).write_bytes(b"taken")

    assert vault.free_path("memory/global", title) == f"memory/global/{free}"


def test_a_disk_that_folds_names_in_its_own_way_still_gets_the_note(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = vault.create

    def folding(path: str, data: bytes) -> str:
        if path in ("memory/global/roses.md", "memory/global/roses-2.md"):
            raise AlreadyThere(path)
        return create(path, data)

    monkeypatch.setattr(vault, "create", folding)
    path, _ = vault.new_note("memory/global", "Roses", {"title": "Roses"}, "red")

    assert path == "memory/global/roses-3.md"


def test_a_memory_called_decisions_is_a_memory(memory: Memory, root: Path) -> None:
    receipt = memory.memorize(Wish(title="Decisions", content="They are made on Mondays."))

    assert receipt.path == "memory/global/decisions-2.md"
    assert [facts.title for _, _, facts in memory.listing(_everything())] == ["Decisions"]


def _everything() -> object:
    from vaultmem.memory import Question

    return Question("")


def test_a_folder_that_cannot_be_listed_is_no_empty_folder(
    vault: Vault, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "memory/file").write_bytes(b"no folder")

    with pytest.raises(DiskFailed):
        vault.free_path("memory/file", "Roses")


@pytest.mark.parametrize(
    ("taken", "path", "free"),
    [
        ([], "memory/global/roses.md", ".trash/roses.md"),
        (["roses.md"], "memory/x/roses.md", ".trash/roses 2.md"),
        (["Roses.md", "roses 2.md"], "memory/x/roses.md", ".trash/roses 3.md"),
        ([], "memory/x/Upper.MD", ".trash/Upper.md"),
        (["n" * 252 + ".md"], f"memory/{'n' * 252}.md", f".trash/{'n' * 240} 2.md"),
        (["é" * 126 + ".md"], f"memory/{'é' * 126}.md", f".trash/{'é' * 120} 2.md"),
    ],
)
def test_a_note_in_the_trash_gets_a_name_that_fits_and_is_free(
    vault: Vault, root: Path, taken: list[str], path: str, free: str
) -> None:
    (root / ".trash").mkdir()
    for name in taken:
        (root / ".trash" / name).write_bytes(b"taken")

    assert vault.trash_path(path) == free


# Scope folders


def test_scope_folders_are_those_whose_catalogue_says_so(vault: Vault, root: Path) -> None:
    scoped(root, "memory/github.com/acme/api", "scope: GitHub.com/Acme/API")
    scoped(root, "memory/moved by hand/deep", "scope: local/garden")
    scoped(root, "memory/no-scope", "title: mine")
    scoped(root, "memory/.hidden", "scope: local/hidden")
    scoped(root, "Projects/own", "scope: local/own")
    (root / "memory/empty").mkdir()

    assert vault.scope_folders() == {
        "memory/global": "",
        "memory/github.com/acme/api": "github.com/acme/api",
        "memory/moved by hand/deep": "local/garden",
    }


def test_a_scope_is_found_by_its_name_wherever_its_folder_lies(vault: Vault, root: Path) -> None:
    scoped(root, "memory/garden", "scope: local/Garden\naliases:\n  - local/old\n  - Fork/Garden")

    assert vault.scope_folder("local/garden") == "memory/garden"
    assert vault.scope_folder("local/old") == "memory/garden"
    assert vault.scope_folder("fork/garden") == "memory/garden"
    assert vault.scope_folder("local/new") is None
    assert vault.scope_folder("") == "memory/global"
    assert vault.canonical("fork/garden") == "local/garden"
    assert vault.canonical("local/new") == "local/new"


def test_a_name_of_its_own_goes_before_an_alias(vault: Vault, root: Path) -> None:
    scoped(root, "memory/a", "scope: local/a\naliases: [local/b]")
    scoped(root, "memory/z", "scope: local/b")

    assert vault.scope_folder("local/b") == "memory/z"


def test_a_new_scope_gets_a_folder_with_a_catalogue_once(vault: Vault, root: Path) -> None:
    assert vault.made_scope_folder("github.com/acme/api") == "memory/github.com/acme/api"
    before = (root / "memory/github.com/acme/api/index.md").read_bytes()
    assert vault.made_scope_folder("github.com/acme/api") == "memory/github.com/acme/api"

    assert (root / "memory/github.com/acme/api/index.md").read_bytes() == before
    assert before == (
        b"---\n"
        b"title: github.com/acme/api\n"
        b"type: catalogue\n"
        b"scope: github.com/acme/api\n"
        b"---\n"
        b"<!-- vaultmem:catalogue -->\n"
        b"<!-- /vaultmem:catalogue -->\n"
    )


def test_a_scope_whose_folder_a_person_uses_for_another_gets_one_beside_it(
    vault: Vault, root: Path
) -> None:
    scoped(root, "memory/local/garden", "scope: local/other")
    scoped(root, "memory/local/garden-2", "title: no scope at all")

    assert vault.made_scope_folder("local/garden") == "memory/local/garden-3"
    assert vault.scope_folder("local/garden") == "memory/local/garden-3"


@pytest.mark.parametrize("scope", ['say "hi"', "a: b", "no", "007", "日本", "#x"])
def test_a_scope_of_any_name_is_found_again(vault: Vault, scope: str) -> None:
    folder = vault.made_scope_folder(scope)

    assert vault.scope_folder(scope) == folder
    assert vault.made_scope_folder(scope) == folder


def test_a_catalogue_that_is_a_link_makes_no_scope_and_breaks_nothing(
    vault: Vault, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text("---\nscope: local/evil\n---\n")
    (root / "memory/evil").mkdir()
    (root / "memory/evil/index.md").symlink_to(tmp_path / "outside.md")

    assert vault.scope_folders() == {"memory/global": ""}
    assert vault.scope_folder("local/evil") is None


def test_a_linked_folder_is_no_scope_folder(vault: Vault, root: Path, tmp_path: Path) -> None:
    scoped(tmp_path, "outside", "scope: local/evil")
    (root / "memory/evil").symlink_to(tmp_path / "outside", target_is_directory=True)

    assert vault.scope_folders() == {"memory/global": ""}


# Reading and editing


def test_an_edit_names_the_hash_it_saw(vault: Vault, root: Path) -> None:
    (root / "a.md").write_bytes(b"---\ntitle: a\n---\nbody")
    seen = vault.read("a.md").hash
    done = vault.edit("a.md", {"title": "b"}, seen=seen)

    assert (root / "a.md").read_bytes() == b"---\ntitle: b\n---\nbody"
    assert vault.read("a.md").hash == done
    with pytest.raises(ChangedOnDisk):
        vault.edit("a.md", {"title": "c"}, seen=seen)
    assert (root / "a.md").read_bytes() == b"---\ntitle: b\n---\nbody"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"---\na: 1\n---\nbody\n", b"---\na: 1\n---\nnew\nlines\n"),
        (b"---\r\na: 1\r\n---\r\nbody\r\n", b"---\r\na: 1\r\n---\r\nnew\r\nlines\r\n"),
        (b"body", b"new\nlines\n"),
        (b"\xef\xbb\xbfbody", b"\xef\xbb\xbfnew\nlines\n"),
    ],
)
def test_a_new_body_has_the_line_ending_of_the_note(
    vault: Vault, root: Path, before: bytes, after: bytes
) -> None:
    (root / "a.md").write_bytes(before)

    vault.edit("a.md", {}, seen=vault.read("a.md").hash, body="new\nlines\n\n")

    assert (root / "a.md").read_bytes() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\n", b"one\n\nadded\n"),
        (b"one", b"one\n\nadded\n"),
        (b"one  \n\n\n", b"one  \n\n\n\nadded\n"),
        (b"---\na: 1\n---\n", b"---\na: 1\n---\n\nadded\n"),
        (b"---\r\na: 1\r\n---\r\none\ntwo\r\n", b"---\r\na: 1\r\n---\r\none\ntwo\r\n\r\nadded\r\n"),
        (b"---\na: 1\n---\ncaf\xe9 \0\n", b"---\na: 1\n---\ncaf\xe9 \0\n\nadded\n"),
    ],
)
def test_a_paragraph_is_added_without_touching_the_body(
    vault: Vault, root: Path, before: bytes, after: bytes
) -> None:
    (root / "a.md").write_bytes(before)

    vault.edit("a.md", {}, seen=vault.read("a.md").hash, added="added")

    assert (root / "a.md").read_bytes() == after


def test_a_relation_with_a_reason_leaves_the_text_of_a_note_byte_for_byte(
    memory: Memory, root: Path
) -> None:
    old = memory.memorize(Wish(title="The old way", content="It was done by hand."))
    body = b"One  \r\n\r\ntwo\nthree caf\xe9\n\n\n"
    (root / "memory/global/new.md").write_bytes(b"---\ntitle: New\n---\n" + body)
    path, seen = "memory/global/new.md", memory.vault.read("memory/global/new.md").hash

    memory.memorize(Wish(id=path, hash=seen, relates=(f"extends: {old.id} because it is shorter",)))

    head, found = (root / path).read_bytes().split(b"---\n", 2)[1:]
    assert b"extends:\n" in head
    assert found == body + (
        b"\nExtends [[memory/global/the-old-way|The old way]] because it is shorter\n"
    )


def test_a_file_over_the_limit_is_known_by_its_name(vault: Vault, root: Path) -> None:
    (root / "big.md").write_bytes(b"x" * (2 << 20))

    note = vault.read("big.md")

    assert (note.title, note.hash) == ("big", "")
    assert note.oddities == ("it is 2 MiB, over the limit of 1 MiB, so only its name is known",)


def test_what_is_not_there_is_not_found(vault: Vault) -> None:
    with pytest.raises(NotFound):
        vault.read("gone.md")
    assert not vault.exists("gone.md")


@pytest.mark.parametrize("damage", ["moved", "emptied"])
def test_a_vault_that_vanished_is_no_empty_vault(vault: Vault, root: Path, damage: str) -> None:
    root.rename(root.with_name("away"))
    if damage == "emptied":
        root.mkdir()

    assert not vault.alive
    with pytest.raises(NoVault):
        vault.scan()
    with pytest.raises(NoVault):
        vault.check()


@promise("vanished")
@pytest.mark.parametrize("damage", ["moved", "emptied"])
def test_nothing_is_written_and_nothing_forgotten_while_the_vault_is_away(
    memory: Memory, root: Path, damage: str
) -> None:
    memory.memorize(Wish(title="The one fact", content="It must not be forgotten."))
    away = root.with_name("away")
    root.rename(away)
    if damage == "emptied":
        root.mkdir()

    with pytest.raises(NoVault):
        memory.refresh()
    with pytest.raises(NoVault):
        memory.memorize(Wish(title="Another fact", content="It comes at a bad time."))
    if damage == "emptied":
        assert list(root.iterdir()) == []
        root.rmdir()
    away.rename(root)

    memory.refresh()
    assert memory.get("The one fact")[0].title == "The one fact"
    assert memory.doctor().well
