"""Links between notes: found in text and written the way Obsidian does it.

Everything here takes time in proportion to the text, whatever the text is: a note of
nothing but brackets or backticks must not hold up a refresh.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

_WIKILINK = r"!?\[\[(?!\[)(?:[^\[\]\r\n]++|\[[^\[\]\r\n]*+\])++\]\]"
_LIST_MARK = r"(?:[-*+]|\d{1,9}[.)])[ \t]"
_FENCE_EDGE = re.compile(
    rf"^(?P<lead>(?:[ \t>]|{_LIST_MARK})*+)(?P<mark>`{{3,}}+|~{{3,}}+|\$\$)(?P<rest>.*)$"
    r"|\$\$[ \t\r]*$",
    re.MULTILINE,
)
_QUOTE = re.compile(r"^(?:[ \t]*+>.*\n?)++", re.MULTILINE)
_BLOCK_EDGE = re.compile(
    rf"^(?:(?:[ \t>\r]*+\n)++|[ \t>]*+(?:#{{1,6}}[ \t].*|{_LIST_MARK}|\|))", re.MULTILINE
)
_INLINE = re.compile(rf"\\.|{_WIKILINK}|(?P<run>`+|\${{2,}}|\$(?!\s))", re.DOTALL)
_CLOSER = re.compile(r"`+|(?<!\\)\${2,}|(?<![\s\\$])\$(?![\d$])")
_TOKEN = re.compile(
    rf"\\.|(?P<wiki>{_WIKILINK})|(?P<opener>!?\[)|(?P<closer>\])|(?P<gap>\n(?:[ \t\r>]*+\n)++)",
    re.DOTALL,
)
_DESTINATION = re.compile(
    r"\([ \t]*+(?:<(?P<angle>[^<>\r\n]*+)>|(?P<bare>(?:\\\S|[^\s()<>]|\([^\s()]*+\))++))"
    r"(?:[ \t]++(?:\"[^\"\r\n]*+\"|'[^'\r\n]*+'|\([^()\r\n]*+\)))?[ \t]*+\)"
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_BACKSLASHED = re.compile(r"\\([!-/:-@\[-`{-~])")

# A wide sign reads like the narrow one and means nothing to Markdown.
_HARMLESS = str.maketrans({"[": "(", "]": ")", "|": "/", "#": "＃", "^": "＾", "`": "'"})


@dataclass(frozen=True)
class Link:
    """A link as its author wrote it; whether it leads anywhere is asked of `names.Names`.

    target: the path before the first `#`, percent-decoded in Markdown links; "" is this note.
    subpath: what follows that `#`: `Heading`, `Heading#Deeper`, `^block`; or "".
    shown: the text shown instead of the target (of an image: its size), or "".
    line: counted from 1 in the text the link was found in.
    """

    target: str
    subpath: str
    shown: str
    embed: bool
    line: int


def in_text(text: str) -> list[Link]:
    """Return the links, embeds and local Markdown links of a body, in the order they begin.

    Code and math hold no links, `%% comments %%` do. Links to other places than the vault
    (any URL scheme, `//host`) are left out.
    """
    if "[[" not in text and "](" not in text:
        return []
    return [link for _, link in sorted(_found(text), key=lambda found: found[0])]


def in_value(text: str) -> Link | None:
    """Return the link that a frontmatter value consists of, or None if it is anything else."""
    value = text.strip()
    whole = (0, len(value))
    return next((link for span, link in _found(value) if span == whole and not link.embed), None)


def outside_code(text: str) -> str:
    """Return the text with all code and math blanked out, every other character in its place.

    Wikilinks win over code and math that begin inside them, as what begins first always does.
    """
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end in [*_fenced(text), (len(text), len(text))]:
        spans += _inline_spans(text, at, start)
        spans.append((start, end))
        at = end
    return _blanked(text, spans)


def relinked(text: str, to: Callable[[Link], str | None]) -> str:
    """Return the text with each link replaced by what `to` gives for it; None leaves it as it is.

    Of links inside one another the outer one counts.
    """
    pieces, at = [], 0
    for (start, end), link in sorted(_found(text), key=lambda found: found[0]):
        written = to(link) if start >= at else None
        if written is not None:
            pieces += [text[at:start], written]
            at = end
    return "".join([*pieces, text[at:]])


def wikilink(path: str, title: str, subpath: str = "") -> str:
    """Return the link to a note by its full path, or to a part of it, showing the title.

    Signs in the title that could end or bend a link give way to harmless ones. In the path they
    stay: no spelling of `a#b` or `a]]b` works in a wikilink, and a changed one would name
    another file. `.md` is left out, except after a dotted name such as `package.json.md`,
    which without it would mean the file `package.json`.
    """
    stem = path[:-3] if path.lower().endswith(".md") else path
    target = path if "." in posixpath.basename(stem) else stem
    target += f"#{subpath}" if subpath else ""
    shown = " ".join(re.sub("%%+", "%", title.translate(_HARMLESS)).split()).rstrip("\\ ")
    return f"[[{target}|{shown}]]" if shown else f"[[{target}]]"


def _found(text: str) -> Iterator[tuple[tuple[int, int], Link]]:
    """Yield each link with where it begins and ends."""
    plain = outside_code(text)
    newlines = [newline.start() for newline in re.finditer("\n", text)]
    opened: list[int] = []
    for token in _TOKEN.finditer(plain):
        at, end = token.span()
        link = None
        if token.lastgroup == "opener":
            opened.append(at)
        elif token.lastgroup == "gap":
            opened.clear()
        elif token.lastgroup == "wiki":
            link = _wiki(token[0], bisect_left(newlines, at) + 1)
        elif opened and token.lastgroup == "closer":
            at = opened.pop()
            if to := _DESTINATION.match(plain, end):
                # Links hold images alone; nested images would repeat their text without end.
                opened = [up for up in opened[-1:] if (plain[up], plain[at]) == ("[", "!")]
                link = _markdown(text[at:end], to, bisect_left(newlines, at) + 1)
                end = to.end()
        if link:
            yield (at, end), link


def _wiki(written: str, line: int) -> Link | None:
    inside = written.lstrip("!")[2:-2].replace("\\|", "|")
    path, _, shown = inside.partition("|")
    if not path.strip():
        return None
    target, _, subpath = path.partition("#")
    return Link(target.strip(), subpath.strip(), shown.strip(), written.startswith("!"), line)


def _markdown(bracketed: str, to: re.Match[str], line: int) -> Link | None:
    path = _BACKSLASHED.sub(r"\1", to["bare"] or to["angle"]).strip()
    if not path or _ELSEWHERE.match(path):
        return None
    embed = bracketed.startswith("!")
    target, _, subpath = path.partition("#")
    return Link(unquote(target), unquote(subpath), bracketed[1 + embed : -1].strip(), embed, line)


class _Fence(NamedTuple):
    start: int
    limit: int
    mark: str
    depth: int

    def closed_by(self, edge: re.Match[str]) -> bool:
        if self.mark == "$$":
            return edge[0].rstrip().endswith("$$")
        return (
            edge["mark"] is not None
            and edge["mark"].startswith(self.mark)
            and not edge["rest"].strip()
            and set(edge["lead"]) <= set(" \t>")
            and edge["lead"].count(">") == self.depth
        )

    def unclosed(self) -> list[tuple[int, int]]:
        return [] if self.mark == "$$" else [(self.start, self.limit)]


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of fenced code, which may lack its end, and of `$$` blocks, which may not."""
    quote_ends = [quote.end() for quote in _QUOTE.finditer(text)]
    opened: _Fence | None = None
    for edge in _FENCE_EDGE.finditer(text):
        if opened and edge.start() >= opened.limit:
            yield from opened.unclosed()
            opened = None
        if opened and opened.closed_by(edge):
            yield opened.start, edge.end()
            opened = None
        elif not opened or opened.mark == "$$":
            opened = _opening(edge, quote_ends) or opened
    yield from opened.unclosed() if opened else ()


