"""Links are found, written and resolved as the person's app does it, however odd the text."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from growth import seconds
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.links import (
    Link,
    in_text,
    in_value,
    outside_code,
    wikilink,
)
from vaultmem.words.names import Names, key_of

VAULT = [
    "Note.md",
    "A/Src.md",
    "A/Note.md",
    "A/Other.md",
    "B/Deep/Other.md",
    "B/v1.2 plan.md",
    "img/Pic.PNG",
]
SOURCE = "A/Src.md"


def targets(text: str) -> list[str]:
    return [link.target for link in in_text(text)]


FORMS = {
    "[[Note]]": Link("Note", "", "", False, 1),
    "[[Note.md]]": Link("Note.md", "", "", False, 1),
    "[[Folder/Note|shown]]": Link("Folder/Note", "", "shown", False, 1),
    "[[ Note | shown ]]": Link("Note", "", "shown", False, 1),
    "[[Note#Heading]]": Link("Note", "Heading", "", False, 1),
    "[[Note#H1#H2|x]]": Link("Note", "H1#H2", "x", False, 1),
    "[[Note#^block-id]]": Link("Note", "^block-id", "", False, 1),
    "[[Note#[^fn]]]": Link("Note", "[^fn]", "", False, 1),
    "[[#Heading in this note]]": Link("", "Heading in this note", "", False, 1),
    "[[a%20b]]": Link("a%20b", "", "", False, 1),
    "[[a|b|c]]": Link("a", "", "b|c", False, 1),
    "[[a|see [1]]]": Link("a", "", "see [1]", False, 1),
    "[[a|the `b` flag]]": Link("a", "", "the `b` flag", False, 1),
    "![[img.png|300]]": Link("img.png", "", "300", True, 1),
    "![[doc.pdf#page=3]]": Link("doc.pdf", "page=3", "", True, 1),
    r"\![[a]]": Link("a", "", "", False, 1),
    "[[[a]]]": Link("a", "", "", False, 1),
    "[t](Folder/My%20Note.md)": Link("Folder/My Note.md", "", "t", False, 1),
    "[t](<Folder/My Note.md>)": Link("Folder/My Note.md", "", "t", False, 1),
    "[t](Note.md#A%20B)": Link("Note.md", "A B", "t", False, 1),
    "[t](a%23b.md)": Link("a#b.md", "", "t", False, 1),
    "[t](#Heading)": Link("", "Heading", "t", False, 1),
    "[t](a_(b).md)": Link("a_(b).md", "", "t", False, 1),
    r"[t](a\(b.md)": Link("a(b.md", "", "t", False, 1),
    '[t](a.md "a title")': Link("a.md", "", "t", False, 1),
    "[a [b] c](d.md)": Link("d.md", "", "a [b] c", False, 1),
    "[über](ü.md)": Link("ü.md", "", "über", False, 1),
    "![alt](a.png)": Link("a.png", "", "alt", True, 1),
    "- [ ] [t](a.md)": Link("a.md", "", "t", False, 1),
    "| x | [[a\\|b]] |": Link("a", "", "b", False, 1),
    "%% [[a]] %%": Link("a", "", "", False, 1),
    "<!-- [[a]] -->": Link("a", "", "", False, 1),
    "one\r\ntwo [[a]]": Link("a", "", "", False, 2),
    "[a\nb](c.md)": Link("c.md", "", "a\nb", False, 1),
}


@pytest.mark.parametrize(("text", "link"), FORMS.items())
def test_every_form_of_link_is_read(text: str, link: Link) -> None:
    assert in_text(text) == [link]


@pytest.mark.parametrize(
    "text",
    [
        "[[]]",
        "[[|shown]]",
        "[[a]",
        "[[a\nb]]",
        r"\[[a]]",
        r"[a\](b.md)",
        "[t]()",
        "[t](a b.md)",
        "[a\n\nb](c.md)",
        "[t](https://example.com/a.md)",
        "[t](mailto:a@example.com)",
        "[t](obsidian://open?vault=x)",
        "[t](C:/x.md)",
        "[t](//host/share)",
        "[t][ref]",
        "`[[a]]`",
        "`` ` [[a]] ``",
        "`[[a]]\n[[b]]`",
        "`[t](a.md)`",
        "$x [[a]] y$",
        "$$x [[a]] y$$",
        "$$\n\n- [[a]]\n\n$$",
        "$$ x = 1\n[[a]] $$",
        "```\n[[a]]\n```",
        "```\n[[a]]",
        "~~~md\n[[a]]\n```\n[[b]]\n~~~",
        "````\n```\n[[a]]\n````",
        "- ```\n  [[a]]\n  ```",
        "> ```\n> [[a]]\n> ```",
        "> [!note]\n> - ```\n>   [[a]]\n>   ```",
        "```\n> ```\n[[a]]\n```",
        "```\r\n[[a]]\r\n```\r\n",
        "```\n$$\n```\n`[[a]]`",
    ],
)
def test_what_is_no_link_is_left_alone(text: str) -> None:
    assert in_text(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[a]] ![[b]] [t](c.md)", ["a", "b", "c.md"]),
        ("[![i](a.png)](b.md) [[c]]", ["b.md", "a.png", "c"]),
        ("[a [b](c.md) d](e.md)", ["c.md"]),
        ("[[a [[b]]", ["b"]),
        ("a ` b [[c]]", ["c"]),
        ("- a ` b\n- [[c]] ` d", ["c"]),
        ("# a ` b\n[[c]] ` d", ["c"]),
        ("a ` b\n\n[[c]] ` d", ["c"]),
        (r"\` [[a]] `", ["a"]),
        ("`` [[a]] `", ["a"]),
        ("$5 and [[a]] for $6", ["a"]),
        ("US$ [[a]] US$", ["a"]),
        (r"\$x [[a]] y$", ["a"]),
        ("[[for $100]] and [[for 200$]]", ["for $100", "for 200$"]),
        ("$$ dear\n\n[[a]]", ["a"]),
        ("$$ dear\n\n```\necho $$\n```\n[[a]]", ["a"]),
        ("```\nx\n```\n[[a]]", ["a"]),
        ("``` `x`\n[[a]]", ["a"]),
        ("> ```\n> x\n\n[[a]]", ["a"]),
        ("```\n[[a]]\n````\n[[b]]", ["b"]),
    ],
)
def test_links_are_found_beside_and_between_other_signs(text: str, found: list[str]) -> None:
    assert targets(text) == found


def test_links_know_their_line() -> None:
    text = "[[a]]\n```\n[[no]]\n```\n\n> x [t\nu](b.md)\n[[c]]"

    assert [(link.target, link.line) for link in in_text(text)] == [
        ("a", 1),
        ("b.md", 6),
        ("c", 8),
    ]


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("[[memory/global/x|X]]", "memory/global/x"),
        ("  [[x]]\n", "x"),
        ("[t](a%20b.md)", "a b.md"),
    ],
)
def test_a_property_may_be_a_link(value: str, target: str) -> None:
    link = in_value(value)

    assert link is not None
    assert link.target == target


@pytest.mark.parametrize(
    "value", ["", "x", "see [[x]]", "[[x]] [[y]]", "![[x]]", "[[x]", "`[[x]]`", "https://a.b"]
)
def test_a_property_that_is_more_or_less_than_one_link_is_none(value: str) -> None:
    assert in_value(value) is None


def test_code_and_math_are_blanked_and_nothing_moves() -> None:
    text = "# a `b` c\n\n```py\n# no\n```\n# d $x$ \\$e\n"

    assert outside_code(text) == "# a     c\n\n     \n    \n   \n# d     \\$e\n"


MARKDOWN = st.text("[]()!`$~|\\#^<> \n\r-*ab.:/%\"'é", max_size=60)


@given(MARKDOWN)
def test_blanking_keeps_every_place(text: str) -> None:
    plain = outside_code(text)

    assert len(plain) == len(text)
    pairs = zip(plain, text, strict=True)
    assert all(new == old or (new == " " and old not in "\r\n") for new, old in pairs)


@given(MARKDOWN)
def test_links_come_in_order_and_within_the_text(text: str) -> None:
    lines = [link.line for link in in_text(text)]

    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


@pytest.mark.parametrize(
    "sign",
    [
        *("[", "[[", "`", "![[", "](", "[](", "[a](", "![ [", "[[a|", "[[a[b]", "[^", "$a", "$$\n"),
        *("` ", "- `\n", "> ```\n", "> ~~~\n\n", "\n", "\\[", "](<", '](a "', "](()", ">", "- "),
        *("[x](b)", "[[x]]"),
    ],
)
def test_time_grows_with_the_text_and_no_faster(sign: str) -> None:
    text = sign * (12_500 // len(sign))

    assert seconds(lambda: in_text(text * 4)) < 9 * seconds(lambda: in_text(text)) + 0.01


def test_nested_images_do_not_repeat_their_text() -> None:
    text = "![ [" * 2_000 + "](x) ]" * 2_000

    assert sum(len(link.shown) for link in in_text(text)) <= 2 * len(text)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("[[note]]", "Note.md"),
        ("[[A/note]]", "A/Note.md"),
        ("[[./Note]]", "A/Note.md"),
        ("[[../Note]]", "Note.md"),
        ("[[Other]]", "A/Other.md"),
        ("[[Deep/Other]]", "B/Deep/Other.md"),
        ("[[/Deep/Other]]", None),
        ("[[/B/Deep/Other]]", "B/Deep/Other.md"),
        ("[[v1.2 plan]]", "B/v1.2 plan.md"),
        ("[[V1.2 Plan.MD]]", "B/v1.2 plan.md"),
        ("[[pic.png]]", "img/Pic.PNG"),
        ("[[Pic]]", None),
        ("[[#X]]", "A/Src.md"),
        ("[x](../B/v1.2%20plan.md)", "B/v1.2 plan.md"),
        ("[[nothing]]", None),
        ("[[..]]", None),
        ("[[../../Note]]", None),
        ("[[./Deep/Other]]", None),
        ("[[C/Note]]", None),
    ],
)
def test_a_link_leads_where_the_app_would_go(written: str, path: str | None) -> None:
    assert Names(VAULT).resolve(in_text(written)[0].target, SOURCE) == path


def test_the_nearest_then_the_shortest_then_the_first_is_taken() -> None:
    names = Names(
        ["z/deep/x.md", "b/x.md", "c/x.md", "near/by/far/x.md", "LICENSE", "A.md", "a.md"]
    )

    assert names.resolve("x", "near/y.md") == "near/by/far/x.md"
    assert names.resolve("x", "y.md") == "b/x.md"
    assert names.resolve("deep/x", "near/y.md") == "z/deep/x.md"
    assert names.resolve("license", "y.md") is None
    assert names.candidates("X") == ["b/x.md", "c/x.md", "z/deep/x.md", "near/by/far/x.md"]
    assert names.candidates("a") == ["A.md", "a.md"]


def test_a_file_of_just_that_name_wins_over_the_note_of_it() -> None:
    assert Names(["package.json", "package.json.md"]).candidates("package.json") == ["package.json"]
    assert Names(["package.json.md"]).resolve("package.json", "") == "package.json.md"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (normalize("NFD", "Café"), "Café.md"),
        ("café", normalize("NFD", "Café.md")),
        ("ΟΔΟΣ", "ΟΔΟΣ.md"),
        ("İstanbul", "İstanbul.md"),
    ],
)
def test_letters_meet_whatever_their_form_and_case(target: str, path: str) -> None:
    assert Names([path]).resolve(target, "") == path
    assert key_of(target) == key_of(path)


def test_a_changed_answer_does_not_change_the_names() -> None:
    names = Names(VAULT)
    names.candidates("other").clear()

    assert names.candidates("other") == ["A/Other.md", "B/Deep/Other.md"]


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ("A/Note", "note.md"),
        ("Note.MD", "note.md"),
        ("../B/v1.2 plan", "v1.2 plan.md"),
        ("v1.2 plan.md", "v1.2 plan.md"),
        ("img/Pic.PNG", "pic.png.md"),
        ("x.md.md", "x.md"),
        ("", ""),
    ],
)
def test_a_key_is_the_name_of_the_note_it_might_mean(target: str, key: str) -> None:
    assert key_of(target) == key


SEGMENT = st.text("aAéeE\u0301ΣİßB. 1", min_size=1, max_size=4)
PATHS = st.lists(
    st.builds(
        lambda folders, name, ending: "/".join([*folders, name + ending]),
        st.lists(SEGMENT.filter(lambda part: part.strip(".")), max_size=2),
        SEGMENT.filter(lambda part: not part.startswith(".")),
        st.sampled_from([".md", ".md", ".MD", ".png", ".md.md", ""]),
    ),
    min_size=1,
    max_size=8,
)


@given(PATHS, st.data())
def test_links_to_a_path_have_its_key(paths: list[str], data: st.DataObject) -> None:
    written = data.draw(st.sampled_from([path.removesuffix(".md") for path in paths] + paths))
    target = written[data.draw(st.integers(0, written.rfind("/") + 1)) :]
    found = Names(paths).resolve(target, paths[0])

    assert not target or found is None or key_of(target) == key_of(found)


@given(PATHS, MARKDOWN | st.text())
def test_a_link_we_write_comes_back_as_its_path(paths: list[str], title: str) -> None:
    unlike = {normalize("NFC", path).lower(): path for path in paths}.values()
    notes = [path for path in unlike if path.endswith(".md") and path[:-3] == path[:-3].strip()]
    for path in notes:
        written = wikilink(path, title)
        (link,) = in_text(f"- {written} — text ` and $1")
        assert Names(unlike).resolve(link.target, "elsewhere.md") == path
        assert link == in_value(written)


@pytest.mark.parametrize(
    ("path", "title", "link"),
    [
        ("memory/global/x.md", "X", "[[memory/global/x|X]]"),
        ("x.md", "", "[[x]]"),
        ("x.md", " \n", "[[x]]"),
        ("x.md", "a]] [[b|c", "[[x|a)) ((b/c]]"),
        ("x.md", "C# at ^block", "[[x|C＃ at ＾block]]"),
        ("x.md", "two\r\nlines\u2028more", "[[x|two lines more]]"),
        ("x.md", "100%% of %%%it", "[[x|100% of %it]]"),
        ("x.md", "use `x`", "[[x|use 'x']]"),
        ("x.md", "ends in \\", "[[x|ends in]]"),
        ("v1.2 plan.md", "Plan", "[[v1.2 plan.md|Plan]]"),
        ("img/pic.png", "Pic", "[[img/pic.png|Pic]]"),
        ("a#b.md", "t", "[[a#b|t]]"),
    ],
)
def test_links_are_written_so_that_no_title_breaks_them(path: str, title: str, link: str) -> None:
    assert wikilink(path, title) == link
