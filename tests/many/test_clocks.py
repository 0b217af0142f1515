"""A clock that jumps while notes are kept, entries appended and the vault sleeps."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from conftest import Clock, Opener

from vaultmem.memory import Question, SleepWish, Telling, Wish

JUMPS = {
    "a day back": "2026-11-29T02:14:07+00:00",
    "ten years on": "2036-11-30T02:14:07+00:00",
    "the beginning": "1970-01-01T00:00:00+00:00",
    "an hour that comes twice": "2026-10-25T01:30:00+00:00",
    "an hour that never comes": "2026-03-29T01:30:00+00:00",
}
FACTS = ["The ferry leaves at nine from the old pier.", "The ferry leaves at nine from the pier."]


@pytest.mark.parametrize("jump", list(JUMPS))
def test_nothing_is_lost_doubled_or_too_old_where_the_clock_jumps(
    opener: Opener, root: Path, clock: Clock, jump: str
) -> None:
    config = root / ".vaultmem/config.toml"
    config.write_text(re.sub("timezone = .*", 'timezone = "Europe/Berlin"', config.read_text()))
    memory = opener(person=False)
    moments = [clock.now, datetime.fromisoformat(JUMPS[jump]), clock.now]
    kept, marks = [], []
    for number, moment in enumerate(moments):
        clock.now = moment
        content = f"{FACTS[number % 2]} Berth {number}."
        kept.append(
            memory.memorize(Wish(title=f"Ferry {number}", content=content, allow_similar=True))
        )
        marks.append(memory.tell(Telling("note", f"entry {number}")).entry.mark)
        memory.sleep(SleepWish(max_age=0))
        found = memory.remember(Question("when does the ferry leave", explain=True, limit=20))
        assert found.hits
        assert all(dict(hit.why)["strength"] > 0 for hit in found.hits)

    assert len({one.id for one in kept}) == len(moments)
    assert all((root / one.path).exists() for one in kept)
    assert len(set(marks)) == len(moments)
    assert set(marks) <= {entry.mark for entry in memory.log.entries()}
    assert memory.log.verify() == []
    memory.refresh()
    assert [f.what for f in memory.doctor().findings if not f.harmless] == []
