"""A share of the damage that a state folder may suffer; the soak tries all of it."""

from __future__ import annotations

from promises import promise

from .damage import Case, Ground
from .harness import scratch

STEP = 29


@promise("rebuilt")
def test_whatever_is_damaged_in_the_state_the_answers_are_right_or_refused() -> None:
    with scratch() as folder:
        folder.chmod(0o755)
        ground = Ground(folder / "ground")
        cases = ground.cases()
        tried = {str(case): ground.tried(case) for case in cases[::STEP]}

    assert len(cases) >= 200
    wrong = {case: [w for w in said if not w.startswith("refused")] for case, said in tried.items()}
    assert {case: said for case, said in wrong.items() if said} == {}


def test_a_damaged_ledger_is_told_and_stops_no_answer() -> None:
    with scratch() as folder:
        ground = Ground(folder / "ground")
        (said,) = ground.tried(Case("ledger.db", "a pickle"))

    assert "doctor --repair" in said
