"""Hostile text: what may reach a terminal or a model, and what may reach Obsidian.

Both functions leave ordinary text as it is, and what they change stays readable.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from itertools import groupby

_UNSHOWABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but line break and tab, DEL, C1
    r"\u2028\u2029"  # line breaks that not every reader sees as one
    r"\u202a-\u202e\u2066-\u2069"  # bidi overrides and isolates
    r"\U000e0000-\U000e007f"  # tags: letters that only a model reads
    r"\ud800-\udfff]"
)

_WIDTHLESS = re.compile("[\u00ad\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]{2,}")
_LABEL = re.compile(r"\[(?=\s*(?:CONFIRMED|IMPORTED|INFERRED|PENDING|OUTSIDE)\b)", re.IGNORECASE)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LEAD = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\s]{1,99}\]:)[ \t>]+)*"  # quotes, lists, footnotes
_FENCE = re.compile(
    rf"(?P<lead>{_LEAD})(?P<mark>`{{3,}}(?=[^`]*$)|~{{3,}})(?P<info>[^\r\n]*)(?P<end>[\r\n]*)$"
)
_RUNS = re.compile(
    r"[ \t{.]*(?:dataviewjs|datacore[jt]sx?|js-engine|templater|meta-bind|run-|runner-|\w+-runner"
    r"|execute-code|jsx:|customjs|button\b|shell-commands?\b)|.*\brunjs\b",
    re.IGNORECASE,
)
_TASKS = re.compile(r"[ \t{.]*tasks\b", re.IGNORECASE)
_BY_FUNCTION = re.compile(r"\bby[\s\\>]+function|\{\{", re.IGNORECASE)

_PLAIN_LEAD = re.compile(r"(?: {0,3}>)* {0,3}")
_UNSURE = re.compile(rf"{_LEAD}<(?:[a-z/][\w-]*(?:[\s/<>]|$)|[!?])|.*(?:%%|\$\$)", re.IGNORECASE)
_NO_SPANS = re.compile(r"\\$|<[a-z/!?]|\$|%%|\[\[|\]\(", re.IGNORECASE)
_SIMPLE_LINK = re.compile(r"\]\([^()\s]*\)")
_TICKS = re.compile(r"`+")

_QUERY = re.compile(r"(?<!`)(`+[^\S\r\n]*(?:[\r\n][\s>]*)?)(?=\$=|=(?![=>`~]))")
_QUERY_AT_START = re.compile(rf"\A{_QUERY.pattern}")
_TAG = re.compile(r"<(?=(?:script|iframe)(?:[\s/<>]|$))", re.IGNORECASE)
_ANCHOR = re.compile(r"<(?=a[\s/<])", re.IGNORECASE)
_TARGET = re.compile(  # never beyond the next link
    r"\]\(([\s>]*)(<(?:(?!\]\()[^<>\r\n])*>|(?:(?!\]\()[^\s()]|\([^\s()]*\))*)"
)
_DEFINITION = re.compile(r"(\]:[\s>]*)(<[^<>\r\n]*>|(?:(?!\]:)[^\s<>`])+)")
_AUTOLINK = re.compile(r"([^ \t\r\n<]?)<((?:obsidian|javascript):[^\x00-\x20<>]*)>", re.IGNORECASE)
_ACTIVE = re.compile(r"(?:obsidian|javascript):", re.IGNORECASE)
_ACTIVE_VALUE = re.compile(rf"""=["']?{_ACTIVE.pattern}""", re.IGNORECASE)


class Kind(Enum):
    """What a line of markdown is, as far as it can be known."""

    SPARED = auto()  # certainly code, or blank
    PROSE = auto()
    DOUBTFUL = auto()  # prose, or code that Obsidian may read as prose


def shown(text: str) -> str:
    """Return the text with what a terminal obeys or a reader cannot see written as escapes.

    A Windows line ending becomes a plain one; any other carriage return is an escape.
    """
    return _UNSHOWABLE.sub(_escape, text.replace("\r\n", "\n"))


