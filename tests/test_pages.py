"""Compiled pages: a timeline that only grows, sections that are rewritten, and what changed."""

from __future__ import annotations

import pytest
from conftest import Clock, Opener

from vaultmem.memory import Memory, Wish
from vaultmem.words.errors import BadInput, ChangedOnDisk, NotFound, Refused
from vaultmem.words.page import with_event, with_section

PAGE = (
    b"---\r\ntitle: Billing service\r\ntype: page # mine\r\n---\r\n# Billing\r\n\r\nIntro.\r\n\r\n"
    b"## Ports\r\n\r\nOn 8443.\r\n\r\n```\r\n## Ports\r\n```\r\n\r\n### TLS\r\n\r\nYes.\r\n\r\n"
    b"## Costs\r\n\r\nNone.\r\n\r\n<!-- vaultmem:timeline -->\r\n- 2026-01-01 Begun"
)


@pytest.fixture
def page(memory: Memory) -> str:
    path = "memory/global/billing-service.md"
    (memory.vault.root / path).write_bytes(PAGE)
    return path


def data(memory: Memory, path: str) -> bytes:
    return (memory.vault.root / path).read_bytes()


def test_an_event_is_added_behind_the_timeline_and_nothing_else_changes(
    memory: Memory, page: str
) -> None:
    done = memory.add_event("Billing service", "Moved to\nport 9443", "[[guide]]")
    line = "- 2026-11-30T02:14:07+00:00 **scout** · Moved to port 9443 · [[guide]]"

    assert done.line == line
    assert data(memory, page) == PAGE + f"\r\n{line}\r\n".encode()


def test_a_section_is_rewritten_and_the_others_are_byte_identical(
    memory: Memory, page: str
) -> None:
    seen = memory.vault.read(page).hash
    memory.edit_section("Billing service", "Ports", "On 9443.\nOnly.", seen)
    before, rest = PAGE.split(b"On 8443.")
    after = rest[rest.index(b"## Costs") :]

    assert data(memory, page) == before + b"On 9443.\r\nOnly.\r\n\r\n" + after


def test_a_page_that_changed_since_is_left(memory: Memory, page: str) -> None:
    seen = memory.vault.read(page).hash
    memory.add_event("Billing service", "Something")

    with pytest.raises(ChangedOnDisk):
        memory.edit_section("Billing service", "Ports", "On 1.", seen)
    with pytest.raises(BadInput, match="hash"):
        memory.edit_section("Billing service", "Ports", "On 1.", "")


def test_what_is_no_page_is_left(memory: Memory) -> None:
    done = memory.memorize(Wish("A common memory", "It says that nothing is a page here."))

    with pytest.raises(Refused, match="no page"):
        memory.add_event(done.id, "Something")


@pytest.mark.parametrize(
    ("body", "trouble"),
    [("# A\n", "0 times"), ("<!-- vaultmem:timeline -->\n" * 2, "2 times")],
)
def test_the_marker_is_never_guessed(body: str, trouble: str) -> None:
    with pytest.raises(BadInput, match=trouble):
        with_event(body, "- x")


def test_a_section_must_be_one() -> None:
    body = "# A\n## B\n## B\n<!-- vaultmem:timeline -->\n"

    with pytest.raises(BadInput, match="2 sections"):
        with_section(body, "B", "x")
    with pytest.raises(NotFound, match="Its headings: A; B; B"):
        with_section(body, "C", "x")


def test_delta_tells_what_is_new_or_changed_and_visible(opener: Opener, clock: Clock) -> None:
    here, there = opener(scope="github.com/acme/api"), opener(scope="github.com/acme/shop")
    old = here.memorize(Wish("An old fact of here", "The aardvark sleeps in the cellar."))
    clock.forward(days=1)
    new = here.memorize(Wish("A new fact of here", "The gateway listens on port 8443."))
    there.memorize(Wish("A new fact of there", "The shop closes at nine in the evening."))
    clock.forward(hours=1)
    here.memorize(Wish(id=old.id, hash=old.hash, content="The aardvark sleeps in the attic."))
    told = [(one.what, one.id) for one in here.delta("2026-12-01").notes]

    assert told == [("changed", old.id), ("new", new.id)]
    assert here.delta("2026-12-01T04:00").notes == ()
