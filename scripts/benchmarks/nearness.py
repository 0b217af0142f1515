"""Whether nearness merges only what says the same: texts that other people wrote, and pairs.

Unrelated notes are messages of the gettext catalogues on this machine and, with `--data`, sentences
of XQuAD; near-copies are the pairs of MRPC. Its even lines were looked at when the rules were made,
its odd lines were not.
"""

from __future__ import annotations

import csv
import gettext
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain, combinations, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import datasets
from benchmarks.measure import Row, none, timed, told
from benchmarks.vaults import real_model
from vaultmem.words.near import TO_FOLD, TO_REFUSE, alike, differ, near, plain

NOTES = 200
"""Unrelated notes of each language."""
CATALOGUES = Path("/usr/share/locale")
LANGUAGES = {
    "Thai": "th",
    "Chinese": "zh_CN",
    "Japanese": "ja",
    "Russian": "ru",
    "Arabic": "ar",
    "English": "en",
}
SHORTEST = {"th": 20, "zh_CN": 20, "ja": 20}
"""Least characters of a note; 40 in other languages."""
LONGEST = 300
TRANSLATED = ("ja", "ru", "zh_CN")
"""Languages whose catalogues hold the English messages."""
PAIRS = Path(__file__).with_name("differing_pairs.tsv")

_MARKUP = re.compile(r"[%<>{}$&\n\t_\\`=|]")
_SENTENCE = re.compile(r"[^.!?。]+[.!?。]?")


class Judged(NamedTuple):
    """A pair of MRPC, with its line in the file."""

    line: int
    same: bool
    one: str
    other: str
    cosine: float | None


def nearness(folder: Path) -> Iterator[Row]:
    """Judge unrelated notes, pairs that differ in one thing, and near-copies."""
    del folder
    model = real_model()
    for name, language in LANGUAGES.items():
        yield from _unrelated(name, language, model)
    yield from _differing()
    yield from _copies(model)


FIGURE = nearness


def unrelated_notes(language: str, count: int = NOTES) -> list[str]:
    """Return notes that other people wrote, taken by turns from every source by their hash."""
    sources = [sorted(texts, key=_digest) for _, texts in sorted(_sources(language))]
    by_turns = chain.from_iterable(zip_longest(*sources))
    least = SHORTEST.get(language, 40)
    found: dict[str, str] = {}
    for text in by_turns:
        if text and least <= len(text) <= LONGEST and not _MARKUP.search(text):
            found.setdefault(plain(text), text)
        if len(found) == count:
            break
    return list(found.values())


def _sources(language: str) -> Iterator[tuple[str, set[str]]]:
    """Return what each catalogue of a language says, and XQuAD where it is."""
    english = language == "en"
    said: dict[str, set[str]] = {}
    for folder in TRANSLATED if english else (language,):
        for file in sorted((CATALOGUES / folder / "LC_MESSAGES").glob("*.mo")):
            said.setdefault(file.stem, set()).update(_messages(file, english))
    yield from said.items()
    data = Path(os.environ.get("VAULTMEM_BENCH_DATA", "")) / "xquad"
    if (data / language[:2]).is_dir():
        documents = datasets.load(data, language[:2]).documents
        found = (_SENTENCE.findall(document.text) for document in documents)
        yield "xquad", {sentence.strip() for sentence in chain.from_iterable(found)}


def _messages(file: Path, english: bool) -> Iterator[str]:
    with file.open("rb") as opened:
        try:
            catalogue: dict[Any, str] = vars(gettext.GNUTranslations(opened))["_catalog"]
        except (UnicodeDecodeError, OSError):
            return
    for source, translated in catalogue.items():
        key = source[0] if isinstance(source, tuple) else source
        if key:
            yield key.split("\x04")[-1] if english else translated


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _unrelated(name: str, language: str, model: Any) -> Iterator[Row]:
    notes = unrelated_notes(language)
    if len(notes) < NOTES:
        missing = f"{len(notes)} of {NOTES}: {CATALOGUES} holds no more catalogues of {language}"
        yield Row(f"unrelated notes, {name}", missing, str(NOTES), good=False)
        return
    cosines = _cosines(model, notes)
    pairs = list(combinations(range(NOTES), 2))
    for verb, least in (("merged", TO_FOLD), ("refused", TO_REFUSE)):
        count = sum(near(notes[a], notes[b], cosines[a][b], least) for a, b in pairs)
        yield none(f"unrelated notes, {name}: {verb}", count, _pairs_told(notes, cosines, least))