def titled(text: str) -> str:
    """Return a title as it stands in an answer: one line, without signs that have no width, and
    with nothing in it that reads like the label of a hit.
    """
    line = " ".join(_WIDTHLESS.sub("", text).split())
    return _LABEL.sub("(", line.replace("**", ""))


def quoted(text: str, indent: str = "") -> str:
    """Return a text of somebody's, each line of it marked, so that it cannot end by itself."""
    return "\n".join(f"{indent}> {line}".rstrip() for line in text.splitlines())


def defused(text: str) -> str:
    """Return the text with what Obsidian or its plugins would run made inert.

    - `<%` becomes `< %`, everywhere: Templater looks into code too.
    - A code fence in a language that a plugin runs becomes a `text` fence.
    - Inline code that starts with `=` or `$=` gets a backslash there. Dataview skips blanks.
    - `<script` and `<iframe` become `&lt;script` and `&lt;iframe`.
    - A link to `obsidian:` or `javascript:` shows its target as code: [here] (`obsidian://x`).

    Code is spared the last three where it is certain that Obsidian, too, sees code. Doing it
    twice is doing it once.
    """
    text = _with_tame_fences(text.replace("<%", "< %"))
    return "".join(
        piece if kind is Kind.SPARED else _inert(piece, sure=kind is Kind.PROSE)
        for kind, piece in _pieces(text)
    )


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _with_tame_fences(text: str) -> str:
    """Rename the fences that a plugin runs, wherever they stand, even inside another fence."""
    by_function = max((match.start() for match in _BY_FUNCTION.finditer(text)), default=-1)
    lines = []
    for found in _LINE.finditer(text):
        fence = _FENCE.match(found[0])
        if fence and _is_run(fence["info"], with_function=by_function > found.start()):
            lines.append(f"{fence['lead']}{fence['mark']}text{fence['end']}")
        else:
            lines.append(found[0])
    return "".join(lines)


def _is_run(info: str, *, with_function: bool) -> bool:
    info = _unescaped(info)
    return bool(_RUNS.match(info) or (with_function and _TASKS.match(info)))


def _pieces(text: str) -> Iterator[tuple[Kind, str]]:
    """Yield the text in pieces: code fences and blank lines, and each paragraph."""
    kinds = _kinds(_LINE.findall(text))
    for spared, group in groupby(kinds, key=lambda pair: pair[0] is Kind.SPARED):
        found, lines = zip(*group, strict=True)
        doubtful = not spared and Kind.DOUBTFUL in found
        yield Kind.DOUBTFUL if doubtful else found[0], "".join(lines)


def _kinds(lines: Iterable[str]) -> Iterator[tuple[Kind, str]]:
    """Yield each line with its kind.

    Fences in lists, and whatever follows raw HTML, comments, math, frontmatter or a fence that
    ends without its mark, Obsidian may read in another way: from there on all is doubtful.
    """
    fence: re.Match[str] | None = None
    sure = True
    for number, line in enumerate(lines):
        if fence is not None and (closed := _closes(fence, line)) | _continues(fence, line):
            fence = None if closed else fence
            yield Kind.SPARED, line
            continue
        sure = sure and fence is None and not (number == 0 and line.startswith("---"))
        fence = _FENCE.match(line)
        sure = sure and (_opens_plainly(fence) if fence else not _UNSURE.match(line))
        fence = fence if sure else None
        spared = fence is not None or not line.strip(" \t\r\n")
        yield Kind.SPARED if spared else Kind.PROSE if sure else Kind.DOUBTFUL, line


def _opens_plainly(fence: re.Match[str]) -> bool:
    in_table = "|" in fence["info"]
    return not in_table and _PLAIN_LEAD.fullmatch(fence["lead"]) is not None


def _closes(fence: re.Match[str], line: str) -> bool:
    mark = rf"{fence['mark'][0]}{{{len(fence['mark'])},}}"
    return re.match(rf"{_prefix(fence, 3)}{mark}[ \t]*[\r\n]*$", line) is not None


