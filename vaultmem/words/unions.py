"""A log after git merged it as union: in order of time, each entry once, one head above all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from vaultmem.words.entry import parse, without_targets
from vaultmem.words.links import in_text
from vaultmem.words.times import parsed

There = Callable[[str], bool]
"""Tells whether a link's target is there."""
_DECISION = re.compile(r"- (\d{4}-\d\d-\d\dT\S+) \*\*[^*]+\*\* · decision · .*")
_KEY = re.compile(r"([a-z_]+): .*")
_FENCE = "---"


def merged(lines: list[str], there: There = lambda _: True) -> list[str]:
    """Return a log's lines after a union merge: by time, no entry twice.

    Two lines that differ in link targets alone are one entry, in which a rename was written on one
    side; the one stays whose links lead somewhere. A line that is no entry stays behind the entry
    it followed; what stands before the first entry stays first. Of two heads, which a month that
    both sides began has, one is left, with the earlier time.
    """
    head, rest = _headed(lines)
    blocks: dict[str, list[tuple[float, str, list[str]]]] = {}
    behind = head
    for line in rest:
        moment = _moment(line)
        if moment is None:
            behind.append(line)
        else:
            behind = []
            blocks.setdefault(without_targets(line), []).append((moment, line, behind))
    ordered = sorted(blocks.values(), key=lambda variants: variants[0][0])
    return [*head, *(line for variants in ordered for line in _one(variants, there))]


def _one(variants: list[tuple[float, str, list[str]]], there: There) -> Iterator[str]:
    """Yield the best of an entry's lines, and once what stood behind each."""
    yield _best([line for _, line, _ in variants], there)
    for behind in dict.fromkeys(tuple(lines) for _, _, lines in variants):
        yield from behind


def _best(variants: list[str], there: There) -> str:
    if len(set(variants)) == 1:
        return variants[0]
    return min(variants, key=lambda line: (_dead(line, there), line))


def _dead(line: str, there: There) -> int:
    return sum(not there(link.target) for link in in_text(line) if link.target)


def _moment(line: str) -> float | None:
    """Return when an entry or a decision was written, None if a line is neither."""
    entry = parse(line)
    decision = None if entry else _DECISION.fullmatch(line.rstrip())
    if not entry and not decision:
        return None
    moment = parsed(entry.time if entry else decision[1] if decision else "")
    return moment.timestamp() if moment else 0.0


def _headed(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the properties at the top with their fences, and all other lines but a second head."""
    end = lines.index(_FENCE, 1) + 1 if lines[:1] == [_FENCE] and _FENCE in lines[1:] else 0
    head, rest = lines[:end], lines[end:]
    keys = {match[1] for line in head if (match := _KEY.fullmatch(line))}
    strays = list(_strays(rest, keys))
    gone = {at for first, last in strays for at in range(first, last)}
    again = [rest[at] for at in sorted(gone)]
    kept = [line for at, line in enumerate(rest) if at not in gone]
    return _one_head(head, again), kept


def _strays(lines: list[str], keys: set[str]) -> Iterator[tuple[int, int]]:
    """Yield where what is left of another head begins and ends."""
    first = None
    for at, line in enumerate(lines):
        match = _KEY.fullmatch(line)
        if match and match[1] in keys:
            first = at if first is None else first
        elif line == _FENCE and first is not None:
            opened = first - 1 if first and lines[first - 1] == _FENCE else first
            yield opened, at + 1
            first = None
        elif line != _FENCE:
            first = None


def _one_head(head: list[str], again: list[str]) -> list[str]:
    """Return a head in which `created` stands once, as the earliest that it was."""
    times = sorted(line for line in (*head, *again) if line.startswith("created: "))
    places = [at for at, line in enumerate(head) if line.startswith("created: ")]
    if len(times) < 2 or not places:
        return head
    kept = [line for at, line in enumerate(head) if at not in places[1:]]
    kept[places[0]] = times[0]
    return kept
