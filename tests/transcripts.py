"""Runs a transcript: `$ command` lines, each followed by what it prints.

Output and errors stand as a terminal shows them, `[1]` is an exit code other than 0, and what
differs from run to run has a name that commands can use too: `ID1`, `HASH1`, `MARK1`, `DETAIL1`,
`DATE`, `VAULT` and, for the folder around it, `HERE`. In a command `$'a\\x1b'` is an escape,
`x*5000` that many letters, and `TOKEN` a secret. Beside `vaultmem` it knows
`write`, `cat`, `ls`, `ln`, `rm` and `cd`.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from vaultmem.doors.cli import main

TOKEN = "ghp_" + "a1B2c3D4e5" * 4
_NAMED = (
    ("HASH", re.compile(r"\b[0-9a-f]{64}\b")),
    ("MARK", re.compile(r"\blc-[a-z2-9]{8}-[a-z2-9]{2}\b")),
    ("DETAIL", re.compile(r"(?<=live-context/detail/)[a-z2-9]{8}\b")),
)
_ID = re.compile(r"^id: ([a-z0-9]{8})$", re.MULTILINE)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d)?")


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a transcript, with the text that a `<<END` gives it."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            given = line.endswith(" <<END")
            yield line, "\n".join(iter(lines.__next__, "END")) + "\n" if given else ""


class Session:
    """One transcript's folder, and the names that its ids, hashes and fingerprints have."""

    def __init__(self, folder: Path, tick: Callable[[], None]) -> None:
        self.folder = folder
        self.names: dict[str, str] = {str(folder / "vault"): "VAULT", str(folder): "HERE"}
        self._tick = tick

    def replayed(self, text: str) -> str:
        """Return a transcript with what its commands print today."""
        head = text[: text.index("$ ")]
        return head + "\n\n".join(self._step(*step) for step in steps(text)) + "\n"

    def _step(self, line: str, given: str) -> str:
        self._tick()
        printed = self._named(self._run(line[2:].removesuffix(" <<END"), self._meant(given)))
        assert TOKEN not in printed
        return "\n".join(part for part in (line, given and given + "END", printed) if part)

    def _run(self, command: str, given: str) -> str:
        name, *args = [self._argument(word) for word in shlex.split(command, comments=True)] or [""]
        if name == "vaultmem":
            return self._vaultmem(args, given)
        return _HELPERS[name](given, *args) if name else ""

    def _argument(self, word: str) -> str:
        repeated = re.fullmatch(r"(.)\*(\d+)", word)
        if word.startswith("$"):
            return word[1:].encode().decode("unicode_escape")
        return repeated[1] * int(repeated[2]) if repeated else self._meant(word)

    def _meant(self, text: str) -> str:
        for real, name in self.names.items():
            text = re.sub(rf"\b{name}\b", real, text)
        return text.replace("TOKEN", TOKEN)

    def _named(self, text: str) -> str:
        for note in sorted(self.folder.rglob("*.md")):
            if not note.is_symlink():
                self._learn("ID", _ID.findall(note.read_text("utf-8", "replace")))
        for name, pattern in _NAMED:
            self._learn(name, pattern.findall(text))
        for real, name in self.names.items():
            text = re.sub(rf"(?<![a-z0-9]){re.escape(real)}", name, text)
        return _DATE.sub("DATE", text).strip("\n")

    def _learn(self, name: str, found: list[str]) -> None:
        for real in found:
            count = sum(known.startswith(name) for known in self.names.values())
            self.names.setdefault(real, f"{name}{count + 1}")

    def _vaultmem(self, args: list[str], given: str) -> str:
        printed, code = io.StringIO(), 0
        with (
            mock.patch.object(sys, "argv", ["vaultmem", *args]),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()))),
            redirect_stdout(printed),
            redirect_stderr(printed),
        ):
            try:
                main()
            except SystemExit as end:
                code = int(end.code or 0)
        return printed.getvalue().rstrip("\n") + (f"\n[{code}]" if code else "")


def _write(given: str, path: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(given, "utf-8")
    return ""


_HELPERS: dict[str, Callable[..., str]] = {
    "write": _write,
    "cat": lambda _, path: Path(path).read_text("utf-8"),
    "ls": lambda _, path: "\n".join(sorted(os.listdir(path))),
    "ln": lambda _, target, link: Path(link).symlink_to(target) or "",
    "rm": lambda _, path: Path(path).unlink() or "",
    "cd": lambda _, path: os.chdir(path) or "",
}
