# ruff: noqa: E501  # each row of the table is one damage
"""A vault with every damage that the doctor names, each seeded by a function of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vaultmem.memory import Memory, Telling, Wish
from vaultmem.verbs.damages.table import Finding
from vaultmem.words.entry import Entry, signed

HOUSE = "memory/global"
API, WEB = "memory/github.com/acme/api", "memory/github.com/acme/web"
Files = dict[str, bytes]


@dataclass(frozen=True)
class Place:
    """A vault that is damaged, and its state folder and sidecar."""

    root: Path
    state: Path
    sidecar: Path

    def write(self, path: str, data: str | bytes) -> None:
        """Write a file of the vault."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())

    def change(self, path: str, old: str, new: str) -> None:
        """Change a text of a file that is there."""
        file = self.root / path
        text = file.read_text("utf-8")
        assert old in text, path
        file.write_text(text.replace(old, new, 1), "utf-8")

    def files(self) -> Files:
        """Return every regular file of the vault with its bytes."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and not path.is_symlink()
        }


@dataclass(frozen=True)
class Seed:
    """One damage: its kind, where it is named, and how it comes to be."""

    kind: str
    path: str
    line: int
    sow: Callable[[Place], object]
    before: bool = False
    """Whether it keeps the vault from being opened."""

    @property
    def name(self) -> str:
        """What a test of it is called."""
        return f"{self.kind}: {self.path}".replace("\n", " ")


def sown(place: Place, seeds: Iterable[Seed]) -> None:
    """Do some damage to a vault that nobody has open."""
    for seed in seeds:
        seed.sow(place)


def named(seed: Seed, findings: Iterable[Finding]) -> bool:
    """Return whether a damage is among some findings, where it is and as what it is."""
    return any(
        one.kind == seed.kind and one.path.endswith(seed.path) and seed.line in (0, one.line)
        for one in findings
    )


def prepared(memory: Memory) -> None:
    """Let a vault be in use: memories of three scopes, a log, a decision, a checkpoint."""
    for title, scope in (
        ("The valve sticks", ""),
        ("The person prefers tabs", ""),
        ("Retries carry a key", "github.com/acme/api"),
        ("The page loads late", "github.com/acme/web"),
    ):
        memory.memorize(Wish(title, f"{title}: what is known in a sentence.", scope=scope))
    memory.tell(Telling("decision", "Use tabs", because="the person said so"))
    memory.tell(Telling("decision", "Retry thrice", scope="github.com/acme/api"))
    memory.tell(Telling("decision", "Load lazily", scope="github.com/acme/web"))
    memory.tell(Telling("note", "The pump hums", detail="It hums when it is cold outside."))
    memory.tell(Telling("note", "The pump was oiled"))
    memory.tell(Telling("note", "The hose leaks"))
    memory.tell(Telling("checkpoint", "Where the work is", detail="Task: the pump."))
    memory.refresh()


def entry(day: str, summary: str) -> str:
    """Return the line of a signed entry."""
    said = Entry(f"{day}T10:00:00+00:00", "scout", "chat", "note", "", summary)
    return signed(said, "zz").line()


def _month(month: str, *lines: str, end: str = "\n") -> Callable[[Place], None]:
    text = "\n".join(["---", f"title: Live context {month}", "---", *lines]) + end
    return lambda place: place.write(f"live-context/{month}.md", text)


def _note(name: str, *head: str, body: str = "The text of a note.\n") -> Callable[[Place], None]:
    text = "\n".join(["---", *head, "---", body])
    return lambda place: place.write(f"{HOUSE}/{name}.md", text)


def _raw(path: str, data: bytes) -> Callable[[Place], None]:
    return lambda place: place.write(path, data)


def _folder(place: Place) -> None:
    place.write("Plans.md/plan.md", "A plan.\n")


def _hard_link(place: Place) -> None:
    place.write("Linked once.md", "One file of two names.\n")
    os.link(place.root / "Linked once.md", place.root / "Linked twice.md")


def _clash(place: Place) -> None:
    place.write("Clash.md", "Upper.\n")
    place.write("clash.md", "Lower.\n")


def _circle(place: Place) -> None:
    for one, other in (("ring-a", "ring-b"), ("ring-b", "ring-a")):
        _note(one, f"title: {one}", "supersedes:", f'  - "[[{HOUSE}/{other}]]"')(place)


def _two_folders(place: Place) -> None:
    for name in ("one", "two"):
        place.write(f"memory/{name}/index.md", _catalogue("twice"))


def _catalogue(scope: str, ends: Sequence[str] = ("", "/")) -> str:
    marks = "".join(f"<!-- {end}vaultmem:catalogue -->\n" for end in ends)
    return f"---\ntype: catalogue\nscope: {scope}\n---\n{marks}"


def _in_inbox(name: str, *head: str) -> Callable[[Place], None]:
    text = "\n".join(["---", f"title: {name}", *head, "---", "What an agent would like to keep.\n"])
    return lambda place: place.write(f"inbox/scout/{name}.md", text)


def _id_of(place: Place, path: str) -> str:
    match = re.search(r"^id: (\w+)$", (place.root / path).read_text("utf-8"), re.MULTILINE)
    assert match
    return match[1]


def _copied(place: Place) -> None:
    path = f"{HOUSE}/the-valve-sticks.md"
    place.write(f"{HOUSE}/the-valve-sticks (copied).md", (place.root / path).read_bytes())


def _own_with_id(place: Place) -> None:
    known = _id_of(place, f"{HOUSE}/the-person-prefers-tabs.md")
    place.write("Own with an id.md", f"---\nid: {known}\n---\nThe person's own words.\n")


def _approved_twice(place: Place) -> None:
    known = _id_of(place, f"{API}/retries-carry-a-key.md")
    _in_inbox("approved-twice", f"id: {known}", "status: approved")(place)


def _sync_copy(place: Place) -> None:
    name = f"{HOUSE}/the-valve-sticks.sync-conflict-20261130-101500-ABCDEFG.md"
    place.write(name, (place.root / HOUSE / "the-valve-sticks.md").read_bytes() + b"More.\n")


def _removed_entry(place: Place) -> None:
    log = place.root / "live-context/2026-11.md"
    lines = log.read_text("utf-8").splitlines(keepends=True)
    log.write_text("".join(line for line in lines if "The hose leaks" not in line), "utf-8")


def _unended(path: str) -> Callable[[Place], None]:
    def sow(place: Place) -> None:
        file = place.root / path
        file.write_bytes(file.read_bytes().rstrip(b"\n"))

    return sow


def _glued_decision(place: Place) -> None:
    line = "- 2026-11-30T03:00:00+00:00 **scout** · decision · Retry twice"
    file = place.root / f"{API}/decisions.md"
    file.write_bytes(file.read_bytes().rstrip(b"\n") + line.encode() + b"\n")


def _torn_decision(place: Place) -> None:
    file = place.root / f"{HOUSE}/decisions.md"
    file.write_bytes(file.read_bytes() + b"- 2026-11-30T03:0\n")


def _gone(path: str) -> Callable[[Place], None]:
    return lambda place: (place.root / path).unlink()


def _flipped(folder: str, pattern: str) -> Callable[[Place], None]:
    def sow(place: Place) -> None:
        for file in (getattr(place, folder)).glob(pattern):
            data = file.read_bytes()
            file.write_bytes(data[:20] + bytes(byte ^ 0xFF for byte in data[20:60]) + data[60:])

    return sow


def _last_page(place: Place) -> None:
    """Overwrite what the ledger holds of the uses of notes."""
    file = place.state / "ledger.db"
    file.write_bytes(file.read_bytes()[:-4096] + b"\xff" * 4096)


def _no_lock(place: Place) -> None:
    (place.state / "lock").unlink(missing_ok=True)
    (place.state / "lock").mkdir()


BLOCK = "The credential is here.\n"
KEY = "ghp_" + "R7tK2mQ9xW4vB8nL3pZ6" + "cD5fG1hJ0s"
TWICE = entry("2025-03-02", "Said once")
SEEDS = [
    Seed("unreadable", f"{HOUSE}/yaml.md", 1, _note("yaml", "title: [Broken")),
    Seed("unclosed", f"{HOUSE}/open.md", 1, _raw(f"{HOUSE}/open.md", b"---\ntitle: Open\nText.\n")),
    Seed("too long", f"{HOUSE}/long.md", 1, _note("long", *(f"k{n}: " + "x" * 90 for n in range(800)))),
    Seed("conflict", f"{HOUSE}/sides.md", 4, _note("sides", "title: Sides", body="<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")),
    Seed("type", f"{HOUSE}/poem.md", 2, _note("poem", "type: poem")),
    Seed("status", f"{HOUSE}/status.md", 3, _note("status", "title: Status", "status: done-ish")),
    Seed("source", f"{HOUSE}/source.md", 2, _note("source", "source: a friend")),
    Seed("importance", f"{HOUSE}/often.md", 2, _note("often", "importance: often")),
    Seed("date", f"{HOUSE}/date.md", 2, _note("date", "created: some day")),
    Seed("date", f"{HOUSE}/until.md", 2, _note("until", "valid_until: never")),
    Seed("id", f"{HOUSE}/id.md", 2, _note("id", "id: ../../etc/passwd")),
    Seed("tags", f"{HOUSE}/tags.md", 2, _note("tags", "tags:", *(f"  - t{n}" for n in range(201)))),
    Seed("copied id", f"{HOUSE}/the-valve-sticks (copied).md", 2, _copied),
    Seed("another's id", f"{HOUSE}/the-person-prefers-tabs.md", 2, _own_with_id),
    Seed("dangling", f"{HOUSE}/dangling.md", 3, _note("dangling", "supersedes:", '  - "[[nowhere]]"')),
    Seed("source gone", f"{HOUSE}/parent.md", 3, _note("parent", "consolidates:", '  - "[[erased]]"')),
    Seed("stale", f"{HOUSE}/folded.md", 0, _note("folded", "consolidates:", '  - "[[erased too]]"')),
    Seed("other scope", f"{HOUSE}/abroad.md", 3, _note("abroad", "supersedes:", f'  - "[[{API}/retries-carry-a-key]]"')),
    Seed("circle", f"{HOUSE}/ring-a.md", 0, _circle),
    Seed("utf-16", "wide.md", 0, _raw("wide.md", "Wide.\n".encode("utf-16"))),
    Seed("not utf-8", "latin.md", 0, _raw("latin.md", "Grüße\n".encode("latin-1"))),
    Seed("not text", "picture.md", 0, _raw("picture.md", b"\x89PNG\0\xff\xfe")),
    Seed("nul", "nul.md", 2, _raw("nul.md", b"One.\nTwo.\0\n")),
    Seed("too large", "large.md", 0, _raw("large.md", b"Words of it.\n" * 90_000)),
    Seed("secret", f"{HOUSE}/secret.md", 0, _note("secret", "title: Token", body=f"{BLOCK}{KEY}\n")),
    Seed("remote image", f"{HOUSE}/image.md", 4, _note("image", "source: agent_inferred", body="![x](https://example.org/x.png)\n")),
    Seed("active", f"{HOUSE}/active.md", 5, _note("active", "source: agent_inferred", body="Look:\n```dataviewjs\ndv.list([1])\n```\n")),
    Seed("sync copy", f"{HOUSE}/the-valve-sticks.sync-conflict-20261130-101500-ABCDEFG.md", 0, _sync_copy),
    Seed("link", "link.md", 0, lambda place: (place.root / "link.md").symlink_to("/etc/hostname")),
    Seed("irregular", "pipe.md", 0, lambda place: os.mkfifo(place.root / "pipe.md")),
    Seed("hard link", "Linked twice.md", 0, _hard_link),
    Seed("name", "line\nbreak.md", 0, _raw("line\nbreak.md", b"Text.\n")),
    Seed("folder", "Plans.md", 0, _folder),
    Seed("clash", "clash.md", 0, _clash),
    Seed("left over", f"{HOUSE}/.vaultmem-0a1b2c3d.tmp", 0, _raw(f"{HOUSE}/.vaultmem-0a1b2c3d.tmp", b"half")),
    Seed("stuck", "inbox/scout/broken.md", 0, _in_inbox("broken", "tags: [a")),
    Seed("refused", "inbox/scout/approved-twice.md", 0, _approved_twice),
    Seed("approved", "inbox/scout/let-in.md", 0, _in_inbox("let-in", "status: approved")),
    Seed("working", "inbox/scout/works.md", 3, _in_inbox("works", "status: working")),
    Seed("astray", "inbox/astray.md", 0, _raw("inbox/astray.md", b"Nobody's.\n")),
    Seed("pending", f"{HOUSE}/waits.md", 2, _note("waits", "status: pending")),
    Seed("behind", f"{API}/index.md", 0, lambda place: place.change(f"{API}/index.md", "Retries carry a key]]", "Retries]]")),
    Seed("unmarked", "memory/plain/index.md", 0, _raw("memory/plain/index.md", _catalogue("plain", ()).encode())),
    Seed("half marked", "memory/half/index.md", 5, _raw("memory/half/index.md", _catalogue("half", [""]).encode())),
    Seed("lost scope", f"{WEB}/index.md", 0, _gone(f"{WEB}/index.md")),
    Seed("no scope", "memory/Stray", 0, _raw("memory/Stray/stray.md", b"Nobody knows of which scope.\n")),
    Seed("two folders", "memory/one", 0, _two_folders),
    Seed("torn", "live-context/2025-05.md", 4, _month("2025-05", "- 2025-05-01T10:0", entry("2025-05-02", "A"))),
    Seed("torn", "live-context/2025-02.md", 5, _month("2025-02", entry("2025-02-02", "A"), "- 2025-02-03T1", end="")),
    Seed("glued", "live-context/2025-06.md", 4, _month("2025-06", entry("2025-06-01", "A") + entry("2025-06-02", "B"))),
    Seed("glued", "live-context/2025-10.md", 4, _month("2025-10", "- 2025-10-01T1" + entry("2025-10-02", "B"))),
    Seed("glued", f"{API}/decisions.md", 6, _glued_decision),
    Seed("unended", "live-context/2025-07.md", 4, _month("2025-07", entry("2025-07-01", "A"), end="")),
    Seed("unended", f"{WEB}/decisions.md", 6, _unended(f"{WEB}/decisions.md")),
    Seed("torn decision", f"{HOUSE}/decisions.md", 7, _torn_decision),
    Seed("nul line", "live-context/2025-08.md", 4, _month("2025-08", "\0" * 40, entry("2025-08-01", "A"))),
    Seed("edited", "live-context/2026-11.md", 0, lambda place: place.change("live-context/2026-11.md", "The pump was oiled", "The pump was sold")),
    Seed("removed", "live-context/2026-11.md", 0, _removed_entry),
    Seed("typed", "live-context/2025-09.md", 4, _month("2025-09", entry("2025-09-01", "A").partition(" ^lc-")[0])),
    Seed("doubled", "live-context/2025-03.md", 5, _month("2025-03", TWICE, TWICE)),
    Seed("disordered", "live-context/2025-04.md", 5, _month("2025-04", entry("2025-04-02", "B"), entry("2025-04-01", "A"))),
    Seed("month", "live-context.md", 0, lambda place: place.change("live-context.md", "2026-11]]", "2024-11]]")),
    Seed("orphan", "live-context/detail/aaaaaaaa.md", 0, _raw("live-context/detail/aaaaaaaa.md", b"---\ntype: detail\n---\nMore.\n")),
    Seed("nobody", "checkpoints/ghost.md", 0, _raw("checkpoints/ghost.md", b"---\ntype: checkpoint\nagent: ghost\n---\nTask.\n")),
    Seed("missing", "index.md", 0, _gone("index.md")),
    Seed("attributes", ".gitattributes", 0, _raw(".gitattributes", b"*.png binary")),
    Seed("graph", "vector index", 0, _flipped("sidecar", "vectors-*.bin")),
    Seed("left over", "vectors-1.part", 0, lambda place: (place.sidecar / "vectors-1.part").write_bytes(b"half")),
    Seed("rights", "", 0, lambda place: place.state.chmod(0o755)),
    Seed("index", "indexes", 0, _flipped("sidecar", "keyword/*.toc")),
    Seed("settings", ".vaultmem/config.toml", 0, _gone(".vaultmem/config.toml"), before=True),
    Seed("lock", "lock", 0, _no_lock, before=True),
    Seed("ledger", "ledger.db", 0, _last_page, before=True),
]  # fmt: skip
MOVED = "inbox/scout/let-in.md"
"""What a person let in: it leaves its place, and says the same."""


def lost(before: Files, after: Files) -> Iterator[str]:
    """Yield the paths at which a text of a person is not what it was."""
    for path, data in before.items():
        now = after.get(path)
        if path.endswith(".tmp"):
            continue
        if path == MOVED:
            now = next((text for p, text in after.items() if p.endswith("/let-in.md")), b"")
        if now is None or not _own_words(path, data) <= _own_words(path, now):
            yield path


def _own_words(path: str, data: bytes) -> set[bytes]:
    """Return what a person could miss in a file: all but what is ours to write anew.

    Of what only grows that is each line, of any other file the whole.
    """
    name = path.rpartition("/")[2]
    if name in ("index.md", "live-context.md"):
        marked = rb"(<!-- vaultmem:\w+ -->\n).*?(<!-- /vaultmem)"
        return {re.sub(marked, rb"\1\2", data, flags=re.DOTALL)}
    if name == "decisions.md" or re.fullmatch(r"\d{4}-\d\d\.md", name):
        pieces = re.split(rb"\n|(?=- 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)", data)
        return {piece for piece in pieces if piece}
    if "(copied)" in name:
        return {re.sub(rb"^id: \w+$", b"", data, flags=re.MULTILINE)}
    if path == MOVED:
        return {data.rpartition(b"---\n")[2]}
    return set(data.splitlines()) if name == ".gitattributes" else {data}
