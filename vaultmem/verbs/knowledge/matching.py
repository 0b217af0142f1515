"""Finding the lines that a regular expression fits, in time that grows with the text alone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

from vaultmem.vault.together import read_together
from vaultmem.verbs.knowledge.asking import known
from vaultmem.verbs.knowledge.places import Spot, spots
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import BadInput
from vaultmem.words.facts import Facts
from vaultmem.words.hit import tokens
from vaultmem.words.note import body_of
from vaultmem.words.outside import Match, Matches

LONGEST_PATTERN = 1000
MOST_TIMES = 2000
"""How often the parts of a pattern may be written out, all counts together."""
MOST_MATCHES = 200
MOST_CONTEXT = 10
LONGEST_LINE = 400
SECONDS = 5.0
MEMORY = 8 << 20
"""Bytes that a compiled pattern may take."""

_TIMES = re.compile(r"(?<=[{,])[0-9]{1,9}(?=\})")


def match(
    parts: Parts, pattern: str, source: str = "", context: int = 0, budget: int = 0
) -> Matches:
    """Return the lines of one source, or of all, that a pattern is found in.

    A pattern that begins with `(?i)` tells no case apart. Lines are counted as in the note.

    Raises:
        BadInput: the pattern or the context cannot be used.
    """
    compiled = compiled_pattern(pattern)
    if not 0 <= context <= MOST_CONTEXT:
        raise BadInput(f"context {context} is not from 0 to {MOST_CONTEXT}.")
    chosen = [known(parts, source)[0]] if source else list(spots(parts))
    end = time.monotonic() + SECONDS
    left = budget or parts.vault.config.remember_tokens
    matches: list[Match] = []
    number = 0
    for number, (facts, data) in enumerate(_texts(chosen), 1):
        if time.monotonic() > end:
            note = f"Only {number} of {len(chosen)} documents were looked through in time."
            return Matches(tuple(matches), number, note)
        if not compiled.search(data):
            continue
        for one in _of(facts, data, compiled, context):
            left -= tokens("".join((one.text, *one.before, *one.after))) + 10
            if left < 0 or len(matches) >= MOST_MATCHES:
                note = "There are more: name a source, or take a narrower pattern or more budget."
                return Matches(tuple(matches), number, note)
            matches.append(one)
    return Matches(tuple(matches), number)


def _texts(chosen: list[Spot]) -> Iterator[tuple[Facts, bytes]]:
    """Yield the sources that can be read, each with its file's bytes."""
    for place in {id(spot.place.vault): spot.place for spot in chosen}.values():
        facts = place.sidecar.snapshot.facts
        paths = sorted(spot.path for spot in chosen if spot.place.vault is place.vault)
        most = place.vault.largest(paths[0])
        for path, data in read_together(place.vault.root, paths, most):
            yield facts[path], data


def compiled_pattern(pattern: str) -> Any:
    """Return a pattern ready to use on bytes.

    Raises:
        BadInput: it is empty, too long, or no pattern that can be matched in linear time.
    """
    import re2

    if not pattern or len(pattern) > LONGEST_PATTERN:
        raise BadInput(f"A pattern has 1 to {LONGEST_PATTERN:,} characters.")
    if sum(map(int, _TIMES.findall(pattern))) > MOST_TIMES:
        raise BadInput(f"The counts in braces come to more than {MOST_TIMES:,}. Use `*` or `+`.")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    try:
        return re2.compile(f"(?m){pattern}".encode(), options)
    except (re2.error, UnicodeEncodeError) as error:
        raise BadInput(
            f"The pattern cannot be used ({error}). It is an RE2 pattern: no look-around, no "
            "references to groups."
        ) from None


def _of(facts: Facts, data: bytes, compiled: Any, context: int) -> Iterator[Match]:
    """Yield the lines of a source that fit, each once."""
    begin, body = body_of(data)
    lines = body.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines):
        if compiled.search(line.encode("utf-8", "replace")):
            yield Match(
                title=facts.title,
                origin=facts.origin,
                path=facts.path,
                line=begin + number,
                text=line[:LONGEST_LINE],
                before=tuple(
                    text[:LONGEST_LINE] for text in lines[max(number - context, 0) : number]
                ),
                after=tuple(
                    text[:LONGEST_LINE] for text in lines[number + 1 : number + 1 + context]
                ),
            )
