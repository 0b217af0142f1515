"""The names of a vault's files, by which links resolve the way Obsidian does it."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable
from unicodedata import is_normalized, normalize


def key_of(target: str) -> str:
    """Return the key under which to find everything that a link might point to.

    A link that resolves to a path has the same key as that path: `key_of(link.target) ==
    key_of(path)`. For a note that is its file name, NFC and lower-cased. Only the vault can tell
    whether `v1.2 plan` is a file or the note `v1.2 plan.md`, so each key ends in one `.md`:
    that of `pic.png` is `pic.png.md`, that of `x.md.md` is `x.md`; that of "" is "".
    """
    name = _lowered(target).rpartition("/")[2]
    end = len(name)
    while name.endswith(".md", 0, end):
        end -= 3
    return f"{name[:end]}.md" if name else ""


class Names:
    """The files of a vault by name, to resolve links as the app would."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._by_path: dict[str, str] = {}
        for path in sorted(paths, key=lambda path: (len(path), path)):
            lowered = path if path.isascii() and path.islower() else _lowered(path)
            self._by_name[lowered.rpartition("/")[2]].append((lowered, path))
            self._by_path.setdefault(lowered, path)

    def candidates(self, name: str) -> list[str]:
        """Return the paths whose file name is this one, with or without `.md`; shortest first."""
        return [path for _, path in self._matching(name)[1]]

    def resolve(self, target: str, source: str) -> str | None:
        """Return the path that a link in the note `source` leads to, or None.

        An exact path wins over a note beside the source, that over one further away, and a
        shorter path over a longer one. A relative or rooted link only matches exactly.
        """
        if not target:
            return source
        wanted, named = self._matching(target)
        if "/" not in wanted and len(named) == 1:
            return named[0][1]
        folder = _lowered(source).rpartition("/")[0]
        if wanted.startswith(("./", "../")):
            return self._by_path.get(posixpath.normpath(posixpath.join(folder, wanted)))
        exact = self._by_path.get(wanted.removeprefix("/"))
        if exact or wanted.startswith("/"):
            return exact
        return _nearest([found for found in named if found[0].endswith(wanted)], folder)

    def _matching(self, target: str) -> tuple[str, list[tuple[str, str]]]:
        """Return the target, with `.md` unless a file is called so without, and the files."""
        wanted = _lowered(target)
        name = wanted.rpartition("/")[2]
        if "." in name and name in self._by_name:
            return wanted, self._by_name[name]
        return f"{wanted}.md", self._by_name.get(f"{name}.md", [])


def _nearest(found: list[tuple[str, str]], folder: str) -> str | None:
    prefix = f"{folder}/" if folder else ""
    best = min(found, key=lambda pair: not pair[0].startswith(prefix), default=None)
    return best[1] if best else None


def _lowered(text: str) -> str:
    """Return the text in NFC and lower case, a capital sigma alike wherever it stands."""
    if text.isascii():
        return text.lower()
    lowered = normalize("NFC", text).replace("Σ", "σ").lower()
    return lowered if is_normalized("NFC", lowered) else normalize("NFC", lowered)
