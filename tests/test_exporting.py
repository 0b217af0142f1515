"""Writing memories out: the same bytes each time, and never over what changed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultmem.memory import Exported, ExportWish, ImportWish, Memory, Wish
from vaultmem.verbs import exporting
from vaultmem.words.errors import BadInput, Refused
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A vault with two memories of a scope and one that is true everywhere."""
    ann = memory.memorize(Wish(title="Ann likes tea", content="Ann likes tea. \n\n# Why\n\nHabit."))
    api = memory.called(scope="local/api")
    api.memorize(Wish(title="Old limit", content="The limit was 100.", type="decision"))
    new = "The limit is 200, ask [[ann-likes-tea#Why|Ann]], see [[nowhere]]."
    link = f"depends_on: {ann.id}"
    relates = ("supersedes: Old limit", link)
    api.memorize(Wish(title="New [limit]", content=new, type="decision", relates=relates))
    other = memory.called(scope="local/other")
    other.memorize(Wish(title="Elsewhere", content="It is true elsewhere."))
    return api


def export(memory: Memory, form: str, dest: Path, **wish: bool) -> Exported:
    return memory.export(ExportWish(form, str(dest), **wish))  # type: ignore[arg-type]


def files(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*.md")))
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in found}


def test_plain_files_have_readable_names_and_relative_links(filled: Memory, tmp_path: Path) -> None:
    done = export(filled, "plain", tmp_path / "out")

    assert (done.notes, done.written) == (2, ("global/ann-likes-tea.md", "local/api/new-limit.md"))
    assert files(tmp_path / "out") == {
        "global/ann-likes-tea.md": "# Ann likes tea\n\nAnn likes tea. \n\n# Why\n\nHabit.\n",
        "local/api/new-limit.md": "# New [limit]\n\nThe limit is 200, ask "
        "[Ann](../../global/ann-likes-tea.md#Why), see [[nowhere]].\n\n"
        "- depends on: [Ann likes tea](../../global/ann-likes-tea.md)\n",
    }


def test_claude_code_gets_an_index_and_topic_files(filled: Memory, tmp_path: Path) -> None:
    export(filled, "claude-code", tmp_path / "out")
    found = files(tmp_path / "out")

    assert found["MEMORY.md"] == (
        "- [New (limit)](new-limit.md) — The limit is 200, ask Ann, see nowhere.\n"
        "- [Ann likes tea](ann-likes-tea.md) — Ann likes tea.\n"
    )
    assert found["new-limit.md"].startswith("---\nname: new-limit\ndescription: ")
    assert (
        "metadata:\n  type: project\n---\n\nThe limit is 200, ask [[ann-likes-tea]],"
        in (found["new-limit.md"])
    )


def test_it_is_read_back_by_its_own_program(filled: Memory, tmp_path: Path) -> None:
    export(filled, "claude-code", tmp_path / "out")
    done = filled.bring(ImportWish(str(tmp_path / "out"), dry_run=True))

    assert (done.format, done.detected) == ("claude-code", True)


def test_everything_means_what_waits_and_what_was_replaced_too(
    filled: Memory, tmp_path: Path
) -> None:
    filled.memorize(Wish(title="A guess", content="The cache may be cold.", review=True))
    done = export(filled, "plain", tmp_path / "out", everything=True)

    assert done.written == (
        "global/ann-likes-tea.md",
        "local/api/inbox/scout/a-guess.md",
        "local/api/new-limit.md",
        "local/api/old-limit.md",
    )


def test_again_writes_only_what_changed_and_takes_out_what_is_gone(
    filled: Memory, tmp_path: Path
) -> None:
    export(filled, "plain", tmp_path / "out")
    told = files(tmp_path / "out")
    (tmp_path / "out/global/ann-likes-tea.md").unlink()

    assert export(filled, "plain", tmp_path / "out").written == ("global/ann-likes-tea.md",)
    assert files(tmp_path / "out") == told
    filled.forget(["New [limit]"])
    done = export(filled, "plain", tmp_path / "out")
    assert (done.written, done.removed) == (
        ("local/api/old-limit.md",),
        ("local/api/new-limit.md",),
    )


def test_a_file_that_changed_there_stops_it_before_anything_is_written(
    filled: Memory, tmp_path: Path
) -> None:
    export(filled, "plain", tmp_path / "out")
    edited = tmp_path / "out/global/ann-likes-tea.md"
    edited.write_text("Mine now.", "utf-8")
    (tmp_path / "out/local/api/new-limit.md").unlink()

    with pytest.raises(Refused, match=r"global/ann-likes-tea.md in .* changed since"):
        export(filled, "plain", tmp_path / "out")
    assert files(tmp_path / "out") == {"global/ann-likes-tea.md": "Mine now."}


def test_only_an_empty_folder_or_an_export_of_the_format_is_written_to(
    filled: Memory, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("x", "utf-8")
    export(filled, "plain", tmp_path / "out")

    for dest, said in (
        (tmp_path / "full", "no export of ours"),
        (tmp_path / "out", "an export for plain, not for claude-code"),
        (root / "memory", "lie in each other"),
        (tmp_path, "lie in each other"),
    ):
        with pytest.raises(Refused, match=said):
            export(filled, "claude-code", dest)
    with pytest.raises(BadInput, match="is a file"):
        export(filled, "plain", tmp_path / "full/mine.txt")
    with pytest.raises(BadInput, match="Export as one of: claude-code, plain"):
        export(filled, "hermes", tmp_path / "new")


def test_cut_short_it_is_still_known_for_an_export(
    filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = exporting.files.create

    def cut(root: Path, path: str, data: bytes) -> None:
        if path.endswith("new-limit.md"):
            raise KeyboardInterrupt
        create(root, path, data)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(exporting.files, "create", cut)
        export(filled, "plain", tmp_path / "out")

    assert export(filled, "plain", tmp_path / "out").written == ("local/api/new-limit.md",)


def test_the_index_holds_what_is_read_of_it(tmp_path: Path) -> None:
    from vaultmem.documents.outwards import Leaving, claude_code

    notes = [
        Leaving(
            Facts(
                f"n{n}.md", Role.MEMORY, title="Ü" * 90, description="é" * 300, importance=n / 300
            ),
            f"global/note-{n}",
            "Says it.",
            {},
        )
        for n in range(300)
    ]
    made = claude_code(notes)
    lines = made.files["MEMORY.md"].splitlines()

    assert len(made.files) == 301
    assert (len(lines) < 200, len(made.files["MEMORY.md"].encode()) < 25_000) == (True, True)
    assert made.unlisted == 300 - len(lines)
    assert "(note-299.md)" in lines[-1]
    assert max(map(len, lines)) <= 150
