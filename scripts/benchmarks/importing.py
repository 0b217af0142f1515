"""What an import loses, doubles or touches: a folder of each format, brought in twice."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks import foreign
from benchmarks.measure import Row, all_of, none, told
from benchmarks.vaults import VAULTMEM, new_vault

_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?[^\[\]]*\]\]|\[[^\[\]]*\]\((?:<[^<>]*>|[^()]*)\)")
_MARKS = re.compile(r"^(?:[-*+]\s+)+|<!--.*?-->")


def imported(folder: Path, notes: int = 100) -> Iterator[Row]:
    """Bring in a folder of each format twice and look for every entry; then kill one half way."""
    for name, make in foreign.MAKERS.items():
        files, texts = make(notes)
        source = written(folder / name, files)
        yield from _brought(folder / f"{name}-vault", source, name, texts)
    yield from _killed(folder, folder / "plain", notes)


def written(folder: Path, files: foreign.Folder) -> Path:
    """Write a source folder."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def _brought(root: Path, source: Path, name: str, texts: list[str]) -> Iterator[Row]:
    from vaultmem.memory import ImportWish, Memory

    new_vault(root)
    before = _state(source)
    memory = Memory.open(str(root))
    start = time.perf_counter()
    first = memory.bring(ImportWish(str(source)))
    spent = time.perf_counter() - start
    made = bodies(root)
    again = memory.bring(ImportWish(str(source)))
    well = memory.doctor().well
    memory.close()
    found = [sum(_lines(text) <= lines for lines in map(_lines, made.values())) for text in texts]
    right = first.format == name
    yield told(f"{name}: {len(texts)} entries, {len(made)} notes", spent, " s")
    yield all_of("  told by its looks, and the vault is well after", right + well, 2)
    yield none("  entries lost", sum(count == 0 for count in found))
    yield none("  entries that stand in more than one note", sum(count > 1 for count in found))
    yield none("  notes that the second run adds or changes", _differing(made, bodies(root)))
    yield none("  entries that the second run holds for new", again.counts.get("new", 0))
    yield none(
        "  files of the source changed, in bytes or times", _differing(before, _state(source))
    )


def _killed(folder: Path, source: Path, notes: int) -> Iterator[Row]:
    """Kill an import half way, repeat it, and compare with one that was not."""
    whole, cut = folder / "whole", folder / "cut"
    for root in (whole, cut):
        new_vault(root)
    _run(whole, source).wait()
    running = _run(cut, source)
    while running.poll() is None and len(bodies(cut)) < notes // 3:
        time.sleep(0.002)
    running.kill()
    running.wait()
    half = len(bodies(cut))
    _run(cut, source).wait()
    differing = _differing(bodies(whole), bodies(cut))
    yield told("killed with -9 and repeated: notes at that time", half)
    yield none("  notes that differ from an import that was not killed", differing)
    pages = [root / "memory/global/index.md" for root in (whole, cut)]
    same = len({page.read_bytes() for page in pages}) == 1
    yield all_of("  its catalogue is the same", int(same), 1)


def _run(root: Path, source: Path) -> subprocess.Popen[bytes]:
    command = [VAULTMEM, "import", str(source), "--vault", str(root)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def bodies(root: Path) -> dict[str, str]:
    """Return the text of each memory without its properties."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8").partition("\n---\n")[2]
        for path in sorted((root / "memory").rglob("*.md"))
        if path.name != "index.md"
    }


def _lines(text: str) -> set[str]:
    """Return the lines of a text as they can be compared: links are one thing, marks nothing."""
    linked = (_LINK.sub("LINK", line) for line in text.replace("\r\n", "\n").split("\n"))
    plain = (" ".join(_MARKS.sub("", line.strip()).split()) for line in linked)
    return {line for line in plain if line}


def _state(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> int:
    return sum(one.get(key) != other.get(key) for key in {*one, *other})
