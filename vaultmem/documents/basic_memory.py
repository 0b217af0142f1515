"""Basic Memory: notes that hold observations, each a note of its own here, and typed relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vaultmem.documents.entries import cut, titled, told_apart, whole
from vaultmem.documents.imported import File, Format, Found, Imported, LeftOut
from vaultmem.documents.markdown import unbulleted
from vaultmem.documents.plain import EMPTY
from vaultmem.words.life import RELATIONS, known_type
from vaultmem.words.links import outside_code

_OBSERVED = re.compile(r"[-*+][ \t]+\[([^\[\]()]+)\][ \t]+(?=\S)")
_CLOCK = re.compile(r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s+-\s+\d{1,3}:\d{2}.*)?")
_TAG = re.compile(r"(?<!\S)#([^\s#()]+(?:#[^\s#()]+)*)")
_RELATED = re.compile(
    r"[-*+][ \t]+(?:\"([^\"\[\]]+)\"|'([^'\[\]]+)'|([^\s\[\]]+))[ \t]*\[\[([^\[\]]+)\]\]"
    r"[ \t]*(?:\([^()]*\))?[ \t]*$"
)
_KINDS = {
    "based_on": "extends",
    "builds_on": "extends",
    "conflicts_with": "conflicts",
    "contradicts": "conflicts",
    "links_to": "related_to",
    "relates_to": "related_to",
    "replaces": "supersedes",
    "requires": "depends_on",
    "similar_to": "similar",
    "uses": "depends_on",
}


def _is_it(files: tuple[File, ...]) -> bool:
    return any(file.note.text("permalink") for file in files)


def read(files: Iterable[File]) -> Found:
    """Return an entry of each note and one of each observation, which the note then links to.

    That is: of each bullet of the outermost lists that opens with its kind. It stands in its own
    entry alone; all else stays in the note.
    """
    entries: list[Imported] = []
    left: list[LeftOut] = []
    for file in files:
        if file.text.strip():
            entries += told_apart(_entries(file))
        else:
            left.append(LeftOut(file.path, EMPTY))
    return Found(tuple(entries), tuple(left))


def _entries(file: File) -> Iterator[Imported]:
    """Yield the note, then its observations."""
    parent = whole(file)
    lines = parent.text.split("\n")
    plain = outside_code(parent.text).split("\n")
    kept: list[str] = []
    observed: list[Imported] = []
    relations: list[tuple[str, str]] = []
    at = 0
    while at < len(lines):
        if not _is_observation(plain[at]):
            relations += _relation(plain[at])
            kept.append(lines[at])
            at += 1
            continue
        end = at + 1
        while end < len(lines) and lines[end].startswith((" ", "\t")) and lines[end].strip():
            end += 1
        entry = _observation(parent, "\n".join(lines[at:end]), len(observed))
        observed.append(entry)
        kept.append(f"- [[{entry.aliases[0]}]]")
        at = end
    yield replace(parent, text="\n".join(kept), relations=tuple(relations))
    yield from observed


def _is_observation(line: str) -> bool:
    match = _OBSERVED.match(line)
    kind = match[1].strip() if match else ""
    task = len(kind) == 1 and (kind in "xX" or not kind.isalnum())
    return bool(kind) and not task and not _CLOCK.fullmatch(kind)


def _relation(line: str) -> list[tuple[str, str]]:
    match = _RELATED.match(line)
    if not match:
        return []
    said = (match[1] or match[2] or match[3]).strip().lower().replace(" ", "_").replace("-", "_")
    kind = _KINDS.get(said, said)
    return [(kind, match[4].partition("|")[0])] if kind in RELATIONS else []


def _observation(parent: Imported, text: str, number: int) -> Imported:
    body = unbulleted(text)
    match = _OBSERVED.match(f"- {body}")
    kind = match[1].strip() if match else ""
    said = body[match.end() - 2 :] if match else body
    written = [tag for found in _TAG.findall(said.split("\n")[0]) for tag in found.split("#")]
    tags = [*parent.tags, *written]
    known = known_type(kind)
    tags += [] if known else ["-".join(kind.lower().split())]
    sentence = titled(_TAG.sub("", said.split("\n")[0]))
    return replace(
        parent,
        title=cut(sentence or parent.title),
        text=said,
        name=f"{kind}: {sentence}",
        description="",
        type=known or "insight",
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        importance=None,
        aliases=(f"{parent.file}:{number + 1}",),
        relations=(("related_to", parent.file),),
    )


FORMAT = Format("basic-memory", (), _is_it, read)
