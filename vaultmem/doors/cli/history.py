"""Verbs of a vault in git: what became of memories, and their way back."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultmem.doors import answers_git
from vaultmem.doors.cli.options import Door, verb
from vaultmem.words.errors import BadInput
from vaultmem.words.safe import shown


@click.command()
@click.argument("span", default="", metavar="[REV[..REV]]")
@click.option("--staged", is_flag=True, help="Compare with what is staged, not with the files.")
@click.option("--check", is_flag=True, help="Exit with 1 if anything speaks against merging.")
@click.option("--markdown", is_flag=True, help="Print a comment for a pull request.")
@verb
def diff(door: Door, span: str, staged: bool, check: bool, markdown: bool) -> None:
    """Show what became of memories since a commit, or between two.

    \b
    vaultmem diff
    vaultmem diff main..topic --markdown
    vaultmem diff --check main...HEAD
    """
    memory = door.memory()
    if check:
        found = memory.check_diff(span, staged=staged)
        text = "\n".join(f"{one.path}: {one.what}" for one in found)
        door.show(
            shown(text or "Nothing speaks against it."), {"unfit": [asdict(f) for f in found]}
        )
        if found:
            raise SystemExit(1)
        return
    told = memory.diff(span, staged=staged)
    text = answers_git.markdown(told) if markdown else answers_git.changes(told)
    door.show(text, answers_git.changes_value(told))


@click.command()
@click.argument("ref")
@verb
def history(door: Door, ref: str) -> None:
    """Show every version of one memory, through renames and moves: who, when and why.

    \b
    vaultmem history k7f3q9xa
    """
    found = door.memory().history(ref)
    door.show(answers_git.versions(found), answers_git.versions_value(found))


@click.command()
@click.argument("ref", metavar="ID@REV")
@verb
def show(door: Door, ref: str) -> None:
    """Show one memory as it was at a commit.

    \b
    vaultmem show k7f3q9xa@HEAD
    """
    name, at, revision = ref.rpartition("@")
    if not at:
        raise BadInput(f"{ref!r} names no commit. Write ID@REV, such as k7f3q9xa@HEAD~1.")
    path, data = door.memory().show_at(name, revision)
    text = data.decode("utf-8", "replace")
    door.show(shown(f"{path}\n\n{text}".rstrip()), {"path": path, "text": text})


@click.command()
@click.argument("what", metavar="COMMIT|ID@REV")
@verb
def revert(door: Door, what: str) -> None:
    """Take back what a commit did to one memory, or bring one memory to an earlier state.

    \b
    vaultmem revert k7f3q9xa@HEAD~1
    """
    done = door.memory().revert(what)
    lines = [f"{one.path}: {one.done} ({one.title})" for one in done]
    door.show(shown("\n".join(lines)), {"reverted": [asdict(one) for one in done]})


COMMANDS = (diff, history, show, revert)
