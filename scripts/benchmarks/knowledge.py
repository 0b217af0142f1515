"""The figures of outside documents: words kept, pages found, hostile inputs, and speed."""

from __future__ import annotations

import functools
import html
import io
import json
import math
import re
import shutil
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.dangers import DANGERS
from benchmarks.measure import (
    Missing,
    Row,
    all_of,
    at_least,
    at_most,
    interleaved,
    pss,
    timed,
    told,
)
from benchmarks.server import Server
from benchmarks.vaults import VAULTMEM, new_vault

PACKAGES = Path(sysconfig.get_paths()["purelib"])
TREES = ("/usr/share/cmake-*/Help", "/usr/share/doc/cmake-data/Help")
"""Where a documentation tree of pages with a description each may lie."""


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def kept(source: Counter[str], text: str) -> float:
    """Return the share of the words of a source that a text holds, in per cent."""
    return 100 * (source & words(text)).total() / source.total()


# 1


def prose() -> list[str]:
    """Return the long markdown descriptions that installed packages bring, longest first."""
    found = []
    for file in sorted({*PACKAGES.glob("*.dist-info/METADATA"), *_beside("*.dist-info/METADATA")}):
        head, _, body = file.read_text("utf-8", "replace").partition("\n\n")
        if "text/markdown" in head and 2000 < len(body) < 60_000 and "<" not in body[:300]:
            found.append(body)
    return sorted(found, key=len, reverse=True)


def _beside(pattern: str) -> list[Path]:
    """Return files of the packages that this environment borrows from another."""
    return [file for path in map(Path, __import__("sys").path) for file in path.glob(pattern)]


def _documents() -> Iterator[tuple[str, bytes, Counter[str], float]]:
    """Yield name, bytes, words and least share of documents of every kind."""
    import docx
    from fpdf import FPDF
    from markdown_it import MarkdownIt

    texts = prose()
    if len(texts) < 6:
        raise Missing("too few installed packages have a description in markdown")
    for number, text in enumerate(texts[:3]):
        yield f"{number}.md", text.encode(), words(text), 98
        yield f"{number}.txt", text.encode("utf-16"), words(text), 98
    for number, (text, mark) in enumerate(zip(texts[:4], ("main", "article") * 2, strict=True)):
        made = MarkdownIt().enable("table").render(re.sub(r"<[^>\n]*>", " ", text))
        page = f"<!DOCTYPE html><title>T</title><nav>Home Imprint</nav><{mark}>{made}</{mark}>"
        plain = html.unescape(re.sub(r"<[^>]*>", " ", made))
        yield f"{number}.html", page.encode(), words(plain), 98
    for number, text in enumerate(texts[3:5]):
        paper = docx.Document()
        for line in text.split("\n"):
            marks = len(line) - len(line.lstrip("#"))
            if 1 <= marks <= 6:
                paper.add_heading(line.strip("# "), marks)
            else:
                paper.add_paragraph(line)
        out = io.BytesIO()
        paper.save(out)
        yield f"{number}.docx", out.getvalue(), words(text), 98
    for number, text in enumerate(texts[4:6]):
        latin = text.encode("latin-1", "ignore").decode("latin-1")
        printed = FPDF()
        printed.add_page()
        printed.set_font("Helvetica", size=10)
        printed.multi_cell(0, 5, latin)
        yield f"{number}.pdf", bytes(printed.output()), words(latin), 95
    cells = [{"cell_type": "markdown", "source": texts[0]}]
    yield "a.ipynb", json.dumps({"nbformat": 4, "cells": cells}).encode(), words(texts[0]), 98
    for file in (PACKAGES / "pathspec" / "util.py", Path(json.__file__)):
        if file.exists():
            yield file.name, file.read_bytes(), words(file.read_text("utf-8")), 98


