"""What is asked, and of which notes."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.words.errors import BadInput

MOST_HITS = 20
LONGEST_QUERY = 1000
MOST_QUERIES = 5
INCLUDES = ("memory", "knowledge", "all")
DETAILS = ("passage", "titles", "full")
CONFIDENCES = ("weak", "moderate", "strong")
STATUSES = ("pending", "approved", "working", "archived")


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
    also: tuple[str, ...] = ()
    """The same question in other words; a note counts by the one that it answers best."""
    as_of: str = ""
    """Only what was known and true on this day."""
    min_confidence: str = "weak"
    explain: bool = False
    statuses: tuple[str, ...] = ()
    """Only these; archived notes answer only when they are asked for here."""
    agents: tuple[str, ...] = ()
    """Only what one of these agents wrote."""
    include: str = "memory"
    """Answer from the `memory`, from outside documents (`knowledge`), or from `all`."""
    paths: tuple[str, ...] = ()
    """Only these notes."""

    @property
    def queries(self) -> tuple[str, ...]:
        """All ways in which it is asked."""
        return (self.query, *self.also)

    @property
    def filters(self) -> tuple[object, ...]:
        """What chooses the notes it may be answered from."""
        return (
            self.types,
            self.tags,
            self.files,
            self.after,
            self.before,
            self.as_of,
            self.statuses,
            self.agents,
            self.include,
            self.paths,
        )

    def check(self) -> None:
        """Raise `BadInput` if the question cannot be used as given."""
        if len(self.queries) > MOST_QUERIES:
            raise BadInput(
                f"There are {len(self.queries)} queries; at most {MOST_QUERIES} are answered at "
                "once. Leave out those that say the same."
            )
        for query in self.queries:
            _check_query(query)
        if not 1 <= self.limit <= MOST_HITS:
            raise BadInput(f"limit {self.limit} is not from 1 to {MOST_HITS}.")
        if self.include not in INCLUDES:
            raise BadInput(f"include {self.include!r} is none of {', '.join(INCLUDES)}.")
        if self.detail not in DETAILS:
            raise BadInput(f"detail {self.detail!r} is none of {', '.join(DETAILS)}.")
        if self.min_confidence not in CONFIDENCES:
            raise BadInput(
                f"min_confidence {self.min_confidence!r} is none of {', '.join(CONFIDENCES)}."
            )
        if odd := [name for name in self.statuses if name not in STATUSES]:
            raise BadInput(f"status {odd[0]!r} is none of {', '.join(STATUSES)}.")
        if self.budget_tokens < 0:
            raise BadInput("budget_tokens must not be negative.")


def _check_query(query: str) -> None:
    if not query.strip():
        raise BadInput("Ask something: the query is empty.")
    if len(query) > LONGEST_QUERY:
        raise BadInput(
            f"The query has {len(query):,} characters; at most {LONGEST_QUERY:,} are "
            "looked at. Ask for the point of it."
        )
