"""Searching and reading sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from vaultmem.documents.extracting.extractor import Extractor
from vaultmem.documents.web_address import is_web
from vaultmem.verbs.knowledge.places import Spot, by_origin, found, of_origin, places
from vaultmem.verbs.knowledge.taking import AT_ONCE, embedded, indexed, origin_of, take, taken
from vaultmem.verbs.living import count_uses
from vaultmem.verbs.parts import Parts
from vaultmem.verbs.remember import answered
from vaultmem.words.errors import BadInput, NotFound, VaultmemError
from vaultmem.words.hit import Answer, Hit, tokens
from vaultmem.words.links import outside_code
from vaultmem.words.opening import KEY
from vaultmem.words.outside import Reading, Taken
from vaultmem.words.question import CONFIDENCES, Question
from vaultmem.words.times import parsed

BUDGET = 2000
"""Tokens of a page of a source, unless another budget is asked for."""
LEAST_BUDGET = 20


def search(parts: Parts, query: str, source: str = "", budget: int = 0, limit: int = 5) -> Answer:
    """Return the passages of outside documents that answer, of one source or of all.

    A source that is new or has changed is taken in on the spot.
    """
    question = Question(query, limit=limit, include="knowledge", budget_tokens=budget)
    if not source:
        _freshened(parts)
        return everywhere(parts, question)
    spot, note = known(parts, source)
    answer = answered(spot.place, replace(question, paths=(spot.path,)))
    return replace(answer, note=" ".join(part for part in (answer.note, note) if part))


def everywhere(parts: Parts, question: Question) -> Answer:
    """Return what the vault and the shelf answer, as one: surest first, then by score."""
    answers = []
    for place in places(parts):
        if place.vault is not parts.vault:
            question = replace(question, include="knowledge")
        answers.append(answered(place, question))
    hits = list(answers[0].hits)
    for answer in answers[1:]:
        hits = _fitting(_merged(hits, list(answer.hits)), question, parts)[: question.limit]
    notes = dict.fromkeys(answer.note for answer in answers if answer.note)
    dropped = sum(len(answer.hits) + answer.dropped for answer in answers) - len(hits)
    return Answer(tuple(hits), min(dropped, question.limit), " ".join(notes))


def remember(parts: Parts, question: Question) -> Answer:
    """Return what answers of outside documents, and of the memory if that is asked for too."""
    question.check()
    _freshened(parts)
    answer = everywhere(parts, question)
    count_uses(parts, [hit for hit in answer.hits if not hit.origin])
    return answer


def _merged(ours: list[Hit], others: list[Hit]) -> list[Hit]:
    """Return two rankings as one; each keeps its order, and what a person confirmed its place."""
    found: list[Hit] = []
    while ours and others:
        sure = ours[0].label.startswith("CONFIRMED") or _weight(ours[0]) >= _weight(others[0])
        found.append((ours if sure else others).pop(0))
    return [*found, *ours, *others]


def _weight(hit: Hit) -> tuple[int, float]:
    return CONFIDENCES.index(hit.confidence), hit.score


def _fitting(hits: list[Hit], question: Question, parts: Parts) -> list[Hit]:
    left = question.budget_tokens or parts.vault.config.remember_tokens
    kept = []
    for hit in hits:
        left -= tokens(hit.text + hit.title + hit.path) + 20
        if left < 0:
            break
        kept.append(hit)
    return kept


def known(parts: Parts, source: str) -> tuple[Spot, str]:
    """Return a source as it is now, and what there is to know of it.

    It may be named by what `list` shows, or be a file or an address that is taken in now.
    """
    try:
        spot = found(parts, source)
    except NotFound as unknown:
        if not is_web(source) and not _is_file(parts, source):
            raise
        try:
            origin = origin_of(parts, source)
        except NotFound:
            raise unknown from None
    else:
        origin = spot.facts.origin
        if not origin or origin.startswith(KEY):
            return spot, ""
    try:
        done = take(parts, origin)
    except VaultmemError as error:
        old = of_origin(parts, origin)
        if old is None:
            raise
        return old, f"This is the text of {old.facts.fetched}. {error}"
    now = of_origin(parts, origin)
    if now is None:
        raise NotFound(f"source {source!r}")
    return now, done.note


def _is_file(parts: Parts, source: str) -> bool:
    try:
        return (parts.access.folder / Path(source.removeprefix("file://")).expanduser()).exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _freshened(parts: Parts) -> None:
    """Take in anew the files that changed since they were taken in."""
    known = by_origin(parts)
    changed = [origin for origin, found in known.items() if any(map(_is_newer, found))]
    if not changed:
        return
    done: list[Taken] = []
    with Extractor(parts.access.bounds) as extractor:
        for origin in changed:
            try:
                done.append(taken(parts, origin, extractor, known))
            except VaultmemError:
                continue  # what is known of it answers, with its date
    indexed(parts, done)
    embedded(parts, AT_ONCE)


def _is_newer(spot: Spot) -> bool:
    """Return whether a file was written since its text was taken, or in that very second."""
    facts = spot.facts
    when = parsed(facts.fetched, spot.place.vault.zone)
    if not facts.origin.startswith("/") or when is None:
        return False
    try:
        return Path(facts.origin).stat().st_mtime >= when.timestamp() - 1
    except OSError:
        return False


def read(
    parts: Parts, source: str, heading: str = "", lines: str = "", page: int = 1, budget: int = 0
) -> Reading:
    """Return a source, a section or some lines of it: one page of it, as long as the budget.

    Raises:
        BadInput: there is no such section, line or page.
    """
    spot, note = known(parts, source)
    begin, body = spot.place.vault.lines(spot.path)
    while body and not body[-1].strip():
        body.pop()
    first, last = _span(body, begin, heading, lines)
    wanted = body[first - begin : last - begin + 1]
    pages = list(_pages(wanted, first, budget or BUDGET))
    if not 1 <= page <= len(pages):
        raise BadInput(f"There are {len(pages)} pages of it; page {page} is none of them.")
    start, end, text = pages[page - 1]
    facts = spot.facts
    return Reading(
        title=facts.title,
        origin=facts.origin,
        path=spot.path,
        fetched=facts.fetched,
        lines=(start, end),
        page=page,
        pages=len(pages),
        text=text,
        note=note,
    )


def _span(body: list[str], begin: int, heading: str, lines: str) -> tuple[int, int]:
    if lines:
        return _lines(lines, begin, begin + len(body) - 1)
    if heading:
        start, end = section(body, heading)
        return begin + start, begin + end - 1
    return begin, begin + max(len(body), 1) - 1


def _lines(said: str, least: int, most: int) -> tuple[int, int]:
    first, _, last = said.replace(":", "-").partition("-")
    try:
        start, end = int(first), int(last or first)
    except ValueError:
        raise BadInput(f"lines {said!r} is no span such as 10-40.") from None
    if start > end or end < least or start > most:
        raise BadInput(f"Its text is lines {least} to {most}; {said} is none of them.")
    return max(start, least), min(end, most)


def section(body: list[str], heading: str) -> tuple[int, int]:
    """Return where a section begins and where the next of its level does, counted from 0.

    The last words of a path of headings with ` > ` between are enough.

    Raises:
        BadInput: no section is called so, or several are; the message lists what there is.
    """
    wanted = heading.split(" > ")[-1].strip().strip("#").strip().casefold()
    plain = outside_code("\n".join(body)).split("\n")
    heads = [
        (number, len(line) - len(line.lstrip("#")), line.strip("# ").strip())
        for number, line in enumerate(plain)
        if line.startswith("#") and line.lstrip("#")[:1] == " "
    ]
    tests: list[Callable[[str], bool]] = [
        lambda title: title.casefold() == wanted,
        lambda title: wanted in title.casefold(),
    ]
    for fits in tests:
        if here := next((head for head in heads if fits(head[2])), None):
            end = next((n for n, level, _ in heads if n > here[0] and level <= here[1]), len(body))
            return here[0], end
    listed = "; ".join(title for _, _, title in heads[:40]) or "none"
    raise BadInput(f"It has no section {heading!r}. Its headings: {listed}.")


def _pages(wanted: list[str], first: int, budget: int) -> list[tuple[int, int, str]]:
    """Return lines cut into pages that each fit a budget; a longer line is cut."""
    most = max(budget, LEAST_BUDGET) * 4
    pages: list[tuple[int, int, str]] = []
    held: list[tuple[int, str]] = []
    size = 0
    for number, line in enumerate(wanted, first):
        for piece in _pieces(line, most - len("\n> ")):
            length = len(piece.encode("utf-8", "replace")) + len("\n> ")
            if held and size + length > most:
                pages.append(_page(held))
                held, size = [], 0
            held.append((number, piece))
            size += length
    return [*pages, _page(held or [(first, "")])]


def _page(held: list[tuple[int, str]]) -> tuple[int, int, str]:
    return held[0][0], held[-1][0], "\n".join(text for _, text in held)


def _pieces(line: str, most: int) -> list[str]:
    data = line.encode("utf-8", "replace")
    if len(data) <= most:
        return [line]
    found, at = [], 0
    while at < len(data):
        piece = data[at : at + most].decode("utf-8", "ignore")
        found.append(piece)
        at += len(piece.encode("utf-8")) or most
    return found
