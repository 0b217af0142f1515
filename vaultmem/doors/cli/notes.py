"""Verbs that keep, change, show and take out notes: memorize, get, update, forget and the like."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from vaultmem.doors import answers
from vaultmem.doors.cli.options import Door, verb, with_options
from vaultmem.memory import Question, Wish
from vaultmem.words.errors import BadInput
from vaultmem.words.life import RELATIONS, TYPES
from vaultmem.words.safe import shown

_FIELDS = (
    click.option("--type", "kind", metavar="TYPE", help=f"One of: {', '.join(TYPES)}."),
    click.option("--importance", type=float, metavar="0..1", help="How much it matters."),
    click.option("--source", metavar="SOURCE", help="agent_inferred or user_confirmed."),
    click.option("--tags", multiple=True, metavar="TAG", help="A tag; may be repeated."),
    click.option("--files", multiple=True, metavar="FILE", help="A related file; repeatable."),
    click.option("--description", metavar="TEXT", help="One line for the catalogue."),
    click.option(
        "--relates",
        multiple=True,
        metavar="RELATION",
        help=f"`KIND: NOTE because WHY`; a kind is one of: {', '.join(RELATIONS)}.",
    ),
    click.option("--valid-from", metavar="DATE", help="When it became true, if not now."),
    click.option("--valid-until", metavar="DATE", help="Until when it holds."),
)


def content_of(text: str) -> str:
    """Return a content as given, or from stdin for `-`, or from a file for `@FILE`."""
    if text != "-" and not text.startswith("@"):
        return text
    try:
        data = sys.stdin.buffer.read() if text == "-" else Path(text[1:]).read_bytes()
        return data.decode("utf-8")
    except (OSError, ValueError) as error:
        where = "What came in on stdin" if text == "-" else text[1:]
        raise BadInput(f"{where} cannot be read: {error}.") from None


@click.command()
@click.argument("title")
@click.argument("content")
@with_options(_FIELDS)
@click.option("--allow-similar", is_flag=True, help="Keep it although a note says nearly this.")
@click.option("--review", is_flag=True, help="Let it wait in the inbox for a person.")
@click.option("--global", "everywhere", is_flag=True, help="True in every project.")
@verb
def memorize(
    door: Door,
    title: str,
    content: str,
    kind: str | None,
    importance: float | None,
    source: str | None,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    description: str | None,
    relates: tuple[str, ...],
    valid_from: str | None,
    valid_until: str | None,
    allow_similar: bool,
    review: bool,
    everywhere: bool,
) -> None:
    """Keep one fact, decision, fix or preference as a note.

    CONTENT is text, `-` for stdin, or `@FILE`.

    \b
    vaultmem memorize "Tabs, not spaces" "Indent with tabs in every project." --type preference
    """
    wish = Wish(
        title=title,
        content=content_of(content),
        type=kind,
        importance=importance,
        source=source,
        tags=tags or None,
        files=files or None,
        description=description,
        relates=relates,
        everywhere=everywhere,
        allow_similar=allow_similar,
        review=review,
        valid_from=valid_from,
        valid_until=valid_until,
    )
    done = door.memory().memorize(wish)
    door.show(answers.receipt(done), done.as_dict())
    if not done.kept:
        raise SystemExit(1)


@click.command()
@click.argument("ref")
@click.option("--title", metavar="TEXT", help="A new title; the file keeps its name.")
@click.option("--content", metavar="TEXT", help="A new body: text, `-` or `@FILE`.")
@click.option("--hash", "seen", default="", metavar="HASH", help="Refuse if it changed since.")
@with_options(_FIELDS)
@verb
def update(
    door: Door,
    ref: str,
    title: str | None,
    content: str | None,
    seen: str,
    kind: str | None,
    importance: float | None,
    source: str | None,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    description: str | None,
    relates: tuple[str, ...],
    valid_from: str | None,
    valid_until: str | None,
) -> None:
    """Change parts of a memory; what is not named stays byte for byte.

    \b
    vaultmem update k7f3q9xa --importance 0.9
    """
    memory = door.memory()
    _, note = memory.get(ref)
    wish = Wish(
        title=title,
        content=None if content is None else content_of(content),
        type=kind,
        importance=importance,
        source=source,
        tags=tags or None,
        files=files or None,
        description=description,
        relates=relates,
        valid_from=valid_from,
        valid_until=valid_until,
        id=note.path,
        hash=seen or note.hash,
    )
    done = memory.memorize(wish)
    door.show(answers.receipt(done, "Changed"), done.as_dict())


@click.command()
@click.argument("ref")
@verb
def get(door: Door, ref: str) -> None:
    """Show one note: by id, path, title, alias or [[wikilink]].

    \b
    vaultmem get k7f3q9xa
    """
    memory = door.memory()
    facts, note = memory.get(ref)
    text = memory.vault.data(note.path).decode("utf-8", "replace")
    value = {
        "id": facts.name,
        "path": note.path,
        "hash": note.hash,
        "title": note.title,
        "properties": note.properties,
        "body": note.body,
    }
    door.show(f"{shown(note.path)} (hash {note.hash})\n\n{shown(text)}", value)


@click.command()
@click.argument("refs", nargs=-1)
@click.option("--query", default="", metavar="TEXT", help="List what a question finds instead.")
@click.option("--confirm", multiple=True, metavar="ID", help="With --query: these go.")
@verb
def forget(door: Door, refs: tuple[str, ...], query: str, confirm: tuple[str, ...]) -> None:
    """Move memories to the trash, by id; by query it lists and wants the ids confirmed.

    \b
    vaultmem forget k7f3q9xa
    """
    if query and refs:
        raise click.UsageError("Name the notes, or give --query: not both.")
    memory = door.memory()
    if query and not confirm:
        would = memory.matching(Question(query))
        door.show(answers.listed(would), [asdict(item) for item in would])
        return
    done = memory.forget([*refs, *confirm])
    door.show(answers.forgotten(done), [{**asdict(f), "restore": f.restore} for f in done])


@click.command()
@click.argument("ref")
@verb
def restore(door: Door, ref: str) -> None:
    """Bring a note back from the trash, or keep one that was erased and has come back.

    \b
    vaultmem restore k7f3q9xa
    """
    path = door.memory().restore(ref)
    door.show(shown(f"Back at {path}"), {"path": path})


@click.command()
@click.argument("ref")
@click.option("--yes", is_flag=True, help="Do not ask.")
@verb
def erase(door: Door, ref: str, yes: bool) -> None:
    """Remove a note for good, here and in every index. There is no way back.

    \b
    vaultmem erase k7f3q9xa --yes
    """
    if not yes:
        click.confirm(f"Erase {shown(ref)} for good?", abort=True, err=True)
    done = door.memory().erase(ref)
    lines = [
        f"Erased {done.path}.",
        *(f"Erased too: what a session had stored as {key!r}" for key in done.also),
        *(f"It may still stand in {place}" for place in done.left),
    ]
    door.show(shown("\n".join(lines)), asdict(done))


COMMANDS = (memorize, get, update, forget, restore, erase)
