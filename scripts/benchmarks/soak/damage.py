"""Every file of the state folder, damaged in every way, and what is answered then."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, at_least, none, spread, told

PARTS = 8


def _harmed(folder: str, part: int) -> list[tuple[str, list[str]]]:
    damage = importlib.import_module("tests.faults.damage")
    scratch = Path(folder) / str(part)
    ground = damage.Ground(scratch)
    return [(str(case), ground.tried(case)) for case in ground.cases()[part::PARTS]]


def damaged(folder: Path) -> Iterator[Row]:
    """Harm one file at a time and compare all answers with those of indexes made from scratch."""
    folder.chmod(0o755)
    folder.parent.chmod(0o755)  # one harm is looked at as another user, whom permissions hold
    found = [
        one for part in spread(_harmed, [(str(folder), n) for n in range(PARTS)]) for one in part
    ]
    kinds = Counter(kind for _, wrong in found for kind in {said.split(":")[0] for said in wrong})
    yield at_least("cases of damage to the state folder", len(found), 200)
    for kind, name in (
        ("crashed", "crashes"),
        ("wrong", "wrong answers"),
        ("hidden", "losses of the ledger that nobody tells"),
    ):
        first = next((f"{case}: {wrong}" for case, wrong in found if kind in str(wrong)), "")
        yield none(f"  {name}", kinds[kind], first[:300])
    yield told("  refused, with what to do", kinds["refused"])
    yield told(
        "  a ledger that is gone, begun anew without a word", kinds["begun anew without a word"]
    )
