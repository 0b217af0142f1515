"""Outside documents: `vaultmem knowledge search|read|match|store|delete|index|list|remove`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from vaultmem.doors import answers
from vaultmem.doors import answers_knowledge as told
from vaultmem.doors.cli.notes import content_of
from vaultmem.doors.cli.options import Bar, Door, shared, verb

_SOURCE = click.option(
    "--source", default="", metavar="SOURCE", help="Only this file, address, key or title."
)
_BUDGET = click.option("--budget-tokens", default=0, help="Longest answer.")


@click.group()
@shared
def knowledge(**_: Any) -> None:
    """Files and web pages: taken in, searched, read; always with their source.

    \b
    vaultmem knowledge index guide.md
    vaultmem knowledge search "how are retries limited?"
    """


@knowledge.command()
@click.argument("query")
@_SOURCE
@click.option("--limit", default=5, show_default=True, help="Most hits, 1 to 20.")
@_BUDGET
@verb
def search(door: Door, query: str, source: str, limit: int, budget_tokens: int) -> None:
    """Search outside documents; a new or changed source is taken in first.

    \b
    vaultmem knowledge search "which port?" --source guide.md
    """
    found = door.memory().search(query, source, budget_tokens, limit)
    door.show(answers.answer(found), found.as_dict())


@knowledge.command()
@click.argument("source")
@click.option("--heading", default="", metavar="TEXT", help="Only this section.")
@click.option("--lines", default="", metavar="10-40", help="Only these lines.")
@click.option("--page", default=1, show_default=True, help="Which part, if it is long.")
@_BUDGET
@verb
def read(door: Door, source: str, heading: str, lines: str, page: int, budget_tokens: int) -> None:
    """Read a source, a section of it or some lines.

    \b
    vaultmem knowledge read guide.md --heading Retries
    """
    found = door.memory().read(source, heading, lines, page, budget_tokens)
    door.show(told.reading(found), found.as_dict())


@knowledge.command()
@click.argument("pattern")
@_SOURCE
@click.option("--context", default=0, help="Lines before and after, at most 10.")
@_BUDGET
@verb
def match(door: Door, pattern: str, source: str, context: int, budget_tokens: int) -> None:
    """Find the lines that a regular expression (RE2) fits.

    \b
    vaultmem knowledge match "(?i)retr(y|ies)" --context 1
    """
    found = door.memory().match(pattern, source, context, budget_tokens)
    door.show(told.matches(found), found.as_dict())


@knowledge.command()
@click.argument("key")
@click.argument("content", default="-")
@click.option("--keep", is_flag=True, help="For the scope, not for this session alone.")
@verb
def store(door: Door, key: str, content: str, keep: bool) -> None:
    """Store a text under a key, for this session (120 hours) or its scope.

    CONTENT is text, `-` for stdin, or `@FILE`.

    \b
    vaultmem knowledge store build-log "Linking took 12 s" --keep
    """
    done = door.memory().store(key, content_of(content), keep=keep)
    door.show(told.taken(done), done.as_dict())


@knowledge.command()
@click.argument("key")
@verb
def delete(door: Door, key: str) -> None:
    """Take away what was stored under a key.

    \b
    vaultmem knowledge delete build-log
    """
    gone = door.memory().unstore(key)
    door.show(told.gone(gone), gone.as_dict())


@knowledge.command()
@click.argument("source")
@click.option("--force", is_flag=True, help="Even if it is as it was.")
@verb
def index(door: Door, source: str, force: bool) -> None:
    """Take in a file, a web page, or every document of a folder.

    \b
    vaultmem knowledge index https://example.org/guide
    """
    memory = door.memory()
    if not memory.is_folder(source):
        done = memory.take_in(source, force=force)
        door.show(told.taken(done), done.as_dict())
        return
    bar = Bar()
    try:
        found, refused = memory.take_in_folder(source, bar, force=force)
    finally:
        bar.end()
    value = {
        "taken": [item.as_dict() for item in found],
        "refused": [asdict(item) for item in refused],
    }
    door.show(told.folder(found, refused), value)


@knowledge.command("list")
@verb
def list_(door: Door) -> None:
    """List all outside documents.

    \b
    vaultmem knowledge list
    """
    found = door.memory().sources()
    door.show(told.sources(found), [item.as_dict() for item in found])


@knowledge.command()
@click.argument("source")
@verb
def remove(door: Door, source: str) -> None:
    """Take away a document; its note goes to the trash.

    \b
    vaultmem knowledge remove guide.md
    """
    gone = door.memory().remove_source(source)
    door.show(told.gone(gone), gone.as_dict())


COMMANDS = (knowledge,)
