"""Facts as a text behind its checksum: SQLite does not notice a bit that flips in a text."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from sys import intern

from vaultmem.sidecar.database import Damaged
from vaultmem.words.facts import Facts
from vaultmem.words.layout import Role
from vaultmem.words.life import Grade


def packed(facts: Facts) -> str:
    """Return the text of some facts."""
    return checked(json.dumps(asdict(facts)))


def unpacked(text: str) -> Facts:
    """Return facts from their text; raises `Damaged` where it is not as it was written."""
    try:
        if text != checked(text[8:]):
            raise ValueError("facts are not as they were written")
        values = json.loads(text[8:])
        values["role"] = Role(values["role"])
        values["grade"] = Grade(values["grade"])
        for key in ("tags", "files", "aliases", "oddities"):
            values[key] = tuple(values[key])
        for key in ("path", "hash", "type", "status", "agent", "created", "updated"):
            values[key] = intern(values[key])
        values["relations"] = tuple((intern(kind), to) for kind, to in values["relations"])
        return Facts(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(error) from error


def checked(text: str) -> str:
    """Return a text behind its checksum."""
    return f"{zlib.crc32(text.encode()):08x}{text}"
