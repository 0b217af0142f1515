"""Putting text in and taking it back: a change of a file is a list of pieces, each at its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Put:
    """A piece that is put into a text, at a place in the text as it then is."""

    at: int
    piece: str


def put_in(text: str, puts: Iterable[Put]) -> str:
    """Return a text with pieces put in, one after the other."""
    for put in puts:
        text = text[: put.at] + put.piece + text[put.at :]
    return text


def taken_back(text: str, puts: Iterable[Put]) -> str | None:
    """Return the text as it was before `put_in`, None if a piece is not where it was put."""
    for put in reversed(list(puts)):
        end = put.at + len(put.piece)
        if text[put.at : end] != put.piece:
            return None
        text = text[: put.at] + text[end:]
    return text


def newline_of(text: str) -> str:
    """Return the line ending that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"
