"""The recompiled model: made once, checked before use, and the plain one wherever it fails."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import tiny_models

from vaultmem.sidecar import embedder, integers, quantized
from vaultmem.sidecar.embedder import BundledModel
from vaultmem.words.errors import ModelMissing

TEXTS = [
    "The public API allows one hundred calls a minute for each customer.",
    "Roses are cut back hard in late winter, just above a bud that looks outwards.",
    "`parse_header` raises ValueError if the line has no colon; see src/http/parse.py.",
    "2024-03-01: Maria moved to Lyon, so the weekly call is at 16:00 from now on.",
    "The boiler loses pressure every night. The landlord knows. " * 20,
]


class Workshop:
    """A place where recompiling is a copy with another word in it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = folder / "plain"
        self.source.mkdir()
        (self.source / "model.onnx").write_text("plain")
        (self.source / "tokenizer.json").write_text("{}")
        self.folder = folder / "models/fast"
        self.made = 0
        self.cosine = 0.99
        self.error: Exception | None = None
        monkeypatch.setattr(quantized, "rewrite", self.rewrite)
        monkeypatch.setattr(quantized, "is_possible", lambda: True)

    def rewrite(self, source: Path, target: Path) -> None:
        self.made += 1
        if self.error:
            raise self.error
        target.write_text(source.read_text() + " made fast")

    def run(self) -> bool:
        return quantized.recompiled(self.folder, lambda: self.source, lambda *_: self.cosine)

    def around(self) -> list[str]:
        return sorted(path.name for path in self.folder.parent.iterdir())


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    return Workshop(tmp_path, monkeypatch)


def test_it_is_made_once(workshop: Workshop) -> None:
    assert not quantized.is_kept(workshop.folder)

    assert [workshop.run(), workshop.run()] == [True, True]

    assert workshop.made == 1
    assert quantized.is_kept(workshop.folder)
    assert (workshop.folder / "model.onnx").read_text() == "plain made fast"
    assert (workshop.source / "model.onnx").read_text() == "plain"
    assert workshop.around() == ["fast", "fast.lock"]


def test_two_at_once_make_it_once(workshop: Workshop) -> None:
    gate = threading.Barrier(2)
    done: list[bool] = []

    def run() -> None:
        gate.wait()
        done.append(workshop.run())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert done == [True, True]
    assert workshop.made == 1


@pytest.mark.parametrize("name", ["model.onnx", "note.json"])
def test_one_that_is_damaged_is_made_anew(workshop: Workshop, name: str) -> None:
    workshop.run()
    (workshop.folder / name).write_text("damaged")

    assert workshop.run()

    assert workshop.made == 2
    assert quantized.is_whole(workshop.folder)


def test_what_a_crash_left_is_taken_away(workshop: Workshop) -> None:
    (workshop.folder.parent / "fast.1234.new").mkdir(parents=True)

    workshop.run()

    assert workshop.around() == ["fast", "fast.lock"]


def test_one_whose_vectors_differ_is_refused_until_the_runtime_is_another(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.cosine = 0.97

    assert [workshop.run(), workshop.run()] == [False, False]
    assert workshop.made == 1
    assert workshop.around() == ["fast.lock", "fast.refused"]

    workshop.cosine = 0.99
    monkeypatch.setattr(quantized, "_runtime", lambda: "a newer one")
    assert workshop.run()


def test_a_graph_that_cannot_be_rewritten_is_refused(workshop: Workshop) -> None:
    workshop.error = integers.UnknownGraph("other")

    assert [workshop.run(), workshop.run()] == [False, False]
    assert workshop.made == 1


def test_a_disk_without_room_is_tried_again(workshop: Workshop) -> None:
    workshop.error = OSError(28, "No space left on device")
    assert not workshop.run()
    assert workshop.around() == ["fast.lock"]

    workshop.error = None
    assert workshop.run()


def test_without_onnx_nothing_is_made_and_what_is_there_serves(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quantized, "is_possible", lambda: False)
    assert not workshop.run()

    monkeypatch.setattr(quantized, "is_possible", lambda: True)
    workshop.run()
    monkeypatch.setattr(quantized, "is_possible", lambda: False)
    assert workshop.run()


def test_a_plain_model_that_is_missing_is_said(workshop: Workshop) -> None:
    def missing() -> Path:
        raise ModelMissing("it is gone")

    with pytest.raises(ModelMissing, match="it is gone"):
        quantized.recompiled(workshop.folder, missing, lambda *_: 1.0)


# The real one


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def fast(models: Path) -> BundledModel:
    model = BundledModel(models)
    assert model.name.startswith("all-MiniLM-L6-v2-dynamic-")
    return model


@pytest.fixture(scope="module")
def plain(models: Path) -> BundledModel:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantized, "is_kept", lambda _: False)
        patch.setattr(quantized, "recompiled", lambda *_: False)
        model = BundledModel(models)
        assert model.name == "all-MiniLM-L6-v2-int8"
        assert model.query("roses") is not None
    return model


@pytest.mark.model
def test_the_recompiled_model_means_what_the_plain_one_means(
    fast: BundledModel, plain: BundledModel
) -> None:
    pairs = zip(fast.passages(TEXTS), plain.passages(TEXTS), strict=True)
    alike = [float(one @ two) for one, two in pairs if one is not None and two is not None]

    assert len(alike) == len(TEXTS)
    assert min(alike) > 0.99
    assert fast.name != plain.name


@pytest.mark.model
def test_the_recompiled_model_reads_what_the_plain_one_reads(fast: BundledModel) -> None:
    assert [v is None for v in fast.passages(["", "วาล์วของปั๊มน้ำรั่วเมื่ออากาศเย็นมาก", "roses"])] == [
        True,
        True,
        False,
    ]


@pytest.mark.model
def test_a_recompiled_model_that_the_runtime_refuses_gives_way_to_the_plain_one(
    fast: BundledModel, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = embedder._fastembed

    def picky(folder: Path, threads: int | None) -> object:
        if "dynamic" in folder.name:
            raise RuntimeError("no such operator")
        return load(folder, threads)

    monkeypatch.setattr(embedder, "_fastembed", picky)
    model = BundledModel(models)

    assert model.query("roses") is not None
    assert model.name == "all-MiniLM-L6-v2-int8"


def test_another_graph_is_not_rewritten(tmp_path: Path) -> None:
    folder = tiny_models.embedder(tmp_path / "tiny")

    with pytest.raises(integers.UnknownGraph):
        integers.rewrite(folder / "model.onnx", tmp_path / "other.onnx")
