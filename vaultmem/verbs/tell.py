"""Telling the other agents: an entry of the live log, and the files that some kinds keep too."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vaultmem.vault import files
from vaultmem.vault.store import Vault
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.rights import refuse_writing
from vaultmem.words import entry as entries
from vaultmem.words.access import File
from vaultmem.words.entry import Entry
from vaultmem.words.errors import BadInput, ChangedOnDisk, NotFound
from vaultmem.words.frontmatter import composed, split
from vaultmem.words.layout import Layout, Role
from vaultmem.words.links import wikilink
from vaultmem.words.markers import placed
from vaultmem.words.note import digest
from vaultmem.words.safe import defused
from vaultmem.words.scope import GLOBAL
from vaultmem.words.secrets import refuse_secrets
from vaultmem.words.telling import Telling
from vaultmem.words.waiting import acknowledging

LONGEST_DETAIL = 10_000


@dataclass(frozen=True)
class Told:
    """The entry as it was appended, and the file that holds its detail if there is one."""

    entry: Entry
    path: str = ""


def tell(parts: Parts, telling: Telling) -> Told:
    """Append an entry to the live log and return it as it was written.

    A decision goes also into its scope's `decisions.md`; a checkpoint's `detail` becomes this
    agent's checkpoint; any other detail becomes a note that the entry links to. A state is also
    the generated part of its scope's `project.md`, until the next one.

    Raises:
        BadInput: the summary is empty, too long or more than one line; nothing was written.
        NotFound: `ack` names no entry. NotGranted: the caller may not write to the scope.
    """
    kind = entries.kind_named("ack" if telling.ack and telling.kind == "note" else telling.kind)
    summary = _summary(parts, telling, kind)
    to = entries.name(telling.to, "an agent") if telling.to else ""
    if len(telling.detail) > LONGEST_DETAIL:
        raise BadInput(f"A detail has at most {LONGEST_DETAIL:,} characters.")
    refuse_secrets(telling.summary, telling.because[:LONGEST_DETAIL], telling.detail)
    caller = parts.caller
    draft = Entry("", caller.agent, caller.channel, kind, _scope(parts, telling), summary, to)
    with parts.vault.lock.vault("log"):
        if kind == "checkpoint":
            return _checkpoint(parts, draft, telling.detail)
        path = _detailed(parts, draft, telling.detail) if telling.detail.strip() else ""
        if path:
            draft = _linked(draft, path, "detail")
        if kind == "state":
            path = _stated(parts, draft, summary, telling.detail)
            draft = _linked(draft, path, "project")
        done = _appended(parts, draft)
        if kind == "decision":
            _decided(parts, done, telling)
    return Told(done, path)


def _appended(parts: Parts, draft: Entry) -> Entry:
    return parts.log.append(draft, parts.caller.session)


def _summary(parts: Parts, telling: Telling, kind: str) -> str:
    text = telling.summary
    if telling.ack:
        mark = telling.ack.strip().lstrip("^")
        entries_of = (entry for entry in parts.log.entries() if parts.caller.hears(entry.scope))
        if not any(entry.mark == mark for entry in entries_of):
            raise NotFound(f"log entry {telling.ack!r}", "Run `vaultmem log read` to see them.")
        text = acknowledging(text, mark)
    if kind == "decision" and telling.because.strip():
        because = " ".join(telling.because.split())
        text = f"{text.strip()} because {because}"
    return defused(entries.summary(text))


def _scope(parts: Parts, telling: Telling) -> str:
    said = telling.scope
    scope = parts.scope(said) if said is not None else parts.caller.scope or GLOBAL
    refuse_writing(parts, File(Role.LOG, scope), said)
    return scope


def _linked(draft: Entry, path: str, name: str) -> Entry:
    link = wikilink(path, name)
    return replace(draft, summary=f"{draft.summary} {link}")


def _detailed(parts: Parts, draft: Entry, detail: str) -> str:
    """Write the note that holds an entry's detail, and return its path."""
    title = draft.summary[:100]
    token = entries.token(f"{parts.now()}{draft.agent}{draft.summary}{detail}", 8)
    path = Layout(parts.vault.config.home).at("live-context", "detail", f"{token}.md")
    keys = {"title": title, "type": "detail", "agent": draft.agent, "created": parts.now()}
    keys["scope"] = draft.scope or "global"
    if not parts.vault.exists(path):
        parts.vault.create(path, composed(keys, defused(detail)))
    return path


