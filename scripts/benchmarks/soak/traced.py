"""What a program asked the system for, as strace saw it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import Missing

_CALLS = (
    "connect,openat,open,creat,openat2,execve,execveat,mkdir,mkdirat,rename,renameat,renameat2,"
    "unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat"
)
_LINE = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?")
_NAMED = re.compile(r"""(?:AT_FDCWD<([^>]*)>|\d+<([^>]*)>)?(?:, )?"((?:[^"\\]|\\.)*)\"""")
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
NOWHERE = ("/dev/", "/proc/")


def strace() -> str:
    """Return the path of strace; raises `Missing`."""
    found = shutil.which("strace")
    if not found:
        raise Missing("strace is missing: `apt-get install strace`")
    return found


def line(log: Path, command: Sequence[str]) -> list[str]:
    """Return the command that runs another one and writes down what it asks for."""
    followed = ("-f", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-e", f"trace={_CALLS}")
    return [strace(), *followed, "-o", str(log), *command]


@dataclass
class Asked:
    """What was asked for, by kind; paths are the real ones, links resolved by the system."""

    connected: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    """What was opened for writing, made, renamed or removed."""
    ran: list[str] = field(default_factory=list)

    def add(self, log: Path) -> None:
        """Add what a log says."""
        for text in log.read_text("utf-8", "replace").splitlines():
            if found := _LINE.match(text):
                self._noted(*found.groups())

    def _noted(self, call: str, rest: str, result: str, opened: str | None) -> None:
        if call == "connect":
            self.connected.append(rest)
        elif int(result) < 0:
            return
        elif call.startswith("exec"):
            self.ran.append(_paths(rest)[0])
        elif call.startswith("open") or call == "creat":
            kind = self.written if _WRITES.search(rest) or call == "creat" else self.read
            kind.append(opened or _paths(rest)[0])
        else:
            self.written += _paths(rest)[call.startswith("symlink") :]

    def strangers(self) -> list[str]:
        """Return all that was connected to but the C library's own service of names."""
        return [text[:90] for text in self.connected if "/nscd/socket" not in text]


def _paths(rest: str) -> list[str]:
    """Return the paths that the arguments of a call name."""
    found = []
    for match in _NAMED.finditer(rest):
        base = match[1] or match[2] or ""
        name = match[3].encode("latin-1", "replace").decode("unicode_escape", "replace")
        found.append(os.path.normpath(Path(base, name)))
    return found or [""]


def outside(paths: Sequence[str], allowed: Sequence[Path]) -> Iterator[str]:
    """Yield the paths that lie in none of some folders."""
    for path in paths:
        if not any(Path(path).is_relative_to(folder) for folder in allowed):
            yield path


def run(command: Sequence[str], log: Path, cwd: Path, given: str = "", seconds: float = 60) -> int:
    """Run a command to its end, or until its time is up; return its exit code."""
    with subprocess.Popen(
        line(log, command),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            process.communicate(given.encode(), timeout=seconds)
        except subprocess.TimeoutExpired:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            for child in children.read_text().split():
                os.kill(int(child), 15)
            process.communicate(timeout=30)
    return process.returncode
