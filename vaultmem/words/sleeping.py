"""What a sleep is asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.words.errors import BadInput
from vaultmem.words.life import TO_FOLD

LEAST_NOTES = 3
DAYS = 7.0


@dataclass(frozen=True)
class SleepWish:
    """Which notes may be folded; the defaults are those of the sleep that comes by itself."""

    scope: str | None = None
    """Only this one; None means every scope."""
    threshold: float = TO_FOLD
    """Least cosine of every two notes of a cluster."""
    min_size: int = LEAST_NOTES
    """Least notes of a cluster."""
    max_age: float = DAYS
    """Days since a note was last changed; older ones rest. 0 takes all."""
    again: bool = True
    """Whether to fold also what was folded before and then taken back."""
    dry_run: bool = False
    """Only say what would be done."""

    def check(self) -> None:
        """Raise `BadInput` if it cannot be used as given."""
        if not TO_FOLD <= self.threshold <= 1:
            raise BadInput(f"The threshold {self.threshold:g} is not from {TO_FOLD:g} to 1.")
        if self.min_size < 2:
            raise BadInput("A cluster has at least 2 notes.")
        if self.max_age < 0:
            raise BadInput("max_age is a number of days; 0 takes notes of any age.")