def extraction(_: Path) -> Iterator[Row]:
    """1: the words of documents of every kind that are in the text."""
    from vaultmem.documents.extracting.extractor import Extractor

    count = 0
    with Extractor() as extractor:
        for name, data, source, least in _documents():
            count += 1
            share = kept(source, extractor.document(data, name).text)
            yield at_least(f"words of {name}", share, least, " %")
    yield at_least("documents", count, 12)


# 2


def pages(least: int = 150) -> list[tuple[str, str, str]]:
    """Return name, description and text without it of the pages of a documentation tree."""
    found = []
    for pattern in TREES:
        for top in sorted(Path("/").glob(pattern.lstrip("/"))):
            for folder in ("command", "module", "manual", "policy", "prop_tgt"):
                for file in sorted((top / folder).glob("*.rst")):
                    parts = file.read_text("utf-8", "replace").split("\n\n")
                    lines = [(n, p) for n, p in enumerate(parts[1:8], 1) if p[:1].isalpha()]
                    if lines and len(parts) > 4 and len(lines[0][1].split()) > 5:
                        number, said = lines[0]
                        text = "\n\n".join(parts[:number] + parts[number + 1 :])
                        found.append((f"{folder}-{file.stem}", " ".join(said.split())[:300], text))
        if len(found) >= least:
            return found[:400:2] if len(found) >= 400 else found
    raise Missing("no documentation tree of 150 pages was found (cmake's Help)")


@functools.cache
def _counts(texts: tuple[str, ...]) -> list[Counter[str]]:
    return [words(text) for text in texts]


def bm25(texts: list[str], query: str) -> list[int]:
    """Return the numbers of texts by plain BM25 of their words, best first."""
    counts = _counts(tuple(texts))
    length = sum(c.total() for c in counts) / len(counts)
    scores = [0.0] * len(texts)
    for word in words(query):
        having = [n for n, c in enumerate(counts) if word in c]
        rare = math.log(1 + (len(counts) - len(having) + 0.5) / (len(having) + 0.5))
        for n in having:
            often, share = counts[n][word], counts[n].total() / length
            scores[n] += rare * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * share))
    return sorted(range(len(texts)), key=lambda n: -scores[n])


def _filled(folder: Path, found: list[tuple[str, str, str]]) -> Any:
    """Return a memory whose working directory holds the pages as files, taken in."""
    from vaultmem.memory import Memory

    new_vault(folder / "vault")
    tree = folder / "tree"
    tree.mkdir()
    for name, _, text in found:
        (tree / f"{name}.rst").write_text(text, encoding="utf-8")
    return Memory.open(str(folder / "vault"), cwd=tree, person=True)


def search(folder: Path) -> Iterator[Row]:
    """2: the page that a description is of, beside plain BM25."""
    found = pages()
    memory = _filled(folder, found)
    _, refused = memory.take_in_folder(str(folder / "tree"))
    texts = [text for _, _, text in found]
    ours, plain = Counter[int](), Counter[int]()
    for name, said, _ in found:
        hits = [Path(hit.origin).stem for hit in memory.search(said).hits]
        others = [found[n][0] for n in bm25(texts, said)[:5]]
        for most in (1, 5):
            ours[most] += name in hits[:most]
            plain[most] += name in others[:most]
    memory.close()
    yield at_least("pages", len(found), 150, note=f"{len(refused)} refused")
    for most in (1, 5):
        bar = round(100 * plain[most] / len(found), 2)
        yield at_least(f"hit@{most}, against plain BM25", 100 * ours[most] / len(found), bar, " %")


# 3


