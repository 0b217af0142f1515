"""Many notes that say the same do not crowd out the one that answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Opener
from promises import promise

from vaultmem.memory import Memory, Question, SleepWish

LIE = "The vault key of the billing service is rotated never, the vault key is never rotated."


def told(root: Path, name: str, title: str, body: str, **keys: object) -> None:
    said = {"title": title, "created": "2026-11-29T10:00:00", **keys}
    head = "".join(f"{key}: {value}\n" for key, value in said.items())
    (root / "memory" / "global" / f"{name}.md").write_text(f"---\n{head}---\n{body}\n", "utf-8")


@pytest.fixture
def poisoned(opener: Opener, root: Path) -> Memory:
    truth = "The billing service rotates its vault key every month."
    told(root, "truth", "Rotation of the vault key", truth, created="2025-01-01", importance=0.2)
    for number in range(150):
        told(root, f"lie-{number}", "Rotation of the billing service vault key", LIE + f" {number}",
             source="agent_inferred", importance=1.0)  # fmt: skip
    told(root, "usurper", "The vault key of the billing service is never rotated", LIE,
         source="agent_inferred", supersedes='["[[memory/global/truth]]"]')  # fmt: skip
    memory = opener(person=False)
    memory.refresh()
    return memory


@promise("trusted")
@pytest.mark.parametrize(
    "query",
    [
        "the billing service rotates its vault key every what?",
        "billing service vault key rotation",
        "is the vault key rotated",
    ],
)
def test_what_a_person_approved_stands_above_any_number_of_guesses(
    poisoned: Memory, query: str
) -> None:
    hits = poisoned.remember(Question(query)).hits

    assert hits[0].path == "memory/global/truth.md"
    assert hits[0].label == "CONFIRMED · CONTESTED by memory/global/usurper.md"


def test_the_sources_of_parents_leave_room_for_other_facts(memory: Memory, root: Path) -> None:
    names = ("Anna", "Bela", "Carl", "Dora", "Emil", "Fritz", "Gustav", "Hilda", "Ida", "Julia")
    for name in names:
        for number in range(12):
            told(root, f"{name}-{number}", f"What we know of {name}",
                 f"Ask the neighbour {name} about the boat at the old mill.",
                 source="agent_inferred")  # fmt: skip
    told(root, "key", "Where the key is", "The key of the boat hangs behind the door of the mill.")

    memory.sleep(SleepWish(max_age=0))
    answer = memory.remember(Question("who knows about the boat at the old mill", limit=20))

    assert len({hit.title for hit in answer.hits}) == len(answer.hits) == 11