def _opening(edge: re.Match[str], quote_ends: list[int]) -> _Fence | None:
    lead, mark, rest = edge["lead"], edge["mark"], edge["rest"]
    if mark is None or (mark[0] == "`" and "`" in rest) or (mark == "$$" and "$$" in rest):
        return None
    quoted = lead.lstrip().startswith(">")
    limit = quote_ends[bisect_right(quote_ends, edge.start())] if quoted else len(edge.string)
    return _Fence(edge.start(), limit, mark, lead.count(">"))


def _inline_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of inline code and math; none leaves its paragraph, list item or row."""
    if not _CLOSER.search(text, start, end):
        return
    edges = [at for edge in _BLOCK_EDGE.finditer(text, start, end) for at in edge.span()]
    for block in pairwise([start, *edges, end]):
        yield from _inline(text, *block)


def _inline(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans within one block; a sign that nothing closes is plain text."""
    ends: dict[str, list[int]] = defaultdict(list)
    for run in _CLOSER.finditer(text, start, end):
        ends[run[0]].append(run.end())
    at = start
    while ends and (token := _INLINE.search(text, at, end)):
        at = token.end()
        closing = ends[token["run"]] if token["run"] else []
        following = bisect_right(closing, at)
        if following < len(closing):
            at = closing[following]
            yield token.start(), at


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += [text[at:start], re.sub(r"[^\r\n]", " ", text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])
