"""The wheel: what is in it, and that it works where nothing of the source tree is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel
SOURCE = Path(__file__).parent.parent
NEEDED = (
    "vaultmem/__init__.py",
    "vaultmem/doors/cli/__init__.py",
    "vaultmem/hosts/hermes/plugin.yaml",
    "vaultmem/hosts/openclaw/index.js",
    "vaultmem/hosts/openclaw/openclaw.plugin.json",
    "vaultmem/hosts/shared/habits.md",
    "vaultmem/hosts/shared/tools.json",
    "vaultmem/sidecar/minilm/tokenizer.json",
    "vaultmem/hosts/files/opencode.js",
    "vaultmem/hosts/files/rule.mdc",
    "vaultmem/hosts/files/skill.md",
    "vaultmem/vault-template/.gitattributes",
    "vaultmem/vault-template/.obsidian/app.json",
    "vaultmem/vault-template/index.md",
    "vaultmem/vault-template/templates/memory.md",
)


def run(*command: object, cwd: Path) -> str:
    """Run a program that knows nothing of the source tree, and return what it prints."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=known, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=SOURCE)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel, which borrows what it depends on."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    python = folder / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(python, "-c", code, cwd=folder).strip())
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--no-deps", "--no-index", "--ignore-installed", wheel, cwd=folder)
    return python.parent


def test_the_wheel_holds_the_template_and_the_tokenizer(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert names >= set(NEEDED)


def test_the_wheel_holds_the_whole_template(wheel: Path) -> None:
    template = SOURCE / "vault-template"
    there = {p.relative_to(template).as_posix() for p in template.rglob("*") if p.is_file()}
    prefix = "vaultmem/vault-template/"
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.removeprefix(prefix) for name in names if name.startswith(prefix)} == there


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {re.sub(r"-[^/]*", "", name.split("/")[0]) for name in names} == {"vaultmem"}
    assert not any("tests/" in name or name.endswith(".pyc") for name in names)


def test_the_installed_package_is_the_one_that_runs(scripts: Path, tmp_path: Path) -> None:
    file = run(scripts / "python", "-c", "import vaultmem; print(vaultmem.__file__)", cwd=tmp_path)

    assert Path(file).is_relative_to(scripts.parent)


def test_the_installed_command_shows_its_help(scripts: Path, tmp_path: Path) -> None:
    assert "memorize" in run(scripts / "vaultmem", "--help", cwd=tmp_path)


def test_the_installed_command_makes_a_vault_and_keeps_a_note(
    scripts: Path, tmp_path: Path
) -> None:
    run(scripts / "vaultmem", "init", "vault", cwd=tmp_path)
    flags = ("--vault", "vault")
    run(scripts / "vaultmem", "memorize", "A title", "A fact to keep.", *flags, cwd=tmp_path)

    assert (tmp_path / "vault" / ".obsidian" / "app.json").is_file()
    assert "A title" in run(scripts / "vaultmem", "list", *flags, cwd=tmp_path)
