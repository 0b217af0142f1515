"""What tests share: a vault in a temporary folder, a clock that stands, a model that is fake."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from vaultmem.memory import Caller, Memory, init_vault
from vaultmem.sidecar.analysis import terms
from vaultmem.sidecar.seams import Vectors
from vaultmem.vault import settings as settings_of

settings.register_profile(
    "vaultmem", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("vaultmem")


class FakeModel:
    """A model whose vectors are hashed terms: texts that share words are near. Reads Latin only."""

    name = "fake"
    dimension = 64

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        self.embedded += texts
        return [self._vector(text) for text in texts]

    def query(self, text: str) -> Vectors | None:
        return self._vector(text)

    def _vector(self, text: str) -> Vectors | None:
        letters = [c for c in text if c.isalpha()]
        if letters and sum(c.isascii() for c in letters) < 0.5 * len(letters):
            return None
        vector = np.full(self.dimension, 1e-3, np.float32)
        for term in terms(text):
            vector[hashlib.sha256(term.encode()).digest()[0] % self.dimension] += 1
        return vector / np.float32(np.linalg.norm(vector))


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 2, 14, 7, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture(autouse=True)
def _private_state(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test reads or writes the state, config or environment of the person who runs it."""
    private = tmp_path_factory.mktemp("person")
    monkeypatch.setenv("VAULTMEM_STATE_DIR", str(private / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(private / "config"))
    monkeypatch.setenv("HOME", str(private))
    monkeypatch.setenv("TZ", "UTC")
    for name in ("VAULT", "SCOPE", "AGENT", "SESSION"):
        monkeypatch.delenv(f"VAULTMEM_{name}", raising=False)
    for name in ("CLAUDE_CODE_SESSION_ID", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-transcripts", action="store_true", help="Rewrite what is expected.")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether transcripts and golden files are rewritten instead of compared."""
    return bool(request.config.getoption("--update-transcripts"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model() -> FakeModel:
    return FakeModel()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A new vault."""
    return init_vault(tmp_path / "vault").root


Opener = Callable[..., Memory]


@pytest.fixture
def opener(root: Path, clock: Clock, model: FakeModel) -> Iterator[Opener]:
    """Opens the vault's memory for a caller; `person=True` unless told otherwise."""
    opened: list[Memory] = []

    def make(
        agent: str = "scout",
        *,
        scope: str | None = None,
        session: str = "s1",
        person: bool = True,
        channel: str = "chat",
    ) -> Memory:
        caller = Caller(agent, channel, session, scope, person)
        memory = Memory(settings_of.load(root, root), caller, clock, model)
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(opener: Opener) -> Memory:
    """The memory of a new vault, asked by the agent scout for a person, locked to no scope."""
    return opener()
