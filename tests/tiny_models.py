"""Models of a few numbers in the files of real ones, so that fastembed loads them in no time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

WORDS = ["[PAD]", "[UNK]", "roses", "winter", "pump", "leaks", "bud"]
DIMENSION = 8


def embedder(folder: Path, pooling: str = "", *, word_pieces: bool = True) -> Path:
    """Write a model whose token vectors are rows of a fixed table; `pooling` as its file says."""
    table = np.random.default_rng(7).normal(size=(len(WORDS), DIMENSION)).astype(np.float32)
    look = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    _write(folder, table, [look], ["batch", "tokens", DIMENSION], word_pieces=word_pieces)
    if pooling:
        said = {"word_embedding_dimension": DIMENSION, f"pooling_mode_{pooling}": True}
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling/config.json").write_text(json.dumps(said))
    return folder


def pooled(folder: Path) -> Path:
    """Write a model that gives one vector a text by itself: the sum over its tokens."""
    table = np.eye(len(WORDS), dtype=np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceSum", ["rows", "axis"], ["last_hidden_state"], keepdims=0),
    ]
    _write(folder, table, nodes, ["batch", len(WORDS)])
    return folder


def reranker(folder: Path) -> Path:
    """Write a model that scores a pair by how often it says `roses`."""
    table = np.array([[float(word == "roses")] for word in WORDS], np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceSum", ["rows", "axis"], ["last_hidden_state"], keepdims=0),
    ]
    _write(folder, table, nodes, ["batch", 1])
    return folder


def _write(
    folder: Path,
    table: np.ndarray,
    nodes: list[onnx.NodeProto],
    shape: list[str | int],
    *,
    word_pieces: bool = True,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tokens = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    out = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
    weights = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([1]), "axis"),
    ]
    graph = helper.make_graph(nodes, "tiny", [tokens], [out], weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, str(folder / "model.onnx"))
    places = {word: i for i, word in enumerate(WORDS)}
    kind = models.WordPiece if word_pieces else models.WordLevel
    tokenizer = Tokenizer(kind(places, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    said = {"model_max_length": 64, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    (folder / "config.json").write_text('{"pad_token_id": 0}')
