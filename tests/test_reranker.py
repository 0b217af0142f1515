"""The reranker: off unless the person's own config names one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_models

from vaultmem.sidecar.reranker import CrossEncoder, chosen_reranker
from vaultmem.words.config import UserConfig
from vaultmem.words.errors import ModelMissing


class Fake:
    """A model that likes long texts."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def rerank(self, query: str, documents: list[str], batch_size: int) -> Iterator[float]:
        self.seen += [len(text) for text in documents]
        if query == "fail":
            raise RuntimeError("no room")
        yield from map(len, documents)


def test_there_is_none_unless_it_is_asked_for(tmp_path: Path) -> None:
    assert chosen_reranker(UserConfig(), tmp_path) is None
    assert chosen_reranker(UserConfig(reranker="org/name"), tmp_path) is not None
    assert list(tmp_path.iterdir()) == []


def test_each_text_gets_a_score_in_its_place() -> None:
    fake = Fake()
    reranker = CrossEncoder(lambda: fake)

    assert reranker.scores("roses", ["aaa", "a", "x" * 9_999]) == [3.0, 1.0, 4_000.0]
    assert fake.seen == [3, 1, 4_000]


def test_no_texts_need_no_model() -> None:
    reranker = CrossEncoder(Fake)

    assert reranker.scores("roses", []) == []
    assert not reranker.held.is_open


def test_what_the_runtime_raises_is_said() -> None:
    with pytest.raises(ModelMissing, match=r"RuntimeError.*Mend `reranker`"):
        CrossEncoder(Fake).scores("fail", ["a"])


def test_a_folder_is_a_reranker(tmp_path: Path) -> None:
    folder = tiny_models.reranker(tmp_path / "tiny")
    reranker = chosen_reranker(UserConfig(reranker=str(folder)), tmp_path)

    assert reranker is not None
    assert reranker.scores("winter", ["pump", "roses", "roses roses"]) == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/nowhere", "/nowhere has no model.onnx.*Mend `reranker`"),
        ("org/unknown", "fastembed knows no model 'org/unknown'"),
    ],
)
def test_one_that_is_not_there_is_said(tmp_path: Path, name: str, said: str) -> None:
    reranker = chosen_reranker(UserConfig(reranker=name), tmp_path)

    assert reranker is not None
    with pytest.raises(ModelMissing, match=said):
        reranker.scores("roses", ["a"])