def _pairs_told(notes: Sequence[str], cosines: Any, least: float) -> str:
    """Return how many pairs a model alone would have taken for the same."""
    known = [cosines[a][b] for a, b in combinations(range(len(notes)), 2)]
    read = [cosine for cosine in known if cosine is not None]
    by_model = sum(cosine >= least for cosine in read)
    return f"{len(known):,} pairs, {len(read):,} read; {by_model:,} by cosine alone"


def _cosines(model: Any, texts: Sequence[str]) -> list[list[float | None]]:
    """Return the cosine of each two texts, None where the model cannot read both."""
    vectors = model.passages(texts)
    return [
        [None if one is None or other is None else float(one @ other) for other in vectors]
        for one in vectors
    ]


def differing_pairs() -> list[dict[str, str]]:
    """Return pairs of notes that differ in one thing, by kind and language."""
    with PAIRS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _differing() -> Iterator[Row]:
    rows = differing_pairs()
    for column in ("kind", "language"):
        for value in sorted({row[column] for row in rows}):
            some = [row for row in rows if row[column] == value]
            merged = sum(not differ(row["one"], row["other"]) for row in some)
            note = f"{len(some)} pairs, whatever the cosine"
            yield none(f"pairs that differ, {column} {value}: merged", merged, note)


def _copies(model: Any) -> Iterator[Row]:
    file = Path(os.environ.get("VAULTMEM_BENCH_DATA", "")) / "mrpc" / "train.tsv"
    if not file.is_file():
        yield Row("near-copies", "no mrpc/train.tsv below --data", "", good=False)
        return
    judged = _judged(file, model)
    for part, some in (("all", judged), ("odd lines", [j for j in judged if j.line % 2])):
        for verb, least in (("folded", TO_FOLD), ("refused", TO_REFUSE)):
            for same, kind in ((True, "near-copies"), (False, "near-misses")):
                yield _share(f"MRPC, {part}: {kind} {verb}", some, same, least)
    merged = [pair.line for pair in judged if not pair.same and _near(pair, TO_FOLD)]
    yield Row("MRPC: lines of near-misses folded", " ".join(map(str, merged[:10])))
    taken = timed(lambda: [alike(p.one, p.other) >= 0 and differ(p.one, p.other) for p in judged])
    again = timed(lambda: [near(judged[0].one, judged[0].other, 1) for _ in range(10_000)])
    yield told("MRPC: a pair never seen before", taken / len(judged) * 1e6, " us")
    yield told("MRPC: a pair of texts seen before", again / 10_000 * 1e6, " us")


def _judged(file: Path, model: Any) -> list[Judged]:
    lines = file.read_text("utf-8-sig").splitlines()
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, 1)][1:]
    ones, others = (model.passages([row[place] for _, row in rows]) for place in (3, 4))
    return [
        Judged(number, row[0] == "1", row[3], row[4], _cosine(one, other))
        for (number, row), one, other in zip(rows, ones, others, strict=True)
    ]


def _cosine(one: Any, other: Any) -> float | None:
    return None if one is None or other is None else float(one @ other)


def _near(pair: Judged, least: float) -> bool:
    return near(pair.one, pair.other, pair.cosine, least)


def _share(name: str, pairs: Iterable[Judged], same: bool, least: float) -> Row:
    some = [pair for pair in pairs if pair.same is same]
    count = sum(_near(pair, least) for pair in some)
    return told(name, 100 * count / len(some), " %", f"{count} of {len(some)}")