def _checkpoint(parts: Parts, draft: Entry, detail: str) -> Told:
    """Replace this agent's checkpoint, then say so."""
    vault, agent = parts.vault, draft.agent
    path = vault.layout.checkpoint(agent)
    body = defused(detail) if detail.strip() else f"{draft.summary}\n"
    keys = {
        "title": f"Checkpoint of {agent}",
        "type": "checkpoint",
        "agent": agent,
        "session": parts.caller.session,
        "created": parts.now(),
        "updated": parts.now(),
    }
    if vault.exists(path):
        seen = files.fingerprint(vault.root, path)
        created = vault.read(path).text("created")
        vault.replace(path, composed({**keys, "created": created}, body), seen=seen or "")
    else:
        vault.create(path, composed(keys, body))
    parts.calls.done(parts.caller.reader)
    return Told(_appended(parts, draft), path)


def _stated(parts: Parts, draft: Entry, summary: str, detail: str) -> str:
    """Write a state between our markers in its scope's `project.md`, and return the path.

    The rest of the file is the person's and stays. Where the person saves at the same moment,
    it is tried once more on what they saved.
    """
    vault = parts.vault
    path = f"{vault.made_scope_folder(draft.scope)}/project.md"
    said = [f"**{summary}** ({draft.agent}, {parts.now()})"]
    said += ["", *defused(detail).replace("\r", "").strip().split("\n")] if detail.strip() else []
    if not vault.exists(path):
        keys = {
            "title": f"Project {draft.scope or 'global'}",
            "type": "project",
            "created": parts.now(),
        }
        vault.create(path, composed(keys, placed("", "state", said)))
        return path
    try:
        _placed(vault, path, said)
    except ChangedOnDisk:
        _placed(vault, path, said)
    return path


def _placed(vault: Vault, path: str, lines: list[str]) -> None:
    data = vault.data(path)
    text = placed(data.decode("utf-8", "surrogateescape"), "state", lines)
    vault.replace(path, text.encode("utf-8", "surrogateescape"), seen=digest(data))


def _decided(parts: Parts, entry: Entry, telling: Telling) -> None:
    """Append a decision to its scope's decision log."""
    vault = parts.vault
    folder = vault.made_scope_folder(entry.scope)
    path = f"{folder}/decisions.md"
    if not vault.exists(path):
        keys = {"title": "Decisions", "type": "decisions", "created": parts.now()}
        vault.create(path, composed(keys, ""))
    because = defused(" ".join(telling.because.split()))
    reason = f" · because {because}" if because else ""
    what = defused(" ".join(telling.summary.split())) if reason else entry.summary
    line = f"- {entry.time} **{entry.agent}** · decision · {what}{reason}"
    files.append_line(vault.root, path, line)


def introduce(parts: Parts) -> str:
    """Make sure that this agent has an identity file; return its path. Never changes one."""
    vault, agent = parts.vault, parts.caller.agent
    path = vault.layout.identity(agent)
    if not vault.exists(path):
        template = vault.layout.at("templates", "identity.md")
        body = (
            split(vault.data(template)).body.decode("utf-8", "replace")
            if vault.exists(template)
            else _WHO
        )
        keys = {
            "title": f"Identity of {agent}",
            "type": "identity",
            "agent": agent,
            "created": parts.now(),
        }
        with vault.lock.vault("identity"):
            if not vault.exists(path):
                vault.create(path, composed(keys, body.replace("AGENT", agent)))
    return path


_WHO = """# AGENT

## Who I am

## What I value

## What I never do unasked

## My peers
"""
