"""Random bytes for the readers of untrusted text: what they may raise is said, all else is a find.

With atheris each target runs in a process of its own, and its corpus grows by branches taken.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Target = Callable[[bytes], object]
LONGEST = 20_000
SLOWEST = 1.0
"""Seconds of the processor after which an input counts as a find."""


def _note(data: bytes) -> None:
    from vaultmem.sidecar.chunks import passages
    from vaultmem.words import frontmatter
    from vaultmem.words.errors import Refused
    from vaultmem.words.facts import facts_of
    from vaultmem.words.layout import Role
    from vaultmem.words.note import parse
    from vaultmem.words.safe import defused, shown

    assert frontmatter.split(data).join() == data
    note = parse("memory/a.md", data)
    facts_of(note, Role.MEMORY)
    passages(note.body, note.body_line)
    shown(note.body)
    assert defused(defused(note.body)) == defused(note.body)
    try:
        after = frontmatter.patched(frontmatter.split(data), "title", "New")
    except Refused:
        return
    read = {key.casefold(): value for key, value in frontmatter.read(after.block).items()}
    assert read["title"] == "New"
    assert after.body == frontmatter.split(data).body


def _properties(data: bytes) -> None:
    _note(b"---\n" + data + b"\n---\nThe body.\n")


def _log(data: bytes) -> None:
    from vaultmem.words.entry import parse, signed
    from vaultmem.words.unions import merged

    lines = data.decode("utf-8", "surrogateescape").split("\n")
    for line in lines:
        entry = parse(line)
        if entry:
            again = parse(signed(entry, "b4").line())
            assert again is None or again.genuine
    once = merged(lines)
    assert merged(once) == once


def _links(data: bytes) -> None:
    from vaultmem.words.links import in_text, in_value, outside_code, relinked, wikilink

    text = data.decode("utf-8", "replace")
    assert len(outside_code(text)) == len(text)
    assert relinked(text, lambda link: None) == text
    in_value(text)
    for link in in_text(text):
        assert 1 <= link.line <= text.count("\n") + 1
    assert in_text(wikilink("a/b.md", text))[0].target == "a/b"


def _tools() -> Target:
    """Return a target that calls every tool of a server with arguments made of the bytes."""
    import asyncio
    import json

    from benchmarks.soak.corpus import opened
    from mcp import Client

    from vaultmem.doors.mcp_server import build_server

    memory = opened(Path(tempfile.mkdtemp(prefix="vaultmem-fuzz-")))
    loop = asyncio.new_event_loop()
    client = Client(build_server(memory), raise_exceptions=False)
    loop.run_until_complete(client.__aenter__())
    tools = loop.run_until_complete(client.list_tools()).tools

    def target(data: bytes) -> None:
        source = random.Random(data[:8])
        text = data[8:].decode("utf-8", "replace")
        tool = source.choice(tools)
        names = list(tool.input_schema["properties"])
        try:
            arguments = json.loads(text)
        except (ValueError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            pieces = text.split("\x1f") or [""]
            values = [*pieces, pieces, len(text), -1, 1e308, None, True, {"a": text}, [pieces]]
            chosen = source.sample(names, source.randint(0, len(names)))
            arguments = {name: source.choice(values) for name in chosen}
        result = loop.run_until_complete(client.call_tool(tool.name, arguments))
        said = "".join(getattr(block, "text", "") for block in result.content)
        assert not said.startswith("Error executing"), said[:300]
        assert len(said.encode()) <= 64_000

    return target


TARGETS: dict[str, Callable[[], Target]] = {
    "note": lambda: _note,
    "properties": lambda: _properties,
    "log": lambda: _log,
    "links": lambda: _links,
    "tools": _tools,
}


def seeds(name: str) -> list[bytes]:
    """Return where a target's inputs begin: what is odd already."""
    from tests.hostile.logs import good
    from tests.hostile.notes import ODD
    from vaultmem.words.frontmatter import split

    if name == "log":
        return [b"".join(good(count)) for count in (1, 3)]
    if name == "properties":
        return [split(data).block for data in ODD.values()]
    if name == "tools":
        return [b'12345678{"query":"rose","limit":3}', b'abcdefgh{"title":"a","content":"b"}']
    return [data for data in ODD.values() if len(data) < LONGEST]


def timed(target: Target) -> Target:
    """Return a target for which a slow input is a find."""

    def inner(data: bytes) -> None:
        begin = time.thread_time()
        target(data)
        taken = time.thread_time() - begin
        assert taken < SLOWEST, f"{len(data)} bytes took {taken:.1f} s"

    return inner


def with_atheris(name: str, seconds: float) -> int:
    """Let atheris look for `seconds` in this process, which it then ends."""
    import atheris

    with atheris.instrument_imports(include=["vaultmem.words", "vaultmem.sidecar.chunks"]):
        import vaultmem.sidecar.chunks
        import vaultmem.words.entry
        import vaultmem.words.facts
        import vaultmem.words.links
        import vaultmem.words.safe
        import vaultmem.words.unions  # noqa: F401
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-fuzz-"))
    for number, seed in enumerate(seeds(name)):
        (folder / str(number)).write_bytes(seed)
    options = [
        f"-max_total_time={int(seconds)}",
        f"-max_len={LONGEST}",
        "-timeout=20",
        "-verbosity=0",
    ]
    target = timed(TARGETS[name]())
    atheris.Setup(
        [sys.argv[0], *options, "-verbosity=0", "-print_final_stats=1", str(folder)], target
    )
    atheris.Fuzz()
    return 0


def with_hypothesis(name: str, seconds: float) -> int:
    """Try what Hypothesis thinks of, and changed seeds, for `seconds`; return how many it tried."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    target, known, tried = timed(TARGETS[name]()), seeds(name), 0
    inputs = st.one_of(
        st.binary(max_size=2000), st.builds(_changed, st.sampled_from(known), st.randoms())
    )
    end = time.monotonic() + seconds

    @settings(
        max_examples=200, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(inputs)
    def run(data: bytes) -> None:
        nonlocal tried
        tried += 1
        target(data)

    while time.monotonic() < end:
        run()
    return tried


def _changed(data: bytes, chance: Any) -> bytes:
    """Return a seed with a few of its bytes replaced, doubled, dropped or taken from elsewhere."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randint(0, len(made))
        other = chance.randint(0, len(made))
        piece = made[min(at, other) : max(at, other)][:200]
        made[at : at + chance.choice([0, 0, 1, 8])] = chance.choice(
            [piece, bytes([chance.randrange(256)]), b"---\n", b"[[", b"\n", b"\xc2\xb7 ", b'"', b""]
        )
    return bytes(made)


def asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="for each target")
    parser.add_argument("--only", default=",".join(TARGETS), metavar="note,log")
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main() -> int:
    options = asked(sys.argv[1:])
    found = importlib.util.find_spec("atheris") is not None
    if options.inside:
        return with_atheris(options.inside, options.seconds)
    failed = 0
    for name in options.only.split(","):
        if found and name != "tools":
            command = [sys.executable, "-m", "fuzzing", "--seconds", str(options.seconds)]
            done = subprocess.run([*command, "--inside", name], capture_output=True, check=False)
            said = done.stderr.decode("utf-8", "replace")
            runs = [line for line in said.splitlines() if "number_of_executed_units" in line]
            print(f"{name}: {runs[-1].split()[-1] if runs else '?'} inputs (atheris)", flush=True)
            if done.returncode:
                failed += 1
                print(said[-3000:])
        else:
            tried = with_hypothesis(name, options.seconds)
            print(f"{name}: {tried} inputs (Hypothesis)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
