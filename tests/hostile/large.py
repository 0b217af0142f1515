"""Notes that are too much of something: too long, too deep, too many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .item import Hostile
from .notes import FLOWERS, STORM, headed, titled

TOO_LARGE = "over the limit of 1 MiB"
TOO_LONG = "its properties are over 64 KiB"
MEGABYTE = 1_000_000


def sparse(size: int) -> Hostile:
    """Return a file that claims a size and takes no room on the disk."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return Hostile("a sparse file", f"sparse-{size}.md", make, said=TOO_LARGE)


def filled(row: str, name: str, piece: bytes, size: int) -> Hostile:
    """Return a file of one piece again and again, which is too large to be read."""

    def make(path: Path) -> None:
        block = piece * (MEGABYTE // len(piece))
        with path.open("wb") as file:
            for _ in range(size // len(block)):
                file.write(block)

    return Hostile(row, name, make, said=TOO_LARGE)


def large() -> Iterator[Hostile]:
    """Yield what is larger than a note may be, or just as large as it may."""
    yield filled("one line of ten megabytes", "line-10mb.md", b"rose thistle ", 10 * MEGABYTE)
    yield filled("a hundred megabytes", "text-100mb.md", b"A rose is red.\n", 100 * MEGABYTE)
    yield sparse(2 * 1024 * MEGABYTE)
    yield sparse(10 * 1024 * MEGABYTE)
    tags = b"".join(b"  - tag%d\n" % n for n in range(100_000))
    for name, head in (
        ("a hundred thousand tags", b"title: Tags\ntags:\n" + tags),
        ("properties of ten megabytes", b"".join(b"k%d: v\n" % n for n in range(900_000))),
    ):
        data = b"---\n" + head + b"---\n" + FLOWERS.encode()
        said = TOO_LARGE if len(data) > 1 << 20 else TOO_LONG
        yield Hostile(name, f"{name}.md", data, said=said)
    yield Hostile(
        "properties of ten megabytes",
        "properties-70kb.md",
        headed("\n".join(f"k{n}: v" for n in range(8000))),
        said=TOO_LONG,
        word="thistle",
    )
    yield Hostile(
        "a hundred thousand tags",
        "tags-4000.md",
        headed("title: Tags\ntags:\n" + "\n".join(f"  - t{n}" for n in range(4000))),
        said="tags; 200 are used",
        word="thistle",
    )
    yield from _bodies()


def _bodies() -> Iterator[Hostile]:
    line = ("rose thistle " * 75_000)[: MEGABYTE - 100]
    yield Hostile("one line of ten megabytes", "line-1mb.md", line.encode(), word="thistle")
    links = "".join(f"[[n{n}]] " for n in range(25_000))
    yield Hostile("bombs of links", "links-25000.md", f"Thistle. {links}".encode(), word="thistle")
    same = FLOWERS + "[[x]]" * 100_000
    yield Hostile("bombs of links", "one-link-100000.md", same.encode(), word="thistle")
    for number, sign in enumerate([*STORM, "\n", "#", "---\n", "<", "|a", "> ", "$", "%%", "\\"]):
        body = FLOWERS + "\n" + sign * (100_000 // len(sign))
        yield Hostile(
            "signs by the hundred thousand", f"signs-{number}.md", body.encode(), word="thistle"
        )
    for number, nest in enumerate((">" * 10_000, "- " * 5000, "1. " * 5000, "> - " * 3000)):
        body = FLOWERS + "\n" + nest + "end\n"
        yield Hostile("nested quotes and lists", f"nest-{number}.md", body.encode(), word="thistle")
    image = "![x](data:image/png;base64," + "QUJD" * 225_000 + ")\n"
    yield Hostile(
        "pictures in the text", "image-1mb.md", titled("Image", FLOWERS + image), word="thistle"
    )
    yield filled("pictures in the text", "image-20mb.md", b"QUJD", 20 * MEGABYTE)
    code = FLOWERS + "\n```\n" + "a=b;c(d);" * 110_000 + "\n```\n"
    yield Hostile("code without a blank", "code-1mb.md", titled("Code", code), word="thistle")
    yield filled("code without a blank", "code-2mb.md", b"a=b;c(d);", 2 * MEGABYTE)
    for depth in (500, 5000):
        for name, opened, shut in (("list", "[", "]"), ("mapping", "{a: ", "}")):
            value = f"title: Deep\nk: {opened * depth}{shut * depth}"
            yield Hostile(
                "deep values",
                f"deep-{name}-{depth}.md",
                headed(value),
                said="cannot be read",
                word="thistle",
            )
