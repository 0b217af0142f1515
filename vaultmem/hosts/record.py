"""What was put where, so that it can be taken back to the byte; and how, if the file changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from vaultmem.hosts.jsontext import Unfit
from vaultmem.hosts.pieces import Piece, emptied, missing, puts, state, without
from vaultmem.hosts.puts import Put, put_in, taken_back


@dataclass(frozen=True)
class Kept:
    """A piece that was put into a file, how, and how many objects around it were made for it."""

    piece: Piece
    puts: tuple[Put, ...] = ()
    made: int = 0


@dataclass(frozen=True)
class Record:
    """Our part of one file: what it hashed to with it, and what was made for it."""

    file: Path
    kept: tuple[Kept, ...] = ()
    after: str = ""
    created: bool = False
    folders: tuple[str, ...] = ()
    """Folders that were made, the outermost first."""


def hashed(text: str) -> str:
    """Return the sha256 of a text's bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def fitted(file: Path, old: str | None, parts: Sequence[Piece], known: Record) -> Record | None:
    """Return the record of a file with all of our pieces, None if it has them as they should be.

    Raises:
        Unfit: the file cannot be changed safely, or what is there is not ours.
    """
    states = [known_state(piece, old, known) for piece in parts] if old is not None else []
    if "foreign" in states:
        keys = ".".join(parts[states.index("foreign")].keys)
        raise Unfit(f"its `{keys}` was not put there by `vaultmem connect`")
    if states and set(states) == {"same"}:
        return None
    if "ours" in states and parts[0].form == "own" and known.after != hashed(old or ""):
        raise Unfit("it was changed since, so it is yours")
    base = undone(old, known) if old is not None else None
    text = base if base is not None else parts[0].seed
    kept = []
    for piece in parts:
        if piece.form == "own":
            text = ""
        made, pieces = missing(piece, text), puts(piece, text)
        kept.append(Kept(piece, tuple(pieces), made))
        text = put_in(text, pieces)
    return Record(file, tuple(kept), hashed(text), base is None, known.folders)


def known_state(piece: Piece, old: str, known: Record) -> str:
    """Return the state of a piece in a file, where what was put there is ours."""
    found = state(piece, old)
    before = [kept.piece for kept in known.kept if kept.piece.keys == piece.keys]
    if found == "foreign" and any(state(kept, old) == "same" for kept in before):
        return "ours"
    return found


def text_of(record: Record, base: str | None) -> str:
    """Return what a file is with our pieces in it, from what it was without."""
    text = base if base is not None else record.kept[0].piece.seed
    for kept in record.kept:
        text = put_in("" if kept.piece.form == "own" else text, kept.puts)
    return text


def undone(text: str, record: Record) -> str | None:
    """Return a file without our pieces, None if then nothing of it is left that is not ours.

    As long as nobody changed the file since, it is what it was, to the byte. Else what is ours is
    taken out and everything else stays; a file of ours that was changed stays whole.

    Raises:
        Unfit: it cannot be read any more.
    """
    if record.after == hashed(text):
        return None if record.created else _back(text, record)
    for kept in reversed(record.kept):
        if kept.piece.form == "own":
            return text
        text = emptied(kept.piece, without(kept.piece, text), kept.made)
    bare = "".join(text.split())
    seed = record.kept[0].piece.seed if record.kept else ""
    return None if record.created and bare in ("", "{}", "".join(seed.split())) else text


def _back(text: str, record: Record) -> str:
    pieces = [put for kept in record.kept for put in kept.puts]
    before = taken_back(text, pieces)
    assert before is not None  # its hash says that every piece is where it was put
    return before


def as_json(records: Sequence[Record]) -> str:
    """Return records as they are stored."""
    rows = [asdict(replace(record, file=Path())) | {"file": str(record.file)} for record in records]
    return json.dumps(rows, default=str, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> list[Record]:
    """Return stored records; what is damaged is none."""
    try:
        return [_record(row) for row in json.loads(text)]
    except (ValueError, KeyError, TypeError):
        return []


def _record(row: dict[str, Any]) -> Record:
    kept = tuple(
        Kept(
            Piece(
                **{
                    **part["piece"],
                    "file": Path(part["piece"]["file"]),
                    "keys": tuple(part["piece"]["keys"]),
                }
            ),
            tuple(Put(**put) for put in part["puts"]),
            part["made"],
        )
        for part in row["kept"]
    )
    return Record(
        Path(row["file"]), kept, row["after"], row["created"], tuple(row.get("folders", ()))
    )
