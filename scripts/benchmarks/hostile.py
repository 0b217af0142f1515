"""A repository that names a program wherever git lets one be named; each leaves a trace if run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.vaults import git

SETTINGS = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass"),
    *("core.alternateRefsCommand", "core.gitProxy", "diff.external", "diff.evil.command"),
    *("diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
    *("merge.evil.driver", "merge.vaultmem.driver", "gpg.program", "gpg.ssh.program"),
    *("sequence.editor", "interactive.diffFilter", "credential.helper", "pager.log"),
    *("uploadpack.packObjectsHook", "alias.log", "alias.rev-parse", "alias.fast-import"),
    *("trailer.evil.command", "trailer.Agent.command", "trailer.Agent.cmd", "diff.tool"),
    *("difftool.evil.cmd", "mergetool.evil.cmd", "sendemail.smtpServer", "browser.evil.cmd"),
)
HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout"),
    *("post-index-change", "reference-transaction", "pre-auto-gc", "post-rewrite", "update"),
    *("post-merge", "pre-merge-commit", "fsmonitor-watchman", "pre-push", "post-update"),
)
ODD_NAMES = ("--output=stolen.md", "-c.md", ":(exclude)a.md", "$(touch stolen).md", 'a"b\\c.md')


def arm(root: Path, traces: Path, *, attributes: bool) -> None:
    """Make a vault's repository hostile; with `attributes` its files ask for the programs too."""
    traces.mkdir(parents=True, exist_ok=True)
    for number, key in enumerate(SETTINGS):
        git(root, "config", key, _program(root, traces, f"setting-{number}-{key}"))
    for key, value in (("commit.gpgSign", "true"), ("log.showSignature", "true")):
        git(root, "config", key, value)
    for folder in (root / ".git/hooks", root / ".git/more-hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            hook = folder / name
            hook.write_text(f"#!/bin/sh\ntouch '{traces}/hook-{name}'\n", encoding="utf-8")
            hook.chmod(0o755)
    git(root, "config", "core.hooksPath", str(root / ".git/more-hooks"))
    if attributes:
        line = "*.md filter=evil diff=evil merge=evil\n"
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/attributes").write_text(line, encoding="utf-8")
    _bare(root / "memory/global/inside", traces)


def _program(root: Path, traces: Path, name: str) -> str:
    file = root / ".git" / f"{name}.sh"
    file.write_text(f"#!/bin/sh\ntouch '{traces}/{name}'\nexit 1\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def _bare(folder: Path, traces: Path) -> None:
    """Put a bare repository into the vault, as a folder that looks like any other."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "--bare", ".")
    git(folder, "config", "core.fsmonitor", f"touch '{traces}/bare'")
    (folder / "note.md").write_text(
        "A note in a folder that git takes for a repository.\n", "utf-8"
    )


def traces_of(traces: Path) -> Sequence[str]:
    """Return the names of the programs that were run."""
    return sorted(item.name for item in traces.iterdir())
