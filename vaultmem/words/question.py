"""What is asked, and of which notes."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.words.errors import BadInput

MOST_HITS = 20
LONGEST_QUERY = 1000
DETAILS = ("passage", "titles", "full")


@dataclass(frozen=True)
class Question:
    """One question; the defaults ask for the five best notes of all kinds."""

    query: str
    limit: int = 5
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    detail: str = "passage"
    budget_tokens: int = 0
    """0 means the vault's setting."""
    scope: str | None = None
    """None means the caller's; without one, all scopes."""

    def check(self) -> None:
        """Raise `BadInput` if the question cannot be used as given."""
        if not self.query.strip():
            raise BadInput("Ask something: the query is empty.")
        if len(self.query) > LONGEST_QUERY:
            raise BadInput(
                f"The query has {len(self.query):,} characters; at most {LONGEST_QUERY:,} are "
                "looked at. Ask for the point of it."
            )
        if not 1 <= self.limit <= MOST_HITS:
            raise BadInput(f"limit {self.limit} is not from 1 to {MOST_HITS}.")
        if self.detail not in DETAILS:
            raise BadInput(f"detail {self.detail!r} is none of {', '.join(DETAILS)}.")
        if self.budget_tokens < 0:
            raise BadInput("budget_tokens must not be negative.")
