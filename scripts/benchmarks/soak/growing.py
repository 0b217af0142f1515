"""Own readers of text, timed while the text grows: twice as much may take twice as long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, at_most, told

SIGNS = (
    *("[", "[[", "![[", "[[a|", "](", "[](", "![ [", "[^", "`", "` ", "```\n", "~~~\n\n", "~~~a\n"),
    *(
        "*",
        "**",
        "_",
        "__a",
        ">",
        "> ",
        "> > ",
        "- ",
        "- - ",
        "1. ",
        "\t- ",
        "|",
        "|a",
        "|a\n",
        "|-",
    ),
    *(
        "#",
        "# ",
        "# a\n",
        "## \n\n",
        "---\n",
        "---",
        "...\n",
        "===\n",
        "\n",
        " ",
        "\t",
        "\r",
        "\r\n",
    ),
    *("<", "<a ", "<!--", "<!-- vaultmem:catalogue -->\n", "<%", "&", "&#", "\\", "\\[", "\\\\("),
    *(
        "$",
        "$$\n",
        "$a ",
        "%%",
        "%% \n",
        "::",
        "a:: ",
        "a: ",
        "a:\n",
        "- a: b\n",
        ": ",
        "key: &a *a\n",
    ),
    *(
        "a",
        "a ",
        "A",
        "aA",
        "a.",
        "a-",
        "a_",
        "a/",
        "0",
        "0.",
        "0-",
        "1,",
        "9:",
        "v1.",
        "#a",
        "@a ",
    ),
    *("not ", "no. ", "\u0e01", "\u0e01 ", "\u6c34", "\u6c34\u3002", "\uac00", "e\u0301", "\u0301"),
    *("\u200d", "\U0001f469\u200d", "\U0001f1f9", "\u202e", "\u0e33", "\u1100", "\xad", "\ufeff"),
    *("<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "||||||| c\n", "<<<<<<< a\n=======\n>>>>>>> b\n"),
    *(
        "password=",
        "key: ",
        "AKIA",
        "sk-",
        "eyJ.",
        "-----BEGIN ",
        "token = '",
        "https://",
        "a@b.c ",
    ),
    *("^lc-", " \u00b7 ", "- 2026-10-01T10:00:00Z **a** \u00b7 b \u00b7 c", "2026-", "2026-10-01 "),
    *(
        "- 2026-10-01T10:00:00+00:00 **a** \u00b7 b \u00b7 note \u00b7 c \u00b7 d\n",
        "to: ",
        "(",
        "((",
        "a(",
        "[x](b)",
    ),
    *('"', "'", '"a', "{", "{a", "}", "{{", "a,", "a;b ", "=", "a=b;", "(?", "/*", "//", "x y\n\n"),
)


def readers() -> dict[str, Callable[[str], Any]]:
    """Return everything of ours that reads text which somebody else wrote."""
    from vaultmem.documents import markdown
    from vaultmem.sidecar.analysis import terms
    from vaultmem.sidecar.chunks import passages, sentences
    from vaultmem.words import (
        conflicts,
        entry,
        fleeting,
        frontmatter,
        links,
        markers,
        merging,
        note,
        page,
        safe,
        secrets,
        slug,
        statement,
        tokens,
        unions,
        worddiff,
    )

    return {
        "note": lambda text: note.parse("a.md", text.encode()),
        "properties": lambda text: note.parse("a.md", f"---\n{text[:60_000]}\n---\n".encode()),
        "split": lambda text: frontmatter.split(f"---\n{text}".encode()),
        "title": lambda text: frontmatter.scalar(text),
        "links": links.in_text,
        "a link as a value": links.in_value,
        "links to other notes": lambda text: links.relinked(text, lambda _: None),
        "a title in a link": lambda text: links.wikilink("a.md", text),
        "code": links.outside_code,
        "passages": passages,
        "sentences": sentences,
        "terms": terms,
        "an entry": entry.parse,
        "a long entry": lambda text: entry.parse(
            f"- 2026-10-01T10:00:00Z **a** \u00b7 b \u00b7 note \u00b7 {text}"
        ),
        "targets": entry.without_targets,
        "merged lines": lambda text: unions.merged(text.split("\n")),
        "conflicts": lambda text: (
            conflicts.left_over(text.encode()),
            conflicts.first_side(text.encode()),
        ),
        "merged notes": lambda text: merging.apart(text.encode(), text[1:].encode()),
        "markers": lambda text: markers.filled(text, "catalogue", ["x"]),
        "pages": lambda text: page.parted(f"{text}\n<!-- vaultmem:timeline -->\n"),
        "sections of a page": lambda text: page.with_event(text, "x"),
        "shown": safe.shown,
        "defused": safe.defused,
        "secrets": secrets.secrets_in,
        "names": slug.slug,
        "folded names": slug.folded,
        "statements": statement.read,
        "grams": statement.grams,
        "tokens": tokens.tokens,
        "no facts": fleeting.no_fact,
        "echoes": fleeting.without_echo,
        "differences": lambda text: worddiff.word_diff(text, text[::-1]),
        "imported blocks": markdown.blocks,
        "imported sections": lambda text: markdown.sections(text, 6),
        "imported comments": markdown.comments,
    }


def _seconds(reader: Callable[[str], Any], text: str) -> float:
    from vaultmem.words.errors import VaultmemError

    begin = time.thread_time()
    with suppress(ValueError, VaultmemError):  # a refusal is an answer
        reader(text)
    return time.thread_time() - begin


def growth(reader: Callable[[str], Any], sign: str, size: int) -> float:
    """Return how many times as long twice the text takes; what is quick grows as it should."""
    text = sign * (size // len(sign))
    once = _seconds(reader, text)
    twice = _seconds(reader, text * 2)
    if twice < 0.01:
        return 1.0
    for _ in range(5):
        if twice / once <= 2.5:
            break
        once, twice = min(once, _seconds(reader, text)), min(twice, _seconds(reader, text * 2))
    return max(1.0, twice / once)


def rows(folder: Path, size: int = 10_000) -> Iterator[Row]:
    """Yield the worst growth of all readers over all signs, and the slowest of them."""
    del folder
    worst = (0.0, "")
    count = 0
    for name, reader in readers().items():
        for sign in SIGNS:
            count += 1
            worst = max(worst, (growth(reader, sign, size), f"{name}: {sign!r}"))
    yield told("readers of text, each with each sign", count)
    yield at_most("time when the text doubles", worst[0], 2.5, "x", worst[1])
