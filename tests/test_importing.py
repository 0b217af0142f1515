"""Bringing in another program's memory: once, whole, with its origin, and never over an edit."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock, FakeModel
from transcripts import TOKEN

from vaultmem.memory import Brought, ImportWish, Memory, Wish
from vaultmem.verbs import importing
from vaultmem.words.errors import BadInput, DiskFailed, Refused
from vaultmem.words.note import Note

MONDAY = 1_750_000_000
FILES = {
    "MEMORY.md": "- [Who Ann is](user-role.md) — her role\n- [Webhooks](webhooks.md) — retries\n",
    "user-role.md": "---\nname: user-role\ntype: user\n---\nAnn runs payments, see [[webhooks]].\n",
    "webhooks.md": "---\nname: webhooks\ndescription: Keys\ntype: project\nsource: approved\n"
    "status: approved\ncreated: 2026-03-01 10:00:00\n---\nRetries carry a key. See "
    "[Ann](user-role.md#now), [[nowhere]] and `[[user-role]]`.\n\n```dataviewjs\nrun()\n```\n",
}
Importer = Callable[..., Brought]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "claude", FILES)


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
        os.utime(folder / name, (MONDAY, MONDAY))
    return folder


def bring(memory: Memory, folder: Path, **wish: object) -> dict[str, int]:
    counts = memory.bring(ImportWish(str(folder), **wish)).counts  # type: ignore[arg-type]
    return {fate: count for fate, count in counts.items() if fate != "left out"}


def notes(root: Path) -> dict[str, str]:
    return {
        path.stem: path.read_text("utf-8")
        for path in sorted((root / "memory").rglob("*.md"))
        if path.name != "index.md"
    }


def get(memory: Memory, ref: str) -> Note:
    return memory.get(ref)[1]


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {f.name: (f.read_bytes(), f.stat().st_mtime_ns) for f in folder.iterdir()}


def test_each_entry_becomes_a_note_that_says_where_it_is_from(memory: Memory, source: Path) -> None:
    before = state(source)
    counts = bring(memory, source, scope="local/api")
    note = get(memory, "Webhooks")

    assert counts == {"new": 2}
    assert state(source) == before
    assert note.path == "memory/local/api/webhooks.md"
    assert (note.text("source"), note.status, note.text("agent")) == (
        "imported",
        "working",
        "claude-code",
    )
    assert note.text("origin").startswith(f"claude-code:{source}/webhooks.md#")
    assert note.text("created") == "2026-03-01T10:00:00"
    assert get(memory, "Who Ann is").text("created") == "2025-06-15T15:06:40"


def test_links_lead_to_where_the_notes_lie_and_nothing_in_them_runs(
    memory: Memory, source: Path
) -> None:
    bring(memory, source)

    assert get(memory, "Webhooks").body == (
        "Retries carry a key. See [[memory/global/who-ann-is#now|Ann]], [[nowhere]] and "
        "`[[user-role]]`.\n\n```text\nrun()\n```\n"
    )


def test_a_rehearsal_writes_nothing_and_says_what_would_be(
    memory: Memory, root: Path, source: Path
) -> None:
    done = memory.bring(ImportWish(str(source), dry_run=True, scope="local/api"))

    assert (done.format, done.detected, notes(root)) == ("claude-code", True, {})
    assert [(i.title, i.scope, i.type, i.path) for i in done.items if i.title] == [
        ("Who Ann is", "local/api", "user_preference", "memory/local/api/who-ann-is.md"),
        ("Webhooks", "local/api", "insight", "memory/local/api/webhooks.md"),
    ]
    assert not (root / "memory/local").exists()


def test_once_is_enough_wherever_the_notes_and_the_source_lie_now(
    memory: Memory, root: Path, source: Path, tmp_path: Path
) -> None:
    bring(memory, source)
    (root / "memory/global/deep").mkdir()
    (root / "memory/global/webhooks.md").rename(root / "memory/global/deep/hooks.md")
    told = notes(root)
    source.rename(tmp_path / "elsewhere")

    assert bring(memory, tmp_path / "elsewhere") == {"imported": 2}
    assert notes(root) == told


def test_one_line_of_log_and_one_catalogue_tell_of_all_of_it(
    memory: Memory, root: Path, source: Path
) -> None:
    bring(memory, source)
    bring(memory, source)
    log = "".join(path.read_text("utf-8") for path in (root / "live-context").glob("*.md"))

    assert log.count("imported from claude-code: 2 new, 0 updated") == 1
    assert log.count(" · memory · ") == 1
    assert "who-ann-is|" in (root / "memory/global/index.md").read_text("utf-8")
    assert memory.doctor().well


def test_a_changed_entry_changes_its_note_only_if_nobody_else_did(
    memory: Memory, root: Path, source: Path
) -> None:
    bring(memory, source)
    edited = root / "memory/global/who-ann-is.md"
    edited.write_text(edited.read_text("utf-8").replace("runs", "leads"), "utf-8")
    changed = {
        "user-role.md": FILES["user-role.md"].replace("payments", "billing"),
        "webhooks.md": FILES["webhooks.md"].replace("a key", "an idempotency key"),
    }
    write(source, changed)

    assert bring(memory, source, dry_run=True) == {"changed": 1, "updated": 1}
    assert bring(memory, source) == {"changed": 1, "updated": 1}
    assert "an idempotency key" in get(memory, "Webhooks").body
    assert "Ann leads payments" in edited.read_text("utf-8")
    assert bring(memory, source) == {"changed": 1, "imported": 1}


def test_what_a_person_approved_is_not_changed_by_its_source(
    memory: Memory, root: Path, source: Path
) -> None:
    bring(memory, source)
    note = root / "memory/global/webhooks.md"
    note.write_text(
        note.read_text("utf-8").replace("source: imported", "source: approved"), "utf-8"
    )
    write(source, {"webhooks.md": FILES["webhooks.md"].replace("a key", "no key")})

    assert bring(memory, source) == {"changed": 1, "imported": 1}
    assert "a key" in note.read_text("utf-8")


def test_an_entry_without_a_name_is_known_again_by_its_likeness(
    memory: Memory, tmp_path: Path
) -> None:
    said = "The build box is slow after noon\n§\nAnn prefers tabs"
    source = write(tmp_path / "hermes", {"MEMORY.md": said})
    bring(memory, source)
    write(source, {"MEMORY.md": said.replace("noon", "eleven") + "\n§\nThe coffee is in room 4"})

    assert bring(memory, source) == {"imported": 1, "new": 1, "updated": 1}
    assert "eleven" in get(memory, "The build box is slow after eleven").body


def test_what_a_person_threw_away_stays_away(memory: Memory, root: Path, source: Path) -> None:
    bring(memory, source)
    memory.forget(["Webhooks"])

    assert bring(memory, source) == {"imported": 1, "trashed": 1}
    assert bring(memory, source, again=True) == {"imported": 1, "new": 1}
    assert "webhooks" in notes(root)


def test_a_secret_is_refused_and_the_rest_goes_on(memory: Memory, root: Path, source: Path) -> None:
    write(source, {"token.md": f"---\nname: token\ntype: project\n---\nUse {TOKEN} here.\n"})
    done = memory.bring(ImportWish(str(source)))
    (refused,) = [item for item in done.items if item.fate == "refused"]

    assert (done.counts["new"], refused.source, refused.title) == (2, "token.md", "")
    assert TOKEN not in str(done.as_dict())
    assert all(TOKEN not in text for text in notes(root).values())


def test_what_the_vault_says_already_is_not_doubled(
    memory: Memory, root: Path, source: Path
) -> None:
    memory.memorize(Wish(title="Webhooks", content=FILES["webhooks.md"].partition("---\n")[2]))
    memory.memorize(Wish(title="Ann likes tea", content="Ann likes green tea without sugar."))
    write(source, {"tea.md": "---\nname: Ann likes tea\n---\nAnn likes green tea without sugar.\n"})
    done = memory.bring(ImportWish(str(source)))

    assert done.counts["known"] == 1
    assert "says it" in next(item.why for item in done.items if item.fate == "known")
    assert len(notes(root)) == 4


def test_each_entry_goes_to_the_scope_that_it_names(
    memory: Memory, root: Path, tmp_path: Path
) -> None:
    text = "- Port 8443 <!-- project: github.com/acme/api -->\n- Ann likes tea\n"
    source = write(tmp_path / "claw", {"MEMORY.md": text, "SOUL.md": "x", "USER.md": "- Be brief."})
    here = memory.called(scope="local/here")
    here.bring(ImportWish(str(source)))

    assert {p.parent.relative_to(root / "memory").as_posix() for p in root.rglob("port-*.md")} == {
        "github.com/acme/api"
    }
    assert (root / "memory/local/here/ann-likes-tea.md").is_file()
    assert (root / "memory/global/be-brief.md").is_file()


@pytest.mark.parametrize("at", [1, 5])
def test_cut_short_and_repeated_it_ends_as_if_nothing_had_happened(
    memory: Memory, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    files = {
        f"{n}.md": f"---\nname: topic {n}\n---\nSays {n}, see [[{5 - n}]].\n" for n in range(6)
    }
    source = write(tmp_path / "six", files)
    create, calls = type(memory.vault).create, []

    def cut(*given: object) -> str:
        if len(calls) == at:
            raise KeyboardInterrupt
        calls.append(given)
        return create(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(type(memory.vault), "create", cut)
        bring(memory, source, format="claude-code")
    bring(memory, source, format="claude-code")

    assert len(notes(root)) == 6
    assert "[[memory/global/topic-5|topic 5]]" in notes(root)["topic-0"]
    assert "[[memory/global/topic-0|topic 0]]" in notes(root)["topic-5"]
    assert sum("topic-" in line for line in _catalogue(root)) == 6


def test_a_note_that_cannot_be_read_again_at_once_is_imported_all_the_same(
    memory: Memory, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = type(memory.vault).read

    def failing(vault: Any, path: str) -> Note:
        if "webhooks" in path:
            raise DiskFailed(path, OSError(errno.EIO, "input/output error"))
        return read(vault, path)

    with monkeypatch.context() as patched:
        patched.setattr(type(memory.vault), "read", failing)
        assert bring(memory, source)["new"] == 2
    memory.refresh()

    assert get(memory, "webhooks").text("source") == "imported"


def _catalogue(root: Path) -> list[str]:
    return (root / "memory/global/index.md").read_text("utf-8").splitlines()


def test_many_entries_take_one_refresh_and_a_lock_now_and_then(
    memory: Memory, model: FakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{n}.md": f"Fact {n} of many, told in a few words." for n in range(60)}
    source = write(tmp_path / "many", files)
    refreshes: list[object] = []
    refresh = type(memory._parts.sidecar).refresh
    monkeypatch.setattr(
        type(memory._parts.sidecar),
        "refresh",
        lambda self, *a, **k: (refreshes.append(k), refresh(self, *a, **k))[1],
    )

    assert bring(memory, source) == {"new": 60}
    assert len(refreshes) <= 4
    assert importing.AT_ONCE < 60


@pytest.mark.parametrize("inside", [".", "memory", ".."])
def test_the_vault_is_no_source(memory: Memory, root: Path, inside: str) -> None:
    with pytest.raises(Refused, match=r"part of this vault|holds this vault"):
        memory.bring(ImportWish(str(root / inside)))


@pytest.mark.parametrize("below", ["", "inner"])
def test_a_link_of_the_vault_that_leads_out_is_no_source(
    memory: Memory, root: Path, tmp_path: Path, below: str
) -> None:
    (tmp_path / "outside").mkdir()
    write(tmp_path / "outside/inner", {"a.md": "What nobody of the vault may see."})
    (root / "memory/out").symlink_to(tmp_path / "outside", target_is_directory=True)

    with pytest.raises(Refused, match="part of this vault"):
        memory.bring(ImportWish(str(root / "memory/out" / below)))


def test_a_clock_of_the_source_that_makes_no_sense_is_the_time_of_the_import(
    memory: Memory, tmp_path: Path, clock: Clock
) -> None:
    source = write(tmp_path / "odd", {"a.md": "---\ncreated: soon\n---\nA note of old."})
    bring(memory, source)

    assert get(memory, "a").text("created") == clock.now.strftime("%Y-%m-%dT%H:%M:%S")


def test_an_unknown_format_or_an_empty_folder_says_what_to_do(
    memory: Memory, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="holds no markdown to import"):
        memory.bring(ImportWish(str(write(tmp_path / "empty", {}))))
    with pytest.raises(BadInput, match="Use one of: claude-code, openclaw"):
        memory.bring(ImportWish(str(tmp_path / "empty"), format="cursor"))


def test_what_is_large_or_odd_in_a_source_still_makes_a_note_that_is_known_again(
    memory: Memory, tmp_path: Path
) -> None:
    tags = ", ".join(f"tag{n}" for n in range(200))
    relations = "".join(f"- relates_to [[Note {n}]]\n" for n in range(500))
    source = write(
        tmp_path / "two  blanks",
        {
            "a  b.md": f"---\npermalink: x\ntags: {tags}\n---\n{relations}",
            **{f"Note {n}.md": f"The note {n}." for n in range(3)},
            "control.md": "Bell \x07 and \x1b[2J, half \ufeff a mark.",
            "title.md": "# " + "long " * 20_000,
        },
    )

    assert bring(memory, source) == {"new": 6}
    assert bring(memory, source) == {"imported": 6}
    assert len(get(memory, "a b").texts("related_to")) == 3
