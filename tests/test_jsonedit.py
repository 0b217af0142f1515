"""Putting into JSON text and taking out: what is there stays byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vaultmem.hosts.jsonedit import with_item, with_member, without, without_items
from vaultmem.hosts.jsontext import Unfit, parsed
from vaultmem.hosts.puts import put_in, taken_back

KEYS = st.text('abcxyz "\\/é', min_size=1, max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a"\\/,:{}[]é\n', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
COMMENTS = st.sampled_from(["", " ", "\n", "\r\n", "  // a, b }\n", "/* { */", "\t/* x\n */ "])


@st.composite
def jsonc(draw: st.DrawFn) -> str:
    """A JSON text with white space, comments and last commas wherever they may be."""

    def told(value: object) -> str:
        if isinstance(value, dict):
            inner = [f"{json.dumps(k)}{gap()}:{gap()}{told(v)}" for k, v in value.items()]
            return "{" + many(inner) + "}"
        if isinstance(value, list):
            return "[" + many([told(item) for item in value]) + "]"
        return json.dumps(value, ensure_ascii=False)

    def gap() -> str:
        return draw(COMMENTS)

    def many(parts: list[str]) -> str:
        last = draw(st.sampled_from(["", ","])) if parts else ""
        return gap() + ",".join(f"{gap()}{part}{gap()}" for part in parts) + last + gap()

    return gap() + told(draw(OBJECTS)) + gap()


@settings(max_examples=60)
@given(jsonc(), VALUES)
@example('{"a": 1}', None)
@example('{\n  "a": 1, // one\n}', {"x": [1]})
@example("{ // nothing\n}", 1)
def test_a_member_goes_in_and_everything_else_stays(text: str, value: object) -> None:
    before = parsed(text, "jsonc").value
    assert isinstance(before, dict)

    puts = with_member(text, "jsonc", ("new", "inner"), value)
    new = put_in(text, puts)

    assert parsed(new, "jsonc").value == {**before, "new": {"inner": value}}
    assert taken_back(new, puts) == text
    out = without(new, "jsonc", ("new",), lambda _: True)
    assert parsed(out, "jsonc").value == before


@settings(max_examples=40)
@given(jsonc(), VALUES)
def test_an_item_goes_in_and_comes_out(text: str, value: object) -> None:
    held = f'{{"list": [{text}, {text}]}}'
    mine = {"ours": value}

    puts = with_item(held, "jsonc", ("list",), mine)
    new = put_in(held, puts)
    out = without_items(new, "jsonc", ("list",), lambda item: item == mine)

    assert parsed(new, "jsonc").value["list"][-1] == mine  # type: ignore[index]
    assert taken_back(new, puts) == held
    assert parsed(out, "jsonc").value == parsed(held, "jsonc").value


@settings(max_examples=60)
@given(OBJECTS, st.sampled_from([None, 2, "\t"]))
def test_plain_json_is_read_as_python_reads_it(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)

    assert parsed(text, "json").value == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", '{"a" 1}', '{"a": 1,}', '{"a": 1} x', "{'a': 1}", '{"a": 1, "a": 2}'),
        *('{"a": // c\n 1}', "{a: 1}", '{"a": tru}', '{"a": "\n"}', "[" * 500, '{"a": 1 "b": 2}'),
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(Unfit):
        parsed(text, "json")


def test_json5_is_read() -> None:
    text = "{a: 'it\\'s', $b: +1, // c\n 'c d': [.5, Infinity,],}"

    assert parsed(text, "json5").value == {"a": "it's", "$b": "+1", "c d": [".5", float("inf")]}


def test_it_looks_as_what_stands_around_it() -> None:
    text = '{\n\t"a": {\n\t\t"b": 1 // one\n\t}\n}\n'
    new = put_in(text, with_member(text, "jsonc", ("a", "c"), {"d": 2}))

    assert new == ('{\n\t"a": {\n\t\t"b": 1, // one\n\t\t"c": {\n\t\t\t"d": 2\n\t\t}\n\t}\n}\n')


def test_a_way_through_what_is_no_object_is_refused() -> None:
    with pytest.raises(Unfit, match="`a` is no object"):
        with_member('{"a": []}', "json", ("a", "b"), 1)
