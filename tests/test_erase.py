"""Erased for good: no byte of it stays in the state, and what comes back is asked about."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from conftest import FakeModel, Opener
from promises import promise

from vaultmem.memory import ImportWish, Memory, Question, Telling, Wish, init_vault
from vaultmem.sidecar.analysis import terms
from vaultmem.words.errors import NotFound, Refused

WORDS = ("zyqquartz", "plinthvox", "okapimund")
TITLE = "Zyqquartz reactor"
BODY = "The zyqquartz reactor hums at plinthvox near the okapimund gate tonight."


def left_in(folder: Path, *more: str) -> list[str]:
    """Return the files of a folder that hold a word of the text in any dress."""
    dresses = {form for word in WORDS for form in (word, word.title(), *terms(word))}
    told = [form.encode(code) for form in {*dresses, *more} for code in ("utf-8", "utf-16-le")]
    files = [item for item in folder.rglob("*") if item.is_file()]
    return [item.name for item in files if any(form in item.read_bytes() for form in told)]


def held(vectors: list[bytes]) -> bool:
    """Return whether a file of the state holds one of some vectors."""
    data = [item.read_bytes() for item in state().rglob("*") if item.is_file()]
    return any(vector in one for vector in vectors for one in data)


def state() -> Path:
    return Path(os.environ["VAULTMEM_STATE_DIR"])


def kept(memory: Memory, **more: object) -> str:
    return memory.memorize(Wish(title=TITLE, content=BODY, **more)).id  # type: ignore[arg-type]


@promise("erased")
@pytest.mark.parametrize("way", ["in its place", "from the trash"])
def test_no_byte_of_an_erased_note_stays_in_the_state(
    opener: Opener, model: FakeModel, way: str
) -> None:
    person, agent = opener(), opener("scribe", person=False, session="s2")
    for number in range(3):
        person.memorize(Wish(title=f"Deploy {number}", content=f"Deploys of week {number} wait."))
    note_id = kept(agent)
    kept(agent)
    agent.remember(Question("zyqquartz plinthvox", include="all"))
    agent.brief("the okapimund gate")
    agent.store("heard", BODY)
    person._parts.meaning.embed(None)
    texts = [text for text in model.embedded if "zyqquartz" in text]
    vectors = [vector.astype("<f2").tobytes() for vector in model.passages(texts)]
    assert left_in(state())
    assert held(vectors)
    if way == "from the trash":
        person.forget([note_id])

    done = person.erase(note_id)

    assert left_in(state(), note_id) == []
    assert not held(vectors)
    assert done.also == ("heard",)
    assert agent.remember(Question("zyqquartz plinthvox", include="all")).hits == ()


def test_a_document_and_the_detail_of_an_entry_are_erased_the_same_way(
    memory: Memory, root: Path, tmp_path: Path
) -> None:
    memory.store("gate", BODY, keep=True)
    told = memory.tell(Telling("note", "Saw the gate", detail=BODY))
    assert left_in(state())

    for ref in ("key:gate", told.path):
        memory.erase(ref)

    assert left_in(state()) == []
    assert left_in(root) == []


def test_what_a_session_stored_is_erased_by_its_key(memory: Memory) -> None:
    memory.store("gate", BODY)

    memory.erase("gate")

    assert left_in(state()) == []


def test_an_agent_erases_no_document(opener: Opener) -> None:
    opener().store("gate", BODY, keep=True)

    with pytest.raises(Refused, match="person"):
        opener(person=False).erase("key:gate")


@promise("erased")
def test_what_cannot_be_reached_is_listed(memory: Memory, root: Path) -> None:
    note_id = kept(memory)
    path = memory.get(note_id)[1].path
    text = (root / path).read_text()
    for copy in (".stversions/Zyq~20261130.md", ".trash/older.md", "Clippings/Mine.md"):
        (root / copy).parent.mkdir(exist_ok=True)
        (root / copy).write_text(text.replace(note_id, "aaaa2222"))
    parent = f'---\ntitle: Gates\nconsolidates:\n  - "[[{path[:-3]}]]"\n---\nAll about gates.\n'
    (root / "memory/global/gates.md").write_text(parent)

    left = "\n".join(memory.erase(note_id).left)

    assert ".stversions/Zyq~20261130.md: an older version" in left
    assert ".trash/older.md: a copy in the trash" in left
    assert "Clippings/Mine.md: it holds a line of it" in left
    assert "memory/global/gates.md: it was made of this note" in left
    assert "entries that name its title" in left
    assert "snapshots" in left
    assert "index.md" not in left


@pytest.mark.parametrize("has_id", [True, False])
def test_what_a_sync_tool_brings_back_is_not_found_until_a_person_decides(
    opener: Opener, root: Path, has_id: bool
) -> None:
    memory = opener()
    path = memory.get(kept(memory))[1].path
    if not has_id:
        plain = [line for line in (root / path).read_text().splitlines(True) if line[:3] != "id:"]
        (root / path).write_text("".join(plain))
    data = (root / path).read_bytes()
    memory.erase(path)
    (root / path).write_bytes(data)

    assert memory.remember(Question("zyqquartz plinthvox")).hits == ()
    assert TITLE not in (root / "memory/global/index.md").read_text()
    told = [found for found in memory.doctor().findings if found.path == path]
    assert [found.kind for found in told] == ["returned"]
    assert f'vaultmem restore "{path}"' in told[0].mend
    assert opener("scribe", person=False).remember(Question(TITLE)).hits == ()

    assert memory.restore(path) == path
    assert memory.remember(Question("zyqquartz plinthvox")).hits[0].path == path
    assert (root / path).read_bytes() == data
    assert path not in {found.path for found in memory.doctor().findings}


def test_what_came_back_can_be_erased_again(memory: Memory, root: Path) -> None:
    note_id = kept(memory)
    path = memory.get(note_id)[1].path
    data = (root / path).read_bytes()
    memory.erase(note_id)
    (root / "memory/global/elsewhere.md").write_bytes(data)

    assert memory.erase(note_id).path == "memory/global/elsewhere.md"
    assert not (root / "memory/global/elsewhere.md").exists()
    assert left_in(state()) == []
    with pytest.raises(NotFound):
        memory.erase(note_id)


def test_a_copy_that_is_erased_leaves_the_note_whose_id_it_had(memory: Memory, root: Path) -> None:
    path = memory.get(kept(memory))[1].path
    shutil.copy(root / path, root / f"{path[:-3]}-the-copy.md")

    memory.erase(f"{path[:-3]}-the-copy.md")

    assert memory.remember(Question("zyqquartz plinthvox")).hits[0].path == path


def test_an_entry_that_was_erased_comes_in_by_no_later_import(
    memory: Memory, root: Path, tmp_path: Path
) -> None:
    source = tmp_path / "old"
    source.mkdir()
    (source / "gate.md").write_text(f"---\nname: gate\n---\n# {TITLE}\n\n{BODY}\n")
    memory.bring(ImportWish(str(source), "plain"))
    memory.erase(TITLE)

    done = memory.bring(ImportWish(str(source), "plain"))

    assert [(item.fate, item.why) for item in done.items] == [("trashed", "it was erased for good")]
    assert left_in(state()) == []
    assert memory.bring(ImportWish(str(source), "plain", again=True)).items[0].fate == "new"
    assert memory.remember(Question("zyqquartz plinthvox")).hits[0].title == TITLE


def test_a_name_in_another_vault_is_not_taken_for_what_was_erased_here(
    memory: Memory, root: Path, tmp_path: Path
) -> None:
    path = memory.get(kept(memory))[1].path
    data = (root / path).read_bytes()
    memory.erase(path)
    other = init_vault(tmp_path / "other").root
    (other / path).write_bytes(data)

    with closing(Memory.open(str(other), model=FakeModel())) as second:
        assert second.remember(Question("zyqquartz plinthvox")).hits
