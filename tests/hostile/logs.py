"""Months of the live log that crashes, editors and other programs have been at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vaultmem.words.entry import Entry, signed

from .item import Hostile

MONTH = "live-context/2026-10.md"


def good(count: int = 3) -> list[bytes]:
    """Return genuine lines, whose summaries are `Rose 0.`, `Rose 1.` and so on."""
    made = (
        Entry(f"2026-10-01T10:00:{n:02}+00:00", "scribe", "chat", "note", "", f"Rose {n}.")
        for n in range(count)
    )
    return [signed(entry, "b4").line().encode() + b"\n" for entry in made]


def logs() -> Iterator[Hostile]:
    """Yield logs with three good entries each, and something bad among them."""
    first, second, third = good()
    torn = signed(Entry("2026-10-02T10:00:00+00:00", "scribe", "chat", "note", "", "Torn."), "b4")
    half = torn.line().encode()[:50]
    whole = first + second + third
    long = replace(torn, summary="x" * 5_000_000).line().encode() + b"\n"
    for name, data, said in (
        ("torn at the end", whole + half, "the line is torn"),
        ("torn in the middle", first + half + b"\n" + second + third, "the line is torn"),
        ("zeros at the end", whole + bytes(4096), "NUL"),
        ("zeros in the middle", first + bytes(512) + b"\n" + second + third, "NUL"),
        (
            "two glued together",
            first + second + third + half + first.strip() + b"\n",
            "two entries",
        ),
        ("no last line end", whole[:-1], "has no end"),
        ("one twice", whole + second, ""),
        ("one of five megabytes", whole + long, "was edited"),
        ("foreign text", b"# October\n\nMy own words.\n" + whole + b"\n<b>more</b>\n", ""),
        ("Windows line ends", whole.replace(b"\n", b"\r\n"), ""),
        ("an older form", whole + b"- 2025-01-01 scribe: an old line\n", "torn"),
        ("a newer form", whole + b"- 2026-10-03T10:00:00+00:00 {v: 2} **scribe**\n", "torn"),
        ("not text", whole + b"\xff\xfe\x00\x01 not text\n", "not UTF-8"),
        (
            "typed by hand",
            whole + b"- 2026-10-03T10:00:00+00:00 **me** \xc2\xb7 chat \xc2\xb7 note"
            b" \xc2\xb7 global \xc2\xb7 Hello.\n",
            "typed by hand",
        ),
        ("edited", whole.replace(b"Rose 1.", b"Rose 9.") + second, "was edited"),
    ):
        seen = "mended" if name in ("one twice", "edited") else "log"
        yield Hostile(f"a log: {name}", MONTH, data, seen, said)
