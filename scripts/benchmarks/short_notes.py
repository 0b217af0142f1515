"""Many short notes made in no time, and vectors for them that no model has to compute.

Words are drawn as often as language draws them: from the model's own vocabulary, which is in order
of frequency, by Zipf's law. Every note has a topic, whose few rare words it repeats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import corpus
from benchmarks.vaults import new_vault, real_model

if TYPE_CHECKING:
    from vaultmem.memory import Memory

DIMENSION = 384
FEWEST, MOST = 60, 200
"""Words of a note."""
SENTENCE = 12
FREQUENT = 2000
"""So many words count as frequent."""
TOPICS = 100
TOPIC_WORDS = 8
ON_TOPIC = 0.15
"""Share of a note's words that are its topic's."""
SCOPES = ("github.com/acme/api", "github.com/acme/shop")


def vocabulary() -> list[str]:
    """Return the whole English words that the bundled model knows, the most frequent first."""
    import vaultmem.sidecar.embedder

    file = Path(vaultmem.sidecar.embedder.__file__).parent / "minilm" / "tokenizer.json"
    known = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in sorted(known, key=known.get) if re.fullmatch("[a-z]{3,}", word)]


def write(root: Path, count: int, scope: str, seed: int = 1) -> None:
    """Write memories of one scope into a vault, a minute old."""
    words, topics = vocabulary(), _topics()
    chance = np.random.default_rng(seed)
    sizes = chance.integers(FEWEST, MOST, count, endpoint=True)
    drawn = chance.choice(len(words), (count, MOST + 4), p=_weights(len(words)))
    on_topic = chance.random(drawn.shape) < ON_TOPIC
    picked = topics[chance.integers(TOPICS, size=count)[:, None], drawn % TOPIC_WORDS]
    drawn = np.where(on_topic, picked, drawn)
    folder = root / "memory" / scope
    folder.mkdir(parents=True)
    page = f"---\ntitle: {scope}\ntype: catalogue\nscope: {scope}\n---\n"
    (folder / "index.md").write_text(page, encoding="utf-8")
    for number, (size, row) in enumerate(zip(sizes.tolist(), drawn.tolist(), strict=True)):
        text = [words[which] for which in row]
        title, text = " ".join(text[:4]), text[4 : 4 + size]
        lines = (" ".join(text[i : i + SENTENCE]) for i in range(0, size, SENTENCE))
        body = ". ".join(line.capitalize() for line in lines)
        head = f"title: {title}, {number}\ntype: learning\nstatus: working\nid: {_id(seed, number)}"
        page = f"---\n{head}\n---\n{body}.\n"
        (folder / f"note-{number:05}.md").write_text(page, encoding="utf-8")
    corpus.age(root)


def _weights(count: int) -> Any:
    """Return how likely each word is, the most frequent first."""
    weights = 1 / (np.arange(count) + 2.7)
    return weights / weights.sum()


def _topics() -> Any:
    """Return the words of every topic, by number."""
    return np.random.default_rng(5).integers(FREQUENT, len(vocabulary()), (TOPICS, TOPIC_WORDS))


def _id(seed: int, number: int) -> str:
    letters = "abcdefghjkmnpqrstvwxyz"
    return letters[seed] + "".join(letters[number // 22**place % 22] for place in range(7))


def queries(count: int) -> list[str]:
    """Return questions of eight words: four frequent ones and four of a topic."""
    words, topics = vocabulary(), _topics()
    chance = np.random.default_rng(6)
    found = []
    for number in range(count):
        frequent = chance.choice(FREQUENT, 4, replace=False, p=_weights(FREQUENT))
        rare = chance.choice(topics[number % TOPICS], 4, replace=False)
        chosen = chance.permutation(np.concatenate([frequent, rare])).tolist()
        found.append(" ".join(words[which] for which in chosen))
    return found


class Drawn:
    """A model that draws its vectors by chance: it takes no time and hardly any memory."""

    dimension = DIMENSION

    def __init__(self, name: str) -> None:
        self.name = name
        self._chance = np.random.default_rng(11)

    def passages(self, texts: Sequence[str]) -> list[Any]:
        return list(unit(self._chance, len(texts)))

    def query(self, text: str) -> Any:
        del text
        return unit(self._chance, 1)[0]


def unit(chance: Any, count: int) -> Any:
    """Return vectors of length 1 that lie anywhere."""
    drawn = chance.standard_normal((count, DIMENSION)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def indexed(root: str) -> tuple[str, int]:
    """Index a vault with vectors drawn by chance, under the name of the real model.

    Returns that name and the number of passages.
    """
    from vaultmem.memory import Memory

    name = real_model().name
    memory = Memory.open(root, model=Drawn(name))
    memory.refresh(embed=False)
    _filled(memory, name)
    found = len(memory._parts.sidecar.snapshot.chunks)
    memory.close()
    return name, found


def _filled(memory: Memory, name: str, at_once: int = 2000) -> None:
    manifest = memory._parts.sidecar.manifest
    chance = np.random.default_rng(12)
    hashes = sorted({chunk.text_hash for chunk in manifest.missing(name)})
    for i in range(0, len(hashes), at_once):
        group = hashes[i : i + at_once]
        vectors = unit(chance, len(group)).astype(np.float16)
        packed = {key: row.tobytes() for key, row in zip(group, vectors, strict=True)}
        manifest.embed(name, packed, 10**6)
    memory._parts.meaning.save()  # as the product does once it has embedded


def vault(root: Path, notes: dict[str, int]) -> Path:
    """Make a vault with so many memories in each scope, not indexed yet."""
    new_vault(root)
    for seed, (scope, count) in enumerate(notes.items(), 1):
        write(root, count, scope, seed)
    return root
