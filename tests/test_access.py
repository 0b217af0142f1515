"""Who may read and write what: the table, and that a bound agent sees nothing of other scopes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Clock, Opener

from vaultmem.memory import Memory, Question, Telling, Wish
from vaultmem.words.access import FULL, TABLE, Badge, File, Grant, bound, may_read, may_write
from vaultmem.words.errors import BadInput, NotFound, NotGranted, Refused, VaultmemError
from vaultmem.words.layout import Role

API, SHOP = "github.com/acme/api", "github.com/acme/shop"
SECRET = "xylophone"
"""A word that stands in every note and line of the hidden scope, and nowhere else."""
SAID = f"see [[memory/{SHOP}/the-{SECRET}-title.md]]"
"""What a global note says of the hidden scope, in its own text."""


@pytest.fixture
def both(opener: Opener) -> Memory:
    """A vault with a project that is granted and one that is hidden, in every kind of file."""
    memory = opener("scribe")
    for scope, word in ((API, "granted"), (SHOP, SECRET)):
        wish = Wish(f"The {word} title", f"A {word} body of the rate limiter.", scope=scope)
        made = memory.memorize(wish)
        memory.tell(Telling("decision", f"A {word} decision", "it is so", scope=scope))
        memory.tell(Telling("state", f"A {word} state", detail=f"More {word}.", scope=scope))
        memory.tell(Telling("question", f"A {word} question?", to="scout", scope=scope))
        memory.tell(Telling("note", f"A {word} note", detail=f"Some {word} detail.", scope=scope))
        waits = Wish(f"A {word} guess", f"It may be {word}.", scope=scope, review=True)
        memory.memorize(waits)
        memory.memorize(Wish(f"Global {scope[-4:]}", f"See [[{made.path}]].", scope=""))
    memory.tell(Telling("checkpoint", f"At {SECRET}", detail=f"The {SECRET}.", scope=SHOP))
    return memory


def bearer(memory: Memory, grant: Grant, agent: str = "scout") -> Memory:
    return memory.admitted(Badge(agent, grant), "one")


@pytest.fixture
def scout(both: Memory) -> Memory:
    """The agent scout, which may read and write one project."""
    return bearer(both, bound([], [API]))


def test_the_table_speaks_of_every_kind_of_file() -> None:
    assert set(TABLE) == set(Role)


@pytest.mark.parametrize("role", Role)
def test_an_agent_on_this_machine_reads_all_but_candidates_of_others(role: Role) -> None:
    assert may_read(FULL, "scout", File(role, SHOP, "scribe")) == (role != Role.CANDIDATE)
    assert may_read(FULL, "scout", File(role, SHOP, "scout"))


@pytest.mark.parametrize("role", Role)
def test_a_bound_agent_reads_and_writes_nothing_of_another_scope(role: Role) -> None:
    peers = File(role, SHOP, "scribe")
    grant = bound([], [API])

    assert not may_read(grant, "scout", peers)
    assert not may_write(grant, "scout", peers)


def test_what_may_be_written_may_be_read_and_the_global_scope_by_all() -> None:
    grant = bound([API], [SHOP])

    assert grant.reads == {"", API, SHOP}
    assert grant.writes == {SHOP}
    assert bound([], ["*"]) == Grant(None, None, own_notes=False)


def test_an_identity_and_a_checkpoint_are_its_own() -> None:
    grant = bound([API], [])

    for role in (Role.IDENTITY, Role.CHECKPOINT):
        assert may_read(grant, "scout", File(role, "", "scout"))
        assert not may_read(grant, "scout", File(role, "", "scribe"))
        assert not may_write(FULL, "scout", File(role, "", "scribe"))


def read_by(memory: Memory) -> str:
    """Return all that a bound agent gets to read, every way there is."""
    asked = [SECRET, "rate limiter", "title", "decision", "detail", "guess", "question", SHOP]
    found = [str(memory.brief()), str(memory.brief("the rate limiter")), str(memory.recent())]
    found += [str(memory.remember(Question(word, limit=20, detail="full"))) for word in asked]
    found += [
        *(row[2].title for row in memory.listing(Question("x"))),
        str(memory.matching(Question("rate limiter"))),
    ]
    found += [memory.index(), str(memory.read_log()), memory.notice()]
    return "\n".join(found).casefold()


def test_a_bound_agent_reads_nothing_of_another_scope(scout: Memory) -> None:
    text = read_by(scout)

    assert "granted title" in text
    assert "a granted decision" in text
    assert SAID in text
    assert SECRET not in text.replace(SAID, "")


def test_what_is_hidden_reads_as_what_is_not_there(both: Memory, scout: Memory) -> None:
    hidden = both.memorize(Wish("The pelican", "It dives for fish.", scope=SHOP))
    pages = (hidden.id, hidden.path, "The pelican", f"[[{hidden.path}]]", "checkpoints/scribe")
    pages += ("index", "live-context/2026-11", f"memory/{SHOP}/index", f"memory/{SHOP}/decisions")
    for ref in pages:
        with pytest.raises(NotFound) as error:
            scout.get(ref)
        assert str(error.value).replace(ref, "X") == (
            "There is no note 'X'. Run `vaultmem list` to see what there is."
        )


def test_a_scope_that_is_hidden_is_refused_like_one_that_is_not_there(scout: Memory) -> None:
    said = []
    for scope in (SHOP, "github.com/acme/none"):
        for act in (
            lambda scope=scope: scout.remember(Question("x", scope=scope)),
            lambda scope=scope: scout.memorize(Wish("A title", "A body of text.", scope=scope)),
            lambda scope=scope: scout.tell(Telling("note", "Hello", scope=scope)),
        ):
            with pytest.raises(Refused) as error:
                act()
            said.append(str(error.value).replace(scope, "X"))

    assert said[:3] == said[3:]


def test_a_bound_agent_works_in_its_only_project(scout: Memory) -> None:
    made = scout.memorize(Wish("Retries back off", "They wait twice as long each time."))
    told = scout.tell(Telling("note", "Kept it"))

    assert made.path.startswith(f"memory/{API}/")
    assert told.entry.scope == API


def test_it_writes_nowhere_else(both: Memory, scout: Memory) -> None:
    reader = bearer(both, bound([API], []), "reader")
    note = both.memorize(Wish("A lighthouse", "It stands on a rock.", scope=""))
    with pytest.raises(NotGranted, match="It may write github"):
        scout.memorize(Wish("Everywhere", "So it is for all.", everywhere=True))
    with pytest.raises(NotGranted):
        scout.forget([note.id])
    with pytest.raises(NotGranted):
        scout.memorize(Wish(id=note.id, hash=note.hash, content="It fell into the sea."))
    with pytest.raises(NotGranted, match="It may only read"):
        reader.memorize(Wish("A title", "A body of text."))
    with pytest.raises(NotGranted):
        reader.tell(Telling("checkpoint", "Here"))


def test_it_acknowledges_no_entry_that_it_does_not_hear(both: Memory, scout: Memory) -> None:
    hidden = both.tell(Telling("question", "Where?", to="scout", scope=SHOP)).entry
    with pytest.raises(NotFound):
        scout.tell(Telling("answer", "Here", ack=hidden.mark))


def test_two_agents_of_one_process_hear_what_each_is_granted(both: Memory) -> None:
    one = bearer(both, bound([API], []), "reader")
    other = bearer(both, bound([SHOP], []), "reader")

    assert SECRET not in str(one.read_log())
    assert SECRET in str(other.read_log())
    assert SECRET not in str(one.remember(Question("A decision")))
    assert SECRET in str(other.remember(Question("A decision")))


def test_own_notes_are_seen_where_the_grant_has_them(both: Memory, root: Path) -> None:
    (root / "Diary.md").write_text("The walrus sang.\n", "utf-8")
    without = bearer(both, bound(["*"], []))
    having = bearer(both, bound(["*"], [], own_notes=True))

    assert not without.remember(Question("walrus")).hits
    assert having.remember(Question("walrus")).hits
    with pytest.raises(NotFound):
        without.get("Diary")


def test_a_token_is_shown_once_and_kept_as_its_hash(memory: Memory, root: Path) -> None:
    token, made = memory.add_agent("scout", [API], ["global"])

    assert memory.badge(token) == Badge("scout", made.grant)
    assert made.grant == Grant(frozenset({"", API}), frozenset({""}), own_notes=False)
    for file in memory.settings.state.rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes()


def test_a_token_ends_when_it_is_revoked_rotated_or_old(memory: Memory, clock: Clock) -> None:
    old, _ = memory.add_agent("scout", days=2)
    new = memory.rotate_agent("scout")
    clock.forward(days=1, hours=23)

    assert memory.badge(old) is None
    assert memory.badge(new)
    clock.forward(hours=2)
    assert memory.badge(new) is None
    again = memory.rotate_agent("scout")
    assert memory.badge(again)
    memory.revoke_agent("scout")
    assert memory.badge(again) is None


@pytest.mark.parametrize("token", ["", "vm_", "x" * 300, "vm_\udcff", "vm_é"])
def test_what_is_no_token_is_nobody(memory: Memory, token: str) -> None:
    memory.add_agent("scout")

    assert memory.badge(token) is None


def test_an_agent_has_one_token(memory: Memory) -> None:
    memory.add_agent("scout")
    with pytest.raises(BadInput, match="vaultmem agent rotate scout"):
        memory.add_agent("scout")
    for act in (memory.revoke_agent, memory.rotate_agent):
        with pytest.raises(VaultmemError, match="vaultmem agent list"):
            act("nobody")
