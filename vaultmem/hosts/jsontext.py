"""JSON as people write it, read with the place of every part: comments and commas included."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

DEEPEST = 200
_SPACE = re.compile(r"[ \t\r\n\ufeff]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SINGLE = re.compile(r"'(?:[^'\\\r\n]|\\.)*'", re.DOTALL)
_WORD = re.compile(r"[-+.\w$]+")


class Unfit(Exception):
    """A text that cannot be changed safely; says why in words for a person."""


@dataclass(frozen=True)
class Node:
    """A value at its place; `value` is what it means."""

    start: int
    end: int
    value: object
    children: tuple[Child, ...] = ()


@dataclass(frozen=True)
class Child:
    """A member of an object, from its key on, or an item of an array, which has no key."""

    start: int
    node: Node
    key: str = ""

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end


def parsed(text: str, form: str) -> Node:
    """Return the value of a text in `json`, `jsonc` (comments, last commas) or `json5`.

    Raises:
        Unfit: it is not of that form, or names a key twice.
    """
    reader = _Reader(text, form)
    try:
        node = reader.value(reader.skipped(0), 0)
    except IndexError:
        raise Unfit("it ends too early") from None
    if reader.skipped(node.end) != len(text):
        raise Unfit(f"there is more after its end, in line {reader.line(node.end)}")
    return node


@dataclass(frozen=True)
class _Reader:
    text: str
    form: str
    plain: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain", self.form == "json")

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def skipped(self, at: int) -> int:
        """Return where the next thing begins, after white space and comments."""
        while True:
            found = _SPACE.match(self.text, at) or _COMMENT.match(self.text, at)
            if not found:
                return at
            if self.plain and found[0].startswith("/"):
                raise Unfit(f"it has a comment in line {self.line(at)}")
            at = found.end()

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise Unfit("it is nested too deeply")
        letter = self.text[at]
        if letter in "{[":
            return self._container(at, depth)
        if letter in "\"'":
            end, value = self._string(at)
            return Node(at, end, value)
        return self._word(at)

    def _container(self, at: int, depth: int) -> Node:
        closing = "}" if self.text[at] == "{" else "]"
        children = tuple(self._children(at + 1, closing, depth))
        end = self.skipped(children[-1].end if children else at + 1)
        if self.text[end] == ",":
            end = self.skipped(end + 1)
        if closing == "]":
            return Node(at, end + 1, [child.node.value for child in children], children)
        named = {child.key: child.node.value for child in children}
        if len(named) < len(children):
            raise Unfit(f"a key stands twice in the object of line {self.line(at)}")
        return Node(at, end + 1, named, children)

    def _children(self, at: int, closing: str, depth: int) -> Iterator[Child]:
        at = self.skipped(at)
        while self.text[at] != closing:
            start, key = at, ""
            if closing == "}":
                end, key = self._key(at)
                at = self.skipped(end)
                self._expect(at, ":")
                at = self.skipped(at + 1)
            node = self.value(at, depth + 1)
            yield Child(start, node, key)
            at = self.skipped(node.end)
            if self.text[at] == closing:
                return
            self._expect(at, ",")
            comma, at = at, self.skipped(at + 1)
            if self.plain and self.text[at] == closing:
                raise Unfit(f"a comma too much stands in line {self.line(comma)}")

    def _expect(self, at: int, letter: str) -> None:
        if self.text[at] != letter:
            raise Unfit(f"`{letter}` is missing in line {self.line(at)}")

    def _key(self, at: int) -> tuple[int, str]:
        if self.text[at] in "\"'":
            return self._string(at)
        found = _WORD.match(self.text, at)
        if self.form != "json5" or not found:
            raise Unfit(f"a key is missing in line {self.line(at)}")
        return found.end(), found[0]

    def _string(self, at: int) -> tuple[int, str]:
        single = self.text[at] == "'" and self.form == "json5"
        found = (_SINGLE if single else _STRING).match(self.text, at)
        if not found:
            raise Unfit(f"a string is broken in line {self.line(at)}")
        inner = found[0][1:-1]
        try:
            return found.end(), str(json.loads(f'"{_doubled(inner) if single else inner}"'))
        except ValueError:
            if self.form != "json5":
                raise Unfit(f"a string is broken in line {self.line(at)}") from None
            return found.end(), inner

    def _word(self, at: int) -> Node:
        found = _WORD.match(self.text, at)
        word = found[0] if found else ""
        try:
            return Node(at, at + len(word), json.loads(word))
        except ValueError:
            if self.form == "json5" and word:
                return Node(at, at + len(word), word)  # +1, .5, 0xff, Infinity: never ours to read
            raise Unfit(f"a value is missing in line {self.line(at)}") from None


def _doubled(inner: str) -> str:
    return inner.replace("\\'", "'").replace('"', '\\"')
