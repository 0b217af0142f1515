"""Markdown of every construct, put together at random: the blocks and spans that a reader meets."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        *("rose", "thistle", "Z\u00fcrich", "\u5ead", "\u0e01\u0e38\u0e2b", "42", "v1.2", "a*b"),
        *(
            "a_b_c",
            "**",
            "\\*",
            "&amp;",
            "&#35;",
            "&nosuch;",
            "<b>",
            "</b>",
            "\u00a0",
            "\U0001f339",
        ),
    ]
)
SPANS = st.recursive(
    WORDS,
    lambda inner: st.one_of(
        st.builds("*{}*".format, inner),
        st.builds("__{}__".format, inner),
        st.builds("~~{}~~".format, inner),
        st.builds("=={}==".format, inner),
        st.builds("`{}`".format, inner),
        st.builds("`` {} ` ``".format, inner),
        st.builds("[{}](a.md)".format, inner),
        st.builds("[{}](<b c.md> 'title')".format, inner),
        st.builds("![{}](p.png)".format, inner),
        st.builds("[{}][ref]".format, inner),
        st.builds("[[{}]]".format, inner),
        st.builds("[[a#b|{}]]".format, inner),
        st.builds("![[{}#^x]]".format, inner),
        st.builds("<https://e.org/{}>".format, inner),
        st.builds("<span title='{}'>".format, inner),
        st.builds("<!-- {} -->".format, inner),
        st.builds("${}$".format, inner),
        st.builds("%%{}%%".format, inner),
        st.builds("[^{}]".format, inner),
        st.builds("{}  \n{}".format, inner, inner),
        st.builds("{} {}".format, inner, inner),
        st.builds("{}\\\n{}".format, inner, inner),
    ),
    max_leaves=6,
)
_FENCES = st.sampled_from(["```", "````", "~~~", "``` js", "~~~ {.a}", "```tasks"])


def _indented(text: str, first: str, rest: str) -> str:
    return first + text.replace("\n", f"\n{rest}")


BLOCKS = st.recursive(
    st.one_of(
        SPANS,
        st.builds(
            "{} {} {}".format,
            st.sampled_from(["#", "##", "######", "#######"]),
            SPANS,
            st.just("#"),
        ),
        st.builds("{}\n{}".format, SPANS, st.sampled_from(["===", "---", "-", "="])),
        st.sampled_from(["---", "***", "_ _ _", "- - -", "", "\t", "\u2028", "[ref]: a.md 'x'"]),
        st.builds("    {}".format, SPANS),
        st.builds("{0}\n{1}\n{0}".format, _FENCES, SPANS),
        st.builds("{}\n{}".format, _FENCES, SPANS),
        st.builds("$$\n{}\n$$".format, SPANS),
        st.builds("| {} | {} |\n|:-|-:|\n| {} | x |".format, SPANS, SPANS, SPANS),
        st.builds("<div>\n{}\n</div>".format, SPANS),
        st.builds("<script>\n{}\n".format, SPANS),
        st.builds("<![CDATA[{}]]>".format, SPANS),
        st.builds("[^1]: {}".format, SPANS),
        st.builds("{} ^block-1".format, SPANS),
        st.builds("{}:: {}".format, WORDS, SPANS),
    ),
    lambda inner: st.one_of(
        st.builds(_indented, inner, st.just("> "), st.sampled_from(["> ", ">", ""])),
        st.builds(_indented, inner, st.just("> [!note]- "), st.just("> ")),
        st.builds(
            _indented, inner, st.sampled_from(["- ", "* [ ] ", "1. ", "10) "]), st.just("   ")
        ),
        st.builds("{}\n{}".format, inner, inner),
        st.builds("{}\n\n{}".format, inner, inner),
    ),
    max_leaves=8,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
DOCUMENTS = st.builds(
    lambda blocks, end: "\n\n".join(blocks).replace("\n", end), st.lists(BLOCKS, max_size=6), ENDS
)
