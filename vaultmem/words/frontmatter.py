"""The bytes of a note, taken apart and put together again without loss.

A note's bytes are `bom + opening + block + closing + body`. Reading never changes them;
`patched` changes the lines of one key and leaves every other byte alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from vaultmem.words.conflicts import MARKED, conflicted
from vaultmem.words.errors import Refused

LONGEST_BLOCK = 64 * 1024
DEEPEST = 16
MOST_NODES = 10_000
BOM = b"\xef\xbb\xbf"

Value = str | list["Value"] | dict[str, "Value"]
Written = str | bool | int | float | list[str] | None
"""What we write into a key: None takes the key out."""


class Unreadable(ValueError):
    """The block is not properties that we dare to read; the text says why."""


@dataclass(frozen=True)
class Split:
    """A note's bytes in five parts that always join to the whole again."""

    bom: bytes = b""
    opening: bytes = b""
    block: bytes = b""
    closing: bytes = b""
    body: bytes = b""
    too_long: bool = False

    def join(self) -> bytes:
        """Return the note's bytes."""
        return self.bom + self.opening + self.block + self.closing + self.body

    @property
    def newline(self) -> bytes:
        """The line ending this note uses first, `\\n` if it has none."""
        first = re.search(rb"\r\n|\n", self.opening or self.body)
        return first.group() if first else b"\n"


_OPENING = re.compile(rb"---\r?\n")
_CLOSING = re.compile(rb"^---(?:\r?\n|\Z)", re.MULTILINE)


def split(data: bytes) -> Split:
    """Return the parts of a note's bytes, by Obsidian's rule plus a tolerated BOM.

    Properties open with a line that is exactly `---` at the very start and close with the next
    such line. A block over 64 KiB, or one without an end, counts as body.
    """
    bom = BOM if data.startswith(BOM) else b""
    opening = _OPENING.match(data, len(bom))
    if not opening:
        return Split(bom=bom, body=data[len(bom) :])
    end = opening.end() + LONGEST_BLOCK
    closing = _CLOSING.search(data, opening.end(), end)
    if not closing:
        unclosed = len(data) <= end or not _CLOSING.search(data, opening.end())
        return Split(bom=bom, body=data[len(bom) :], too_long=not unclosed)
    return Split(
        bom=bom,
        opening=opening.group(),
        block=data[opening.end() : closing.start()],
        closing=closing.group(),
        body=data[closing.end() :],
    )


class _TextLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML in which every scalar stays the text that stands in the file."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # PyYAML's own class attribute

    def construct_document(self, node: yaml.Node) -> Value:
        return _plain(node, set(), 0)


def _plain(node: yaml.Node, seen: set[int], depth: int) -> Value:
    """Return a node as text, lists and dicts; refuse what properties never need."""
    if id(node) in seen:
        raise Unreadable("an anchor is used twice")
    if depth > DEEPEST or len(seen) >= MOST_NODES:
        raise Unreadable("it is nested too deep or holds too much")
    seen.add(id(node))
    if not node.tag.startswith("tag:yaml.org,2002:") or node.tag[18:] not in ("str", "seq", "map"):
        raise Unreadable(f"the tag {node.tag} is not understood")
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, seen, depth + 1) for item in node.value]
    return _mapping(node, seen, depth)


def _mapping(node: yaml.Node, seen: set[int], depth: int) -> dict[str, Value]:
    result: dict[str, Value] = {}
    folded: set[str] = set()
    for key, value in node.value:
        name = _plain(key, seen, depth + 1)
        if not isinstance(name, str):
            raise Unreadable("a key is not text")
        if name.casefold() in folded:
            raise Unreadable(f"the key {name!r} stands twice")
        folded.add(name.casefold())
        result[name] = _plain(value, seen, depth + 1)
    return result


def read(block: bytes) -> dict[str, Value]:
    """Return the properties of a block, every scalar as its text.

    Raises:
        Unreadable: it is no mapping, or breaks a rule of ours (see the message).
    """
    try:
        text = block.decode("utf-8")
        found = YAMLHandler().load(text, Loader=_TextLoader)
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8") from None
    except Unreadable:
        raise
    except Exception as error:  # YAML's scanner raises many kinds, all of which mean this
        raise Unreadable(str(error).split("\n")[0]) from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise Unreadable("it is not a list of keys")
    return found