def hostile(folder: Path) -> Iterator[Row]:
    """3: inputs that mean harm, given to a server that must answer the next call."""
    new_vault(folder / "vault")
    desk = folder / "desk"
    desk.mkdir()
    contained = answered = 0
    let_in: list[str] = []
    with Server([VAULTMEM, "mcp", "--vault", str(folder / "vault")], desk) as server:
        server.hello()
        _call(server, {"command": "list"})
        before = most = pss(server.pid)
        for danger in DANGERS:
            said, error = _call(server, danger.arguments(desk))
            good = error or danger.harmless(said)
            contained += good
            let_in += [] if good else [danger.name]
            answered += not _call(server, {"command": "list"})[1]
            most = max(most, pss(server.pid))
    yield all_of("inputs refused or contained", contained, len(DANGERS), ", ".join(let_in))
    yield at_least("inputs", len(DANGERS), 40)
    yield all_of("next calls answered", answered, len(DANGERS))
    yield at_most("memory the server grew by", most - before, 400, " MB")


def _call(server: Server, arguments: dict[str, Any]) -> tuple[str, bool]:
    found = server.ask("tools/call", {"name": "knowledge", "arguments": arguments})
    return found["content"][0]["text"], bool(found.get("isError"))


# 4

DOCUMENTS = 2000


def speed(folder: Path) -> Iterator[Row]:
    """4: taking in 200 pages, and matching 2,000 documents."""
    from vaultmem.documents.extracting.extractor import Extractor

    found = pages()[:200]
    memory = _filled(folder, found)
    memory.search("anything")  # the model is loaded
    warm = [f"The number {n} is warm." for n in range(250)]  # also chooses the model's threads
    memory._parts.meaning.model.passages(warm)
    memory.search("anything else")
    whole = timed(lambda: memory.take_in_folder(str(folder / "tree")))
    files = sorted((folder / "tree").iterdir())

    def extract() -> None:
        with Extractor() as extractor:
            for file in files:
                extractor.document(file.read_bytes(), str(file))

    facts = memory._parts.sidecar.snapshot.facts.values()
    known = [one for one in facts if one.origin]
    texts = [text for one in known for text in memory._parts.meaning._embedded(one)]
    ordered = sorted(texts, key=len)
    alone = timed(extract), timed(lambda: memory._parts.meaning.model.passages(ordered))
    note = f"{whole:.1f} s of {len(known)} pages, {alone[0]:.1f} s and {alone[1]:.1f} s alone"
    yield at_most("taking in, of its parts alone", whole / sum(alone), 1.25, "x", note)
    memory.close()
    yield from _matching(folder / "many")


def _matching(folder: Path) -> Iterator[Row]:
    from vaultmem.memory import Memory

    folder.mkdir()
    new_vault(folder / "vault")
    (folder / "vault" / "knowledge").mkdir(exist_ok=True)
    texts = prose()
    for number in range(DOCUMENTS):
        text = texts[number % len(texts)][:3000] + f"\nThe number is {number * 7919 % DOCUMENTS}.\n"
        head = f"---\ntype: source\nsource: outside\norigin: /docs/{number}.md\n---\n"
        file = folder / "vault" / "knowledge" / f"page-{number}.md"
        file.write_text(head + text, encoding="utf-8")
    memory = Memory.open(str(folder / "vault"), person=True)
    memory.refresh(embed=False)
    pattern = "number is 19[0-9]{2}\\."
    other = shutil.which("rg") or str(Path(VAULTMEM).with_name("rg"))
    name = "ripgrep" if Path(other).exists() else "grep"
    command = [other, "-n"] if name == "ripgrep" else ["grep", "-rnE"]
    command += [pattern, str(folder / "vault" / "knowledge")]

    def rival() -> None:
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)

    ours, theirs = interleaved(5, lambda: memory.match(pattern, budget=100_000), rival)
    count = len(memory.match(pattern, budget=100_000).found)
    memory.close()
    yield told("lines found", count)
    note = f"{ours * 1000:.0f} ms and {theirs * 1000:.0f} ms"
    yield at_most(f"match over {DOCUMENTS:,} documents, of {name}", ours / theirs, 5, "x", note)


FIGURES = {1: extraction, 2: search, 3: hostile, 4: speed}
