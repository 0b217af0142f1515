"""The transcripts: what each verb prints, in its plain use and when it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Clock, FakeModel
from transcripts import Session

from vaultmem.memory import Memory
from vaultmem.sidecar import embedder

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


@pytest.fixture
def session(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session in an empty folder, whose clock moves a minute with each command."""
    here = tmp_path.resolve()
    monkeypatch.chdir(here)
    monkeypatch.setenv("TZ", "Etc/UTC")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(here / "config"))
    monkeypatch.setattr(embedder, "BundledModel", lambda folder: FakeModel())
    monkeypatch.setitem(Memory.open.__func__.__kwdefaults__, "clock", clock)  # type: ignore[attr-defined]
    return Session(here, lambda: clock.forward(minutes=1))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_commands_print_what_their_transcript_says(
    file: Path, session: Session, update: bool
) -> None:
    told = file.read_text("utf-8")

    printed = session.replayed(told)

    if update:
        file.write_text(printed, "utf-8")
    assert update or printed == told