def patched(parts: Split, key: str, value: Written) -> Split:
    """Return the parts with one key set, or taken out by None; other lines stay as they are.

    Raises:
        Refused: the block cannot be changed without touching more than that key.
    """
    before = _readable(parts)
    lines_of = spans(parts.block) if before else {}
    found = next((name for name in before if name.casefold() == key.casefold()), None)
    if found is None and value is None:
        return parts
    lines = parts.block.splitlines(keepends=True)
    first, last = lines_of[found] if found is not None else (len(lines), len(lines))
    name = found if found is not None else key
    added = [] if value is None else emitted(name, value, parts.newline)
    if added and first == len(lines) and lines and not lines[-1].endswith(b"\n"):
        raise _cannot("its last line has no end")
    block = b"".join([*lines[:first], *added, *lines[last:]])
    if len(block) > LONGEST_BLOCK:
        raise _cannot("they would be over 64 KiB")
    after = replace(parts, block=block) if parts.opening else _opened(parts, block)
    expected = {k: v for k, v in before.items() if k != name}
    if value is not None:
        expected[name] = _as_read(value)
    if _readable(after) != expected:
        raise _cannot("its layout is not plain enough")
    return after


def _readable(parts: Split) -> dict[str, Value]:
    if parts.too_long:
        raise _cannot("it is over 64 KiB")
    if not parts.opening and parts.body.startswith(b"---"):
        raise _cannot("its first lines look like properties but are not")
    if not parts.opening and not _is_text(parts.body):
        raise _cannot("it is not UTF-8 text")
    if conflicted(parts.block) or conflicted(parts.body):
        raise _cannot(MARKED)
    try:
        return read(parts.block)
    except Unreadable as error:
        raise _cannot(str(error)) from None


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _cannot(why: str) -> Refused:
    return Refused(
        f"The properties of this note cannot be changed safely: {why}. Mend them in an editor, "
        "then repeat."
    )


def _opened(parts: Split, block: bytes) -> Split:
    """Return a note that had no properties with a block in front of its body."""
    fence = b"---" + parts.newline
    return replace(parts, opening=fence, block=block, closing=fence)


def spans(block: bytes) -> dict[str, tuple[int, int]]:
    """Return the lines of each top-level key: first, and one past the last."""
    root = yaml.compose(block.decode("utf-8"), Loader=_TextLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _cannot("it is not one key a line")
    lines = block.splitlines(keepends=True)
    starts = [key.start_mark.line for key, _ in root.value]
    found = {}
    for (key, value), start, stop in zip(
        root.value, starts, [*starts[1:], len(lines)], strict=True
    ):
        folded = isinstance(value, yaml.ScalarNode) and value.style in ("|", ">")
        found[key.value] = (start, _trimmed(lines, start, stop, folded=folded))
    return found


def _trimmed(lines: list[bytes], start: int, stop: int, *, folded: bool) -> int:
    """Return the end of a key's own lines, without the blanks and comments that follow it."""
    while stop > start + 1:
        line = lines[stop - 1]
        comment = line.startswith(b"#") if folded else line.lstrip().startswith(b"#")
        if line.strip() and not comment:
            break
        stop -= 1
    return stop


_PLAIN = re.compile(r"[^\W\d_](?:[\w ./+@()',;&=*-]|:(?=\S))*")
_PLAIN_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d)?")
_NOT_TEXT = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def scalar(value: str) -> str:
    """Return a string as one YAML scalar, plain where every YAML reader takes it as text."""
    value = _valid(value)
    plain = _PLAIN.fullmatch(value) and value == value.strip() and value.lower() not in _NOT_TEXT
    if plain or _PLAIN_TIME.fullmatch(value):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub(
        r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]",
        lambda match: f"\\u{ord(match.group()):04x}",
        quoted,
    )


def emitted(key: str, value: Written, newline: bytes) -> list[bytes]:
    """Return the lines of one key, as Obsidian itself would write them."""
    if isinstance(value, list):
        if not value:
            lines = [f"{key}: []"]
        else:
            lines = [f"{key}:", *(f"  - {scalar(item)}" for item in value)]
    elif isinstance(value, str):
        lines = [f"{key}: {scalar(value)}"]
    else:
        lines = [f"{key}: {_as_read(value)}"]
    return [line.encode("utf-8") + newline for line in lines]


def _as_read(value: Written) -> Value:
    """Return what `read` gives back for a written value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return [_valid(item) for item in value]
    return _valid(str(value))


def _valid(text: str) -> str:
    """Return text that UTF-8 can hold: half a surrogate pair becomes `?`."""
    return text.encode("utf-8", "replace").decode()


def composed(properties: Mapping[str, Written], body: str) -> bytes:
    """Return the bytes of a new note; keys that are None or empty are left out."""
    lines: list[bytes] = []
    for key, value in properties.items():
        if value is not None and value != [] and value != "":
            lines += emitted(key, value, b"\n")
    text = body.rstrip("\n") + "\n" if body.strip() else ""
    return b"---\n" + b"".join(lines) + b"---\n" + text.encode("utf-8", "replace")
