"""A wish, checked before anything is touched."""

from __future__ import annotations

import re
from datetime import UTC
from typing import NamedTuple
from unicodedata import east_asian_width

from vaultmem.words.errors import BadInput
from vaultmem.words.frontmatter import Written
from vaultmem.words.life import relation_named, type_named
from vaultmem.words.safe import defused
from vaultmem.words.secrets import refuse_secrets
from vaultmem.words.times import bounds
from vaultmem.words.wish import Wish

TITLE = (5, 200)
CONTENT = (10, 10_000)
MOST_TAGS, LONGEST_TAG = 10, 50
MOST_FILES, MOST_RELATIONS = 20, 20
LONGEST_RELATION = 1000
LONGEST_DESCRIPTION = 300
LONGEST_SAID = 500
"""Characters of a quote, or of a why, that are kept."""
SOURCES = ("agent_inferred", "user_confirmed")


def checked(wish: Wish) -> tuple[dict[str, Written], str | None]:
    """Return the properties that a wish sets and its body, all of it checked.

    Raises:
        BadInput: a part cannot be used. SecretFound: it holds a credential.
    """
    keys: dict[str, Written] = {}
    if wish.title is not None:
        keys["title"] = _measured(" ".join(wish.title.split()), "title", *TITLE)
    if wish.description is not None:
        keys["description"] = _described(wish.description)
    if wish.type is not None:
        keys["type"] = type_named(wish.type)
    if wish.source is not None:
        keys["source"] = _source(wish.source)
    if wish.importance is not None:
        keys["importance"] = _importance(wish.importance)
    if wish.tags is not None:
        keys["tags"] = _tags(wish.tags)
    if wish.files is not None:
        keys["files"] = _files(wish.files)
    keys |= _span(wish)
    said = {"quote": wish.quote, "why": wish.why}
    keys |= {
        key: defused(" ".join(text.split()))[:LONGEST_SAID] for key, text in said.items() if text
    }
    _check_relations(wish.relates)
    body = None
    if wish.content is not None:
        body = defused(_measured(wish.content.strip(), "content", *CONTENT))
    refuse_secrets(*_texts(wish))
    return keys, body


def _span(wish: Wish) -> dict[str, Written]:
    """Return from when until when a wish says that it holds."""
    said = {"valid_from": wish.valid_from, "valid_until": wish.valid_until}
    keys: dict[str, Written] = {key: text.strip() for key, text in said.items() if text}
    ends = [bounds(str(text), UTC) for text in keys.values()]
    if len(ends) == 2 and ends[0][0] >= ends[1][1]:
        raise BadInput(f"valid_until {wish.valid_until} is before valid_from {wish.valid_from}.")
    return keys


def _check_relations(texts: tuple[str, ...]) -> None:
    if len(texts) > MOST_RELATIONS:
        raise BadInput(f"A memory has at most {MOST_RELATIONS} relations at once.")
    if any(len(text) > LONGEST_RELATION for text in texts):
        raise BadInput(f"A relation has at most {LONGEST_RELATION:,} characters.")


def _described(text: str) -> str:
    return defused(_measured(" ".join(text.split()), "description", 0, LONGEST_DESCRIPTION))


def _texts(wish: Wish) -> tuple[str, ...]:
    plain = (wish.title, wish.content, wish.description, wish.quote, wish.why)
    listed = (*(wish.tags or ()), *(wish.files or ()), *wish.relates)
    return (*(text for text in plain if text), *listed)


def _measured(text: str, what: str, least: int, most: int) -> str:
    wide = sum(east_asian_width(sign) in "WF" for sign in text)  # one says as much as two letters
    if len(text) + wide < least or len(text) > most:
        raise BadInput(
            f"The {what} has {len(text)} characters; it must have {least} to {most:,}. "
            "One memory states one fact: split a long one, say more in a short one."
        )
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text)


def _source(source: str) -> str:
    if source not in SOURCES:
        raise BadInput(
            f"`source` is {' or '.join(SOURCES)}, not {source!r}. Only a person approves a note: "
            "in an editor or by review."
        )
    return source


def _importance(value: float) -> float:
    if not 0 <= value <= 1:
        raise BadInput(f"importance {value} is not from 0 to 1.")
    return round(value, 4)


def _tags(tags: tuple[str, ...]) -> list[str]:
    cleaned = [re.sub(r"[\s#,]+", "-", tag.strip().lstrip("#")).strip("-") for tag in tags]
    unique = list(dict.fromkeys(tag for tag in cleaned if tag))
    if len(unique) > MOST_TAGS:
        raise BadInput(f"A memory has at most {MOST_TAGS} tags; this has {len(unique)}.")
    if any(len(tag) > LONGEST_TAG for tag in unique):
        raise BadInput(f"A tag has at most {LONGEST_TAG} characters.")
    return unique


def _files(files: tuple[str, ...]) -> list[str]:
    unique = list(dict.fromkeys(" ".join(name.split()) for name in files if name.strip()))
    if len(unique) > MOST_FILES or any(len(name) > 500 for name in unique):
        raise BadInput(f"A memory names at most {MOST_FILES} files of up to 500 characters each.")
    return unique


_RELATES = re.compile(r"\s*([\w -]+?)\s*:\s*(.+?)(?:\s+because\s+(.+))?\s*", re.DOTALL)


class Relates(NamedTuple):
    """One relation as a caller said it."""

    kind: str
    ref: str
    why: str


def relates(text: str) -> Relates:
    """Return the relation that a text such as `supersedes: k7f3q9xa because it changed` means.

    Raises:
        BadInput: it has another form, or names no kind of relation.
    """
    match = _RELATES.fullmatch(text)
    if not match:
        raise BadInput(
            f"{text!r} is no relation. Write `kind: note` or `kind: note because why`, such as "
            "`supersedes: k7f3q9xa because the limit changed`."
        )
    why = defused(" ".join((match[3] or "").split()))[:500]
    return Relates(relation_named(match[1]), match[2], why)


def first_sentence(body: str) -> str:
    """Return the first sentence of a text, for a catalogue line."""
    line = next((line.strip() for line in body.splitlines() if line.strip()), "")
    plain = re.sub(r"^[#>*\-\s]+", "", line)
    match = re.match(r".{20,160}?[.!?。！？](?=\s|$)", plain)
    return match.group() if match else (plain if len(plain) <= 160 else plain[:157] + "...")
