"""Types and relations, and the names that people use for them."""

from __future__ import annotations

import pytest

from vaultmem.words.errors import BadInput
from vaultmem.words.life import relation_named, type_named


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("bugfix", "bug_fix"),
        ("Bug-Fix", "bug_fix"),
        ("preference", "user_preference"),
        ("docs", "documentation"),
        ("runbook", "process"),
        ("goal", "goal"),
    ],
)
def test_a_type_is_known_by_its_usual_names(said: str, meant: str) -> None:
    assert type_named(said) == meant


def test_an_unknown_type_or_relation_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="architecture"):
        type_named("poem")
    with pytest.raises(BadInput, match="supersedes"):
        relation_named("hates")
