"""Hostile text is made visible or inert, and ordinary text stays as it is."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from promises import promise

from vaultmem.words.safe import defused, shown

any_text = st.text(st.characters(exclude_categories=[]))  # lone surrogates too


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b]0;pwn\x07", r"\x1b]0;pwn\x07"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b2J", r"\x9b2J"),
        ("safe\rrm -rf", r"safe\x0drm -rf"),
        ("pass\x08\x08\x7f\x00", r"pass\x08\x08\x7f\x00"),
        ("gnp.\u202etxt\u202c", r"gnp.\u202etxt\u202c"),
        ("\u2066a\u2069", r"\u2066a\u2069"),
        ("hi\U000e0041\U000e007f", r"hi\U000e0041\U000e007f"),
        ("\ud83d alone", r"\ud83d alone"),
        ("one\r\ntwo", "one\ntwo"),
    ],
)
def test_what_a_terminal_obeys_is_shown_as_an_escape(text: str, seen: str) -> None:
    assert shown(text) == seen


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\n\twith a tab\n",
        "น้ำแข็ง ก็ดี",
        "क्\u200dष और می\u200cخواهم",
        "👩\u200d💻 ❤\ufe0f 🇹🇭",
        "שלום \u200fعالم",
        "e\u0301 and \u00a0no-break",
        r"a literal \x1b stays",
    ],
)
def test_readable_text_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text


@given(any_text)
def test_shown_text_holds_no_controls_and_can_be_printed(text: str) -> None:
    seen = shown(text)

    assert not [c for c in seen if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", seen)
    seen.encode()
    assert shown(seen) == seen


HOSTILE = [
    ("<% tp.file.title %>", "< % tp.file.title %>"),
    ("<%* await require('x') %>", "< %* await require('x') %>"),
    ("```js\nx <%= 1 %>\n```", "```js\nx < %= 1 %>\n```"),
    ("```dataviewjs\ndv.list()\n```", "```text\ndv.list()\n```"),
    ("~~~ DataviewJS extra\nx\n~~~\n", "~~~text\nx\n~~~\n"),
    ("```dataview&#106;s\r\nx\r\n```", "```text\r\nx\r\n```"),
    ("```js\\-engine\nx\n```", "```text\nx\n```"),
    ("> - ```meta-bind-js-view\n>   x", "> - ```text\n>   x"),
    ("```run-python\nx\n```", "```text\nx\n```"),
    ("```{run-python}\nx\n```", "```text\nx\n```"),
    ('```js RunJS="x"\nx\n```', "```text\nx\n```"),
    ("```execute-code\nx\n```", "```text\nx\n```"),
    ("```templater\nx\n```", "```text\nx\n```"),
    ("````md\n```dataviewjs\nx\n```\n````", "````md\n```text\nx\n```\n````"),
    ("a\r```dataviewjs\rx", "a\r```text\rx"),
    ("```tasks\nfilter by function x\n```", "```text\nfilter by function x\n```"),
    ("```tasks x\nfilter BY \\\n  function x\n```", "```text\nfilter BY \\\n  function x\n```"),
    ("```tasks\n{{query.file.property('x')}}\n```", "```text\n{{query.file.property('x')}}\n```"),
    ("see `$= dv.x`", "see `\\$= dv.x`"),
    ("see `= this.x`", "see `\\= this.x`"),
    ("see `` $= dv.x ``", "see `` \\$= dv.x ``"),
    ("> see `\n> $= dv.x`", "> see `\n> \\$= dv.x`"),
    ("`a` `$= b` `c`", "`a` `\\$= b` `c`"),
    ("[go](obsidian://open?vault=v)", "[go] (`obsidian://open?vault=v`)"),
    ("![](javascript:alert(1))", "![] (`javascript:alert(1)`)"),
    ("[go](<obsidian://a b> 'title')", "[go] (`obsidian://a b` 'title')"),
    ("[go](JavaScript&colon;x)", "[go] (`JavaScript&colon;x`)"),
    ("[go](java&#9;script:x)", "[go] (`java&#9;script:x`)"),
    ("[`go`](obsidian://x)", "[`go`] (`obsidian://x`)"),
    ("[go]: obsidian://x", "[go]: (`obsidian://x`)"),
    ("at <obsidian://x> now", "at (`obsidian://x`) now"),
    ('<a href="obsidian://x">go</a>', '&lt;a href="obsidian://x">go</a>'),
    ("<script>x</script>", "&lt;script>x</script>"),
    ('hi <IFRAME src="//x">', 'hi &lt;IFRAME src="//x">'),
    ("<iframe\nsrc=x>", "&lt;iframe\nsrc=x>"),
]

HIDING_PLACES = [
    "- item\n  ```\n  code\n\n<script>x</script>",
    "> ```\n<script>x</script>",
    "    ```\n    code\n\n<script>x</script>\n",
    "2. ```\n   <script>x</script>",
    "<div>\n```\n<script>x</script>\n```\n</div>",
    "<pre>\n\n`<script>x</script>`",
    "<!--\n```\n-->\n<script>x</script>\n```",
    "%%\n```\n%%\n<script>x</script>",
    "---\na: |\n ```\n---\n<script>x</script>",
    "a `b\nc` <script> `d",
    "\\` <script>x</script> `",
    '<a title="`"> <script>x</script> "`"',
    "| `a | <script>x</script> ` |",
    '[a](x ") `") <script>x</script> `y`',
    "$`$ <script>x</script> $`$",
]

ORDINARY = [
    "",
    "We rate-limit with a token bucket: 100 < 200, a <- b, 5% of <b>bold</b>, x<y>z.\n",
    "# Heading\n\n- [ ] task 📅 2026-11-30\n- `code` and `a = b` and **bold**\n",
    "Use `==` or `=>` or `=`, versions `>=1.2`, `$x = 1`, `a`=`b`.",
    "[[note|alias]] [page](https://x.org/a_(b)) <https://x.org> ![[image.png]] [r]: https://x.org",
    "```python\nprint('<script>', f'`= {x}`', '[a](obsidian://b)')\n```\nand on",
    "~~~\n`$= x` <iframe>\n~~~",
    "> ```html\n> <script>x</script>\n> ```\n> quoted",
    "  ```js\n  `$= x`\n  ```\n",
    "```\nnever closed <script>x</script>",
    "```dataview\nTABLE file.name FROM #tag WHERE x = 1\n```",
    "```tasks\nnot done\nsort by due\n```\n",
    "Talk of `<script>`, `[x](obsidian://y)` and obsidian://open in code or prose.",
    "a List<Script2> and <iframes> and <scripture>",
    "one\r\ntwo\r\n\r\nthree",
    "ภาษาไทย กับ `โค้ด` และ 👩\u200d💻",
]

PIECES = (
    "<script>x</script>§<iframe§`§``§```§~~~§`$= x`§`= y`§\n§\n\n§> §- §    §[a](obsidian://x)§](§)"
    "§<obsidian:§>§<a §<div>§<!--§|§$§<%§```dataviewjs\n§```python\n§\n```\n§\\§]: §javascript:x"
    "§\r§%%§a§---"
)
pieces = st.sampled_from(PIECES.split("§"))
hostile_text = st.one_of(any_text, st.lists(pieces, max_size=16).map("".join))
words = st.text(st.characters(categories=["L", "N"], include_characters=" ,.;:!?'()-\n"))


@promise("data")
@pytest.mark.parametrize(("text", "inert"), HOSTILE)
def test_what_a_plugin_would_run_is_made_inert(text: str, inert: str) -> None:
    assert defused(text) == inert


@pytest.mark.parametrize("text", HIDING_PLACES)
def test_what_only_looks_like_code_hides_nothing(text: str) -> None:
    assert "<script" not in defused(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_and_code_stay_as_they_are(text: str) -> None:
    assert defused(text) == text


@given(hostile_text)
def test_defusing_twice_is_defusing_once(text: str) -> None:
    once = defused(text)

    assert defused(once) == once
    assert "<%" not in once
    assert not re.search(r"^```dataviewjs", once, re.MULTILINE)


@given(words)
def test_plain_prose_is_never_touched(text: str) -> None:
    assert defused(text) == text


@given(words)
def test_what_stands_in_a_code_fence_is_never_touched(text: str) -> None:
    fenced = f"before\n\n```python\n<script> `$= {text}` [a](obsidian://b)\n```\nafter"

    assert defused(fenced) == fenced
