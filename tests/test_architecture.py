"""The floors of the house: imports point down only, and nothing is long."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "vaultmem"
FLOORS = ["words", "vault", "sidecar", "documents", "hosts", "verbs", "memory", "doors"]
SERVICE_FREE = ["__init__", "__main__"]
LONGEST = 300

MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts)


def imports_of(file: Path) -> set[str]:
    """Return the modules of ours that a file imports, without the package's name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "vaultmem":
                found |= {alias.name for alias in node.names}
            elif node.module.startswith("vaultmem."):
                inner = node.module.removeprefix("vaultmem.")
                packages = {f"{inner}.{alias.name}" for alias in node.names}
                known = {name for name in packages if name in NAMES}
                found |= known or {inner}
        elif isinstance(node, ast.Import):
            found |= {a.name[9:] for a in node.names if a.name.startswith("vaultmem.")}
    return found


NAMES = {name_of(file).removesuffix(".__init__") for file in MODULES}


def floor_of(module: str) -> int | None:
    first = module.split(".")[0]
    return FLOORS.index(first) if first in FLOORS else None


def test_every_module_stands_on_a_floor() -> None:
    strays = [n for n in NAMES if floor_of(n) is None and n not in SERVICE_FREE]

    assert strays == []


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_imports_point_down(file: Path) -> None:
    here = floor_of(name_of(file))
    if here is None:
        pytest.skip("the public names look down on everything")

    upward = {m for m in imports_of(file) if (there := floor_of(m)) is not None and there > here}

    assert upward == set()


def test_doors_import_memory_and_words_alone() -> None:
    doors = [file for file in MODULES if name_of(file).startswith("doors")]
    allowed = {"memory", "words", "doors"}
    wrong = {
        (name_of(file), module)
        for file in doors
        for module in imports_of(file)
        if module and module.split(".")[0] not in allowed
    }

    assert wrong == set()


def test_only_memory_constructs_the_parts() -> None:
    stateful = {
        "Vault",
        "LiveLog",
        "Ledger",
        "Readers",
        "Calls",
        "Tokens",
        "Sidecar",
        "KeywordIndex",
        "VectorIndex",
    }
    builders = ("memory", "sidecar.opened", "sidecar.meaning")  # each leg owns its index
    found = {
        (name_of(file), node.func.id)
        for file in MODULES
        if name_of(file) not in builders
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in stateful
    }

    assert found == set()


def test_no_circles() -> None:
    graph = {name_of(f).removesuffix(".__init__"): imports_of(f) & NAMES for f in MODULES}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join([*trail, module])
        if module not in done:
            for below in graph[module] - {module}:
                visit(below, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_every_module_says_what_it_is_for(file: Path) -> None:
    assert ast.get_docstring(ast.parse(file.read_text("utf-8")))


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_no_module_is_long(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= LONGEST


def test_only_files_opens_for_writing() -> None:
    """The vault is written through `vault/files.py` alone; the sidecar and ledger own theirs."""
    writers = {"vault.files", "vault.exchange", "vault.place"}
    writers |= {"vault.locks", "vault.settings", "vault.calls", "vault.serving"}  # the state folder
    writers |= {"vault.salvage"}  # there too
    writers |= {"hosts.hermes.__init__"}  # it runs in Hermes, and writes its own settings there
    writers |= {"vault.threeway", "vault.commits", "vault.hooks"}  # git's own folders
    calls = {"write_text", "write_bytes", "unlink", "rename", "touch", "mkdir", "rmdir"}
    found = {
        (name_of(file), node.func.attr)
        for file in MODULES
        if floor_of(name_of(file)) != FLOORS.index("sidecar") and name_of(file) not in writers
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in calls
    }

    assert found == set()


def test_nothing_executable_is_loaded_by_us() -> None:
    """No pickle, no unsafe YAML, no eval in our own code."""
    words = ("import pickle", "yaml.load(", "FullLoader", "UnsafeLoader", "shell=True")
    found = [(name_of(f), w) for f in MODULES for w in words if w in f.read_text("utf-8")]

    assert found == []