def _continues(fence: re.Match[str], line: str) -> bool:
    """Return whether the line is inside, and no reader could take it for the end."""
    rest = line.lstrip(" \t>").rstrip()
    if rest.startswith(fence["mark"]) and not rest.strip(fence["mark"][0]):
        return False
    return (
        re.match(rf"{_prefix(fence, None)}|{_prefix(fence, 0, 0)}[ \t]*[\r\n]*$", line) is not None
    )


def _prefix(fence: re.Match[str], most: int | None, least: int | None = None) -> str:
    """Return a pattern for the quote marks of the fence, and as many blanks or more."""
    *quotes, blanks = fence["lead"].split(">")
    own = len(blanks) if len(blanks) > 1 or not quotes else 0  # one blank belongs to the mark
    own = own if least is None else least
    marks = "".join(f" {{{len(outer)},3}}>" for outer in quotes[:1]) + " {0,3}>" * len(quotes[1:])
    return f"{marks} {{{own},{'' if most is None else most}}}"


def _inert(paragraph: str, *, sure: bool) -> str:
    linked = "".join(
        piece if is_code else _without_links_and_tags(piece)
        for is_code, piece in _spans(paragraph, sure=sure)
    )
    return "".join(
        _QUERY_AT_START.sub(r"\1\\", piece) if is_code else _QUERY.sub(r"\1\\", piece)
        for is_code, piece in _spans(linked, sure=sure)
    )


def _spans(paragraph: str, *, sure: bool) -> list[tuple[bool, str]]:
    """Return the paragraph in pieces, inline code or not; one piece if any of it is uncertain."""
    pieces: list[tuple[bool, str]] = []
    at = 0
    for start, end in _pairs(paragraph) if sure else []:
        pieces += [(False, paragraph[at:start]), (True, paragraph[start:end])]
        at = end
    pieces.append((False, paragraph[at:]))
    if any("|" in piece if is_code else _is_unsure(piece) for is_code, piece in pieces):
        return [(False, paragraph)]
    return pieces


def _pairs(paragraph: str) -> list[tuple[int, int]]:
    """Return where code begins and ends, or nothing unless all backticks pair off in their line."""
    pairs = []
    for line in _LINE.finditer(paragraph):
        ticks = _TICKS.finditer(paragraph, line.start(), line.end())
        for opening in ticks:
            closing = next((run for run in ticks if run[0] == opening[0]), None)
            if closing is None:
                return []
            pairs.append((opening.start(), closing.end()))
    return pairs


def _is_unsure(text: str) -> bool:
    """Return whether text holds a mark that might make the code after it something else."""
    return _NO_SPANS.search(_SIMPLE_LINK.sub("", text)) is not None


def _without_links_and_tags(text: str) -> str:
    text = _TAG.sub("&lt;", text)
    if _ACTIVE_VALUE.search(_url(text)):
        text = _ANCHOR.sub("&lt;", text)
    text = _TARGET.sub(lambda match: _told(match, f"] {match[1]}(", ""), text)
    text = _DEFINITION.sub(lambda match: _told(match, f"{match[1]}(", ")"), text)
    return _AUTOLINK.sub(lambda match: _told(match, f"{match[1]} (".lstrip(" "), ")"), text)


def _told(match: re.Match[str], before: str, after: str) -> str:
    """Return the link with its target as code, if its target does anything but show a page."""
    target = match[2].strip("<>").replace("`", "'")
    return f"{before}`{target}`{after}" if _ACTIVE.match(_url(target)) else match[0]


def _unescaped(text: str) -> str:
    """Return what markdown reads in a fence's info or a link's target."""
    return re.sub(r"\\(?=[^\w\s])", "", html.unescape(text))


def _url(target: str) -> str:
    """Return what a browser reads, which skips blanks and controls."""
    return re.sub(r"[\x00-\x20]+", "", _unescaped(target))
